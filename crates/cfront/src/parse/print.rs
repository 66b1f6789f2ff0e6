//! Syntax trees as short text, for tests: `int *a[3] = {1};` is `a:[3]*int={1}`, read from the
//! name outward; operators stand first: `(+ a (* b c))`.

use crate::ast::*;
use cwolf_base::Interner;
use std::fmt::Write;

pub(super) struct Printer<'a> {
    pub names: &'a Interner,
}

fn join<T>(items: &[T], between: &str, show: impl Fn(&T) -> String) -> String {
    let shown: Vec<_> = items.iter().map(show).collect();
    shown.join(between)
}

impl Printer<'_> {
    fn id(&self, ident: &Ident) -> String {
        self.names.text(ident.name).to_owned()
    }

    pub fn external(&self, external: &External) -> String {
        match external {
            External::Function(f) => self.function(f),
            External::Declaration(d) => self.declaration(d),
            External::StaticAssert(a) => self.assert(a),
            External::Asm(_) => "asm".into(),
        }
    }

    fn function(&self, f: &FunctionDef) -> String {
        let head = self.declared(&f.specs, &f.declarator);
        let old = join(&f.old_params, "", |d| format!(" {};", self.declaration(d)));
        format!("{head}{old} {}", self.block(&f.body))
    }

    fn assert(&self, assert: &StaticAssert) -> String {
        let message = assert.message.as_deref().map(|m| format!(" {m:?}"));
        let condition = self.expr(&assert.condition);
        format!("(assert {condition}{})", message.unwrap_or_default())
    }

    pub fn declaration(&self, d: &Declaration) -> String {
        if d.declarators.is_empty() {
            return self.specs(&d.specs);
        }
        join(&d.declarators, ", ", |item| {
            let mut out = self.declared(&d.specs, &item.declarator);
            if let Some(label) = &item.asm_label {
                let _ = write!(out, " asm {label:?}");
            }
            out += &self.attributes(&item.attributes);
            if let Some(init) = &item.init {
                let _ = write!(out, "={}", self.init(init));
            }
            out
        })
    }

    /// `name:derivation type`
    fn declared(&self, specs: &Specifiers, declarator: &Declarator) -> String {
        let mut out = declarator.name.map_or(String::new(), |n| self.id(&n) + ":");
        for derived in &declarator.derived {
            match derived {
                Derived::Pointer { quals, attributes } => {
                    let _ = write!(out, "*{}{}", self.quals(quals), self.attributes(attributes));
                }
                Derived::Array { size, quals, .. } => {
                    let size = match size {
                        ArraySize::None => String::new(),
                        ArraySize::Star => "*".into(),
                        ArraySize::Expr(e) => self.expr(e),
                    };
                    let _ = write!(out, "[{}{size}]", self.quals(quals));
                }
                Derived::Function { params, .. } => match params {
                    Params::Unknown => out += "(?)",
                    Params::Names(names) => {
                        let _ = write!(out, "(names {})", join(names, " ", |n| self.id(n)));
                    }
                    Params::Typed { params, variadic } => {
                        let params = join(params, ", ", |p| {
                            let attributes = self.attributes(&p.attributes);
                            self.declared(&p.specs, &p.declarator) + &attributes
                        });
                        let more = if *variadic { "..." } else { "" };
                        let _ = write!(out, "({params}{more})");
                    }
                },
            }
        }
        out += &self.specs(specs);
        out + &self.attributes(&declarator.attributes)
    }

    fn quals(&self, quals: &Quals) -> String {
        let mut out = String::new();
        for (on, text) in [
            (quals.constant, "const "),
            (quals.volatile, "volatile "),
            (quals.restrict, "restrict "),
            (quals.atomic, "atomic "),
        ] {
            if on {
                out += text;
            }
        }
        out
    }

    fn specs(&self, specs: &Specifiers) -> String {
        let mut out = String::new();
        if let Some((storage, _)) = specs.storage {
            out += &format!("{storage:?} ").to_lowercase();
        }
        for (on, text) in [
            (specs.thread_local, "thread "),
            (specs.inline, "inline "),
            (specs.noreturn, "noreturn "),
            (specs.constexpr, "constexpr "),
        ] {
            if on {
                out += text;
            }
        }
        for align in &specs.aligns {
            let align = match align {
                AlignAs::Type(ty) => self.type_name(ty),
                AlignAs::Expr(e) => self.expr(e),
            };
            let _ = write!(out, "align({align}) ");
        }
        out += &self.quals(&specs.quals);
        match &specs.ty {
            None => out += "implicit",
            Some(ty) => out += &self.type_spec(&ty.kind),
        }
        out + &self.attributes(&specs.attributes)
    }

    fn type_spec(&self, kind: &TypeSpecKind) -> String {
        let unqual = |flag: &bool| if *flag { "_unqual" } else { "" };
        match kind {
            TypeSpecKind::Basic(basic) => format!("{basic:?}").to_lowercase(),
            TypeSpecKind::Complex(basic) => {
                format!("complex {}", format!("{basic:?}").to_lowercase())
            }
            TypeSpecKind::Typedef(name) => format!("<{}>", self.names.text(*name)),
            TypeSpecKind::Record(r) => {
                let kind = if r.union { "union" } else { "struct" };
                let mut out = kind.to_owned();
                if let Some(tag) = &r.tag {
                    let _ = write!(out, " {}", self.id(tag));
                }
                if let Some(members) = &r.members {
                    let _ = write!(out, "{{{}}}", join(members, "; ", |m| self.member(m)));
                }
                if let Some(pack) = r.pack {
                    let _ = write!(out, " pack({pack})");
                }
                out + &self.attributes(&r.attributes)
            }
            TypeSpecKind::Enum(e) => {
                let mut out = "enum".to_owned();
                if let Some(tag) = &e.tag {
                    let _ = write!(out, " {}", self.id(tag));
                }
                if let Some(ty) = &e.underlying {
                    let _ = write!(out, ":{}", self.type_name(ty));
                }
                if let Some(list) = &e.enumerators {
                    let list = join(list, ", ", |e| match &e.value {
                        Some(value) => format!("{}={}", self.id(&e.name), self.expr(value)),
                        None => self.id(&e.name),
                    });
                    let _ = write!(out, "{{{list}}}");
                }
                out + &self.attributes(&e.attributes)
            }
            TypeSpecKind::TypeofExpr(e, flag) => {
                format!("typeof{}({})", unqual(flag), self.expr(e))
            }
            TypeSpecKind::TypeofType(ty, flag) => {
                format!("typeof{}(type {})", unqual(flag), self.type_name(ty))
            }
            TypeSpecKind::Auto => "infer".into(),
            TypeSpecKind::Atomic(ty) => format!("atomic({})", self.type_name(ty)),
            TypeSpecKind::BitInt(e, unsigned) => {
                let sign = if *unsigned { "u" } else { "" };
                format!("{sign}bitint({})", self.expr(e))
            }
        }
    }

    fn member(&self, member: &Member) -> String {
        match member {
            Member::StaticAssert(a) => self.assert(a),
            Member::Fields { specs, fields, .. } if fields.is_empty() => self.specs(specs),
            Member::Fields { specs, fields, .. } => join(fields, ", ", |f| {
                let mut out = match &f.declarator {
                    Some(d) => self.declared(specs, d),
                    None => self.specs(specs),
                };
                if let Some(width) = &f.width {
                    let _ = write!(out, " bits {}", self.expr(width));
                }
                out + &self.attributes(&f.attributes)
            }),
        }
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        join(attributes, "", |a| {
            let args = join(&a.args, ", ", |arg| match arg {
                AttributeArg::Name(name) => self.id(name),
                AttributeArg::Expr(e) => format!("={}", self.expr(e)),
                AttributeArg::Type(ty) => format!("type {}", self.type_name(ty)),
            });
            let args = if a.args.is_empty() {
                String::new()
            } else {
                format!("({args})")
            };
            format!(" @{}{args}", self.names.text(a.name))
        })
    }

    pub fn type_name(&self, ty: &TypeName) -> String {
        self.declared(&ty.specs, &ty.declarator)
    }

    fn init(&self, init: &Initializer) -> String {
        match init {
            Initializer::Expr(e) => self.expr(e),
            Initializer::List { items, .. } => {
                let items = join(items, ", ", |item| {
                    let mut out = join(&item.designators, "", |d| self.designator(d));
                    if !item.designators.is_empty() {
                        out.push('=');
                    }
                    out + &self.init(&item.init)
                });
                format!("{{{items}}}")
            }
        }
    }

    fn designator(&self, designator: &Designator) -> String {
        match designator {
            Designator::Field(name) => format!(".{}", self.id(name)),
            Designator::Index(e) => format!("[{}]", self.expr(e)),
            Designator::Range(a, b) => format!("[{}...{}]", self.expr(a), self.expr(b)),
        }
    }

    fn block(&self, block: &Block) -> String {
        format!("{{{}}}", join(&block.items, " ", |item| self.item(item)))
    }

    fn item(&self, item: &BlockItem) -> String {
        match item {
            BlockItem::Declaration(d) => self.declaration(d) + ";",
            BlockItem::StaticAssert(a) => self.assert(a),
            BlockItem::LocalLabels(names) => {
                format!("(labels {})", join(names, " ", |n| self.id(n)))
            }
            BlockItem::NestedFunction(def) => format!("(nested {})", self.function(def)),
            BlockItem::Stmt(s) => self.stmt(s),
        }
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        let optional = |e: &Option<Expr>| e.as_ref().map_or("_".into(), |e| self.expr(e));
        match &stmt.kind {
            StmtKind::Empty => ";".into(),
            StmtKind::Expr(e) => self.expr(e) + ";",
            StmtKind::Block(b) => self.block(b),
            StmtKind::If { cond, then, els } => {
                let els = els.as_ref().map(|s| format!(" {}", self.stmt(s)));
                let (cond, then) = (self.expr(cond), self.stmt(then));
                format!("(if {cond} {then}{})", els.unwrap_or_default())
            }
            StmtKind::While { cond, body } => {
                format!("(while {} {})", self.expr(cond), self.stmt(body))
            }
            StmtKind::DoWhile { body, cond } => {
                format!("(do {} {})", self.stmt(body), self.expr(cond))
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let init = match init {
                    ForInit::None => "_".into(),
                    ForInit::Expr(e) => self.expr(e),
                    ForInit::Declaration(d) => self.declaration(d),
                };
                let (cond, step) = (optional(cond), optional(step));
                format!("(for {init}; {cond}; {step} {})", self.stmt(body))
            }
            StmtKind::Switch { on, body } => {
                format!("(switch {} {})", self.expr(on), self.stmt(body))
            }
            StmtKind::Case { lo, hi, body } => {
                let hi = hi.as_ref().map(|e| format!("...{}", self.expr(e)));
                let lo = self.expr(lo);
                format!("(case {lo}{} {})", hi.unwrap_or_default(), self.stmt(body))
            }
            StmtKind::Default(body) => format!("(default {})", self.stmt(body)),
            StmtKind::Label { name, body } => {
                format!("(label {} {})", self.id(name), self.stmt(body))
            }
            StmtKind::Goto(name) => format!("(goto {})", self.id(name)),
            StmtKind::ComputedGoto(e) => format!("(goto* {})", self.expr(e)),
            StmtKind::Break => "break".into(),
            StmtKind::Continue => "continue".into(),
            StmtKind::Return(e) => format!("(return {})", optional(e)),
            StmtKind::Asm(asm) => self.asm(asm),
        }
    }

    fn asm(&self, asm: &Asm) -> String {
        let operand = |o: &AsmOperand| format!("{:?} {}", o.constraint, self.expr(&o.value));
        let operands = |list: &[AsmOperand]| join(list, " ", operand);
        format!(
            "(asm{} {:?} : {} : {} : {} : {})",
            if asm.volatile { " volatile" } else { "" },
            asm.template,
            operands(&asm.outputs),
            operands(&asm.inputs),
            join(&asm.clobbers, " ", |c| format!("{c:?}")),
            join(&asm.labels, " ", |l| self.id(l)),
        )
    }

    pub fn expr(&self, expr: &Expr) -> String {
        let list = |items: &[Expr]| join(items, "", |e| format!(" {}", self.expr(e)));
        match &expr.kind {
            ExprKind::Name(name) => self.names.text(*name).to_owned(),
            ExprKind::Int(int) => {
                let unsigned = if int.unsigned { "u" } else { "" };
                let imaginary = if int.imaginary { "i" } else { "" };
                let longs = "l".repeat(int.longs.into());
                format!("{}{unsigned}{longs}{imaginary}", int.value)
            }
            ExprKind::Float {
                text,
                suffix,
                imaginary,
            } => format!("{text}:{suffix:?}{}", if *imaginary { "i" } else { "" }),
            ExprKind::Char(value, kind) => format!("'{value}:{kind:?}"),
            ExprKind::Str(units, kind) => {
                let text: String = units
                    .iter()
                    .map(|&u| char::from_u32(u).unwrap_or('\u{fffd}'))
                    .collect();
                format!("{text:?}:{kind:?}").replace(":Plain", "")
            }
            ExprKind::FuncName => "__func__".into(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Nullptr => "nullptr".into(),
            ExprKind::Paren(e) => format!("(paren {})", self.expr(e)),
            ExprKind::Generic {
                control,
                associations,
            } => {
                let associations = join(associations, "", |(ty, e)| {
                    let ty = ty.as_ref().map_or("default".into(), |t| self.type_name(t));
                    format!(" {ty}=>{}", self.expr(e))
                });
                format!("(generic {}{associations})", self.expr(control))
            }
            ExprKind::Index(a, i) => format!("(index {} {})", self.expr(a), self.expr(i)),
            ExprKind::Call(f, args) => format!("(call {}{})", self.expr(f), list(args)),
            ExprKind::Member { base, name, arrow } => {
                let op = if *arrow { "->" } else { "." };
                format!("({op} {} {})", self.expr(base), self.id(name))
            }
            ExprKind::IncDec {
                operand,
                increment,
                prefix,
            } => {
                let op = if *increment { "++" } else { "--" };
                match prefix {
                    true => format!("({op}_ {})", self.expr(operand)),
                    false => format!("(_{op} {})", self.expr(operand)),
                }
            }
            ExprKind::CompoundLiteral(ty, init) => {
                format!("(literal {} {})", self.type_name(ty), self.init(init))
            }
            ExprKind::Unary(op, e) => {
                let op = format!("{op:?}").to_lowercase();
                format!("({op} {})", self.expr(e))
            }
            ExprKind::SizeofExpr(e) => format!("(sizeof {})", self.expr(e)),
            ExprKind::SizeofType(ty) => format!("(sizeof type {})", self.type_name(ty)),
            ExprKind::AlignofExpr(e) => format!("(alignof {})", self.expr(e)),
            ExprKind::AlignofType(ty) => format!("(alignof type {})", self.type_name(ty)),
            ExprKind::Cast(ty, e) => format!("(cast {} {})", self.type_name(ty), self.expr(e)),
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", op.symbol(), self.expr(a), self.expr(b))
            }
            ExprKind::Assign(op, a, b) => {
                let op = op.map_or("", |op| op.symbol());
                format!("({op}= {} {})", self.expr(a), self.expr(b))
            }
            ExprKind::Conditional(c, a, b) => {
                let a = a.as_ref().map_or("_".into(), |a| self.expr(a));
                format!("(? {} {a} {})", self.expr(c), self.expr(b))
            }
            ExprKind::Comma(a, b) => format!("(, {} {})", self.expr(a), self.expr(b)),
            ExprKind::StmtExpr(block) => format!("(block {})", self.block(block)),
            ExprKind::LabelAddr(name) => format!("(&& {})", self.id(name)),
            ExprKind::Offsetof(ty, path) => {
                let path = join(path, "", |d| self.designator(d));
                format!("(offsetof {} {path})", self.type_name(ty))
            }
            ExprKind::TypesCompatible(a, b) => {
                format!("(compatible {} {})", self.type_name(a), self.type_name(b))
            }
            ExprKind::ChooseExpr(c, a, b) => {
                let (c, a, b) = (self.expr(c), self.expr(a), self.expr(b));
                format!("(choose {c} {a} {b})")
            }
            ExprKind::VaArg(e, ty) => format!("(va_arg {} {})", self.expr(e), self.type_name(ty)),
            ExprKind::ConvertVector(e, ty) => {
                format!("(convertvector {} {})", self.expr(e), self.type_name(ty))
            }
        }
    }
}
