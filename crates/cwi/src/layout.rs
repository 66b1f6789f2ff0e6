//! Where the members of a struct or union lie: gcc's rules (those of the System V ABI, with what a target does in its own way, plus the
//! `packed`, `aligned` and `#pragma pack` extensions). The rules are those of gcc's
//! `stor-layout`: a member is placed at the next multiple of its alignment; a bit-field goes
//! to the next bit unless it would then span more units of its type's alignment than its
//! type has.

use crate::target::Target;
use crate::types::RecordKind;

/// A member to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Size of its (declared) type in bytes.
    pub size: u64,
    /// Alignment in bytes that its declared type has inside records.
    pub align: u64,
    /// `aligned(n)` or `_Alignas` on the member itself.
    pub explicit_align: Option<u64>,
    /// `packed` on the member itself.
    pub packed: bool,
    /// The width of a bit-field.
    pub width: Option<u64>,
    /// Whether it has a name; unnamed bit-fields do not align the record.
    pub named: bool,
}

impl Member {
    /// A plain member of a type with this size and alignment.
    pub fn plain(size: u64, align: u64) -> Member {
        Member {
            size,
            align,
            explicit_align: None,
            packed: false,
            width: None,
            named: true,
        }
    }
}

/// What is said about the record as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordAttrs {
    /// `packed` on the record.
    pub packed: bool,
    /// `aligned(n)` on the record.
    pub align: Option<u64>,
    /// `#pragma pack(n)`
    pub pack: Option<u64>,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size in bytes, a multiple of `align`.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Each member's start in bits.
    pub offsets: Vec<u64>,
}

/// Places `members` in order; none if the record would be larger than any object can be.
pub fn layout(
    target: Target,
    kind: RecordKind,
    members: &[Member],
    attrs: RecordAttrs,
) -> Option<Layout> {
    let mut position = 0u64;
    let mut end = 0u64;
    let mut align = attrs.align.unwrap_or(1).max(1);
    let mut offsets = Vec::with_capacity(members.len());
    for member in members {
        if kind == RecordKind::Union {
            position = 0;
        }
        let placed = match member.width {
            Some(width) => place_bits(target, member, width, attrs, position, &mut align)?,
            None => {
                let own = plain_align(member, attrs);
                align = align.max(own);
                round_up(position, own.checked_mul(8)?)?
            }
        };
        let bits = match member.width {
            Some(width) => width,
            None => member.size.checked_mul(8)?,
        };
        offsets.push(placed);
        position = placed.checked_add(bits)?;
        end = end.max(position);
    }
    let size = round_up(end.div_ceil(8), align)?;
    (size <= i64::MAX as u64 / 8).then_some(Layout {
        size,
        align,
        offsets,
    })
}

/// The alignment in bytes of a member that is no bit-field.
pub fn plain_align(member: &Member, attrs: RecordAttrs) -> u64 {
    let own = match (member.packed || attrs.packed, member.explicit_align) {
        (true, explicit) => explicit.unwrap_or(1),
        (false, Some(explicit)) => explicit.max(member.align),
        (false, None) => member.align,
    };
    // gcc lets the pragma limit even an explicit alignment.
    attrs.pack.map_or(own, |pack| own.min(pack)).max(1)
}

/// Where a bit-field starts, in bits.
fn place_bits(
    target: Target,
    member: &Member,
    width: u64,
    attrs: RecordAttrs,
    position: u64,
    record_align: &mut u64,
) -> Option<u64> {
    let type_bits = member.align.checked_mul(8)?;
    if width == 0 {
        // Not influenced by packing; on x86 it never aligns the record itself.
        let own = member.explicit_align.unwrap_or(1).max(member.align);
        if target.unnamed_aligns {
            *record_align = (*record_align).max(own);
        }
        return round_up(position, own.checked_mul(8)?);
    }
    let packed = member.packed || attrs.packed;
    let mut start = position;
    if let Some(explicit) = member.explicit_align {
        let own = attrs
            .pack
            .map_or(explicit, |pack| explicit.min(pack))
            .max(1);
        // On i386, gcc takes 64 bits that lie well for a number of its own, which it then aligns to 8 bytes.
        let number = width == 64 && attrs.pack.is_none() && !packed;
        let own = match number && position.is_multiple_of(64) {
            true => own.max(8),
            false => own,
        };
        start = round_up(start, own.checked_mul(8)?)?;
        if member.named {
            *record_align = (*record_align).max(own);
        }
    }
    if member.named || target.unnamed_aligns {
        let from_type = match (attrs.pack, packed) {
            (Some(pack), _) => member.align.min(pack),
            (None, true) => 1,
            (None, false) => member.align,
        };
        *record_align = (*record_align).max(from_type);
    }
    if attrs.pack.is_none() && !packed {
        let units = (start % type_bits).checked_add(width)?.div_ceil(type_bits);
        if units > member.size.checked_mul(8)? / type_bits {
            start = round_up(start, type_bits)?;
        }
    }
    Some(start)
}

fn round_up(value: u64, to: u64) -> Option<u64> {
    value.checked_next_multiple_of(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(size: u64, width: u64, named: bool) -> Member {
        Member {
            width: Some(width),
            named,
            ..Member::plain(size, size)
        }
    }

    fn check(members: &[Member], attrs: RecordAttrs, size: u64, align: u64, offsets: &[u64]) {
        let found = layout(Target::X86_64, RecordKind::Struct, members, attrs).expect("small");
        assert_eq!((found.size, found.align), (size, align));
        assert_eq!(found.offsets, offsets);
    }

    #[test]
    fn a_field_of_64_bits_that_asks_for_alignment_is_a_number_on_i386() {
        let field = Member {
            explicit_align: Some(2),
            width: Some(64),
            ..Member::plain(8, 4)
        };
        check(&[field], RecordAttrs::default(), 8, 8, &[0]);
        let late = [Member::plain(1, 1), field];
        check(&late, RecordAttrs::default(), 12, 4, &[0, 32]);
    }

    #[test]
    fn plain_members_are_aligned() {
        let members = [
            Member::plain(1, 1),
            Member::plain(8, 8),
            Member::plain(2, 2),
        ];
        check(&members, RecordAttrs::default(), 24, 8, &[0, 64, 128]);
        let packed = RecordAttrs {
            packed: true,
            ..RecordAttrs::default()
        };
        check(&members, packed, 11, 1, &[0, 8, 72]);
        let pack = RecordAttrs {
            pack: Some(4),
            ..RecordAttrs::default()
        };
        check(&members, pack, 16, 4, &[0, 32, 96]);
    }

    #[test]
    fn bit_fields_do_not_straddle_their_type() {
        let members = [bits(4, 30, true), bits(4, 3, true), bits(1, 5, true)];
        check(&members, RecordAttrs::default(), 8, 4, &[0, 32, 35]);
        let packed = RecordAttrs {
            packed: true,
            ..RecordAttrs::default()
        };
        check(&members, packed, 5, 1, &[0, 30, 33]);
        let split = [bits(1, 3, true), bits(4, 0, false), bits(1, 3, true)];
        check(&split, RecordAttrs::default(), 5, 1, &[0, 32, 32]);
    }

    #[test]
    fn too_large_is_none() {
        let members = [Member::plain(1 << 62, 1), Member::plain(1 << 62, 1)];
        assert_eq!(
            layout(
                Target::X86_64,
                RecordKind::Struct,
                &members,
                RecordAttrs::default()
            ),
            None
        );
    }
}
