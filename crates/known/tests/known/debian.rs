//! The table covers what programs of Debian call.

use cwolf_known::lookup;

/// Symbols with the number of binaries that import them, most first, and whether the C library
/// defines them.
fn ranking() -> Vec<(&'static str, u32, bool)> {
    let lines = include_str!("debian.txt").lines();
    let entry = |line: &'static str| {
        let mut words = line.split(' ');
        let name = words.next().expect("a name");
        let count = words.next().and_then(|n| n.parse().ok());
        (name, count.expect("a number"), words.next() == Some("c"))
    };
    lines.filter(|l| !l.starts_with('#')).map(entry).collect()
}

fn missing(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    names.filter(|name| lookup(name).is_none()).collect()
}

#[test]
fn all_functions_of_the_c_library_that_are_called_have_rows() {
    let names = ranking().into_iter().filter(|(_, _, c)| *c);
    assert!(names.clone().count() > 500);
    let missing = missing(names.map(|(name, ..)| name));
    assert!(missing.is_empty(), "add rows to library/known: {missing:?}");
}

#[test]
fn what_three_programs_call_has_a_row_whoever_defines_it() {
    let ranking = ranking();
    assert!(ranking.windows(2).all(|w| w[0].1 >= w[1].1));
    let often = ranking.into_iter().take_while(|(_, count, _)| *count > 2);
    let missing = missing(often.map(|(name, ..)| name));
    assert!(missing.is_empty(), "add rows to library/known: {missing:?}");
}
