//! Random programs with objects in variables, arrays and the heap, whose fields are watched by type and through a pointer: what is
//! proved is never contradicted by a run, and a run that is shown shows these labels when it is made again. What a run
//! shows is worked out from the run alone.

use crate::{ask, formula, prepare, word};
use cwolf_absint::map::{accessed, objects_in};
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_cwi::{Branch, Callee, Place, Program, RecordId, StmtKind, TypeId, Types};
use cwolf_interp::{At, Machine, Options, Oracle, Random, Tracer, View, given};
use cwolf_refine::Answer;
use cwolf_workbench::decisive_prefix;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

const RULES: &str = "watch(struct s.k == 2) => two; watch(p->k == 1) => one; watch(struct s.f) => \"f {struct s.f}\"; call(bad) => bad;";
const FORMULAS: [&str; 6] = [
    "G not {two}",
    "(not {two}) W {one}",
    "G ({one} -> X G not {two})",
    "G not {\"f 1\"}",
    "(not {bad}) W {two}",
    "E F {one}",
];
const STATEMENTS: [&str; 20] = [
    "s.k = x;\n",
    "t.k = 2;\n",
    "p->k = 1;\n",
    "p->k++;\n",
    "p->f = x;\n",
    "p = &t;\n",
    "p = &row[x & 1];\n",
    "row[y & 1].k = x;\n",
    "t = s;\n",
    "row[1] = *p;\n",
    "if (n) p = n;\n",
    "n = make(x);\n",
    "if (n) { n->k = 2; n->f = 1; }\n",
    "if (n && n->k == x) bad();\n",
    "if (n && p != n) { free(n); n = 0; }\n",
    "memset(&s, 0, sizeof s);\n",
    "if (n) memset(n, 0, sizeof *n);\n",
    "q = &s.k;\n",
    "*q = x;\n",
    "y = sum(*p);\n",
];

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

fn program(rng: &mut Rng) -> String {
    let mut body = String::new();
    for _ in 0..2 + rng.below(5) {
        let statement = STATEMENTS[rng.below(STATEMENTS.len() as u64) as usize];
        match rng.below(4) {
            0 => body += &format!("if (x == {}) {{ {statement} }}\n", rng.below(3)),
            1 => body += &format!("x = in() & 3; {statement}"),
            _ => body += statement,
        }
    }
    if rng.below(2) == 0 {
        body = format!("while (in() != 7) {{\n{body}}}\n");
    }
    format!(
        "extern int in(void); extern void bad(void); void *malloc(unsigned long); void free(void *);
void *memset(void *, int, unsigned long);
struct s {{ int k; unsigned f : 2; }};
static struct s s, t, row[2], *p = &s, *n; static int *q = &t.k;
static struct s *make(int k) {{ struct s *m = malloc(sizeof *m); m->k = k; m->f = 0; return m; }}
static int sum(struct s v) {{ v.k += v.f; return v.k; }}
int main(void) {{ int x = 0, y = 1; if (in() == 9) bad();
{body}return y; }}\n"
    )
}

/// A write under way: the bytes that it is to, and the object of the type that these are in, with the bits in it.
struct Begun {
    at: u64,
    len: u64,
    object: Option<(u64, u64, u64)>,
}

struct Seen {
    events: Rc<RefCell<Vec<String>>>,
    begun: Vec<Begun>,
    record: RecordId,
    frames: usize,
}

impl Seen {
    fn write(&self, view: &View<'_, '_>, place: &Place) -> Option<Begun> {
        let program = view.program();
        let (at, _) = view.locate(place)?;
        let len = program.types.size_of(place.ty);
        let by_path = accessed(program, place, self.record)
            .filter(|_| place.root().is_none())
            .and_then(|(object, from, to)| Some((view.locate(&object)?.0, from, to)));
        let object = by_path.or_else(|| {
            let bit = place_bit(program, place);
            self.object_at(view, at, bit.map_or((0, len * 8), |b| b))
        });
        Some(Begun { at, len, object })
    }
    /// The object of the type at an address, and the bits of so many from there that are in it.
    fn object_at(
        &self,
        view: &View<'_, '_>,
        at: u64,
        (from, to): (u64, u64),
    ) -> Option<(u64, u64, u64)> {
        let program = view.program();
        let start = match view.variable_at(at) {
            Some((var, offset)) => {
                let v = &program.vars[var];
                if v.name.contains('#') {
                    return None;
                }
                let list = objects_in(&program.types, v.ty, self.record)?;
                let inside = |o: &&u64| (**o / 8..**o / 8 + 8).contains(&offset);
                at - offset + list.iter().find(inside)? / 8
            }
            None => view.object(at)?.0,
        };
        let before = (at - start) * 8;
        Some((start, before + from, before + to))
    }
    fn finish(&mut self, view: &View<'_, '_>) {
        for begun in std::mem::take(&mut self.begun) {
            self.written(view, &begun);
        }
    }
    fn written(&mut self, view: &View<'_, '_>, begun: &Begun) {
        let number = |at: u64, len: u64| {
            let bytes = view.stored(at, len)?;
            Some(bytes.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b)))
        };
        let object = begun.object.filter(|o| o.1 < 32);
        if object.is_some_and(|o| number(o.0, 4) == Some(2)) {
            return self.show("two".to_owned());
        }
        let program = view.program();
        let pointer = program.vars.enumerate().find(|(_, v)| v.name == "p");
        let pointer = view.address(pointer.expect("it has one").0);
        let pointer = pointer.expect("in memory");
        let meets = |at: u64, len: u64| begun.at < at + len && at < begun.at + begun.len;
        if let Some(to) = number(pointer, 8).filter(|to| *to != 0)
            && (meets(pointer, 8) || (meets(to, 4) && begun.object.is_none_or(|o| o.1 < 32)))
            && number(to, 4) == Some(1)
        {
            return self.show("one".to_owned());
        }
        if let Some((start, _, to)) = begun.object
            && to > 32
            && begun.object.is_some_and(|o| o.1 < 34)
        {
            let f = number(start + 4, 1).unwrap_or(0) & 3;
            self.show(format!("f {f}"));
        }
    }
    fn show(&self, text: String) {
        self.events.borrow_mut().push(text);
    }
}

