//! Requests as text: `field(value,alarm.severity)record[queueSize=4]`.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use crate::data::{Builder, MAX_DEPTH, ScalarType, Structure, Value};
use crate::{Error, Result};

const DELIMITERS: &str = "(){}[],= \t\r\n";

/// The request that `text` describes. Blanks mean nothing.
///
/// `field(a,b.c)` or plain `a,b.c` ask for fields, `a{b,c}` for several of one structure; nothing or `field()`
/// asks for all. `record[key=value,…]` sets options of the request, `a[key=value]` of a field. PUT_GET has
/// `putField(…)` and `getField(…)`.
///
/// ```
/// let request = livetime_pva::request::parse("field(value)record[queueSize=4]")?;
/// assert!(request.bit("field.value").is_some());
/// assert_eq!(request.str("record._options.queueSize"), Some("4"));
/// # Ok::<(), livetime_pva::Error>(())
/// ```
pub fn parse(text: &str) -> Result<Value> {
    let mut parser = Parser { text, chars: text.chars().peekable(), options: Vec::new() };
    let mut top = SelectedField::default();
    while let Some(&next) = parser.skip_blanks().peek() {
        if next == ',' {
            parser.chars.next();
            continue;
        }
        parser.item(&mut top)?;
    }
    // A request without `field`, `putField` or `getField` asks for all fields, as an empty `field` does.
    if !top.children.iter().any(|(name, _)| name.ends_with("ield")) {
        top.child("field");
    }
    // As the peers send it.
    top.children.sort_by_key(|(name, _)| name == "record");
    top.value()
}

#[derive(Default)]
struct SelectedField {
    children: Vec<(String, SelectedField)>,
    options: Vec<(String, String)>,
}

impl SelectedField {
    fn child(&mut self, name: &str) -> &mut SelectedField {
        let known = self.children.iter().position(|(known, _)| known == name);
        let index = known.unwrap_or_else(|| {
            self.children.push((name.into(), SelectedField::default()));
            self.children.len() - 1
        });
        &mut self.children[index].1
    }

    fn value(&self) -> Result<Value> {
        let mut value = Value::new(&self.structure()?);
        self.fill("", &mut value)?;
        value.clear_changed();
        Ok(value)
    }

    fn structure(&self) -> Result<Arc<Structure>> {
        let mut builder = Builder::new("");
        for (name, child) in &self.children {
            builder = builder.member(name, child.structure()?);
        }
        if !self.options.is_empty() {
            let options =
                self.options.iter().fold(Builder::new(""), |b, (key, _)| b.member(key, ScalarType::Str));
            builder = builder.member("_options", options.structure()?);
        }
        builder.structure()
    }

    fn fill(&self, path: &str, value: &mut Value) -> Result<()> {
        let dot = if path.is_empty() { "" } else { "." };
        for (key, option) in &self.options {
            value.set(&format!("{path}{dot}_options.{key}"), option.as_str())?;
        }
        self.children.iter().try_for_each(|(name, child)| child.fill(&format!("{path}{dot}{name}"), value))
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Peekable<Chars<'a>>,
    // Scratch of the list that is being read.
    options: Vec<(String, String)>,
}

impl<'a> Parser<'a> {
    fn item(&mut self, top: &mut SelectedField) -> Result<()> {
        let name = self.word("a name")?;
        match (name.as_str(), self.skip_blanks().peek().copied()) {
            ("field" | "putField" | "getField", Some('(')) => {
                self.chars.next();
                self.names(top.child(&name), ')', 0)
            }
            ("record", Some('[')) => self.options(top.child("record")),
            _ => self.rest_of_name(top.child("field"), &name, 0),
        }
    }

    fn names(&mut self, parent: &mut SelectedField, close: char, depth: usize) -> Result<()> {
        // The parser recurses: a hostile request must not use up the stack.
        if depth > MAX_DEPTH {
            return Err(self.wrong(&format!("at most {MAX_DEPTH} levels")));
        }
        loop {
            match self.skip_blanks().peek().copied() {
                Some(',') => {
                    self.chars.next();
                }
                Some(next) if next == close => {
                    self.chars.next();
                    return Ok(());
                }
                _ => {
                    let name = self.word("a name")?;
                    self.rest_of_name(parent, &name, depth)?;
                }
            }
        }
    }

