//! Texts that are nearly right, for readers of texts from outside.

/// Pieces that break parsers most often.
const PIECES: [&str; 20] = [
    "<",
    ">",
    "/>",
    "&",
    "&amp;",
    "<!DOCTYPE a [",
    "]]>",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "-",
    "1e999",
    "99999999999999999999",
    "\u{0}",
    "ä",
];

/// `text` with up to eight changes: parts of it are cut out, repeated, moved or replaced. The same `number` gives the
/// same text.
pub fn mutated(text: &str, number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    // xorshift64
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound.max(1)
    };
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=below(8) {
        let start = below(bytes.len() + 1);
        let end = (start + below(12)).min(bytes.len());
        let part = bytes[start..end].to_vec();
        match below(5) {
            0 => drop(bytes.drain(start..end)),
            1 => drop(bytes.splice(start..start, part)),
            2 => {
                let place = below(bytes.len() + 1);
                bytes.splice(place..place, part);
            }
            3 => bytes.truncate(if below(8) == 0 { start } else { bytes.len() }),
            _ => drop(bytes.splice(start..end, PIECES[below(PIECES.len())].bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_differ_and_repeat() {
        let text = "<a b='1'><c/></a>";
        let made: std::collections::BTreeSet<String> = (0..200).map(|n| mutated(text, n)).collect();
        assert!(made.len() > 150, "{}", made.len());
        assert_eq!(mutated(text, 7), mutated(text, 7));
    }
}
