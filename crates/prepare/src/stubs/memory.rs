//! Memory that the library hands out: what the program owns and frees, handles that it closes, and
//! objects that stay the library's.

use super::maker::{Maker, is_not_zero, is_zero};
use crate::glue::not_followed;
use cwolf_cwi::{
    Base, BinOp, Expr, ExprKind, HANDLE, MemoryTest, Place, StmtKind, Type, TypeId, Types, UnOp,
    VarKind,
};
use cwolf_known::{Amount, CType, Contents, Effect, Subject};

/// How far into an allocated object texts of the library lead: neither `free` nor a function that
/// closes handles takes them.
const NOT_OWNED: i64 = 2 * HANDLE as i64;

/// Called where a part of a mapping ends.
const PART: &str = "munmap$part";

/// The flag of a mapping that holds zeros and no file, on Linux.
const MAP_ANONYMOUS: i128 = 0x20;

/// The size of a page.
const PAGE: i128 = 4096;

/// The least room behind a handle; a real stream has about half as much, and a directory holds an entry.
pub(crate) const ROOM: u64 = 512;

/// Where the memory of a handle lies that the program may look at, after the handle itself.
const HELD: i64 = 16;

/// How far apart handles of different kinds lie: none is open as one of another kind. What is not owned
/// is none of them.
const KINDS: u64 = 3 * HANDLE;

/// How far into its object a handle of a kind leads.
pub(crate) fn handle_start(kind: usize) -> u64 {
    HANDLE + KINDS * kind as u64
}

impl Maker<'_, '_> {
    fn allocate(&mut self, size: Expr, contents: Contents) -> Expr {
        let void = self.program.types.pointer(Types::VOID);
        let word = size.ty;
        let p = match contents {
            Contents::Zero => {
                let args = vec![Expr::int(word, 1), size.clone()];
                self.call("__builtin_calloc", args, void)
            }
            _ => self.call("__builtin_malloc", vec![size.clone()], void),
        };
        let p = p.unwrap_or(Expr::int(void, 0));
        if matches!(contents, Contents::Set | Contents::Text) {
            self.havoc(p.clone(), Some(size));
        }
        p
    }

    /// A new heap object that belongs to the program.
    pub(super) fn fresh(&mut self, ty: TypeId, bytes: Option<Expr>, contents: Contents) -> Expr {
        let word = self.word();
        let size = match bytes {
            Some(bytes) => Expr::cast(word, bytes),
            None => self.some_size(),
        };
        let size = self.keep(size);
        let p = match self.moved_to_result() {
            Some(old) => {
                let void = self.program.types.pointer(Types::VOID);
                let args = vec![Expr::cast(void, old), size.clone()];
                let p = self.call("__builtin_realloc", args, void);
                p.unwrap_or(Expr::int(void, 0))
            }
            None => self.allocate(size.clone(), contents),
        };
        if contents == Contents::Text {
            self.end_text(p.clone(), size);
        }
        Expr::cast(ty, p)
    }

    /// The argument whose contents move to the result.
    fn moved_to_result(&self) -> Option<Expr> {
        let at = self.row.effects.iter().find_map(|e| match e {
            Effect::Moves(at) => at.itself(),
            _ => None,
        });
        self.given.args.get(at?).cloned()
    }

    /// A size that only the library knows: most often a small one.
    pub(super) fn some_size(&mut self) -> Expr {
        let word = self.word();
        let byte = self.program.types.int(8, false);
        let size = self.local("size", word);
        let large = self.choose(Types::BOOL);
        let small = self.choose(byte);
        let one = Expr::int(word, 1);
        let some = Expr::binary(BinOp::Add, Expr::cast(word, small), one.clone());
        self.assign(size.clone(), some);
        self.when(large, |maker| {
            let any = maker.choose(word);
            // No object is larger than half of memory.
            let most = (1i128 << (maker.program.target().word(true).bits - 1)) - 1 - 4096;
            let least = Expr::binary(BinOp::Ge, any.clone(), one);
            let most = Expr::binary(BinOp::Le, any.clone(), Expr::int(word, most));
            maker.assume(Expr::binary(BinOp::And, least, most));
            maker.assign(size.clone(), any);
        });
        Expr::load(size)
    }