    fn rest_of_name(&mut self, parent: &mut SelectedField, name: &str, depth: usize) -> Result<()> {
        if name.split('.').count() > MAX_DEPTH || name.split('.').any(str::is_empty) {
            return Err(self.wrong("a name such as `alarm.severity`"));
        }
        let node = name.split('.').fold(parent, |node, name| node.child(name));
        if self.skip_blanks().peek() == Some(&'[') {
            self.options(node)?;
        }
        if self.skip_blanks().peek() == Some(&'{') {
            self.chars.next();
            self.names(node, '}', depth + 1)?;
        }
        Ok(())
    }

    fn options(&mut self, node: &mut SelectedField) -> Result<()> {
        self.chars.next();
        self.options.clear();
        loop {
            match self.skip_blanks().peek().copied() {
                Some(',') => {
                    self.chars.next();
                }
                Some(']') => break,
                _ => self.option()?,
            }
        }
        self.chars.next();
        for (key, value) in self.options.drain(..) {
            // The last value of a key counts.
            node.options.retain(|(known, _)| *known != key);
            node.options.push((key, value));
        }
        Ok(())
    }

    fn option(&mut self) -> Result<()> {
        let key = self.word("a key")?;
        if self.skip_blanks().next_if_eq(&'=').is_none() {
            return Err(self.wrong("`=` after a key"));
        }
        // Nothing else ends a value: it may contain `=` and blanks.
        let value = self.until(",]");
        self.options.push((key, value.trim().into()));
        Ok(())
    }

    fn word(&mut self, wanted: &str) -> Result<String> {
        self.skip_blanks();
        let word = self.until(DELIMITERS);
        if word.is_empty() { Err(self.wrong(wanted)) } else { Ok(word) }
    }

    fn until(&mut self, delimiters: &str) -> String {
        std::iter::from_fn(|| self.chars.next_if(|&c| !delimiters.contains(c))).collect()
    }

    fn skip_blanks(&mut self) -> &mut Peekable<Chars<'a>> {
        while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
        &mut self.chars
    }

    fn wrong(&mut self, wanted: &str) -> Error {
        // `Peekable` has no position: the unread rest gives it.
        let at = self.text.len() - self.chars.clone().map(char::len_utf8).sum::<usize>();
        let found = self.chars.peek().map_or("the end of the request".into(), |c| format!("`{c}`"));
        Error::at(at, wanted.to_string(), found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dynamic;
    use crate::wire::{Order, Writer};

    fn sent(text: &str) -> String {
        let mut writer = Writer::new(Order::Little);
        Dynamic::from(parse(text).unwrap()).encode(&mut writer);
        writer.to_vec().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn texts_are_sent_as_the_peers_send_them() {
        assert_eq!(sent(""), "800001056669656c64800000");
        assert_eq!(sent("field( )"), sent(""));
        let two = "800001056669656c648000020576616c756580000005616c61726d800000";
        assert_eq!(sent("field(value,alarm)"), two);
        assert_eq!(sent(" value , alarm"), two);
        assert_eq!(
            sent("field(value.index)"),
            "800001056669656c648000010576616c756580000105696e646578800000"
        );
        assert_eq!(sent("value{index}"), sent("field(value.index)"));
        let both = sent("field(value)record[pipeline=true,queueSize=4]");
        assert_eq!(both, sent("record[pipeline=true,queueSize=4]value"));
        assert!(both.ends_with("04747275650134"));
    }

    #[test]
    fn errors_say_what_and_where() {
        let error = |text| parse(text).unwrap_err().to_string();
        assert_eq!(error("field(value"), "wanted a name, found the end of the request at byte 11");
        assert_eq!(error("record[queueSize]"), "wanted `=` after a key, found `]` at byte 16");
        assert_eq!(error("field(a..b)"), "wanted a name such as `alarm.severity`, found `)` at byte 10");
        assert_eq!(error(&"a{".repeat(40)), "wanted at most 20 levels, found `a` at byte 42");
    }
}
