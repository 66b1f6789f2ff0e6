//! What is known about the C library: which of its functions write where, and what is kept in
//! their models in C.

use super::Code;
use super::calls::Call;
use super::layout::Home;
use super::scratch::Scratch;
use crate::domain::{Kind, Target, Value};
use crate::map::Cell;
use cwolf_base::Idx;
use cwolf_cwi::graph::{CallGraph, Object};
use cwolf_cwi::{Expr, ExprKind, FuncId, LocId, Program, StmtKind, Type, TypeId, VarId, VarKind};
use rustc_hash::FxHashSet;

/// What a function writes that the program can see. None of these keeps a pointer for later or
/// calls back.
enum Writes {
    /// What these arguments point to, and nothing that is reached from there.
    Args(&'static [usize]),
    /// The same, if the format at this position has no `%n`.
    Formatted(usize, &'static [usize]),
    /// What all arguments from here on point to.
    From(usize),
}

#[rustfmt::skip]
fn writes(name: &str) -> Option<Writes> {
    use Writes::{Args, Formatted, From};
    Some(match name {
        "getc" | "fgetc" | "getchar" | "_IO_getc" | "putc" | "fputc" | "putchar" | "_IO_putc"
        | "puts" | "fputs" | "fflush" | "fopen" | "fclose" | "feof" | "ferror" | "clearerr"
        | "fileno" | "fseek" | "ftell" | "rewind" | "fwrite" | "perror" | "ungetc"
        | "free" | "malloc" | "calloc" | "rand" | "srand" | "random" | "srandom" | "getenv"
        | "abs" | "labs" | "atoi" | "atol" | "atof" | "clock" | "sleep" | "usleep" | "alarm"
        | "strlen" | "strnlen" | "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" | "memcmp"
        | "strchr" | "strrchr" | "strstr" | "strspn" | "strcspn" | "strpbrk" | "memchr"
        | "strdup" | "strndup" | "strerror" | "isatty"
        | "open" | "creat" | "close" | "write" | "lseek" | "dup" | "dup2" | "unlink" | "access"
        | "chdir" | "mkdir" | "rmdir" | "rename" | "getpid" | "getppid" | "getuid" | "geteuid"
        | "socket" | "bind" | "listen" | "connect" | "send" | "sendto" | "shutdown"
        | "setsockopt" | "htons" | "htonl" | "ntohs" | "ntohl" | "umask" => Args(&[]),
        "memcpy" | "memmove" | "memset" | "mempcpy" | "bzero" | "strcpy" | "strncpy" | "stpcpy"
        | "strcat" | "strncat" | "fgets" | "fread" | "time" | "pipe" | "getcwd" | "gethostname"
        | "strftime" | "wait" | "poll" => Args(&[0]),
        "read" | "recv" | "stat" | "fstat" | "lstat" | "clock_gettime" | "nanosleep"
        | "waitpid" | "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtod" | "bcopy"
        | "localtime_r" | "gmtime_r" | "frexp" | "modf" => Args(&[1]),
        "gettimeofday" => Args(&[0, 1]),
        "accept" | "getsockname" | "getpeername" => Args(&[1, 2]),
        "select" => Args(&[1, 2, 3, 4]),
        "getsockopt" => Args(&[3, 4]),
        "recvfrom" => Args(&[1, 4, 5]),
        "printf" => Formatted(0, &[]),
        "fprintf" | "dprintf" | "syslog" => Formatted(1, &[]),
        "sprintf" => Formatted(1, &[0]),
        "snprintf" => Formatted(2, &[0]),
        "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => From(1),
        "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" | "sscanf" | "__isoc99_sscanf"
        | "__isoc23_sscanf" => From(2),
        _ => return None,
    })
}

/// Whether a format of `printf` has a conversion that writes.
fn has_n(format: &str) -> bool {
    let mut rest = format.chars();
    while rest.any(|c| c == '%') {
        // Flags, widths and lengths are no letters, or one of these; after `w` comes anything.
        let inside = |c: &char| !c.is_alphabetic() && *c != '%' || "hlqjztLI".contains(*c);
        match rest.find(|c| !inside(c)) {
            Some('n' | 'w') => return true,
            Some(_) => {}
            None => return false,
        }
    }
    false
}

impl Code<'_> {
    /// Makes ⊤ what a function of the C library may write; false if it is none that is known.
    pub(super) fn library_call(&self, call: &Call<'_>, name: &str, env: &mut Scratch) -> bool {
        let args = match writes(name) {
            Some(Writes::Args(list)) => list.to_vec(),
            Some(Writes::From(first)) => (first..call.args.len()).collect(),
            Some(Writes::Formatted(format, list)) => {
                match call.args.get(format).map(|e| self.text(e)) {
                    Some(Some(text)) if !has_n(&text) => list.to_vec(),
                    _ => return false,
                }
            }
            None => return false,
        };
        for arg in args.iter().filter_map(|n| call.args.get(*n)) {
            self.write_behind(call, arg, env);
        }
        true
    }
    /// Everything behind a pointer in the object that it points into becomes ⊤.
    fn write_behind(&self, call: &Call<'_>, pointer: &Expr, env: &mut Scratch) {
        let context = self.context(call.func, call.block);
        let value = context.eval(env, pointer);
        let mut forget = |var: VarId, from: i128, surely: bool| {
            // What is written only perhaps is not overwritten where the pointer is known better.
            if !surely {
                context.look_at(env, var);
            }
            for slot in context.slots(var).filter(|s| s.overlaps(from, i128::MAX)) {
                if let Home::Global(_) = slot.home {
                    env.set(slot.home, Value::Top);
                }
            }
        };
        if let Some(list) = self.universe.addresses(value) {
            let one = list.len() == 1;
            for address in list {
                if let Target::Object(var) = address.target() {
                    let from = address.offset().map(|n| i128::from(n) * 8);
                    let surely = one && from.is_some();
                    forget(VarId(var), from.unwrap_or(i128::MIN), surely);
                }
            }
            return;
        }
        let mut objects = self.points_to.expr(call.func, call.block, pointer);
        if objects.contains(&Object::Outside) {
            objects.extend(self.points_to.escaped());
        }
        for object in objects {
            if let Object::Var(var) = object {
                forget(var, i128::MIN, false);
            }
        }
    }
}

fn in_library(program: &Program, loc: LocId) -> bool {
    let file = program.locations[loc].file;
    program.locations.file_name(file).starts_with("<library>/")
}

/// The C model of `exit`, if functions may be registered to run in it.
pub(super) fn exit(program: &Program, calls: &CallGraph) -> Option<FuncId> {
    let model = |name: &str| {
        let func = program.function(name)?;
        let f = &program.funcs[func];
        (f.body.is_some() && in_library(program, f.loc)).then_some(func)
    };
    let registers = !calls.callers(model("atexit")?).is_empty();
    model("exit").filter(|_| registers)
}

/// What that model must know: the status, and the functions that were registered.
pub(super) fn registered(program: &Program, calls: &CallGraph) -> Vec<Cell> {
    let Some(exit) = exit(program, calls) else {
        return Vec::new();
    };
    let file = program.locations[program.funcs[exit].loc].file;
    let mut cells = Vec::new();
    for (var, v) in program.vars.enumerate() {
        if program.locations[v.loc].file != file {
            continue;
        }
        let cell = |ty: TypeId, bit_offset: u64, kind: Kind| Cell {
            var,
            bit_offset,
            ty,
            kind,
        };
        match program.types[v.ty] {
            Type::Int(_) => cells.push(cell(v.ty, 0, Kind::Free)),
            Type::Array { elem, len } => {
                let size = program.types.size_of(elem) * 8;
                cells.extend((0..len).map(|n| cell(elem, n * size, Kind::Pointer)));
            }
            _ => {}
        }
    }
    cells
}

/// In the C models of library functions, the pointers that only hand on what the caller gave: so
/// `memcpy` writes where this call says, and not where any call does. They never move, so no
/// model becomes endless by them.
pub(super) fn handed_on(program: &Program, exposed: &FxHashSet<VarId>) -> Vec<Cell> {
    let mut kept: FxHashSet<VarId> = (program.vars.enumerate())
        .filter(|(id, v)| {
            matches!(v.kind, VarKind::Param(_) | VarKind::Local(_))
                && matches!(program.types[v.ty], Type::Pointer(_))
                && in_library(program, v.loc)
                && !exposed.contains(id)
        })
        .map(|(id, _)| id)
        .collect();
    loop {
        let before = kept.len();
        for stmt in (program.funcs.iter())
            .filter_map(|f| f.body.as_ref())
            .flat_map(|b| b.blocks.iter())
            .flat_map(|b| &b.stmts)
        {
            if let StmtKind::Assign(place, e) = &stmt.kind
                && let Some(var) = place.root()
                && !source(e).is_some_and(|from| kept.contains(&from))
            {
                kept.remove(&var);
            }
        }
        if kept.len() == before {
            break;
        }
    }
    let mut kept: Vec<VarId> = kept.into_iter().collect();
    kept.sort_unstable_by_key(|v| v.index());
    let cell = |var: VarId| Cell {
        var,
        bit_offset: 0,
        ty: program.vars[var].ty,
        kind: Kind::Pointer,
    };
    kept.into_iter().map(cell).collect()
}

/// The variable that an expression is a copy of.
fn source(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Cast(inner) => source(inner),
        ExprKind::Load { place, .. } if place.path.is_empty() => place.root(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::has_n;

    #[test]
    fn formats_that_write_are_found() {
        for format in [
            "%n",
            "%d%hhn",
            "100%% %n",
            "%5$ln",
            "%*.3f and %-8ln",
            "%%%n",
        ] {
            assert!(has_n(format), "{format}");
        }
        for format in ["", "none", "%d\n", "100%%n", "%s: %5.2f", "%"] {
            assert!(!has_n(format), "{format}");
        }
    }
}
