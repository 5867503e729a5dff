//! Texts that come from anywhere, in one line of a log or a terminal.

/// Characters that are kept: a value that somebody writes may be as long as a message.
const KEPT: usize = 300;

/// The beginning of a text that may come from anywhere, without line ends or what else a terminal would obey.
///
/// ```
/// assert_eq!(livetime_control::in_a_line("path = a\u{1b}[2J\n"), "path = a\\u{1b}[2J\\n");
/// ```
pub fn in_a_line(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    let rest = if text.chars().nth(KEPT).is_some() { "..." } else { "" };
    text.chars().take(KEPT).map(shown).collect::<String>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_log_keeps_is_short_and_harmless() {
        assert_eq!(in_a_line("path = a\u{1b}[2Jb\n"), "path = a\\u{1b}[2Jb\\n");
        assert_eq!(in_a_line(&"ä".repeat(KEPT)).chars().count(), KEPT);
        assert_eq!(in_a_line(&"ä".repeat(KEPT + 1)), "ä".repeat(KEPT) + "...");
    }
}
