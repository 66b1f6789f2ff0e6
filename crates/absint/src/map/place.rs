//! Variables and what is in them: `x`, `f:x`, `"file":x`, `"file":f:x`, `"file":line:x`, each
//! with `.field`, `->field` and `[index]` after it.

use super::expression::Reader;
use super::label::{Seen, Spot};
use super::lex::{Cursor, Result, Token};
use super::members::{base_object, object};
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::{Base, Expr, ExprKind, Place, Program, RecordId, Step, Type, VarId};

impl Reader<'_> {
    /// The variables that a name may mean.
    fn variables(&self, cursor: &mut Cursor<'_>) -> Result<Vec<VarId>> {
        let names = self.names();
        let mut files = None;
        let mut line = None;
        if matches!(cursor.token, Token::Text(_)) {
            let (file, span) = cursor.text("a file")?;
            files = Some(names.files(&file, span)?);
            cursor.expect(":")?;
            if matches!(cursor.token, Token::Number(_)) {
                line = Some(cursor.signed()?.0);
                cursor.expect(":")?;
            }
        }
        let (mut name, mut span) = cursor.name("the name of a variable")?;
        let mut func = None;
        if cursor.eat(":")? {
            let funcs = names.functions(&name, files.as_deref(), span)?;
            func = Some(funcs[0]);
            (name, span) = cursor.name("the name of a variable")?;
        }
        let found = names.variables(&name, func, files.as_deref(), span);
        let mut vars = match found {
            Ok(vars) => vars,
            Err(error) => {
                let locals = match func {
                    None => names.locals_anywhere(&name),
                    Some(_) => Vec::new(),
                };
                if locals.is_empty() {
                    return Err(error);
                }
                locals
            }
        };
        if let Some(line) = line {
            let at = |v: &VarId| self.program.locations[self.program.vars[*v].loc].line;
            vars.retain(|v| i128::from(at(v)) == line);
            if vars.is_empty() {
                let message = format!("no variable `{name}` is declared at line {line}");
                return Err(Diagnostic::error(span, message).into());
            }
        }
        Ok(vars)
    }
    /// `struct T`, or `T` where nothing else has this name: any object of the type.
    fn object(&self, cursor: &mut Cursor<'_>) -> Result<Option<Place>> {
        let said = cursor.at_name("struct") || cursor.at_name("union");
        if said {
            cursor.bump()?;
        }
        let Token::Name(name) = &cursor.token else {
            return match said {
                true => Err(cursor.unexpected("the name of a struct or union")),
                false => Ok(None),
            };
        };
        let is_function = |f: &cwolf_cwi::Function| f.name == *name;
        let taken = !self.names().is_free(name) || self.program.funcs.iter().any(is_function);
        if !said && taken {
            return Ok(None);
        }
        let types = &self.program.types;
        let mut records = self.names().records(name);
        if records.is_empty() {
            let tag = self.vocabulary.record(name);
            records = tag.map(|t| self.names().records(&t)).unwrap_or_default();
        }
        let pointer = |record: &RecordId| {
            let ty = types.lookup(&Type::Record(*record))?;
            Some((*record, ty, types.lookup(&Type::Pointer(ty))?))
        };
        let found: Vec<_> = records.iter().filter_map(pointer).collect();
        match (&found[..], said) {
            ([(record, ty, pointer)], _) => {
                cursor.bump()?;
                Ok(Some(Place {
                    ty: *ty,
                    base: Base::Deref(Box::new(object(*pointer, *record))),
                    path: Vec::new(),
                }))
            }
            ([], false) => Ok(None),
            ([], true) => {
                let message = format!("the program has no struct or union `{name}`");
                let tags = types.records.iter().map(|r| &*r.name);
                Err(super::names::unknown(cursor.span, message, name, tags))
            }
            _ => {
                let message = format!("several structs and unions are called `{name}`");
                Err(Diagnostic::error(cursor.span, message).into())
            }
        }
    }
    /// All places that a name with its fields, pointers and indices may mean.
    pub fn places(&self, cursor: &mut Cursor<'_>) -> Result<(Vec<Place>, Span)> {
        let start = cursor.span;
        if let Some(object) = self.object(cursor)? {
            let mut places = vec![object];
            cursor.expect(".")?;
            self.field(cursor, &mut places)?;
            self.steps(cursor, &mut places)?;
            return Ok((places, start.to(cursor.last)));
        }
        let mut places: Vec<Place> = (self.variables(cursor)?.into_iter())
            .map(|v| Place::var(self.program.vars[v].ty, v))
            .collect();
        self.steps(cursor, &mut places)?;
        Ok((places, start.to(cursor.last)))
    }
    /// The value of the only place that a name means, or of an argument or what it points to.
    pub fn place(&self, cursor: &mut Cursor<'_>) -> Result<Expr> {
        let start = cursor.span;
        if cursor.eat("*")? {
            let pointer = self.place(cursor)?;
            let span = start.to(cursor.last);
            return Ok(Expr::load(self.pointee(pointer, span)?));
        }
        if matches!(&cursor.token, Token::Name(name) if name.starts_with('$')) {
            let (name, span) = cursor.name("an argument")?;
            let operand = self.operand(&name, span)?;
            if !cursor.at("->") {
                return Ok(operand);
            }
            // The arrow is still there for the fields.
            let mut places = vec![self.pointee(operand, span)?];
            cursor.expect("->")?;
            self.field(cursor, &mut places)?;
            self.steps(cursor, &mut places)?;
            return Ok(Expr::load(places.swap_remove(0)));
        }
        let (mut places, span) = self.places(cursor)?;
        let place = places.swap_remove(0);
        if !places.is_empty() {
            let error = Diagnostic::error(span, "several variables have this name");
            let hint = "say which one: `function:x`, or `\"file\":line:x`";
            return Err(error.hint(hint).into());
        }
        Ok(Expr::load(place))
    }
    fn pointee(&self, pointer: Expr, span: Span) -> Result<Place> {
        let types = &self.program.types;
        match types[pointer.ty] {
            Type::Pointer(to) => Ok(Place {
                ty: to,
                base: Base::Deref(Box::new(pointer)),
                path: Vec::new(),
            }),
            _ => {
                let message = format!(
                    "this is not a pointer, but of type {}",
                    types.name(pointer.ty)
                );
                Err(Diagnostic::error(span, message).into())
            }
        }
    }
    fn steps(&self, cursor: &mut Cursor<'_>, places: &mut [Place]) -> Result<()> {
        loop {
            if cursor.eat(".")? {
                self.field(cursor, places)?;
            } else if cursor.eat("->")? {
                let span = cursor.last;
                for place in places.iter_mut() {
                    *place = self.pointee(Expr::load(place.clone()), span)?;
                }
                self.field(cursor, places)?;
            } else if cursor.eat("[")? {
                let (index, span) = self.index(cursor)?;
                cursor.expect("]")?;
                for place in places.iter_mut() {
                    self.element(place, &index, span)?;
                }
            } else {
                return Ok(());
            }
        }
    }
    fn field(&self, cursor: &mut Cursor<'_>, places: &mut [Place]) -> Result<()> {
        let types = &self.program.types;
        let (field, span) = cursor.name("the name of a field")?;
        for place in places {
            for n in self.names().field(place.ty, &field, span)? {
                let record = types.as_record(place.ty).expect("has fields");
                place.ty = types.records[record].fields[n as usize].ty;
                place.path.push(Step::Field(n));
            }
        }
        Ok(())
    }
    fn element(&self, place: &mut Place, index: &Expr, span: Span) -> Result<()> {
        let types = &self.program.types;
        let Type::Array { elem, len } = types[place.ty] else {
            let message = format!("this is not an array, but of type {}", types.name(place.ty));
            let error = Diagnostic::error(span, message);
            return Err(match types[place.ty] {
                Type::Pointer(_) => error.hint("`*p` is what a pointer points to").into(),
                _ => error.into(),
            });
        };
        if let ExprKind::Int(n) = index.kind
            && !(0..i128::from(len)).contains(&n)
        {
            let message = format!("the array has {len} elements, from 0");
            return Err(Diagnostic::error(span, message).into());
        }
        place.ty = elem;
        place.path.push(Step::Index(index.clone()));
        Ok(())
    }
}

impl Reader<'_> {
    /// Adds a place to what is seen.
    pub(super) fn see(&self, seen: &mut Seen, place: &Place) {
        match (base_object(place), self.analysed) {
            (Some(record), Some(program)) => seen.add_member(program, record, place),
            _ => seen.add(self.program, place),
        }
    }
}

impl Seen {
    /// Adds a place, and what it is computed from.
    fn add(&mut self, program: &Program, place: &Place) {
        match crate::machine::fixed_bits(program, place) {
            Some((from, to)) => {
                let spot = Spot {
                    var: place.root().expect("a place that is always there"),
                    from: from as u64,
                    to: to as u64,
                };
                if !self.fixed.contains(&spot) {
                    self.fixed.push(spot);
                    self.places.push(place.clone());
                }
            }
            None if !self.through.contains(place) => self.through.push(place.clone()),
            None => {}
        }
    }
}