/// The bits of a bit-field from the start of its byte.
fn place_bit(program: &Program, place: &Place) -> Option<(u64, u64)> {
    let int = program.types.as_int(place.ty)?;
    Some((0, int.bits.into()))
}

impl Tracer for Seen {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        let program = view.program();
        // Parameters are written when the function has begun.
        if at.depth > self.frames && at.index == 0 {
            for param in &program.funcs[at.func].params {
                let place = Place::var(program.vars[*param].ty, *param);
                if program.types.is_aggregate(place.ty)
                    && let Some(begun) = self.write(view, &place)
                {
                    self.begun.push(begun);
                }
            }
        }
        self.frames = at.depth;
        self.finish(view);
        let Some(body) = &program.funcs[at.func].body else {
            return;
        };
        let code = &body.blocks[at.block];
        match code.stmts.get(at.index).map(|s| &s.kind) {
            Some(StmtKind::Assign(place, _)) => self.begun.extend(self.write(view, place)),
            Some(_) => {}
            None => {
                if let Branch::Call {
                    callee: Callee::Direct(f),
                    args,
                    ..
                } = &code.branch
                {
                    match program.funcs[*f].name.as_str() {
                        "bad" => self.show("bad".to_owned()),
                        "memset" => {
                            if let Some(Value::Int(to)) = view.eval(&args[0]) {
                                self.begun.push(Begun {
                                    at: to as u64,
                                    len: 8,
                                    object: Some((to as u64, 0, 64)),
                                });
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

struct Given(VecDeque<Value>);

impl Oracle for Given {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        given(types, ty, self.0.pop_front())
    }
}

fn run(subjected: &crate::Subjected, oracle: Box<dyn Oracle>, steps: u64) -> Vec<String> {
    let events = Rc::new(RefCell::new(Vec::new()));
    let program = &subjected.subject.program;
    let records = &program.types.records;
    let record = records.enumerate().find(|(_, r)| r.name == "s");
    let seen = Seen {
        events: events.clone(),
        begun: Vec::new(),
        record: record.expect("it has one").0,
        frames: 0,
    };
    let options = Options {
        oracle,
        budget: Budget::unlimited().max_steps(steps),
        zero_memory: true,
        tracer: Some(Box::new(seen)),
        ..Options::default()
    };
    let mut machine = Machine::new(program, options);
    machine.run(&program.funcs[subjected.subject.entry].name);
    drop(machine);
    events.take()
}

#[test]
#[allow(clippy::print_stderr)] // The counts of a campaign.
fn watched_fields_agree_with_runs() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (only, count): (Option<u64>, Option<u64>) =
        (number("CWOLF_SEED"), number("CWOLF_PROGRAMS"));
    let seeds = match (only, count) {
        (Some(seed), None) => seed..seed + 1,
        (seed, count) => seed.unwrap_or(1)..seed.unwrap_or(1) + count.unwrap_or(25),
    };
    let mut answers = std::collections::BTreeMap::new();
    for seed in seeds {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let text = program(&mut rng);
        let subjected = prepare(&text, RULES);
        let runs: Vec<Vec<String>> = (0..20)
            .map(|n| run(&subjected, Box::new(Random::new(seed * 100 + n)), 3_000))
            .collect();
        for asked in FORMULAS {
            let budget = Budget::unlimited().timeout(std::time::Duration::from_secs(4));
            let outcome = ask(&subjected, asked, 20_000, &budget);
            *answers.entry((asked, word(&outcome.answer))).or_insert(0) += 1;
            let (env, formula) = formula(asked);
            let replay = format!("CWOLF_SEED={seed}: {asked}\n{}\n{text}", outcome.map);
            match &outcome.answer {
                Answer::Proved => {
                    for run in &runs {
                        let found =
                            decisive_prefix(env.formulas(), formula, run, &Budget::unlimited());
                        let found = found.expect("no limit");
                        assert_eq!(found, None, "{run:?} contradicts {replay}");
                    }
                }
                Answer::Shown(shown) => {
                    assert!(shown.confirmed.follows, "{replay}");
                    let values = shown.confirmed.values.iter().copied().collect();
                    let again = run(&subjected, Box::new(Given(values)), 100_000);
                    let labels = &shown.labels;
                    let same = again.starts_with(labels);
                    assert!(same || shown.repeats, "{labels:?} is {again:?}: {replay}");
                }
                Answer::Reached(_) => unreachable!("formulas are shown"),
                Answer::Unknown(_) => {}
            }
        }
    }
    eprintln!("{answers:#?}");
}
