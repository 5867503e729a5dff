//! Names of nodes that a file does not name.

/// `whole`, or with a number behind it, so that it is free and has at most `most` characters.
pub(super) fn free_name(whole: &str, most: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let mut numbered = (1..).map(|number| match number {
        1 => cut_off(whole, most),
        _ => format!("{}-{number}", cut_off(whole, most - 6)),
    });
    // A free name is found: a file has fewer nodes and edges than there are numbers of five digits.
    numbered.find(|name| !is_taken(name)).unwrap_or_default()
}

fn cut_off(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
