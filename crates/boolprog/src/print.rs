//! The text form, as in Figure 1(b) of the C2BP paper.

use crate::names::written;
use crate::{Expr, Proc, ProcId, Program, Source, StmtId, StmtKind, Var};
use std::fmt::{self, Display, Write};

/// Binding strength, weakest first. An operand is put in parentheses unless it binds tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Equal,
    Unary,
}

fn level(expr: &Expr) -> Level {
    match expr {
        Expr::Implies(_) => Level::Implies,
        Expr::Or(_) => Level::Or,
        Expr::And(_) => Level::And,
        Expr::Equal(_) | Expr::Differ(_) => Level::Equal,
        _ => Level::Unary,
    }
}

/// Writes `expr`, with `name` giving the written name of a variable.
pub(crate) fn write_expr(
    out: &mut dyn Write,
    expr: &Expr,
    name: &dyn Fn(Var) -> String,
) -> fmt::Result {
    let operand = |out: &mut dyn Write, part: &Expr, outer: Level| {
        if level(part) > outer || (level(part) == Level::Unary) {
            write_expr(out, part, name)
        } else {
            out.write_char('(')?;
            write_expr(out, part, name)?;
            out.write_char(')')
        }
    };
    let list = |out: &mut dyn Write, parts: &[Expr], symbol: &str, outer: Level| {
        for (n, part) in parts.iter().enumerate() {
            if n > 0 {
                out.write_str(symbol)?;
            }
            operand(out, part, outer)?;
        }
        Ok(())
    };
    match expr {
        Expr::Const(value) => write!(out, "{value}"),
        Expr::Var(var) => out.write_str(&name(*var)),
        Expr::Next(var) => write!(out, "'{}", name(*var)),
        Expr::Not(a) => {
            out.write_char('!')?;
            operand(out, a, Level::Equal)
        }
        Expr::And(parts) => list(out, parts, " && ", Level::And),
        Expr::Or(parts) => list(out, parts, " || ", Level::Or),
        Expr::Implies(pair) => list(out, &pair[..], " ==> ", Level::Implies),
        Expr::Equal(pair) => list(out, &pair[..], " == ", Level::Equal),
        Expr::Differ(pair) => list(out, &pair[..], " != ", Level::Equal),
        Expr::Choose(pair) => {
            out.write_str("choose(")?;
            write_expr(out, &pair[0], name)?;
            out.write_str(", ")?;
            write_expr(out, &pair[1], name)?;
            out.write_char(')')
        }
        Expr::Unknown => out.write_str("unknown()"),
    }
}

/// A source as the comment after a statement: `file:line: text`, `line: text` or `text`.
/// `?:` marks a text that only looks as if it began with a line.
pub(crate) fn comment(source: &Source) -> String {
    let line = source.line.map(|n| n.to_string());
    match (&source.file, line) {
        (Some(file), line) => {
            let file = file.replace('%', "%25").replace(' ', "%20");
            format!("{file}:{}: {}", line.unwrap_or("?".into()), source.text)
        }
        (None, Some(line)) => format!("{line}: {}", source.text),
        (None, None) if read_comment(&source.text).as_ref() == Some(source) => source.text.clone(),
        (None, None) => format!("?: {}", source.text),
    }
    .trim_end()
    .to_owned()
}

/// Reads what [`comment`] wrote; nothing comes of an empty comment.
pub(crate) fn read_comment(text: &str) -> Option<Source> {
    let text = crate::program::squeeze(text);
    if text.is_empty() {
        return None;
    }
    let plain = |text: String| {
        Some(Source {
            file: None,
            line: None,
            text,
        })
    };
    let head = text.split(' ').next().expect("a first word");
    let Some(place) = head.strip_suffix(':') else {
        return plain(text);
    };
    let rest = text[head.len()..].trim().to_owned();
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if !file.is_empty() => (Some(file), line),
        _ => (None, place),
    };
    let number: Option<u32> = line.parse().ok().filter(|n: &u32| n.to_string() == line);
    if number.is_none() && line != "?" {
        return plain(text);
    }
    Some(Source {
        file: file.map(|f| f.replace("%20", " ").replace("%25", "%")),
        line: number,
        text: rest,
    })
}

struct ProcPrinter<'a> {
    program: &'a Program,
    id: ProcId,
    proc: &'a Proc,
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in self.globals.iter() {
            writeln!(f, "bool {};", written(name))?;
        }
        for (n, (id, proc)) in self.procs.enumerate().enumerate() {
            if n > 0 || !self.globals.is_empty() {
                writeln!(f)?;
            }
            let program = self;
            ProcPrinter { program, id, proc }.print(f)?;
        }
        Ok(())
    }
}

impl Program {
    /// The text of `expr` as it stands in procedure `proc`.
    pub fn expr_text(&self, proc: ProcId, expr: &Expr) -> String {
        let mut text = String::new();
        write_expr(&mut text, expr, &|v| written(self.var_name(proc, v)))
            .expect("writing to a string");
        text
    }
    /// The text of the first line of a statement, without labels and comment.
    pub fn stmt_text(&self, proc: ProcId, stmt: StmtId) -> String {
        let printer = ProcPrinter {
            program: self,
            id: proc,
            proc: &self.procs[proc],
        };
        printer.head(stmt)
    }
}

