//! `search.h`: hash tables, linked lists and binary trees. A tree is balanced as glibc's are, red
//! and black, so that a walk over it visits the same nodes in the same roles.

use super::{Call, Native, Ret};
use crate::error::Stop;
use crate::memory::{Fill, State};
use cwolf_cwi::Types;
use cwolf_cwi::value::Value;
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, Stop>;
type C<'a, 'c, 'p> = &'a mut Call<'c, 'p>;

/// What hash tables the program has.
#[derive(Default)]
pub(crate) struct Tables {
    /// The table of `hsearch`: how many entries fit, and the entry of each key.
    hash: Option<Table>,
}

struct Table {
    room: u64,
    entries: FxHashMap<Vec<u8>, u64>,
}

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "hcreate" => hcreate,
        "hdestroy" => hdestroy,
        "hsearch" => hsearch,
        "insque" => insque,
        "remque" => remque,
        "tfind" => tfind,
        "tsearch" => tsearch,
        "twalk" => |c| twalk(c, false),
        "twalk_r" => |c| twalk(c, true),
        "tdestroy" => tdestroy,
        _ => return None,
    })
}

const ENOMEM: i32 = 12;
const ESRCH: i32 = 3;

fn hcreate(call: C<'_, '_, '_>) -> Result<Ret> {
    let room = call.size(0)?;
    if call.m.library.search.hash.is_some() {
        return Ok(Ret::Int(0));
    }
    call.m.library.search.hash = Some(Table {
        room: prime_from(room),
        entries: FxHashMap::default(),
    });
    Ok(Ret::Int(1))
}

/// glibc's tables have a prime number of places, from 3 on and odd.
fn prime_from(wanted: u64) -> u64 {
    let is_prime = |n: u64| {
        (3..)
            .step_by(2)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
    };
    let mut n = wanted.clamp(3, 1 << 40) | 1;
    while !is_prime(n) {
        n += 2;
    }
    n
}

fn hdestroy(call: C<'_, '_, '_>) -> Result<Ret> {
    call.m.library.search.hash = None;
    Ok(Ret::Void)
}

/// The entry arrives by value, as the address of a record of two pointers.
fn hsearch(call: C<'_, '_, '_>) -> Result<Ret> {
    let (item, enter) = (call.ptr(0)?, call.int(1)? == 1);
    let word = call.word();
    let key_at = call.load_ptr(item)?;
    let key = call.string(key_at)?;
    let data = call.load_ptr(item.wrapping_add(word));
    let Some(table) = &mut call.m.library.search.hash else {
        let message = "there is no table: hcreate was not called";
        return Err(call.fail(crate::error::ErrorKind::BadCall, message));
    };
    if let Some(entry) = table.entries.get(&key) {
        return Ok(Ret::Int((*entry).into()));
    }
    if !enter {
        call.m.set_errno(ESRCH)?;
        return Ok(Ret::Int(0));
    }
    if table.entries.len() as u64 >= table.room {
        call.m.set_errno(ENOMEM)?;
        return Ok(Ret::Int(0));
    }
    let kind = crate::memory::Kind::Library("an entry of the hash table");
    let id = call
        .m
        .memory
        .alloc(2 * word, word, kind, Fill::Zero, None)?;
    let entry = call.m.memory.address(id);
    call.store_ptr(entry, key_at)?;
    if let Ok(data) = data {
        call.store_ptr(entry + word, data)?;
    }
    if let Some(table) = &mut call.m.library.search.hash {
        table.entries.insert(key, entry);
    }
    Ok(Ret::Int(entry.into()))
}

/// Elements start with pointers to the next and the one before.
fn insque(call: C<'_, '_, '_>) -> Result<Ret> {
    let (element, before) = (call.ptr(0)?, call.ptr(1)?);
    let word = call.word();
    if before == 0 {
        call.store_ptr(element, 0)?;
        call.store_ptr(element.wrapping_add(word), 0)?;
        return Ok(Ret::Void);
    }
    let next = call.load_ptr(before)?;
    call.store_ptr(before, element)?;
    if next != 0 {
        call.store_ptr(next + word, element)?;
    }
    call.store_ptr(element, next)?;
    call.store_ptr(element.wrapping_add(word), before)?;
    Ok(Ret::Void)
}

fn remque(call: C<'_, '_, '_>) -> Result<Ret> {
    let element = call.ptr(0)?;
    let word = call.word();
    let next = call.load_ptr(element)?;
    let before = call.load_ptr(element.wrapping_add(word))?;
    if next != 0 {
        call.store_ptr(next + word, before)?;
    }
    if before != 0 {
        call.store_ptr(before, next)?;
    }
    Ok(Ret::Void)
}

/// A node: the key, two children, and whether it is red.
#[derive(Clone, Copy)]
struct Node(u64);

