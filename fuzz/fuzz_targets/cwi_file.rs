//! Contents of a `.cwi` file behind a right header and checksum: an error or a valid program.
#![no_main]

use cwolf_cwi::{file, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|contents: &[u8]| {
    let mut bytes = b"\x89CWI\r\n\x1a\n".to_vec();
    bytes.extend(file::VERSION.to_le_bytes());
    bytes.extend((contents.len() as u64).to_le_bytes());
    bytes.extend(contents);
    let fnv = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
    bytes.extend(sum.to_le_bytes());
    match file::read(&bytes) {
        Ok(program) => {
            let again = file::read(&file::write(&program)).expect("what was written can be read");
            assert!(text::equal(&program, &again));
        }
        Err(error) => assert_ne!(error, file::FileError::Damaged, "the checksum is right"),
    }
});