impl ProcPrinter<'_> {
    fn expr(&self, expr: &Expr) -> String {
        self.program.expr_text(self.id, expr)
    }
    fn exprs(&self, list: &[Expr]) -> String {
        let list: Vec<String> = list.iter().map(|e| self.expr(e)).collect();
        list.join(", ")
    }
    fn condition(&self, expr: &Expr) -> String {
        match expr {
            Expr::Unknown => "*".into(),
            other => self.expr(other),
        }
    }
    fn var(&self, var: Var) -> String {
        written(self.program.var_name(self.id, var))
    }

    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let proc = self.proc;
        match proc.results {
            0 => write!(f, "void")?,
            1 => write!(f, "bool")?,
            n => write!(f, "bool<{n}>")?,
        }
        let name = |id| format!("bool {}", written(&proc.locals[id]));
        let params: Vec<String> = proc.param_ids().map(name).collect();
        writeln!(f, " {}({}) {{", written(&proc.name), params.join(", "))?;
        for id in proc.locals.ids().skip(proc.params) {
            writeln!(f, "  bool {};", written(&proc.locals[id]))?;
        }
        if let Some(condition) = &proc.enforce {
            writeln!(f, "  enforce({});", self.expr(condition))?;
        }
        self.block(f, &proc.body, 1)?;
        writeln!(f, "}}")
    }

    fn block(&self, f: &mut fmt::Formatter<'_>, block: &[StmtId], depth: usize) -> fmt::Result {
        for &id in block {
            let stmt = &self.proc.stmts[id];
            let labels: Vec<String> = stmt
                .labels
                .iter()
                .map(|&l| format!("{}: ", written(&self.proc.labels[l])))
                .collect();
            let indent = "  ".repeat(depth);
            write!(f, "{:width$}", labels.concat(), width = indent.len())?;
            let source = stmt.source.as_ref().map(comment);
            let source = source.map_or(String::new(), |c| format!(" // {c}"));
            writeln!(f, "{}{}", self.head(id), source.trim_end())?;
            match &stmt.kind {
                StmtKind::If {
                    then, otherwise, ..
                } => {
                    self.block(f, then, depth + 1)?;
                    if !otherwise.is_empty() {
                        writeln!(f, "{indent}}} else {{")?;
                        self.block(f, otherwise, depth + 1)?;
                    }
                    writeln!(f, "{indent}}}")?;
                }
                StmtKind::While { body, .. } => {
                    self.block(f, body, depth + 1)?;
                    writeln!(f, "{indent}}}")?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn head(&self, id: StmtId) -> String {
        match &self.proc.stmts[id].kind {
            StmtKind::Skip => "skip;".into(),
            StmtKind::Assign {
                targets,
                values,
                constrain,
            } => {
                let targets: Vec<String> = targets.iter().map(|&v| self.var(v)).collect();
                let constrain = constrain
                    .as_ref()
                    .map_or(String::new(), |c| format!(" constrain ({})", self.expr(c)));
                let values = self.exprs(values);
                format!("{} = {values}{constrain};", targets.join(", "))
            }
            StmtKind::Call {
                results,
                callee,
                args,
            } => {
                let results: Vec<String> = results
                    .iter()
                    .map(|r| r.map_or("_".into(), |v| self.var(v)))
                    .collect();
                let equals = if results.is_empty() { "" } else { " = " };
                let callee = written(&self.program.procs[*callee].name);
                let args = self.exprs(args);
                format!("{}{equals}{callee}({args});", results.join(", "))
            }
            StmtKind::Assume(e) => format!("assume({});", self.expr(e)),
            StmtKind::Assert(e) => format!("assert({});", self.expr(e)),
            StmtKind::Goto(labels) => {
                let labels: Vec<String> = labels
                    .iter()
                    .map(|&l| written(&self.proc.labels[l]))
                    .collect();
                format!("goto {};", labels.join(", "))
            }
            StmtKind::Return(values) if values.is_empty() => "return;".into(),
            StmtKind::Return(values) => format!("return {};", self.exprs(values)),
            StmtKind::If { condition, .. } => format!("if ({}) {{", self.condition(condition)),
            StmtKind::While { condition, .. } => {
                format!("while ({}) {{", self.condition(condition))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_back() {
        let plain = |text: &str| Source::new(text, None);
        for source in [
            plain("curr = *l;"),
            Source::new("curr = *l;", Some(12)),
            plain("12: looks like a line"),
            plain("?: looks like a mark"),
            plain("a.c:3: looks like a place"),
            Source::new("x = 1;", Some(3)).in_file("my file%.c"),
            plain("case 1: x = 2;"),
            plain("L: y"),
            Source::new("", Some(4)),
            Source::new("", None).in_file("a.c"),
        ] {
            assert_eq!(read_comment(&comment(&source)), Some(source));
        }
        assert_eq!(read_comment("  "), None);
    }
}
