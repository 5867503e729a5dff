//! Save files of autosave.

use crate::settings::SettingsError;

/// The end of a whole file.
const END: &[u8] = b"<END>";
/// The mark of an array, before its elements in braces.
const ARRAY: &[u8] = b"@array@";

/// A save file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sav {
    /// PVs with their values, in the order of the file.
    pub lines: Vec<SavLine>,
    /// PVs that were not connected when the file was written, and lines that a person has commented out: number of the
    /// line, and its first word.
    pub disconnected: Vec<(usize, String)>,
}

/// A PV with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavLine {
    /// Number of the line, from 1 on.
    pub line: usize,
    /// The name of the PV, perhaps with a field.
    pub name: String,
    /// Its value.
    pub value: SavValue,
}

/// A value of a save file, whose type only the PV knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SavValue {
    /// A number, the number of a choice, or a text.
    Text(String),
    /// An array.
    Array(Vec<String>),
}

/// Reads the bytes of a save file.
///
/// # Errors
/// [`SettingsError::Content`] when `<END>` is missing, because autosave's writer was interrupted and autosave would not
/// restore the file either; or an array does not end.
pub fn parse_sav(bytes: &[u8]) -> Result<Sav, SettingsError> {
    let mut reader = Reader { rest: bytes, line: 0 };
    let mut sav = Sav::default();
    while let Some(line) = reader.next_line() {
        let number = reader.line;
        let line = line.trim_ascii_start();
        let name = &line[..line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len())];
        // One character separates the value, whose own white space counts.
        let value = line.get(name.len() + 1..).unwrap_or_default();
        match name.first() {
            None => {}
            Some(b'<') if name.starts_with(END) => return Ok(sav),
            // The number of PVs without a value, which the lines with `#` name.
            Some(b'!') => {}
            Some(b'#') => {
                if value.starts_with(ARRAY) {
                    reader.array(value)?;
                }
                let is_pv = name.len() > 1;
                sav.disconnected.extend(is_pv.then(|| (number, text(&name[1..]))));
            }
            Some(_) => {
                let value = match value.starts_with(ARRAY) {
                    true => SavValue::Array(reader.array(value)?),
                    false => SavValue::Text(text(&unescaped(value))),
                };
                sav.lines.push(SavLine { line: number, name: text(name), value });
            }
        }
    }
    let place = format!("line {}", reader.line);
    Err(SettingsError::content(place, "`<END>`, which a whole save file has", "the end of the file"))
}

struct Reader<'a> {
    rest: &'a [u8],
    /// Number of the last line.
    line: usize,
}

impl<'a> Reader<'a> {
    /// The next line without its end.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = self.rest.split_at(end.map_or(self.rest.len(), |end| end + 1));
        self.rest = rest;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The elements of an array that begins in the line `value`, and may go on in the next ones.
    fn array(&mut self, value: &'a [u8]) -> Result<Vec<String>, SettingsError> {
        let begin = self.line;
        let wrong =
            |found: &str| SettingsError::content(format!("line {begin}"), "an array in braces", found);
        let mut elements = Vec::new();
        let mut left = value[ARRAY.len()..].trim_ascii_start();
        left = left.strip_prefix(b"{").ok_or_else(|| wrong("none"))?;
        loop {
            left = left.trim_ascii_start();
            match left.first() {
                Some(b'}') => return Ok(elements),
                Some(b'"') => {
                    let end = element_end(&left[1..]);
                    let end = end.ok_or_else(|| wrong("an element without an end in its line"))?;
                    elements.push(text(&unescaped(&left[1..=end])));
                    left = &left[end + 2..];
                }
                // Anything between elements is passed over, as autosave does.
                Some(_) => left = &left[1..],
                None => left = self.next_line().ok_or_else(|| wrong("the end of the file"))?,
            }
        }
    }
}

/// The place of the quote that ends an element.
fn element_end(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    text.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })
}

/// Texts of EPICS are bytes; texts that are no UTF-8 are taken for Latin-1, their usual other meaning.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Bytes without the escapes of C in which autosave writes texts.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text;
    while let Some((byte, rest)) = left.split_first() {
        left = rest;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let (byte, length) = escape(left);
        bytes.extend(byte);
        left = &left[length..];
    }
    bytes
}

