//! The commands of a start-up script, in the order in which an IOC would call them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use livetime_control::macros::{Macros, definitions, expand};

use super::{Fate, ImportError, Line};

/// Bytes of a script; ones of beam lines have at most 50 KB.
const LARGEST: u64 = 4 << 20;
/// Scripts that include one another.
const DEEPEST: usize = 16;
/// Commands of all scripts together.
const MOST: usize = 100_000;
/// Includes of all scripts together: a few scripts that each include all others would never end.
const MOST_INCLUDES: usize = 1_000;

/// A command with its arguments, macros replaced.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) line: Line,
    pub(super) name: String,
    pub(super) args: Vec<String>,
    /// Names without a value.
    pub(super) undefined: Vec<String>,
}

/// A script and all that it includes.
pub(super) struct Script {
    pub(super) commands: Vec<Command>,
    /// The lines that could not be followed, with the reason.
    pub(super) fates: Vec<(Line, Fate)>,
}

impl Script {
    /// Reads `file`. `macros` are values of the environment, which lines of the script may change.
    ///
    /// # Errors
    /// When the file itself cannot be read. An included file that cannot be read is a [`Fate::Missing`].
    pub(super) fn read(file: &Path, macros: &Macros) -> Result<Script, ImportError> {
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let text = text_of(file).map_err(|reason| ImportError::Unreadable {
            file: file.to_owned(),
            reason: reason.to_string(),
        })?;
        let mut reader = Reader {
            macros: macros.clone(),
            folder,
            includes: 0,
            script: Script { commands: Vec::new(), fates: Vec::new() },
        };
        reader.lines(file, &text, DEEPEST);
        Ok(reader.script)
    }
}

struct Reader {
    macros: Macros,
    /// Where the IOC would be.
    folder: PathBuf,
    includes: usize,
    script: Script,
}

impl Reader {
    fn lines(&mut self, file: &Path, text: &str, depth: usize) {
        for (index, text) in text.lines().enumerate() {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') || self.script.commands.len() >= MOST {
                continue;
            }
            self.line(Line { file: file.to_owned(), number: index + 1, text: text.to_owned() }, depth);
        }
    }

    fn line(&mut self, line: Line, depth: usize) {
        let expanded = expand(&line.text, &self.macros);
        let (text, undefined) = (expanded.text, expanded.undefined);
        if let Some(included) = text.strip_prefix('<') {
            return self.include(&line, included.trim().trim_matches('"'), depth);
        }
        let mut words = words(&text).into_iter();
        let Some(name) = words.next() else { return };
        self.command(Command { line, name, args: words.collect(), undefined }, depth);
    }

    fn command(&mut self, command: Command, depth: usize) {
        let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
        match (command.name.as_str(), &args[..]) {
            ("epicsEnvSet", [name, value, ..]) => {
                self.macros.insert((*name).to_owned(), (*value).to_owned());
            }
            ("putenv", [definition, ..]) => self.macros.extend(definitions(definition).unwrap_or_default()),
            ("epicsEnvUnset", [name, ..]) => {
                self.macros.remove(*name);
            }
            ("cd" | "chdir", [folder, ..]) => self.folder = self.folder.join(folder),
            ("iocsh" | "iocshLoad" | "iocshRun", [file, rest @ ..]) => {
                let before = self.macros.clone();
                self.macros.extend(rest.first().and_then(|text| definitions(text).ok()).unwrap_or_default());
                self.include(&command.line, file, depth);
                self.macros = before;
            }
            _ => self.script.commands.push(command),
        }
    }

    /// The commands of another script, which is looked for where the IOC would be, and beside the script itself.
    fn include(&mut self, line: &Line, name: &str, depth: usize) {
        let beside = line.file.parent().map(|folder| folder.join(name));
        let places = [Some(self.folder.join(name)), beside];
        let found = places.into_iter().flatten().find(|file| file.is_file());
        self.includes += 1;
        let fate = match found {
            Some(_) if depth == 0 => {
                Fate::Missing(format!("more than {DEEPEST} scripts include one another"))
            }
            Some(_) if self.includes > MOST_INCLUDES => {
                Fate::Missing(format!("more than {MOST_INCLUDES} includes"))
            }
            Some(file) => match text_of(&file) {
                Ok(text) => return self.lines(&file, &text, depth - 1),
                Err(error) => Fate::Missing(format!("{}: {error}", file.display())),
            },
            None => Fate::Missing(format!("no file `{name}`")),
        };
        self.script.fates.push((line.clone(), fate));
    }
}

fn text_of(file: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST).read_to_end(&mut bytes)?;
    // Comments of old scripts are in Latin 1.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The words of a line. Spaces, commas and parentheses part them, quotes hold them together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) if matches!(chars.peek(), Some('"' | '\'' | '\\' | '$')) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                // An empty text is an argument, too.
                word.get_or_insert_default();
            }
            (' ' | '\t' | '(' | ')' | ',' | '\r' | ';', None) => words.extend(word.take()),
            // The rest goes into a file.
            ('>', None) if word.is_none() => break,
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_parted_into_words() {
        for (text, wanted) in [
            (
                r#"NDStatsConfigure("STATS1", 20, 0, "SIM1", 0)"#,
                &["NDStatsConfigure", "STATS1", "20", "0", "SIM1", "0"][..],
            ),
            ("epicsEnvSet PREFIX 13SIM1:", &["epicsEnvSet", "PREFIX", "13SIM1:"]),
            (r#"dbpf("A:B","")"#, &["dbpf", "A:B", ""]),
            (r#"dbpf "A:B" "a \"quoted\" word""#, &["dbpf", "A:B", "a \"quoted\" word"]),
            ("dbl > records.txt", &["dbl"]),
            ("iocInit()", &["iocInit"]),
            ("", &[]),
        ] {
            assert_eq!(words(text), wanted, "{text}");
        }
    }
}
