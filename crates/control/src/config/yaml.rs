//! YAML text into a tree whose every part knows its place, with bounds that keep hostile files harmless.

use std::borrow::Cow;
use std::collections::BTreeMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use twox_hash::XxHash3_64;

use super::error::{At, Expected, Problem, ProblemKind};

/// A pipeline needs five levels.
const MAX_DEPTH: usize = 16;
/// Parts of one file after aliases were replaced; a thousand nodes with fifty parameters each fit.
const MAX_ITEMS: usize = 100_000;

/// A part of a YAML file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Item {
    pub(crate) at: At,
    pub(crate) data: Data,
}

/// What a part is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Data {
    Scalar(Scalar),
    List(Vec<Item>),
    Map(Vec<(Name, Item)>),
}

/// A text as written in the file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    /// Without quotes: may stand for a number or a truth value.
    pub(crate) plain: bool,
}

/// A name or a reference, and its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) at: At,
}

impl Item {
    /// What it is, for error messages.
    pub(crate) fn describe(&self) -> String {
        match &self.data {
            Data::Scalar(s) if s.is_null() => "nothing".into(),
            Data::Scalar(s) => format!("`{}`", shortened(&s.text)),
            Data::List(items) => format!("a list of {}", items.len()),
            Data::Map(_) => "a mapping".into(),
        }
    }
}

impl Item {
    /// Hash of its keys and values, in hexadecimal digits: places, comments and spaces do not count.
    ///
    /// It finds two hosts that were given different files. It does not stand up to forgery.
    pub(crate) fn hash(&self) -> String {
        let mut bytes = Vec::new();
        self.spell(&mut bytes);
        let half = |seed| XxHash3_64::oneshot_with_seed(seed, &bytes);
        format!("{:016x}{:016x}", half(0), half(1))
    }

    /// Each part with its kind and length, so that two different trees are never spelled alike.
    fn spell(&self, out: &mut Vec<u8>) {
        let mut begin = |kind: u8, length: usize| {
            out.push(kind);
            out.extend((length as u64).to_le_bytes());
        };
        match &self.data {
            Data::Scalar(scalar) => {
                begin(u8::from(scalar.plain), scalar.text.len());
                out.extend(scalar.text.as_bytes());
            }
            Data::List(items) => {
                begin(2, items.len());
                items.iter().for_each(|item| item.spell(out));
            }
            Data::Map(entries) => {
                begin(3, entries.len());
                for (name, item) in entries {
                    out.extend((name.text.len() as u64).to_le_bytes());
                    out.extend(name.text.as_bytes());
                    item.spell(out);
                }
            }
        }
    }
}

impl Scalar {
    /// True for what YAML takes for no value.
    pub(crate) fn is_null(&self) -> bool {
        self.plain && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }
}

/// Text that is short enough for a message.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text.to_owned(),
    }
}

/// Parses the one document of `text`.
///
/// Duplicate keys, keys that are not texts, tags, a second document, and more than [`MAX_DEPTH`] levels or
/// [`MAX_ITEMS`] parts are errors. Aliases are replaced by what they stand for, within the same bound.
pub(crate) fn parse(text: &str) -> Result<Item, Problem> {
    let mut reader = Reader {
        // Some editors begin a file with a byte order mark.
        parser: Parser::new_from_str(text.strip_prefix('\u{feff}').unwrap_or(text)),
        anchors: BTreeMap::new(),
        items: 0,
    };
    let item = reader.document()?;
    let missing = || ProblemKind::Missing(Expected::new("a pipeline with `nodes:`", "an empty file"));
    item.ok_or_else(|| Problem::new(At::START, missing()))
}

struct Reader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: BTreeMap<usize, Item>,
    items: usize,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Option<Item>, Problem> {
        let mut found = None;
        loop {
            let (event, at) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(found),
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
                _ if found.is_some() => {
                    return Err(too_large(at, "one YAML document", "a second one"));
                }
                event => found = Some(self.item(event, at, 0)?),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, At), Problem> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, at(&span.start))),
            Some(Err(e)) => Err(Problem::new(at(e.marker()), ProblemKind::NotYaml(e.info().to_owned()))),
            None => Ok((Event::StreamEnd, At::START)),
        }
    }

    fn item(&mut self, event: Event<'a>, at: At, depth: usize) -> Result<Item, Problem> {
        self.count(1, at)?;
        // Before the recursion: a deep file must not use up the stack.
        if depth > MAX_DEPTH {
            return Err(too_large(at, format!("at most {MAX_DEPTH} levels"), "more"));
        }
        let (anchor, tagged, data) = match event {
            Event::Alias(anchor) => return self.alias(anchor, at, depth),
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                (anchor, tag.is_some(), Data::Scalar(Scalar { text: text.into_owned(), plain }))
            }
            Event::SequenceStart(anchor, tag) => (anchor, tag.is_some(), self.list(depth)?),
            Event::MappingStart(anchor, tag) => (anchor, tag.is_some(), self.map(depth)?),
            other => {
                let expected = Expected::new("a value", format!("{other:?}"));
                return Err(Problem::new(at, ProblemKind::Value(expected)));
            }
        };
        if tagged {
            return Err(Problem::new(at, ProblemKind::Tag));
        }
        let item = Item { at, data };
        // 0 stands for no anchor.
        if anchor > 0 {
            self.anchors.insert(anchor, item.clone());
        }
        Ok(item)
    }

    fn count(&mut self, items: usize, at: At) -> Result<(), Problem> {
        self.items += items;
        if self.items > MAX_ITEMS {
            return Err(too_large(at, format!("at most {MAX_ITEMS} values, aliases replaced"), "more"));
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: At, depth: usize) -> Result<Item, Problem> {
        let Some(item) = self.anchors.get(&anchor) else {
            return Err(Problem::new(at, ProblemKind::Alias));
        };
        // Measured before it is copied: aliases of aliases grow exponentially.
        let (items, levels) = measure(item);
        if depth + levels > MAX_DEPTH {
            return Err(too_large(at, format!("at most {MAX_DEPTH} levels"), "more"));
        }
        self.count(items, at)?;
        Ok(self.anchors[&anchor].clone())
    }

    fn list(&mut self, depth: usize) -> Result<Data, Problem> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Data::List(items)),
                (event, at) => items.push(self.item(event, at, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Data, Problem> {
        let mut entries: Vec<(Name, Item)> = Vec::new();
        // Hostile files have many keys; looking through `entries` for each would take quadratic time.
        let mut seen: BTreeMap<String, At> = BTreeMap::new();
        loop {
            let name = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Data::Map(entries)),
                (event, at) => self.key(event, at, depth)?,
            };
            if let Some(first) = seen.insert(name.text.clone(), name.at) {
                let twice = ProblemKind::Twice { key: shortened(&name.text), first };
                return Err(Problem::new(name.at, twice));
            }
            let (event, at) = self.next()?;
            entries.push((name, self.item(event, at, depth + 1)?));
        }
    }

    fn key(&mut self, event: Event<'a>, at: At, depth: usize) -> Result<Name, Problem> {
        let item = self.item(event, at, depth + 1)?;
        match item.data {
            Data::Scalar(Scalar { text, .. }) => Ok(Name { text, at }),
            _ => {
                let expected = Expected::new("a name before `:`", item.describe());
                Err(Problem::new(at, ProblemKind::Value(expected)))
            }
        }
    }
}