    /// The last of so many bytes ends a text.
    pub(super) fn end_text(&mut self, p: Expr, size: Expr) {
        let last = Expr::binary(BinOp::Sub, size.clone(), Expr::int(size.ty, 1));
        let at = self.moved(p, last);
        let place = Place {
            ty: Types::CHAR,
            base: Base::Deref(Box::new(at)),
            path: Vec::new(),
        };
        self.assign(place, Expr::int(Types::CHAR, 0));
    }

    /// An open handle.
    pub(super) fn handle(&mut self, ty: TypeId) -> Expr {
        let to = self.program.types.pointee(ty).filter(|to| {
            let types = &self.program.types;
            !matches!(types[*to], Type::Void | Type::Func(_))
        });
        let room = to.map_or(0, |to| self.program.types.size_of(to)).max(ROOM);
        let word = self.word();
        let start = handle_start(self.row.made_kind());
        let size = Expr::int(word, (room + start).into());
        // Nobody looks into a stream; the program reads a list of addresses.
        let model = crate::requirements::model(self.program);
        let made = self.row.makes_handle().and_then(CType::pointee);
        let contents = match made.and_then(|ty| ty.size(model)) {
            Some(_) => Contents::Set,
            None => Contents::Unset,
        };
        let p = self.allocate(size, contents);
        let p = self.beside(p, start as i64);
        Expr::cast(ty, p)
    }

    /// What a handle holds, of the type that the result points to.
    pub(super) fn held(&mut self, ty: TypeId, handle: Expr) -> Expr {
        let types = &self.program.types;
        let size = types.pointee(ty).map_or(0, |to| types.size_of(to));
        let word = self.word();
        let p = self.beside(handle, HELD);
        let p = self.keep(p);
        let size = Expr::int(word, size.min(ROOM - HELD as u64).into());
        self.havoc(p.clone(), Some(size));
        Expr::cast(ty, p)
    }

    /// Memory that the system maps: whole pages, which are not freed by `free`.
    pub(super) fn mapped(&mut self, ty: TypeId, bytes: &Amount, flags: Option<usize>) -> Expr {
        let size = match self.amount(bytes) {
            Some(size) => size,
            None => self.some_size(),
        };
        let pages = self.pages(size);
        let more = Expr::int(pages.ty, NOT_OWNED.into());
        let whole = self.keep(Expr::binary(BinOp::Add, pages, more));
        let p = match flags.and_then(|n| self.given.args.get(n).cloned()) {
            Some(flags) => {
                let p = self.allocate(whole.clone(), Contents::Zero);
                let mask = Expr::int(flags.ty, MAP_ANONYMOUS);
                let file = is_zero(&Expr::binary(BinOp::BitAnd, flags, mask));
                let contents = p.clone();
                self.when(file, |maker| maker.havoc(contents, Some(whole)));
                p
            }
            None => self.allocate(whole, Contents::Set),
        };
        let p = self.beside(p, NOT_OWNED);
        Expr::cast(ty, p)
    }

    /// So many bytes, rounded up to whole pages.
    fn pages(&mut self, bytes: Expr) -> Expr {
        let word = self.word();
        let number = |n: i128| Expr::int(word, n);
        let end = Expr::binary(BinOp::Add, Expr::cast(word, bytes), number(PAGE - 1));
        let end = self.keep(end);
        let beyond = Expr::binary(BinOp::Rem, end.clone(), number(PAGE));
        self.keep(Expr::binary(BinOp::Sub, end, beyond))
    }

    /// Ends a mapping from its start on, if so many bytes are all of it.
    pub(super) fn unmap(&mut self, p: Expr, bytes: Expr) {
        let pages = self.pages(bytes);
        let one = Expr::int(pages.ty, 1);
        let more = self.keep(Expr::binary(BinOp::Add, pages, one));
        let p = self.keep(p);
        let rest = Expr::memory(MemoryTest::Inside, vec![p.clone(), more]);
        let start = self.beside(p, -NOT_OWNED);
        let freeable = Expr::memory(MemoryTest::Freeable, vec![start.clone()]);
        let whole = Expr::binary(BinOp::And, Expr::unary(UnOp::Not, rest), freeable);
        let whole = self.keep(whole);
        self.when(whole.clone(), |maker| maker.free(start));
        // An object lives as a whole.
        self.when(Expr::unary(UnOp::Not, whole), |maker| {
            let reason = "a part of a mapping is unmapped, or more than one";
            not_followed(maker.program, PART, reason);
            maker.call(PART, Vec::new(), Types::VOID);
        });
    }

