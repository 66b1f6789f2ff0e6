use super::*;

fn sample() -> Digraph {
    let mut g = Digraph::new("a \"title\"");
    let a = g.node(
        Node::new("a", "a:\n  x = \"<&>\"")
            .shape(Shape::Round)
            .colour(Colour::Blue),
    );
    let b = g.node(
        Node::new("b", "b")
            .shape(Shape::Double)
            .colour(Colour::Green),
    );
    let c = g.node(Node::new("c", "c\u{1}").shape(Shape::Ellipse));
    g.edge(Edge::new(a, b, "true"));
    g.edge(Edge::new(b, a, "").line(Line::Dashed));
    g.edge(Edge::new(a, c, "x \"y\""));
    g.edge(Edge::new(c, c, "loop").line(Line::Bold).colour(Colour::Red));
    g
}

#[test]
fn text() {
    assert_eq!(
        sample().render(Format::Text),
        "a:\n    x = \"<&>\"\n  --true--> b\n  --x \"y\"--> c\n\nb\n  --> a\n\nc\u{1}\n  --loop--> c\n\n"
    );
}

#[test]
fn dot() {
    let dot = sample().render(Format::Dot);
    assert!(dot.starts_with("digraph \"a \\\"title\\\"\" {\n"));
    assert!(dot.contains("n0 [label=\"a:\\l  x = \\\"<&>\\\"\\l\", style=\"filled,rounded\", fillcolor=lightblue];"), "{dot}");
    assert!(dot.contains("n1 -> n0 [style=dashed];"));
    assert!(dot.contains("n2 -> n2 [label=\"loop\", style=bold, color=red];"));
}

#[test]
fn davinci() {
    let term = sample().render(Format::DaVinci);
    assert!(
        term.starts_with("[l(\"n0\",n(\"\",[a(\"OBJECT\",\"a:\\n  x = \\\"<&>\\\"\")"),
        "{term}"
    );
    assert!(
        term.contains("l(\"e3\",e(\"\",[a(\"EDGEPATTERN\",\"dashed\")],r(\"n0\")))"),
        "{term}"
    );
    // Brackets outside of strings match.
    let (mut depth, mut quoted, mut escaped) = (0i32, false, false);
    for c in term.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            _ => {}
        }
    }
    assert_eq!((depth, quoted), (0, false));
}

#[test]
fn vcg() {
    let vcg = sample().render(Format::Vcg);
    assert!(
        vcg.contains("edge: { sourcename: \"n0\" targetname: \"n1\" label: \"true\" }"),
        "{vcg}"
    );
    assert!(vcg.contains("node: { title: \"n1\" label: \"b\""), "{vcg}");
}

#[test]
fn json() {
    let json = sample().render(Format::Json);
    assert!(json.contains("{\"name\": \"c\", \"label\": \"c\\u0001\", \"shape\": \"ellipse\", \"colour\": \"plain\"}"), "{json}");
    assert!(json.contains("{\"from\": 0, \"to\": 2, \"label\": \"x \\\"y\\\"\", \"line\": \"solid\", \"colour\": \"plain\"}"));
    assert!(
        Digraph::new("")
            .render(Format::Json)
            .contains("\"nodes\": []")
    );
}

#[test]
fn names_of_formats() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
    assert_eq!(Format::from_name("pdf"), None);
}

/// Centres and sizes of all drawn boxes.
fn boxes(g: &Digraph) -> Vec<(f64, f64, f64, f64)> {
    let svg = g.render(Format::Svg);
    let number = |line: &str, name: &str| -> f64 {
        let at = line.find(&format!(" {name}=\"")).expect("an attribute") + name.len() + 3;
        let end = at + line[at..].find('"').expect("its end");
        line[at..end].parse().expect("a number")
    };
    let rects = svg
        .lines()
        .filter(|l| l.starts_with("<g data-node") && l.contains("><rect"));
    let boxes: Vec<_> = rects
        .map(|l| {
            (
                number(l, "x"),
                number(l, "y"),
                number(l, "width"),
                number(l, "height"),
            )
        })
        .collect();
    let drawn = g
        .nodes()
        .iter()
        .filter(|n| matches!(n.shape, Shape::Box | Shape::Round));
    assert_eq!(boxes.len(), drawn.count(), "no box is missed");
    boxes
}

