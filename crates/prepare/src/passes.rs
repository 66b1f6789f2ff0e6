//! How passes are run: in debug builds the verifier looks at what each of them made.

use cwolf_cwi::Program;

/// Runs a pass over the program.
pub(crate) fn pass<T>(name: &str, program: &mut Program, run: impl FnOnce(&mut Program) -> T) -> T {
    let made = run(program);
    expect_valid(name, program);
    made
}

/// Panics in debug builds if the pass so named left a program that breaks a rule of CWI.
pub(crate) fn expect_valid(name: &str, program: &Program) {
    if cfg!(debug_assertions) {
        let found = cwolf_cwi::verify(program);
        let found: Vec<String> = found.iter().map(|v| v.describe(program)).collect();
        assert!(
            found.is_empty(),
            "the pass {name} breaks rules of CWI: {}",
            found.join("; ")
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};
    use cwolf_cwi::{BlockId, Branch};

    #[test]
    #[should_panic(expected = "the pass break_it breaks rules of CWI")]
    fn a_pass_that_breaks_a_rule_is_named() {
        let text = "int main(void) { return 0; }";
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let mut program = compiled.program.expect("it compiles");
        pass("break_it", &mut program, |program| {
            let main = program.function("main").expect("it is there");
            let body = program.funcs[main].body.as_mut().expect("it has code");
            body.blocks[BlockId(0)].branch = Branch::Goto(BlockId(99));
        });
    }
}
