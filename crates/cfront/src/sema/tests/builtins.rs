//! Built-in functions.

use super::types::check_constant;
use super::{analyse_for, good, only_function};
use crate::hir::{ExprKind, StmtKind};
use cwolf_cwi::Target;

#[test]
fn constants() {
    for assertion in [
        "__builtin_constant_p(3)",
        "!__builtin_constant_p(i)",
        "__builtin_constant_p(\"abc\")",
        "__builtin_popcount(255) == 8",
        "__builtin_popcountll(-1) == 64",
        "__builtin_clz(1) == 31",
        "__builtin_ctzl(8) == 3",
        "__builtin_ffs(8) == 4 && __builtin_ffs(0) == 0",
        "__builtin_parity(7) == 1",
        "__builtin_clrsb(-1) == 31",
        "__builtin_bswap16(0x1122) == 0x2211",
        "__builtin_bswap32(0x11223344) == 0x44332211",
        "__builtin_bswap64(1) == 0x0100000000000000ull",
        "__builtin_isnan(__builtin_nan(\"\"))",
        "__builtin_isinf(__builtin_inf()) && !__builtin_isinf(1.0)",
        "__builtin_isfinite(1.0) && !__builtin_isfinite(__builtin_huge_val())",
        "__builtin_signbit(-0.0) != 0 && !__builtin_signbit(1.0)",
        "__builtin_isnormal(1.0) && !__builtin_isnormal(0.0)",
        "__builtin_isless(1.0, 2.0) && __builtin_isunordered(1.0, __builtin_nan(\"\"))",
        "__builtin_add_overflow_p(2147483647, 1, 0)",
        "!__builtin_add_overflow_p(1, 2, 0)",
        "!__builtin_mul_overflow_p(4294967295u, 4294967295u, 0ull)",
        "__builtin_mul_overflow_p(4294967296ull, 4294967296ull, 0ull)",
        "__builtin_sub_overflow_p(0u, 1u, 0u)",
        "__builtin_classify_type(1) == 1 && __builtin_classify_type(1.0) == 8",
        "__builtin_classify_type(&i) == 5",
        "__builtin_expect(5, 1) == 5",
    ] {
        check_constant(assertion);
    }
}

#[test]
fn library_twins_are_called_by_their_name() {
    let outcome = good(
        "void f(char *a, char *b) { __builtin_memcpy(a, b, 3); __builtin___memcpy_chk(a, b, 3, 9);
           __builtin___sprintf_chk(a, 0, 9, \"%d\", 3); __builtin_printf(\"x\"); __builtin_abort(); }
         double g(float x) { return __builtin_fabs(x) + __builtin_sqrtf(x); }",
    );
    let names: Vec<_> = outcome
        .program
        .funcs
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "f", "memcpy", "sprintf", "printf", "abort", "g", "fabs", "sqrtf"
        ]
    );
    assert!(outcome.func("abort").noreturn);
    assert_eq!(
        outcome.program.types.name(outcome.func("sqrtf").ty),
        "fn(f32) f32"
    );
    let counts: Vec<_> = outcome.functions[0]
        .body
        .iter()
        .map(|s| match &s.kind {
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Call { args, .. } => args.len(),
                _ => panic!("calls only"),
            },
            _ => panic!("calls only"),
        })
        .collect();
    assert_eq!(counts, [3, 3, 3, 1, 0]);
}

#[test]
fn unnamed_arguments() {
    let text = "int f(int n, ...) { __builtin_va_list a, b; __builtin_va_start(a, n); __builtin_va_copy(b, a);
                  int x = __builtin_va_arg(a, int); double d = __builtin_va_arg(a, double);
                  struct { int q[5]; } s = __builtin_va_arg(b, __typeof__(s)); __builtin_va_end(a); return x + d + s.q[0]; }
                void g(__builtin_va_list l) { __builtin_va_arg(l, long); }";
    for target in [Target::X86_64, Target::I386] {
        let outcome = analyse_for(target, text);
        assert_eq!(outcome.errors, Vec::<String>::new());
        assert_eq!(outcome.functions.len(), 2);
        let record = outcome
            .program
            .types
            .records
            .iter()
            .find(|r| r.name == "__va_list_tag");
        assert_eq!(
            record.is_some_and(|r| r.size == 24),
            target == Target::X86_64
        );
    }
}

#[test]
fn atomics_are_plain_and_noted() {
    let outcome = good(
        "int x; _Bool f(int *e) { __sync_fetch_and_add(&x, 1); __atomic_store_n(&x, 2, 5);
           __sync_synchronize(); __atomic_fetch_or(&x, 1, 0); __sync_lock_release(&x);
           return __atomic_compare_exchange_n(&x, e, 3, 0, 5, 5) | __sync_bool_compare_and_swap(&x, 1, 2)
             | __atomic_test_and_set(&x, 0) | __atomic_exchange_n(&x, 4, 5) | __atomic_nand_fetch(&x, 1, 0); }",
    );
    assert_eq!(outcome.program.notes.len(), 9);
    assert_eq!(outcome.functions.len(), 1);
}

#[test]
fn stops_and_hints() {
    let function =
        only_function("void f(int x) { if (x) __builtin_unreachable(); __builtin_trap(); }");
    assert!(
        matches!(&function.body[1].kind, StmtKind::Expr(e) if matches!(e.kind, ExprKind::Trap))
    );
    let function = only_function("void f(int x) { __cwolf_halt(x); }");
    assert!(
        matches!(&function.body[0].kind, StmtKind::Expr(e) if matches!(e.kind, ExprKind::Halt(_)))
    );
}

#[test]
fn overflow_is_stored_and_reported() {
    let outcome = good(
        "int f(int a, unsigned b, long *r) { return __builtin_add_overflow(a, b, r)
           + __builtin_smul_overflow(a, a, &a) + __builtin_usubll_overflow(1, 2, (unsigned long long *)r); }",
    );
    assert_eq!(outcome.functions.len(), 1);
}