    /// Ends a handle's life. One that comes from outside the program stays.
    pub(super) fn close(&mut self, handle: Expr, kind: usize) {
        let start = self.beside(handle, -(handle_start(kind) as i64));
        self.free(start);
    }

    /// Ends the life of a heap object, if it is one.
    pub(super) fn free(&mut self, p: Expr) {
        let void = self.program.types.pointer(Types::VOID);
        let p = self.keep(Expr::cast(void, p));
        let freeable = Expr::memory(MemoryTest::Freeable, vec![p.clone()]);
        let cond = Expr::binary(BinOp::And, is_not_zero(&p), freeable);
        self.when(cond, |maker| {
            maker.call("__builtin_free", vec![p], Types::VOID);
        });
    }

    /// A text that stays the library's.
    pub(super) fn text(&mut self, ty: TypeId) -> Expr {
        let size = self.some_size();
        let size = self.keep(size);
        let more = Expr::int(size.ty, NOT_OWNED.into());
        let whole = Expr::binary(BinOp::Add, size, more);
        let whole = self.keep(whole);
        let p = self.allocate(whole.clone(), Contents::Text);
        self.end_text(p.clone(), whole);
        let p = self.beside(p, NOT_OWNED);
        Expr::cast(ty, p)
    }

    /// An object of the library: one for all functions of a header that return the same, which
    /// each call overwrites.
    pub(super) fn library_object(&mut self, ty: TypeId, bytes: u64, text: bool) -> Expr {
        let types = &self.program.types;
        let declared = types.pointee(ty).filter(|to| {
            !matches!(types[*to], Type::Void | Type::Func(_)) && types.size_of(*to) == bytes
        });
        let object = declared.unwrap_or_else(|| {
            self.program.types.intern(Type::Array {
                elem: Types::CHAR,
                len: bytes,
            })
        });
        let name = format!("<{}>", self.row.file);
        let mut all = self.program.vars.enumerate();
        let known = all.find(|(_, v)| v.name == name && v.ty == object);
        let known = known.map(|(id, _)| id);
        drop(all);
        let var = match known {
            Some(var) => var,
            None => self
                .program
                .add_variable(name, object, VarKind::Global, self.loc),
        };
        let address = Expr {
            ty: self.program.types.pointer(object),
            kind: ExprKind::AddrOf(Place::var(object, var)),
        };
        let word = self.word();
        let size = Expr::int(word, bytes.into());
        self.havoc(address.clone(), Some(size.clone()));
        if text {
            self.end_text(address.clone(), size);
        }
        Expr::cast(ty, address)
    }

    /// A buffer that the library makes larger where it must (`getline`): the old one stays, or a
    /// new one takes its place. Either holds a text afterwards.
    pub(super) fn grow(&mut self, at: &Subject, bytes: Option<&Amount>) {
        let Some(buffer) = self.given.place(self.program, at) else {
            return self.forget_behind(at);
        };
        let count = match bytes {
            Some(Amount::Arg(size)) => self.given.place(self.program, size),
            _ => None,
        };
        let Some(count) = count.filter(|_| self.is_pointer(buffer.ty)) else {
            return self.forget_behind(at);
        };
        let old = self.keep(Expr::load(buffer.clone()));
        let stays = self.choose(Types::BOOL);
        let room = Expr::binary(
            BinOp::And,
            is_not_zero(&old),
            is_not_zero(&Expr::load(count.clone())),
        );
        let stays = Expr::binary(BinOp::And, is_not_zero(&stays), room);
        let goes = Expr::unary(UnOp::Not, stays);
        let (to, size_to) = (buffer.clone(), count.clone());
        self.when(goes, move |maker| {
            maker.free(old);
            let size = maker.some_size();
            let size = maker.keep(size);
            let p = maker.allocate(size.clone(), Contents::Unset);
            maker.assign(to.clone(), Expr::cast(to.ty, p));
            maker.assign(size_to.clone(), Expr::cast(size_to.ty, size));
        });
        let word = self.word();
        let (p, size) = (Expr::load(buffer), Expr::load(count));
        let size = self.keep(Expr::cast(word, size));
        let p = self.keep(p);
        self.push(StmtKind::Havoc {
            ptr: p.clone(),
            size: Some(size.clone()),
        });
        self.end_text(p, size);
        self.settled.push(at.clone());
        if let Some(Amount::Arg(size)) = bytes {
            self.settled.push(size.clone());
        }
    }
}