/// A graph of `count` nodes with pseudo-random edges.
fn random(count: u32, degree: u32, back: u32) -> Digraph {
    let mut g = Digraph::new("random");
    let mut seed = 12345u32;
    let mut next = |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % n
    };
    for n in 0..count {
        g.node(Node::new(
            n.to_string(),
            format!("state {n}\nx = {}", n * 7),
        ));
    }
    for n in 0..count {
        for _ in 0..degree {
            let to = (n + 1 + next(40)).min(count - 1);
            g.edge(Edge::new(n, to, if next(2) == 0 { "a" } else { "" }));
        }
        if back > 0 && next(back) == 0 {
            g.edge(Edge::new(n, next(n + 1), "back"));
        }
    }
    g
}

#[test]
fn nodes_do_not_overlap() {
    for g in [random(60, 2, 5), random(200, 1, 3), sample()] {
        let boxes = boxes(&g);
        for (n, a) in boxes.iter().enumerate() {
            for b in &boxes[..n] {
                let apart =
                    a.0 + a.2 <= b.0 || b.0 + b.2 <= a.0 || a.1 + a.3 <= b.1 || b.1 + b.3 <= a.1;
                assert!(apart, "{a:?} and {b:?}");
            }
        }
    }
}

#[test]
fn a_chain_is_straight() {
    let mut g = Digraph::new("chain");
    for n in 0..5 {
        g.node(Node::new("n", "same width"));
        if n > 0 {
            g.edge(Edge::new(n - 1, n, ""));
        }
    }
    let boxes = boxes(&g);
    assert!(
        boxes
            .windows(2)
            .all(|w| (w[0].0 - w[1].0).abs() < 0.2 && w[0].1 < w[1].1),
        "{boxes:?}"
    );
}

#[test]
fn large_graphs_take_seconds() {
    let start = std::time::Instant::now();
    let svg = random(10_000, 2, 10).render(Format::Svg);
    assert!(svg.len() > 1_000_000);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn odd_graphs_are_drawn() {
    assert!(
        Digraph::new("empty")
            .render(Format::Svg)
            .ends_with("</svg>\n")
    );
    let mut g = Digraph::new("lonely");
    for n in 0..50 {
        g.node(Node::new("n", n.to_string()));
    }
    assert_eq!(boxes(&g).len(), 50);
    let mut g = Digraph::new("circle");
    let ids: Vec<u32> = (0..4)
        .map(|n| g.node(Node::new("n", n.to_string())))
        .collect();
    for n in 0..4 {
        g.edge(Edge::new(ids[n], ids[(n + 1) % 4], ""));
        g.edge(Edge::new(ids[n], ids[(n + 1) % 4], "again"));
    }
    assert_eq!(boxes(&g).len(), 4);
}

#[test]
fn focus() {
    let mut chain = Digraph::new("chain");
    for name in ["a", "b", "c", "d"] {
        chain.node(Node::new(name, name));
    }
    for (from, to) in [(0, 1), (1, 2), (1, 2), (2, 3), (3, 0)] {
        chain.edge(Edge::new(from, to, ""));
    }
    let near = chain.near(0, Some(1), Direction::Forwards);
    assert_eq!(near, [0, 1]);
    let shown = chain.only(&near, Direction::Forwards);
    let labels: Vec<&str> = shown.nodes().iter().map(|n| n.label.as_str()).collect();
    // c is counted once, however many edges lead there; the edge from d is not one that was followed.
    assert_eq!((labels, shown.edges().len()), (vec!["a", "b (+1)"], 1));
    assert_eq!(chain.near(0, Some(1), Direction::Backwards), [0, 3]);
    assert_eq!(chain.near(2, None, Direction::Forwards), [0, 1, 2, 3]);
    assert_eq!(chain.only(&[0, 1, 2, 3], Direction::Forwards), chain);
}
