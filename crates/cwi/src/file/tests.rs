use super::*;
use crate::testing::{Rng, random_program};
use crate::text::{equal, print};
use proptest::prelude::*;

/// The file with a right checksum for whatever its contents are.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    file.truncate(file.len() - CHECKSUM);
    let sum = checksum(&file);
    file.extend(sum.to_le_bytes());
    file
}

proptest! {
    #[test]
    fn written_programs_read_back(seed: u64, size in 0usize..16) {
        let p = random_program(seed, size);
        let file = write(&p);
        let again = read(&file).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(equal(&p, &again), "{}\n---\n{}", print(&p), print(&again));
        // Tables keep their order, so the bytes are the same too.
        prop_assert_eq!(write(&again), file);
    }

    /// Damage below the checksum: an error or a valid program, never a panic.
    #[test]
    fn hostile_contents_are_safe(seed: u64, changes in 1usize..6) {
        let mut file = write(&random_program(seed, 6));
        let mut rng = Rng::new(seed);
        for _ in 0..changes {
            let at = HEADER + rng.below(file.len() - HEADER - CHECKSUM);
            file[at] = if rng.one_in(2) { rng.number() as u8 } else { file[at] ^ 1 << rng.below(8) };
        }
        if let Ok(p) = read(&sealed(file)) {
            prop_assert!(crate::verify(&p).is_empty());
        }
    }

    #[test]
    fn any_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut file = MAGIC.to_vec();
        file.extend(VERSION.to_le_bytes());
        file.extend((bytes.len() as u64).to_le_bytes());
        file.extend(bytes);
        file.extend([0; CHECKSUM]);
        let _ = read(&sealed(file));
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    let file = write(&random_program(7, 6));
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut bad = file.clone();
            bad[at] ^= 1 << bit;
            assert!(read(&bad).is_err(), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn every_flipped_byte_below_the_checksum_is_safe() {
    let file = write(&random_program(11, 4));
    for at in HEADER..file.len() - CHECKSUM {
        for bit in 0..8 {
            let mut bad = file.clone();
            bad[at] ^= 1 << bit;
            if let Ok(p) = read(&sealed(bad)) {
                assert!(crate::verify(&p).is_empty());
            }
        }
    }
}

#[test]
fn every_truncation_says_so() {
    let file = write(&random_program(3, 6));
    for len in 1..file.len() {
        let found = read(&file[..len]);
        assert!(
            matches!(found, Err(FileError::Truncated { .. })),
            "{len}: {found:?}"
        );
    }
    assert_eq!(read(&[]).unwrap_err(), FileError::NotCwi);
}

#[test]
fn each_error_is_its_own() {
    let file = write(&random_program(5, 4));
    let with = |at: usize, byte: u8| {
        let mut bad = file.clone();
        bad[at] = byte;
        read(&bad).unwrap_err()
    };
    assert_eq!(with(0, b'x'), FileError::NotCwi);
    assert_eq!(with(8, 9), FileError::Newer { found: 9 });
    assert_eq!(with(8, 0), FileError::Older { found: 0 });
    assert_eq!(
        with(file.len() - 1, !file[file.len() - 1]),
        FileError::Damaged
    );
    let mut longer = file.clone();
    longer.push(0);
    assert_eq!(read(&longer).unwrap_err(), FileError::Damaged);
    assert_eq!(read(b"int main() {}").unwrap_err(), FileError::NotCwi);
}

#[test]
fn deep_expressions() {
    use crate::code::{Branch, Expr, UnOp};
    use crate::verify::MAX_EXPR_DEPTH;
    let text = "cwi 2 target x86_64 function f: fn() i32 @\"a.c\":1:1 { block_0: return (1) @1:1 }";
    let mut p = crate::text::parse(text).expect("it is valid");
    let mut deepen = |levels: u32| {
        let mut e = Expr::int(crate::Types::INT, 1);
        for _ in 0..levels {
            e = Expr::unary(UnOp::BitNot, e);
        }
        let body = p.funcs[crate::FuncId(0)].body.as_mut().expect("it has one");
        body.blocks[crate::BlockId(0)].branch = Branch::Return(Some(e));
        write(&p)
    };
    assert!(read(&deepen(MAX_EXPR_DEPTH - 1)).is_ok());
    let error = read(&deepen(MAX_EXPR_DEPTH)).unwrap_err();
    assert!(error.to_string().contains("too deeply"), "{error}");
}
