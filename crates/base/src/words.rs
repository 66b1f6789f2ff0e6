//! Words as people write them.

/// How many letters must be changed, added or left out.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (n, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = n + 1;
        for (m, y) in b.iter().enumerate() {
            let changed = before + usize::from(x != *y);
            before = row[m + 1];
            row[m + 1] = changed.min(row[m] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_changed_added_or_left_out() {
        assert_eq!(edit_distance("bounds", "bounds"), 0);
        assert_eq!(edit_distance("bound", "bounds"), 1);
        assert_eq!(edit_distance("boudns", "bounds"), 2);
        assert_eq!(edit_distance("", "ab"), 2);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
