//! Substitutions files of EPICS, which `dbLoadTemplate` reads: templates of records with rows of macros.
//!
//! ```text
//! global {P=13SIM1:}
//! file "NDROI.template" { pattern {R, PORT} {ROI1:, ROI1} {"ROI2:", "ROI2"} }
//! file NDStats.template { {R=Stats1:, PORT=STATS1, NDARRAY_PORT="SIM1"} }
//! ```

use std::iter::Peekable;
use std::str::Chars;

use livetime_control::WrongText;
use livetime_control::macros::Macros;

/// A row of macros for a template; their values are as the file has them.
pub(super) struct Row<'a> {
    /// The line of its opening brace, from 1.
    pub(super) number: usize,
    pub(super) template: &'a str,
    /// The macros of all `global` blocks before it.
    pub(super) globals: &'a Macros,
    pub(super) values: Macros,
}

/// Gives each row of a file to `row`, in order, without copies of what rows share. `row` says whether it wants more.
///
/// # Errors
/// The line and the reason of the first mistake. Rows before it were given.
pub(super) fn read(text: &str, row: impl FnMut(Row<'_>) -> bool) -> Result<(), (usize, WrongText)> {
    let mut reader = Reader { tokens: Tokens::of(text), globals: Macros::new(), row };
    reader.blocks().map_err(|wrong| (reader.tokens.line, wrong))
}

struct Reader<'a, F> {
    tokens: Tokens<'a>,
    globals: Macros,
    row: F,
}

impl<F: FnMut(Row<'_>) -> bool> Reader<'_, F> {
    fn blocks(&mut self) -> Result<(), WrongText> {
        while let Some(token) = self.tokens.next()? {
            match token {
                Token::Word(word) if word == "global" => self.globals()?,
                Token::Word(word) if word == "file" => {
                    let template = self.word("the name of a template")?;
                    // The rest is not read: the room for rows is used up.
                    if !self.file(&template)? {
                        return Ok(());
                    }
                }
                other => return Err(wrong("`file` or `global`", Some(other))),
            }
        }
        Ok(())
    }

    fn globals(&mut self) -> Result<(), WrongText> {
        self.open()?;
        let values = self.definitions()?;
        // A later global replaces an earlier one of the same name, as EPICS does it.
        self.globals.extend(values);
        Ok(())
    }

    /// The rows of one template; false if no more are wanted.
    fn file(&mut self, template: &str) -> Result<bool, WrongText> {
        self.open()?;
        let mut pattern = None;
        loop {
            let values = match self.tokens.next()? {
                Some(Token::Close) => return Ok(true),
                Some(Token::Word(word)) if word == "pattern" => {
                    // A pattern holds up to the next one of the same file block.
                    self.open()?;
                    pattern = Some(self.words()?);
                    continue;
                }
                Some(Token::Word(word)) if word == "global" => {
                    self.globals()?;
                    continue;
                }
                // The line of the brace is taken before the values, which may end some lines later.
                Some(Token::Open) => match &pattern {
                    Some(names) => (self.tokens.line, self.values(names)?),
                    None => (self.tokens.line, self.definitions()?),
                },
                other => return Err(wrong("`{` or `}`", other)),
            };
            let (number, values) = values;
            if !(self.row)(Row { number, template, globals: &self.globals, values }) {
                return Ok(false);
            }
        }
    }

    /// A row of a pattern: the values of its names, in order.
    fn values(&mut self, names: &[String]) -> Result<Macros, WrongText> {
        let values = self.words()?;
        // Missing values are left undefined; surplus ones have no name.
        if values.len() > names.len() {
            return Err(WrongText::new(
                format!("at most {} values, as the pattern has names", names.len()),
                values.len().to_string(),
            ));
        }
        Ok(names.iter().cloned().zip(values).collect())
    }

    /// Words up to the closing brace.
    fn words(&mut self) -> Result<Vec<String>, WrongText> {
        let mut words = Vec::new();
        loop {
            match self.tokens.next()? {
                Some(Token::Close) => return Ok(words),
                Some(Token::Word(word)) => words.push(word),
                other => return Err(wrong("a value or `}`", other)),
            }
        }
    }

    /// `NAME=value` each, up to the closing brace.
    fn definitions(&mut self) -> Result<Macros, WrongText> {
        let mut values = Macros::new();
        loop {
            let name = match self.tokens.next()? {
                Some(Token::Close) => return Ok(values),
                Some(Token::Word(name)) => name,
                other => return Err(wrong("NAME=value or `}`", other)),
            };
            match self.tokens.next()? {
                Some(Token::Equals) => {}
                other => return Err(wrong("`=`", other)),
            }
            values.insert(name, self.word("a value")?);
        }
    }

    fn open(&mut self) -> Result<(), WrongText> {
        match self.tokens.next()? {
            Some(Token::Open) => Ok(()),
            other => Err(wrong("`{`", other)),
        }
    }

    fn word(&mut self, wanted: &'static str) -> Result<String, WrongText> {
        match self.tokens.next()? {
            Some(Token::Word(word)) => Ok(word),
            other => Err(wrong(wanted, other)),
        }
    }
}

fn wrong(wanted: &'static str, found: Option<Token>) -> WrongText {
    WrongText::new(
        wanted,
        match found {
            // The word is cut, because a file without blanks is one word.
            Some(Token::Word(word)) => word.chars().take(50).collect(),
            Some(Token::Open) => "{".into(),
            Some(Token::Close) => "}".into(),
            Some(Token::Equals) => "=".into(),
            None => "the end of the file".to_owned(),
        },
    )
}

enum Token {
    Word(String),
    Open,
    Close,
    Equals,
}

struct Tokens<'a> {
    chars: Peekable<Chars<'a>>,
    /// Of the last token.
    line: usize,
}

