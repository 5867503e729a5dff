//! Macros of EPICS: `$(NAME)`, `${NAME}`, `$(NAME=default)`, one inside another, as start-up scripts, request files of
//! autosave and lists of attributes have them.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use crate::WrongText;

/// Names and values, as the environment of an IOC.
///
/// ```
/// use livetime_control::macros::{Macros, definitions};
///
/// let macros: Macros = definitions("P=BL7:, PORT2='a, b', N=2")?;
/// assert_eq!(livetime_control::macros::expand("$(P)${PORT$(N)} $(Q=none)", &macros).text, "BL7:a, b none");
/// assert_eq!(livetime_control::macros::expand("$(Q)", &macros).undefined, ["Q"]);
/// # Ok::<(), livetime_control::WrongText>(())
/// ```
pub type Macros = BTreeMap<String, String>;

/// Values inside of values; texts that go deeper are left as they are.
const DEEPEST: usize = 20;
/// Bytes of an expanded text. Values that name two others each, and these two others, would fill all memory.
pub const LONGEST: usize = 1 << 20;

/// A text with its macros replaced.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expanded {
    /// The text. A name without a value stays as it was, and a name inside its own value.
    pub text: String,
    /// Names without a value, in the order of the text.
    pub undefined: Vec<String>,
    /// Names that do not end, each with the bracket that is missing.
    pub unclosed: Vec<(String, char)>,
    /// The text is longer than [`LONGEST`] and was cut.
    pub is_cut: bool,
}

/// `text` with the values of its macros.
pub fn expand(text: &str, macros: &Macros) -> Expanded {
    let mut expansion = Expansion { macros, open: Vec::new(), made: 0, done: Expanded::default() };
    let text = expansion.text(&mut text.chars().peekable(), &[]);
    Expanded { text, ..expansion.done }
}

/// Values by name: `P=13SIM1:,R=cam1:`. A value in quotes may have commas and blanks around it.
///
/// # Errors
/// For a part that is no definition, and a quote that does not end.
pub fn definitions(mut text: &str) -> Result<Macros, WrongText> {
    let mut values = Macros::new();
    loop {
        text = text.trim_matches([' ', '\t', ',']);
        if text.is_empty() {
            return Ok(values);
        }
        let wrong = || WrongText::new("NAME=value", text.chars().take(50).collect::<String>());
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let rest = rest.trim_start_matches([' ', '\t']);
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let (value, left) = match quote {
            Some(quote) => rest[1..].split_once(quote).ok_or_else(wrong)?,
            None => rest.split_once(',').unwrap_or((rest, "")),
        };
        // Blanks in quotes belong to the value.
        let value = if quote.is_some() { value } else { value.trim() };
        values.insert(name.trim().to_owned(), value.to_owned());
        text = left;
    }
}

struct Expansion<'a> {
    macros: &'a Macros,
    /// The names whose values are being read.
    open: Vec<&'a str>,
    /// Characters that were made, also those inside of names.
    made: usize,
    done: Expanded,
}

impl<'a> Expansion<'a> {
    /// Up to one of the characters `ends`, which stays.
    fn text(&mut self, from: &mut Peekable<Chars>, ends: &[char]) -> String {
        let mut text = String::new();
        while let Some(&c) = from.peek() {
            if ends.contains(&c) {
                break;
            }
            if self.made > LONGEST {
                self.done.is_cut = true;
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
                    text.push_str(&self.reference(from, [open, close]));
                }
                _ => text.push(c),
            }
            self.made += 1;
        }
        text
    }

    /// The value of the macro whose name begins here.
    fn reference(&mut self, from: &mut Peekable<Chars>, [open, close]: [char; 2]) -> String {
        let name = self.text(from, &[close, '=']);
        let default = (from.peek() == Some(&'=')).then(|| {
            from.next();
            self.text(from, &[close])
        });
        if from.next().is_none() {
            self.done.unclosed.push((name.chars().take(50).collect(), close));
        }
        // A definition may follow the name: `$(NAME,OTHER=value)`.
        let name = name.split(',').next().unwrap_or_default().trim();
        match (self.macros.get_key_value(name), default) {
            (Some((name, value)), _) => self.value(name, value, [open, close]),
            (None, Some(default)) => default,
            (None, None) => {
                self.done.undefined.push(name.to_owned());
                format!("${open}{name}{close}")
            }
        }
    }

    fn value(&mut self, name: &'a str, value: &str, [open, close]: [char; 2]) -> String {
        // A name inside its own value would never end.
        if self.open.contains(&name) || self.open.len() >= DEEPEST {
            return format!("${open}{name}{close}");
        }
        self.open.push(name);
        let text = self.text(&mut value.chars().peekable(), &[]);
        self.open.pop();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Expanded {
        let macros =
            definitions("P=13SIM1:,N=2,PORT2=SIM2,LOOP=$(LOOP)$(LOOP),Q=$(P)cam1:,A=$(B),B=$(A)").unwrap();
        expand(text, &macros)
    }

    #[test]
    fn names_have_values() {
        for (text, wanted) in [
            ("$(P)cam1:", "13SIM1:cam1:"),
            ("${P}", "13SIM1:"),
            ("$(PORT$(N))", "SIM2"),
            ("$(Q)", "13SIM1:cam1:"),
            ("$(MAX_THREADS=5)", "5"),
            ("$(X=$(N))", "2"),
            ("no $ macro", "no $ macro"),
            (r"\$(P)", r"\$(P)"),
            ("$(LOOP)", "$(LOOP)$(LOOP)"),
            ("$(A)", "$(A)"),
        ] {
            assert_eq!(expanded(text), Expanded { text: wanted.into(), ..Expanded::default() }, "{text}");
        }
    }

    #[test]
    fn names_without_a_value_stay_and_are_named() {
        let found = expanded("$(ADCORE)/db ${X}");
        assert_eq!(
            (&*found.text, found.undefined),
            ("$(ADCORE)/db ${X}", vec!["ADCORE".to_owned(), "X".into()])
        );
        assert_eq!(expanded("$(P").unclosed, [("P".to_owned(), ')')]);
    }

    /// Each value names the one before twice: without a bound 2^40 characters.
    #[test]
    fn values_that_double_end() {
        let mut macros: Macros =
            (1..40).map(|n| (format!("M{n}"), format!("$(M{0})$(M{0})", n - 1))).collect();
        macros.insert("M0".into(), "x".into());
        let found = expand("$(M16)", &macros);
        assert_eq!((found.text.len(), found.is_cut), (1 << 16, false));
        let found = expand("$(M20)$(M19)$(M19)$(M19)", &macros);
        assert!(found.text.len() <= 2 * LONGEST);
    }

    #[test]
    fn definitions_have_quotes() {
        let found = definitions(r#"P=A:, R = Stats1:  ,XML="a,b=c",EMPTY="#).unwrap();
        let wanted = [("EMPTY", ""), ("P", "A:"), ("R", "Stats1:"), ("XML", "a,b=c")]
            .map(|(k, v)| (k.into(), v.into()));
        assert_eq!(found, Macros::from(wanted));
        assert_eq!(definitions("A").unwrap_err().to_string(), "wanted NAME=value, found `A`");
        assert!(definitions("A='1").is_err());
    }
}
