//! Macros of a start-up script: `$(NAME)`, `${NAME}`, `$(NAME=default)`.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// Names and values, as the environment of an IOC.
pub(super) type Macros = BTreeMap<String, String>;

/// Macros inside of macros; a script that goes deeper goes around in a circle.
const DEEPEST: usize = 20;
/// Bytes of a line after its macros; each level of values that name two others doubles it.
const LONGEST: usize = 64 << 10;

/// A text with the values of its macros. Names without a value stay as they are, and are added to `undefined`.
pub(super) fn expand(text: &str, macros: &Macros, undefined: &mut Vec<String>) -> String {
    let mut expansion = Expansion { macros, undefined };
    expansion.text(&mut text.chars().peekable(), &[], DEEPEST)
}

/// `P=13SIM1:,R=cam1:` as names and values; a value in quotes may have commas.
pub(super) fn definitions(text: &str) -> Macros {
    let mut found = Macros::new();
    for part in parts(text) {
        if let Some((name, value)) = part.split_once('=') {
            found.insert(name.trim().to_owned(), unquoted(value.trim()).to_owned());
        }
    }
    found
}

struct Expansion<'a> {
    macros: &'a Macros,
    undefined: &'a mut Vec<String>,
}

impl Expansion<'_> {
    /// Up to one of the characters `ends`, which stays.
    fn text(&mut self, from: &mut Peekable<Chars>, ends: &[char], depth: usize) -> String {
        let mut text = String::new();
        while let Some(&c) = from.peek() {
            if ends.contains(&c) || text.len() > LONGEST {
                break;
            }
            from.next();
            match (c, from.peek()) {
                // A backslash keeps the next character from being read as the begin of a macro.
                ('\\', Some(&next)) => {
                    text.extend([c, next]);
                    from.next();
                }
                ('$', Some(&open @ ('(' | '{'))) => {
                    from.next();
                    let close = if open == '(' { ')' } else { '}' };
                    text.push_str(&self.reference(from, [open, close], depth));
                }
                _ => text.push(c),
            }
        }
        text.truncate(text.floor_char_boundary(LONGEST));
        text
    }

    /// The value of the macro whose name begins here.
    fn reference(&mut self, from: &mut Peekable<Chars>, [open, close]: [char; 2], depth: usize) -> String {
        if depth == 0 {
            return String::new();
        }
        let name = self.text(from, &[close, '='], depth - 1);
        let default = (from.peek() == Some(&'=')).then(|| {
            from.next();
            self.text(from, &[close], depth - 1)
        });
        from.next();
        // A definition may follow the name: `$(NAME,OTHER=value)`.
        let name = name.split(',').next().unwrap_or_default();
        match (self.macros.get(name), default) {
            (Some(value), _) => self.text(&mut value.chars().peekable(), &[], depth - 1),
            (None, Some(default)) => default,
            (None, None) => {
                self.undefined.push(name.to_owned());
                format!("${open}{name}{close}")
            }
        }
    }
}

/// At the commas outside of quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut quote) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (',', None) => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

fn unquoted(text: &str) -> &str {
    let inner = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> (String, Vec<String>) {
        let macros = definitions("P=13SIM1:,N=2,PORT2=SIM2,LOOP=$(LOOP)$(LOOP),Q=$(P)cam1:");
        let mut undefined = Vec::new();
        (expand(text, &macros, &mut undefined), undefined)
    }

    #[test]
    fn names_have_values() {
        for (text, wanted) in [
            ("$(P)cam1:", "13SIM1:cam1:"),
            ("${P}", "13SIM1:"),
            ("$(PORT$(N))", "SIM2"),
            ("$(Q)", "13SIM1:cam1:"),
            ("$(MAX_THREADS=5)", "5"),
            ("$(A=$(N))", "2"),
            ("no $ macro", "no $ macro"),
            (r"\$(P)", r"\$(P)"),
        ] {
            assert_eq!(expanded(text), (wanted.to_owned(), vec![]), "{text}");
        }
    }

    #[test]
    fn names_without_a_value_stay_and_are_named() {
        assert_eq!(
            expanded("$(ADCORE)/db ${X}"),
            ("$(ADCORE)/db ${X}".into(), vec!["ADCORE".into(), "X".into()])
        );
    }

    #[test]
    fn a_circle_ends() {
        assert!(expanded("$(LOOP)").0.len() <= LONGEST);
        assert_eq!(expanded("$(P").0, "13SIM1:");
    }

    #[test]
    fn definitions_have_quotes() {
        let found = definitions(r#"P=A:, R = Stats1:  ,XML="a,b=c",EMPTY="#);
        let wanted = [("EMPTY", ""), ("P", "A:"), ("R", "Stats1:"), ("XML", "a,b=c")]
            .map(|(k, v)| (k.into(), v.into()));
        assert_eq!(found, Macros::from(wanted));
    }
}