impl Tokens<'_> {
    fn of(text: &str) -> Tokens<'_> {
        Tokens { chars: text.chars().peekable(), line: 1 }
    }

    /// The next token; commas part words as blanks do.
    fn next(&mut self) -> Result<Option<Token>, WrongText> {
        while let Some(c) = self.chars.next() {
            match c {
                '\n' => self.line += 1,
                // The end of the line is not taken here, so that the line is counted.
                '#' => while self.chars.next_if(|c| *c != '\n').is_some() {},
                '{' => return Ok(Some(Token::Open)),
                '}' => return Ok(Some(Token::Close)),
                '=' => return Ok(Some(Token::Equals)),
                '"' | '\'' => return self.quoted(c).map(Some),
                c if c == ',' || c.is_whitespace() => {}
                c => return Ok(Some(self.bare(c))),
            }
        }
        Ok(None)
    }

    fn bare(&mut self, first: char) -> Token {
        let mut word = String::from(first);
        let is_part = |c: &char| !c.is_whitespace() && !"{},=\"'#".contains(*c);
        // A macro may have a default, whose equals sign is part of the word: `$(R=ROI1:)`.
        let mut depth = 0_usize;
        while let Some(c) = self.chars.next_if(|c| is_part(c) || (depth > 0 && !"\n\"'".contains(*c))) {
            match c {
                '(' if word.ends_with('$') => depth += 1,
                // A bracket that closes none is part of the word.
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            word.push(c);
        }
        Token::Word(word)
    }

    fn quoted(&mut self, quote: char) -> Result<Token, WrongText> {
        let mut word = String::new();
        loop {
            match self.chars.next() {
                Some(c) if c == quote => return Ok(Token::Word(word)),
                // Before another character the backslash is the macros' to read.
                Some('\\') if self.chars.peek() == Some(&quote) => word.extend(self.chars.next()),
                // Quotes end on their line, so that one that is forgotten does not take in the rest of the
                // file.
                None | Some('\n') => {
                    let begin: String = word.chars().take(50).collect();
                    return Err(WrongText::new(format!("the end of the quotes, {quote}"), begin));
                }
                Some(c) => word.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> (Vec<String>, Option<String>) {
        let mut rows = Vec::new();
        let result = read(text, |row| {
            let of = |macros: &Macros| macros.iter().map(|(k, v)| format!(" {k}={v}")).collect::<String>();
            rows.push(format!("{} {}{};{}", row.number, row.template, of(row.globals), of(&row.values)));
            true
        });
        (rows, result.err().map(|(line, wrong)| format!("{line}: {wrong}")))
    }

    #[test]
    fn patterns_and_definitions_are_rows() {
        let text = "# overlays\nglobal {P=\"A:\" , N = 2}\nfile \"$(AD)/a.template\"\n{\npattern\n{ R, XPOS }\n{Over1:1:, \"\"}\n\
                    {$(X=a b), 'it is \"x\"'} # one\n}\nfile b.db { {R=ROI1:, PORT=\"ROI1\"} {R=ROI2:} }\nfile c.db {}\n";
        let wanted = [
            "7 $(AD)/a.template N=2 P=A:; R=Over1:1: XPOS=",
            "8 $(AD)/a.template N=2 P=A:; R=$(X=a b) XPOS=it is \"x\"",
            "10 b.db N=2 P=A:; PORT=ROI1 R=ROI1:",
            "10 b.db N=2 P=A:; R=ROI2:",
        ];
        assert_eq!(rows(text), (wanted.map(str::to_owned).to_vec(), None));
    }

    #[test]
    fn mistakes_have_their_line_and_rows_before_them_count() {
        for (text, number, wanted) in [
            ("file a.db {\n{R=1}\n{R}}", 1, "3: wanted `=`, found `}`"),
            ("file a.db {\npattern {R}\n{1}\n{1, 2}", 1, "4: wanted at most 1 values"),
            ("file a.db {\n{R=\"1\n", 0, "2: wanted the end of the quotes, \", found `1`"),
            ("file", 0, "1: wanted the name of a template, found `the end of the file`"),
            ("{A=1}", 0, "1: wanted `file` or `global`, found `{`"),
        ] {
            let (rows, error) = rows(text);
            assert_eq!(rows.len(), number, "{text}");
            assert!(error.as_ref().is_some_and(|error| error.starts_with(wanted)), "{error:?}");
        }
    }
}