/// The byte that stands behind a backslash, and the length of what stands for it.
fn escape(text: &[u8]) -> (Option<u8>, usize) {
    let digits = |from: usize, most: usize, is_digit: fn(&u8) -> bool| {
        text.iter().skip(from).take(most).take_while(|byte| is_digit(byte)).count()
    };
    let number = |from: usize, length: usize, radix: u32| {
        let digits = std::str::from_utf8(&text[from..from + length]).unwrap_or_default();
        // Three octal digits may be more than a byte holds.
        u32::from_str_radix(digits, radix).ok().map(|number| number as u8)
    };
    match text.first() {
        None => (Some(b'\\'), 0),
        Some(b'x') => {
            let length = digits(1, 2, u8::is_ascii_hexdigit);
            if length == 0 { (Some(b'x'), 1) } else { (number(1, length, 16), 1 + length) }
        }
        Some(b'0'..=b'7') => {
            let length = digits(0, 3, |byte| matches!(byte, b'0'..=b'7'));
            (number(0, length, 8), length)
        }
        Some(byte) => {
            let plain = match byte {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => *other,
            };
            (Some(plain), 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &[u8]) -> Vec<(String, SavValue)> {
        parse_sav(text).unwrap().lines.into_iter().map(|line| (line.name, line.value)).collect()
    }

    fn plain(text: &str) -> SavValue {
        SavValue::Text(text.into())
    }

    fn array(elements: &[&str]) -> SavValue {
        SavValue::Array(elements.iter().map(|element| (*element).into()).collect())
    }

    #[test]
    fn a_file_of_an_ioc_is_read() {
        let text = b"# autosave R5.10\tAutomatically generated\n! 1 channel(s) not connected\n\
            13SIM1:cam1:AcquirePeriod 0.005\n13SIM1:cam1:ImageMode 2\n13SIM1:ROI1:Name \n\
            13SIM1:TIFF1:FileTemplate %s%s_%3.3d.tif\n#13SIM1:Gone.VAL Search Issued\n\
            13SIM1:TIFF1:FilePath @array@ { \"47\" \"116\" \"109\" \"112\" \"0\" }\n\
            13SIM1:Note a \\\"quoted\\\" text\\n  with two lines\r\n<END>\nX 1\n";
        let wanted = [
            ("13SIM1:cam1:AcquirePeriod", plain("0.005")),
            ("13SIM1:cam1:ImageMode", plain("2")),
            ("13SIM1:ROI1:Name", plain("")),
            ("13SIM1:TIFF1:FileTemplate", plain("%s%s_%3.3d.tif")),
            ("13SIM1:TIFF1:FilePath", array(&["47", "116", "109", "112", "0"])),
            ("13SIM1:Note", plain("a \"quoted\" text\n  with two lines")),
        ];
        assert_eq!(values(text), wanted.map(|(name, value)| (name.to_owned(), value)));
        let sav = parse_sav(text).unwrap();
        assert_eq!((sav.lines[0].line, sav.lines[5].line), (3, 9));
        assert!(sav.disconnected.contains(&(7, "13SIM1:Gone.VAL".into())));
    }

    #[test]
    fn arrays_go_over_lines_and_braces_in_elements_are_texts() {
        let text = b"a @array@ { \"1\"\n\"2\" }\nb @array@ { \"}\" \"\\\"{\" \"\\\\\" }\nc @array@ { }\n\
            #d @array@ { \"1\"\n \"2\" }\ne 5\n<END>";
        let wanted = [
            ("a", array(&["1", "2"])),
            ("b", array(&["}", "\"{", "\\"])),
            ("c", array(&[])),
            ("e", plain("5")),
        ];
        assert_eq!(values(text), wanted.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn bytes_are_written_in_several_ways() {
        for (text, wanted) in [
            (&b"\\303\\244"[..], "\u{e4}"),
            (b"\\xc3\\xA4", "\u{e4}"),
            (b"\xe4", "\u{e4}"),
            (b"\\t\\q\\", "\tq\\"),
            (b"\\xg\\08", "xg\u{0}8"),
            (b"\\777", "\u{ff}"),
        ] {
            let line = [b"a ", text, b"\n<END>\n"].concat();
            assert_eq!(values(&line), [("a".to_owned(), plain(wanted))], "{text:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_whole_is_refused() {
        for (text, said) in [
            ("a 1\n", "line 1: wanted `<END>`"),
            ("", "line 0: wanted `<END>`"),
            (
                "a 1\nb @array@ { \"1\" \n<END>\n",
                "line 2: wanted an array in braces, found the end of the file",
            ),
            ("b @array@ { \"1\n\" }\n<END>\n", "an element without an end"),
            ("b @array@\n<END>\n", "found none"),
        ] {
            let error = parse_sav(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{text:?}: {error}");
        }
    }

    /// As autosave writes it.
    fn written(lines: &[(String, SavValue)]) -> String {
        let escaped = |text: &str| {
            text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r")
        };
        let line = |(name, value): &(String, SavValue)| match value {
            SavValue::Text(text) => format!("{name} {}\n", escaped(text)),
            SavValue::Array(elements) => {
                let elements: String = elements.iter().map(|e| format!("\"{}\" ", escaped(e))).collect();
                format!("{name} @array@ {{ {elements}}}\n")
            }
        };
        lines.iter().map(line).collect::<String>() + "<END>\n"
    }

    fn value() -> impl Strategy<Value = SavValue> {
        let text = || any::<String>();
        prop_oneof![
            text().prop_filter("an array", |text| !text.starts_with("@array@")).prop_map(SavValue::Text),
            prop::collection::vec(text(), 0..4).prop_map(SavValue::Array),
        ]
    }

    proptest! {
        #[test]
        fn values_are_read_as_they_were_written(lines in prop::collection::vec(("[A-Za-z0-9][A-Za-z0-9:._$-]{0,20}", value()), 0..5)) {
            prop_assert_eq!(values(written(&lines).as_bytes()), lines);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
            let _ = parse_sav(&bytes);
        }

        #[test]
        fn any_text_of_its_characters_is_read_or_refused(text in "[a#!<@{}\"\\\\x07 \n\r]{0,40}(@array@ \\{)?[ \"}\\\\\n]{0,10}(<END>)?") {
            let _ = parse_sav(text.as_bytes());
        }
    }
}