fn too_large(at: At, wanted: impl Into<Cow<'static, str>>, found: &'static str) -> Problem {
    Problem::new(at, ProblemKind::TooLarge(Expected::new(wanted, found)))
}

/// How many parts an item has, and how many levels lie below it.
fn measure(item: &Item) -> (usize, usize) {
    let below = |items: &mut dyn Iterator<Item = &Item>| {
        items.map(measure).fold((1, 0), |(n, d), (m, e)| (n + m, d.max(e + 1)))
    };
    match &item.data {
        Data::Scalar(_) => (1, 0),
        Data::List(items) => below(&mut items.iter()),
        Data::Map(entries) => below(&mut entries.iter().map(|(_, item)| item)),
    }
}

fn at(marker: &Marker) -> At {
    At { line: marker.line().max(1), column: marker.col() + 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn error(text: &str) -> String {
        let problem = parse(text).unwrap_err();
        format!("{}: {problem}", problem.at.unwrap())
    }

    #[test]
    fn every_part_knows_its_place() {
        let item = parse("a: 1\nb:\n  - {c: 'x'}\n").unwrap();
        let Data::Map(entries) = item.data else { panic!("no mapping") };
        assert_eq!(
            (entries[0].0.at, entries[0].1.at),
            (At { line: 1, column: 1 }, At { line: 1, column: 4 })
        );
        let Data::List(list) = &entries[1].1.data else { panic!("no list") };
        let Data::Map(inner) = &list[0].data else { panic!("no mapping") };
        assert_eq!(inner[0].1.at, At { line: 3, column: 9 });
        assert_eq!(inner[0].1.data, Data::Scalar(Scalar { text: "x".into(), plain: false }));
    }

    #[test]
    fn hostile_texts_are_refused() {
        assert_eq!(error(""), "1:1: wanted a pipeline with `nodes:`, found an empty file");
        assert_eq!(error("a: 1\nb: 2\na: 3"), "3:1: `a` stands here already, at 1:1");
        assert_eq!(error("a: 1\n---\nb: 1"), "3:1: wanted one YAML document, found a second one");
        assert!(error("a: !!python/object x").contains("tags"));
        assert!(error("[a]: 1").contains("wanted a name before `:`, found a list of 1"));
        assert!(error("a: {b: [}").starts_with("1:9: not YAML"));
        assert!(error("a: &x [*x]").contains("stands inside"));
        assert!(error("a: *b").contains("not YAML"));
        assert!(error(&"[".repeat(100_000)).contains("recursion limit"));
        assert!(error(&"[".repeat(100)).contains("levels"));
        assert!(error(&format!("a: {}", "- ".repeat(10_000))).len() < 300);
        assert!(error(&"{a: ".repeat(50_000)).contains("limit"));
        assert!(error(&"- \n".repeat(200_000)).contains("wanted at most 100000 values"));
    }

    #[test]
    fn aliases_stand_for_their_anchor_within_a_bound() {
        let shared = parse("a: &p {x: 1}\nb: *p\n").unwrap();
        let Data::Map(entries) = shared.data else { panic!("no mapping") };
        assert_eq!(entries[0].1.data, entries[1].1.data);
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for i in 1..12 {
            let aliases = vec![format!("*a{}", i - 1); 10].join(", ");
            bomb += &format!("a{i}: &a{i} [{aliases}]\n");
        }
        assert!(error(&bomb).contains("aliases replaced"));
    }

    #[test]
    fn many_keys_take_linear_time() {
        let text: String = (0..40_000).map(|i| format!("k{i}: 1\n")).collect();
        assert!(parse(&text).is_ok());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,200}") {
            let _ = parse(&text);
        }

        #[test]
        fn no_yaml_like_text_panics(text in "[a-c0-2:\\-\\[\\]{},&*!|>'\"# \n\t%@?.~]{0,120}") {
            let _ = parse(&text);
        }
    }
}