impl Node {
    fn key(self, call: &Call<'_, '_>) -> Result<u64> {
        Ok(call.load_ptr(self.0)?)
    }
    /// Where the pointer to a child is: 0 left, 1 right.
    fn link(self, call: &Call<'_, '_>, side: u64) -> u64 {
        self.0 + (1 + side) * call.word()
    }
    fn child(self, call: &Call<'_, '_>, side: u64) -> Result<Option<Node>> {
        let addr = call.load_ptr(self.link(call, side))?;
        Ok((addr != 0).then_some(Node(addr)))
    }
    fn is_red(self, call: &Call<'_, '_>) -> Result<bool> {
        Ok(call.load(self.0 + 3 * call.word(), 1, false)? != 0)
    }
    fn paint(self, call: C<'_, '_, '_>, red: bool) -> Result<()> {
        let at = self.0 + 3 * call.word();
        Ok(call.store(at, 1, red.into())?)
    }
}

fn compare(call: C<'_, '_, '_>, func: u64, a: u64, b: u64) -> Result<i128> {
    let args = [call.pointer_arg(a), call.pointer_arg(b)];
    match call.m.call_address(func, &args)? {
        Value::Int(order) => Ok(order),
        Value::Float(_) => Ok(0),
    }
}

fn tfind(call: C<'_, '_, '_>) -> Result<Ret> {
    let (key, root, func) = (call.ptr(0)?, call.ptr(1)?, call.ptr(2)?);
    if root == 0 {
        return Ok(Ret::Int(0));
    }
    let mut at = call.load_ptr(root)?;
    while at != 0 {
        let node = Node(at);
        let own = node.key(call)?;
        let order = compare(call, func, key, own)?;
        if order == 0 {
            return Ok(Ret::Int(at.into()));
        }
        at = call.load_ptr(node.link(call, u64::from(order > 0)))?;
    }
    Ok(Ret::Int(0))
}

/// Insertion from the top: on the way down, a node with two red children takes their colour, and
/// two red nodes in a row are turned at once.
fn tsearch(call: C<'_, '_, '_>) -> Result<Ret> {
    let (key, root, func) = (call.ptr(0)?, call.ptr(1)?, call.ptr(2)?);
    if root == 0 {
        return Ok(Ret::Int(0));
    }
    if let Some(first) = Some(call.load_ptr(root)?).filter(|a| *a != 0) {
        Node(first).paint(call, false)?;
    }
    // The links to the node that is looked at, its parent and its grandparent.
    let (mut here, mut parent, mut above): (u64, Option<u64>, Option<u64>) = (root, None, None);
    // The orders that led to the node and to its parent.
    let (mut last, mut before) = (0, 0);
    loop {
        let at = call.load_ptr(here)?;
        if at == 0 {
            break;
        }
        let node = Node(at);
        let own = node.key(call)?;
        let order = compare(call, func, key, own)?;
        if order == 0 {
            return Ok(Ret::Int(at.into()));
        }
        split(call, here, (parent, above), (last, before), false)?;
        let next = node.link(call, u64::from(order > 0));
        if call.load_ptr(next)? == 0 {
            here = next;
            let made = add(call, here, key)?;
            if made != 0 {
                // The node just passed is now the parent of the new one.
                let link = link_to(call, root, at)?;
                split(
                    call,
                    here,
                    (Some(link.0), link.1),
                    (order, last_order(call, root, at)?),
                    true,
                )?;
            }
            return Ok(Ret::Int(made.into()));
        }
        above = parent;
        parent = Some(here);
        here = next;
        before = last;
        last = order;
    }
    let made = add(call, here, key)?;
    if made != 0 {
        Node(made).paint(call, false)?;
    }
    Ok(Ret::Int(made.into()))
}

