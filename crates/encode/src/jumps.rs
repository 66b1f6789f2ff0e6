//! Functions by which control leaves the order of calls and returns. What they do is not
//! encoded: where one of them is called, the encoding says nothing about what follows, and says why.

/// Whether a function is one that the encoder cannot follow: control goes on elsewhere.
pub(crate) fn leaves_the_stack(name: &str) -> Option<&'static str> {
    Some(match name {
        "longjmp" | "_longjmp" | "__longjmp" | "siglongjmp" | "__longjmp_chk"
        | "__builtin_longjmp" => "a jump back to setjmp is not followed",
        "swapcontext" | "setcontext" | "makecontext" | "getcontext" => {
            "a switch to another stack is not followed"
        }
        "vfork" => "a child process that shares memory is not followed",
        _ => return None,
    })
}

/// Whether a function remembers a place to come back to; called, it returns zero.
pub(crate) fn saves_the_stack(name: &str) -> bool {
    matches!(
        name,
        "setjmp"
            | "_setjmp"
            | "__setjmp"
            | "sigsetjmp"
            | "_sigsetjmp"
            | "__sigsetjmp"
            | "__builtin_setjmp"
    )
}

/// Whether the encoder has to see calls of a function as such, since no body in its place could do
/// what it does.
pub fn has_no_body(name: &str) -> bool {
    leaves_the_stack(name).is_some() || saves_the_stack(name)
}
