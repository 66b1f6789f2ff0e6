//! Finding what a name in a map means, or the nearest name that means something.

use cwolf_base::{Diagnostic, Idx, Span, edit_distance};
use cwolf_cwi::{FileId, FuncId, Program, RecordId, Type, TypeId, VarId, VarKind};

/// Whether `name` fits `pattern`, where `*` is any text and `?` any character.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (p, n) = (pattern.as_bytes(), name.as_bytes());
    let (mut i, mut j) = (0, 0);
    // Where to try again: after the last star, one character further.
    let mut again: Option<(usize, usize)> = None;
    while j < n.len() {
        match p.get(i) {
            Some(b'*') => {
                again = Some((i + 1, j));
                i += 1;
            }
            Some(c) if *c == b'?' || *c == n[j] => {
                i += 1;
                j += 1;
            }
            _ => match again {
                Some((after, from)) => {
                    again = Some((after, from + 1));
                    (i, j) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    p[i..].iter().all(|c| *c == b'*')
}

/// Whether a name has wildcards.
pub(super) fn is_wild(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// An error that `name` is unknown, with the nearest of `known` as a hint.
pub(super) fn unknown<'a>(
    span: Span,
    message: String,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Box<Diagnostic> {
    let short: String = name.chars().take(200).collect();
    // Two exchanged letters count as two changes.
    let allowed = |len: usize| if len < 3 { 1 } else { 2.max(len / 3) };
    let near = known
        .into_iter()
        .filter(|k| !k.is_empty() && k.len() < 200)
        .map(|k| (edit_distance(&short, k), k))
        .filter(|(d, k)| *d <= allowed(k.len().max(short.len())))
        .min();
    let error = Diagnostic::error(span, message);
    Box::new(match near {
        Some((_, k)) => error.hint(format!("did you mean `{k}`?")),
        None => error,
    })
}

/// Looks names up in a program.
pub(super) struct Names<'p> {
    pub program: &'p Program,
}

impl<'p> Names<'p> {
    /// The files that a map calls `name`: by their whole path or the end of it.
    pub fn files(&self, name: &str, span: Span) -> Result<Vec<FileId>, Box<Diagnostic>> {
        let ends = |f: &str| {
            f == name
                || (f.strip_suffix(name)).is_some_and(|front| front.ends_with('/'))
                || (name.strip_suffix(f)).is_some_and(|front| front.ends_with('/'))
        };
        let all = self.program.locations.files();
        let found: Vec<FileId> = all
            .enumerate()
            .filter(|(_, f)| ends(f))
            .map(|(id, _)| id)
            .collect();
        if found.is_empty() {
            let message = format!("the program has no file `{name}`");
            let known = all.iter().map(|f| f.rsplit('/').next().unwrap_or(f));
            return Err(unknown(span, message, name, known));
        }
        Ok(found)
    }
    fn in_files(&self, loc: cwolf_cwi::LocId, files: Option<&[FileId]>) -> bool {
        files.is_none_or(|files| files.contains(&self.program.locations[loc].file))
    }
    /// The functions whose name fits, in one of the files if given.
    pub fn functions(
        &self,
        name: &str,
        files: Option<&[FileId]>,
        span: Span,
    ) -> Result<Vec<FuncId>, Box<Diagnostic>> {
        let here = || {
            let all = self.program.funcs.enumerate();
            all.filter(|(_, f)| self.in_files(f.loc, files))
        };
        let found: Vec<FuncId> = here()
            .filter(|(_, f)| matches(name, &f.name))
            .map(|(id, _)| id)
            .collect();
        if found.is_empty() {
            let place = if files.is_some() { "file" } else { "program" };
            let message = format!("the {place} has no function `{name}`");
            return Err(unknown(span, message, name, here().map(|(_, f)| &*f.name)));
        }
        Ok(found)
    }
    /// The variables of `func` (or, without one, of file scope) whose name fits.
    pub fn variables(
        &self,
        name: &str,
        func: Option<FuncId>,
        files: Option<&[FileId]>,
        span: Span,
    ) -> Result<Vec<VarId>, Box<Diagnostic>> {
        let here = || {
            self.program.vars.enumerate().filter(move |(_, v)| {
                let scope = match func {
                    Some(f) => v.kind.function() == Some(f),
                    None => v.kind == VarKind::Global,
                };
                scope
                    && !matches!(v.kind, VarKind::Temp(_) | VarKind::Literal)
                    && (func.is_some() || self.in_files(v.loc, files))
            })
        };
        let found: Vec<VarId> = here()
            .filter(|(_, v)| matches(name, &v.name))
            .map(|(id, _)| id)
            .collect();
        if found.is_empty() {
            let place = match func {
                Some(f) => format!("function `{}`", self.program.funcs[f].name),
                None if files.is_some() => "file".to_owned(),
                None => "program".to_owned(),
            };
            let message = format!("the {place} has no variable `{name}`");
            return Err(unknown(span, message, name, here().map(|(_, v)| &*v.name)));
        }
        Ok(found)
    }
    /// The variables, also local ones, whose name fits.
    pub fn variables_anywhere(&self, name: &str, files: Option<&[FileId]>) -> Vec<VarId> {
        let all = self.program.vars.enumerate();
        all.filter(|(_, v)| {
            matches(name, &v.name)
                && !matches!(v.kind, VarKind::Temp(_) | VarKind::Literal)
                && self.in_files(v.loc, files)
        })
        .map(|(id, _)| id)
        .collect()
    }
    /// The structs and unions with this tag.
    pub fn records(&self, name: &str) -> Vec<RecordId> {
        let all = self.program.types.records.enumerate();
        all.filter(|(_, r)| r.name == name)
            .map(|(id, _)| id)
            .collect()
    }
    /// Whether no variable has this name.
    pub fn is_free(&self, name: &str) -> bool {
        let made = |kind| matches!(kind, VarKind::Temp(_) | VarKind::Literal);
        let mut all = self.program.vars.iter();
        !all.any(|v| v.name == name && !made(v.kind))
    }
    /// Local variables of any function with this name, when no scope is given.
    pub fn locals_anywhere(&self, name: &str) -> Vec<VarId> {
        let all = self.program.vars.enumerate();
        all.filter(|(_, v)| {
            v.name == name
                && v.kind.function().is_some()
                && !matches!(v.kind, VarKind::Temp(_) | VarKind::Literal)
        })
        .map(|(id, _)| id)
        .collect()
    }
    /// The numbers of the fields to go through for `field`, anonymous records included.
    pub fn field(&self, ty: TypeId, field: &str, span: Span) -> Result<Vec<u32>, Box<Diagnostic>> {
        let types = &self.program.types;
        let Some(record) = types.as_record(ty) else {
            let message = format!("`{}` has no fields", types.name(ty));
            let error = Diagnostic::error(span, message);
            return Err(match types[ty] {
                Type::Array { .. } => error.hint("say which element: `a[2]`").into(),
                Type::Pointer(_) => error.hint("write `->` after a pointer").into(),
                _ => error.into(),
            });
        };
        let mut names = Vec::new();
        // Records nest as deep as the source text did, which its parser has limited.
        match self.find_field(record, field, &mut names) {
            Some(path) => Ok(path),
            None => {
                let message = format!("`{}` has no field `{field}`", types.name(ty));
                Err(unknown(span, message, field, names))
            }
        }
    }
    fn find_field(
        &self,
        record: RecordId,
        field: &str,
        names: &mut Vec<&'p str>,
    ) -> Option<Vec<u32>> {
        let program = self.program;
        for (n, f) in program.types.records[record].fields.iter().enumerate() {
            names.push(&f.name);
            if f.name == field {
                return Some(vec![n as u32]);
            }
            if f.name.is_empty()
                && let Type::Record(inner) = program.types[f.ty]
                && let Some(path) = self.find_field(inner, field, names)
            {
                return Some([vec![n as u32], path].concat());
            }
        }
        None
    }
    /// The variable's name with its function, for messages.
    pub fn describe(&self, var: VarId) -> String {
        let v = &self.program.vars[var];
        match v.kind.function() {
            Some(f) if f.index() < self.program.funcs.len() => {
                format!("{}:{}", self.program.funcs[f].name, v.name)
            }
            _ => v.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        for (pattern, name, expect) in [
            ("sys_*", "sys_open", true),
            ("*", "", true),
            ("a*b*c", "aXbYbc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*", "ba", false),
            ("abc", "abcd", false),
        ] {
            assert_eq!(matches(pattern, name), expect, "{pattern} {name}");
        }
    }
}
