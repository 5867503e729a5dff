//! Rust sources as plain code: comments, strings and tests blanked out, so that braces and names can be counted.

/// A file outside of tests.
pub(crate) struct Source {
    /// Its path below the repository.
    pub(crate) name: String,
    /// Its module, as a folder: `crates/x/src/a/b` of `a/b.rs` and of `a/b/mod.rs`.
    pub(crate) module: String,
    /// Its code, as many lines as it has, without comments, texts and tests.
    pub(crate) code: String,
}

/// The sources among files, given by names and texts, that are compiled outside of tests too.
pub(crate) fn sources(files: &[(String, String)]) -> Vec<Source> {
    let mut tests = Vec::new();
    let mut sources = Vec::new();
    for (name, text) in files.iter().filter(|(name, _)| name.contains("/src/") && !name.contains("/testkit/"))
    {
        let (code, modules) = without_tests(&code(text));
        let module = module_of(name);
        tests.extend(modules.into_iter().map(|test| format!("{module}/{test}")));
        sources.push(Source { name: name.clone(), module, code });
    }
    let is_below = |module: &str, test: &str| {
        module.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    sources.retain(|source| !tests.iter().any(|test| is_below(&source.module, test)));
    sources
}

fn module_of(name: &str) -> String {
    let stem = name.trim_end_matches(".rs");
    let folder = ["/mod", "/lib", "/main"].iter().find_map(|end| stem.strip_suffix(end));
    folder.unwrap_or(stem).to_owned()
}

/// `text` with the contents of comments, strings and character literals replaced by spaces. Every byte keeps its
/// place, so that lines and columns stay true.
fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = opaque_end(bytes, at);
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Where the comment or literal that begins at `at` ends; `at` itself if code stands there.
fn opaque_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment_length(rest),
        [b'"', ..] => at + quoted_length(rest, b'"'),
        [b'r', ..] if !continues_a_word(bytes, at) => at + raw_string_length(rest),
        [b'\'', b'\\', ..] => at + quoted_length(rest, b'\''),
        // `'a'` is a character, `'a` a lifetime.
        [b'\'', ..] => at + character_length(rest),
        _ => at,
    }
}

fn continues_a_word(bytes: &[u8], at: usize) -> bool {
    // `br"..."` is a raw string too.
    let before = bytes[..at].strip_suffix(b"b").unwrap_or(&bytes[..at]);
    before.last().is_some_and(|b| is_word(*b))
}

/// Comments in blocks may be nested.
fn block_comment_length(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            // An escaped quote ends nothing.
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// 0 if no raw string begins here.
fn raw_string_length(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|b| **b == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let end = [&b"\""[..], &b"#".repeat(hashes)].concat();
    let body = &rest[hashes + 2..];
    body.windows(end.len()).position(|w| w == end).map_or(rest.len(), |at| hashes + 2 + at + end.len())
}

/// 0 for a lifetime.
fn character_length(rest: &[u8]) -> usize {
    // A character of up to four bytes between two quotes.
    let text = &rest[1..rest.len().min(6)];
    let width = 1 + text.iter().skip(1).take_while(|b| **b & 0xc0 == 0x80).count();
    if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 0 }
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// Plain code without what is compiled for tests only, and the modules in other files that are.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let mut out = code.as_bytes().to_vec();
    let mut modules = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find("#[").map(|at| from + at) {
        let attribute = &code[at..at + end_of_group(&code[at..])];
        from = at + attribute.len();
        if is_for_tests(attribute) {
            let item = &code[from..from + item_length(&code[from..])];
            modules.extend(module_elsewhere(item));
            from += item.len();
            // Lines keep their numbers.
            out[at..from].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        }
    }
    (String::from_utf8_lossy(&out).into_owned(), modules)
}

fn is_for_tests(attribute: &str) -> bool {
    let inner = attribute.trim_start_matches("#[");
    let is_conditional = inner.starts_with("cfg(") && words(inner).any(|word| word == "test");
    inner == "test]" || (is_conditional && !inner.contains("not(test"))
}

pub(crate) fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c == '_' || c.is_alphanumeric())).filter(|word| !word.is_empty())
}

/// `name` of `mod name;`.
fn module_elsewhere(item: &str) -> Option<String> {
    let (_, name) = item.trim().strip_suffix(';')?.rsplit_once("mod ")?;
    Some(name.trim().to_owned())
}

/// Up to the `;`, or the end of the first block, that ends an item.
pub(crate) fn item_length(code: &str) -> usize {
    let mut at = 0;
    while let Some(found) = code[at..].find([';', '{', '(', '[']).map(|found| at + found) {
        match code.as_bytes()[found] {
            b';' => return found + 1,
            b'{' => return found + end_of_group(&code[found..]),
            // A `;` in brackets does not end the item, as in `[u8; 2]`.
            _ => at = found + end_of_group(&code[found..]),
        }
    }
    code.len()
}

/// The length of the group of brackets that begins in `code`, its brackets with it.
fn end_of_group(code: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' if depth <= 1 => return at + 1,
            b'}' | b')' | b']' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].bytes().filter(|b| *b == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tests_are_left_out() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;"),
            ("crates/x/src/a/mod.rs", "mod faultless; #[cfg(test)] mod faults;"),
            ("crates/x/src/a/faults/mod.rs", "mod c;"),
            ("crates/x/src/a/faults/c.rs", ""),
            ("crates/x/src/a/faultless.rs", ""),
            ("crates/x/tests/all.rs", ""),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let modules: Vec<String> = sources(&files).into_iter().map(|source| source.module).collect();
        assert_eq!(modules, ["crates/x/src", "crates/x/src/a", "crates/x/src/a/faultless"]);
    }

    #[test]
    fn comments_and_literals_are_blank_and_lifetimes_are_not() {
        assert_eq!(code("a /* { /* } */ { */ b // {\nc"), "a                   b     \nc");
        assert_eq!(code(r#"f("{\"", '{', '\'', 'ä') 'a"#).replace(' ', ""), "f(,,,)'a");
        assert_eq!(code("r#\"\"{\"# r\"{\" br\"{\" for x").replace(' ', ""), "bforx");
        assert_eq!(code("&'a str, b'x'").replace(' ', ""), "&'astr,b");
    }

    #[test]
    fn tests_are_left_out_and_their_files_named() {
        let text = "fn a() {}\n#[cfg(all(test, not(loom)))]\nmod tests;\n#[cfg(test)]\nmod t { fn b() { {} } }\nfn c() {}\n\
                    #[cfg(not(test))]\nfn d() {}";
        let (code, modules) = without_tests(text);
        let functions = words(&code).filter(|word| word.len() == 1).collect::<String>();
        assert_eq!(functions, "acd");
        assert_eq!(modules, ["tests"]);
        assert_eq!(code.lines().count(), text.lines().count());
    }
}
