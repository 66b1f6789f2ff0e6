//! The word that is probably meant by one that is not known.

use cwolf_base::edit_distance;

/// The nearest of `known` to `word`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known
        .filter(|k| *k != word)
        .map(|k| (edit_distance(word, k), k))
        .filter(|(d, k)| *d <= 2.min(k.len() / 2) || (word.len() > 2 && k.starts_with(word)));
    near.min().map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_are_meant() {
        let known = ["bounds", "pointer", "overflow", "slic"];
        let near = |word| nearest(word, known.into_iter());
        assert_eq!(near("bound"), Some("bounds"));
        assert_eq!(near("boudns"), Some("bounds"));
        assert_eq!(near("over"), Some("overflow"));
        assert_eq!(near("memory"), None);
        assert_eq!(near(""), None);
    }
}