/// The link that leads to a node, and the link that leads to its parent.
fn link_to(call: &Call<'_, '_>, root: u64, node: u64) -> Result<(u64, Option<u64>)> {
    fn search(
        call: &Call<'_, '_>,
        link: u64,
        above: Option<u64>,
        node: u64,
    ) -> Result<Option<(u64, Option<u64>)>> {
        let at = call.load_ptr(link)?;
        if at == 0 {
            return Ok(None);
        }
        if at == node {
            return Ok(Some((link, above)));
        }
        for side in [0, 1] {
            let next = Node(at).link(call, side);
            if let Some(found) = search(call, next, Some(link), node)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
    Ok(search(call, root, None, node)?.unwrap_or((root, None)))
}

/// The order that led to a node from its parent: negative for left, positive for right.
fn last_order(call: &Call<'_, '_>, root: u64, node: u64) -> Result<i128> {
    let (link, above) = link_to(call, root, node)?;
    let Some(above) = above else {
        return Ok(0);
    };
    let parent = Node(call.load_ptr(above)?);
    Ok(if parent.link(call, 0) == link { -1 } else { 1 })
}

/// A new red node under a link; 0 if there is no memory.
fn add(call: C<'_, '_, '_>, link: u64, key: u64) -> Result<u64> {
    let word = call.word();
    let addr = call.heap(4 * word, Fill::Zero)?;
    if addr != 0 {
        call.store_ptr(addr, key)?;
        Node(addr).paint(call, true)?;
        call.store_ptr(link, addr)?;
    }
    Ok(addr)
}

/// Recolours the node under `here` if both children are red (or always, when it is new), and turns
/// the tree where that makes two red nodes in a row.
fn split(
    call: C<'_, '_, '_>,
    here: u64,
    (parent, above): (Option<u64>, Option<u64>),
    (last, before): (i128, i128),
    new: bool,
) -> Result<()> {
    let node = Node(call.load_ptr(here)?);
    let children = (node.child(call, 0)?, node.child(call, 1)?);
    let both = match children {
        (Some(left), Some(right)) => left.is_red(call)? && right.is_red(call)?,
        _ => false,
    };
    if !new && !both {
        return Ok(());
    }
    node.paint(call, true)?;
    for child in [children.0, children.1].into_iter().flatten() {
        child.paint(call, false)?;
    }
    let (Some(parent), Some(above)) = (parent, above) else {
        return Ok(());
    };
    let up = Node(call.load_ptr(parent)?);
    if !up.is_red(call)? {
        return Ok(());
    }
    let top = Node(call.load_ptr(above)?);
    let (down, side) = (u64::from(last > 0), u64::from(before > 0));
    top.paint(call, true)?;
    if down != side {
        // The node goes between its parent and its grandparent, and takes the top.
        node.paint(call, false)?;
        let inner = call.load_ptr(node.link(call, side))?;
        call.store_ptr(up.link(call, 1 - side), inner)?;
        call.store_ptr(node.link(call, side), up.0)?;
        let outer = call.load_ptr(node.link(call, 1 - side))?;
        call.store_ptr(top.link(call, side), outer)?;
        call.store_ptr(node.link(call, 1 - side), top.0)?;
        call.store_ptr(above, node.0)?;
    } else {
        up.paint(call, false)?;
        let inner = call.load_ptr(up.link(call, 1 - side))?;
        call.store_ptr(top.link(call, side), inner)?;
        call.store_ptr(up.link(call, 1 - side), top.0)?;
        call.store_ptr(above, up.0)?;
    }
    Ok(())
}

fn twalk(call: C<'_, '_, '_>, closure: bool) -> Result<Ret> {
    let (root, action) = (call.ptr(0)?, call.ptr(1)?);
    let extra = match closure {
        true => Some(call.ptr(2)?),
        false => None,
    };
    if root != 0 && action != 0 {
        walk(call, Node(root), action, extra, 0)?;
    }
    Ok(Ret::Void)
}

fn visit(
    call: C<'_, '_, '_>,
    node: Node,
    (action, extra): (u64, Option<u64>),
    role: i128,
    depth: i128,
) -> Result<()> {
    let third = match extra {
        Some(extra) => call.pointer_arg(extra),
        None => (Value::Int(depth), Types::INT),
    };
    let args = [
        call.pointer_arg(node.0),
        (Value::Int(role), Types::INT),
        third,
    ];
    call.m.call_address(action, &args)?;
    Ok(())
}

/// Roles: 0 before the children, 1 between them, 2 after them, 3 a leaf.
fn walk(
    call: C<'_, '_, '_>,
    node: Node,
    action: u64,
    extra: Option<u64>,
    depth: i128,
) -> Result<()> {
    let (left, right) = (node.child(call, 0)?, node.child(call, 1)?);
    let action_with = (action, extra);
    if left.is_none() && right.is_none() {
        return visit(call, node, action_with, 3, depth);
    }
    visit(call, node, action_with, 0, depth)?;
    if let Some(left) = left {
        walk(call, left, action, extra, depth + 1)?;
    }
    visit(call, node, action_with, 1, depth)?;
    if let Some(right) = right {
        walk(call, right, action, extra, depth + 1)?;
    }
    visit(call, node, action_with, 2, depth)
}

fn tdestroy(call: C<'_, '_, '_>) -> Result<Ret> {
    let (root, free) = (call.ptr(0)?, call.ptr(1)?);
    if root != 0 {
        destroy(call, Node(root), free)?;
    }
    Ok(Ret::Void)
}

fn destroy(call: C<'_, '_, '_>, node: Node, free: u64) -> Result<()> {
    for side in [0, 1] {
        if let Some(child) = node.child(call, side)? {
            destroy(call, child, free)?;
        }
    }
    let key = node.key(call)?;
    let args = [call.pointer_arg(key)];
    call.m.call_address(free, &args)?;
    let id = call.m.memory.heap_block(node.0)?;
    let here = call.m.here();
    call.m.memory.release(id, State::Freed, here);
    Ok(())
}
