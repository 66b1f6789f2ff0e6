//! Programs of few small variables: as instructions, as C, and as the system of all their runs.

use super::{ACTIONS, Rng, System};
use std::collections::HashMap;
use std::fmt::Write as _;

/// How the variables are spelled; each holds 0 to 3.
const VARIABLES: [&str; 4] = ["g", "p->k", "table[1]", "h->n"];

type Values = [u8; VARIABLES.len()];

/// What a variable is given.
enum Value {
    Constant(u8),
    Of(usize),
    Next(usize),
    Input,
}

enum Test {
    Is(usize, u8),
    Less(usize, usize),
    Input,
}

enum Statement {
    Action(usize),
    Set(usize, Value),
    If(Test, Vec<Statement>, Vec<Statement>),
    /// A loop without a test goes on for ever.
    While(Option<Test>, Vec<Statement>),
    Return,
}

/// A statement as a step: where control goes next.
enum Step<'p> {
    Action(usize),
    Set(usize, &'p Value),
    Branch(&'p Test, usize),
    Goto(usize),
    Return,
}

pub(super) struct Program {
    body: Vec<Statement>,
}

pub(super) fn program(rng: &mut Rng) -> Program {
    let mut body = block(rng, 2);
    if rng.below(3) > 0 {
        let test = match rng.below(2) {
            0 => Some(Test::Input),
            _ => None,
        };
        body = vec![Statement::While(test, body)];
        body.extend(block(rng, 1));
    }
    Program { body }
}

fn block(rng: &mut Rng, depth: u32) -> Vec<Statement> {
    (0..1 + rng.below(4))
        .map(|_| statement(rng, depth))
        .collect()
}

fn variable(rng: &mut Rng) -> usize {
    rng.below(VARIABLES.len() as u64) as usize
}

fn test(rng: &mut Rng) -> Test {
    match rng.below(6) {
        0..3 => Test::Is(variable(rng), rng.below(4) as u8),
        3 => Test::Less(variable(rng), variable(rng)),
        _ => Test::Input,
    }
}

fn statement(rng: &mut Rng, depth: u32) -> Statement {
    match rng.below(if depth == 0 { 5 } else { 9 }) {
        0 | 1 => Statement::Action(rng.below(3) as usize),
        2..5 => {
            let value = match rng.below(6) {
                0 | 1 => Value::Constant(rng.below(4) as u8),
                2 => Value::Of(variable(rng)),
                3 | 4 => Value::Next(variable(rng)),
                _ => Value::Input,
            };
            Statement::Set(variable(rng), value)
        }
        5 | 6 => Statement::If(test(rng), block(rng, depth - 1), block(rng, depth - 1)),
        7 => Statement::While(Some(test(rng)), block(rng, depth - 1)),
        _ => match rng.below(4) {
            0 => Statement::Return,
            1 => Statement::While(None, block(rng, depth - 1)),
            _ => Statement::If(test(rng), block(rng, depth - 1), Vec::new()),
        },
    }
}

impl Program {
    pub(super) fn text(&self) -> String {
        let mut text =
            "extern int in(void); extern void a(void); extern void b(void); extern void c(void);
struct s { int j, k; };
struct node { struct node *next; int n; };
static int g; static int table[3]; static struct s s; static struct s *p = &s; static struct node first; static struct node *h = &first;
int main(void) {\n"
                .to_owned();
        write_block(&mut text, &self.body);
        text.push_str("return 0; }\n");
        text
    }
    /// All its states, from the start.
    pub(super) fn system(&self) -> System {
        let mut code = Vec::new();
        steps(&mut code, &self.body);
        code.push(Step::Return);
        let internal = ACTIONS.len();
        let mut numbers: HashMap<(usize, Values), usize> = HashMap::from([((0, [0; 4]), 0)]);
        let mut states = vec![(0, [0; 4])];
        let mut system = System { steps: Vec::new() };
        while let Some((at, values)) = states.get(system.steps.len()).copied() {
            let next: Vec<(usize, (usize, Values))> = match &code[at] {
                Step::Action(action) => vec![(*action, (at + 1, values))],
                Step::Set(to, value) => {
                    let set = |new: u8| {
                        let mut values = values;
                        values[*to] = new;
                        (internal, (at + 1, values))
                    };
                    match value {
                        Value::Constant(n) => vec![set(*n)],
                        Value::Of(from) => vec![set(values[*from])],
                        Value::Next(from) => vec![set((values[*from] + 1) & 3)],
                        Value::Input => (0..4).map(set).collect(),
                    }
                }
                Step::Branch(test, to) => {
                    let (may_hold, may_fail) = match test {
                        Test::Is(v, n) => (values[*v] == *n, values[*v] != *n),
                        Test::Less(v, w) => (values[*v] < values[*w], values[*v] >= values[*w]),
                        Test::Input => (true, true),
                    };
                    let ways = [(may_hold, at + 1), (may_fail, *to)];
                    let ways = ways.iter().filter(|w| w.0);
                    ways.map(|w| (internal, (w.1, values))).collect()
                }
                Step::Goto(to) => vec![(internal, (*to, values))],
                Step::Return => Vec::new(),
            };
            let mut list = Vec::new();
            for (action, state) in next {
                let fresh = numbers.len();
                let number = *numbers.entry(state).or_insert(fresh);
                if number == fresh {
                    states.push(state);
                }
                list.push((action, number));
            }
            system.steps.push(list);
        }
        system
    }
}

fn steps<'p>(code: &mut Vec<Step<'p>>, list: &'p [Statement]) {
    for statement in list {
        match statement {
            Statement::Action(action) => code.push(Step::Action(*action)),
            Statement::Set(to, value) => code.push(Step::Set(*to, value)),
            Statement::Return => code.push(Step::Return),
            Statement::If(test, then, otherwise) => {
                let branch = code.len();
                code.push(Step::Branch(test, 0));
                steps(code, then);
                let end = code.len();
                code.push(Step::Goto(0));
                code[branch] = Step::Branch(test, code.len());
                steps(code, otherwise);
                code[end] = Step::Goto(code.len());
            }
            Statement::While(test, body) => {
                let head = code.len();
                code.push(Step::Goto(head + 1));
                steps(code, body);
                code.push(Step::Goto(head));
                if let Some(test) = test {
                    code[head] = Step::Branch(test, code.len());
                }
            }
        }
    }
}

fn spell(test: &Test) -> String {
    match test {
        Test::Is(v, n) => format!("{} == {n}", VARIABLES[*v]),
        Test::Less(v, w) => format!("{} < {}", VARIABLES[*v], VARIABLES[*w]),
        Test::Input => "in() & 1".to_owned(),
    }
}

fn write_block(text: &mut String, list: &[Statement]) {
    for statement in list {
        let done = match statement {
            Statement::Action(action) => writeln!(text, "{}();", ACTIONS[*action]),
            Statement::Return => writeln!(text, "return 0;"),
            Statement::Set(to, value) => {
                let value = match value {
                    Value::Constant(n) => n.to_string(),
                    Value::Of(from) => VARIABLES[*from].to_owned(),
                    Value::Next(from) => format!("({} + 1) & 3", VARIABLES[*from]),
                    Value::Input => "in() & 3".to_owned(),
                };
                writeln!(text, "{} = {value};", VARIABLES[*to])
            }
            Statement::If(test, then, otherwise) => {
                text.push_str(&format!("if ({}) {{\n", spell(test)));
                write_block(text, then);
                text.push_str("} else {\n");
                write_block(text, otherwise);
                writeln!(text, "}}")
            }
            Statement::While(test, body) => {
                let test = test.as_ref().map_or("1".to_owned(), spell);
                text.push_str(&format!("while ({test}) {{\n"));
                write_block(text, body);
                writeln!(text, "}}")
            }
        };
        done.expect("text can be written");
    }
}
