//! The commands of a start-up script, in the order in which an IOC would call them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use livetime_control::macros::{Macros, definitions, expand};

use super::substitutions::{self, Row};
use super::{Fate, ImportError, Line, NotRead};

/// Bytes of a script; ones of beam lines have at most 50 KB.
const LARGEST: u64 = 4 << 20;
/// Scripts that include one another.
const DEEPEST: usize = 16;
/// Commands of all scripts together.
const MOST: usize = 100_000;
/// Includes of all scripts together: a few scripts that each include all others would never end.
const MOST_INCLUDES: usize = 1_000;
/// Bytes of the macros of all rows of substitutions files: a short row may name long values.
const MOST_BYTES: usize = 16 << 20;

/// A command with its arguments, macros replaced.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) line: Line,
    pub(super) name: String,
    pub(super) args: Vec<String>,
    /// Names without a value.
    pub(super) undefined: Vec<String>,
    /// The macros of records, of a row of a substitutions file.
    pub(super) row: Option<Macros>,
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
            row_bytes: 0,
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
    row_bytes: usize,
    script: Script,
}

impl Reader {
    fn lines(&mut self, file: &Path, text: &str, depth: usize) {
        for (index, text) in text.lines().enumerate() {
            let text = text.trim();
            // The rest is skipped and not an error: the lines before it are still of use.
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
        self.command(Command { line, name, args: words.collect(), undefined, row: None }, depth);
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
                // The macros of an included script end with it, as in iocsh.
                let before = self.macros.clone();
                self.macros.extend(rest.first().and_then(|text| definitions(text).ok()).unwrap_or_default());
                self.include(&command.line, file, depth);
                self.macros = before;
            }
            ("dbLoadTemplate", [file, rest @ ..]) => {
                let given = rest.first().and_then(|text| definitions(text).ok()).unwrap_or_default();
                self.template(&command.line, file, &given);
            }
            _ => self.script.commands.push(command),
        }
    }

    /// The rows of a substitutions file, each as the command that loads its records. `given` are macros of the command.
    fn template(&mut self, line: &Line, name: &str, given: &Macros) {
        let (file, text) = match self.opened(line, name) {
            Ok(opened) => opened,
            Err(why) => return self.script.fates.push((line.clone(), Fate::Missing(why))),
        };
        let mut scope = self.macros.clone();
        scope.extend(given.clone());
        let result = substitutions::read(&text, |row| self.row(&file, given, row, &mut scope));
        let fate = match result {
            Ok(()) if self.row_bytes > MOST_BYTES || self.script.commands.len() >= MOST => Fate::Left(
                // Both bounds end the file, so one message is enough.
                format!("more than {MOST} commands or {MOST_BYTES} bytes of macros; the rest is left out"),
            ),
            Ok(()) => Fate::Taken(format!("rows of {}", file.display())),
            Err((number, wrong)) => {
                let text = text.lines().nth(number - 1).unwrap_or_default().trim().to_owned();
                let at = Line { file: file.clone(), number, text };
                self.script
                    .fates
                    .push((at, Fate::Left(format!("{wrong}; the rest of the file is left out"))));
                Fate::Differs(format!("rows of {} up to line {number}", file.display()))
            }
        };
        self.script.fates.push((line.clone(), fate));
    }

    /// Takes one row; false when there is no room for another. `scope` has the values that the row may name, and is the
    /// same afterwards but for values of `global` blocks.
    fn row(&mut self, file: &Path, given: &Macros, row: Row<'_>, scope: &mut Macros) -> bool {
        let text = format!("file {} {{…}}", row.template);
        scope.extend(row.globals.clone());
        let shadowed: Vec<_> = row
            .values
            .iter()
            .map(|(name, value)| (name, scope.insert(name.clone(), value.clone())))
            .collect();
        // Only names that the row or the file gives are kept; the environment's would make each row large.
        let (mut macros, mut undefined) = (Macros::new(), Vec::new());
        for name in given.keys().chain(row.globals.keys()).chain(row.values.keys()) {
            let expanded = expand(scope.get(name).map_or("", String::as_str), scope);
            self.row_bytes += name.len() + expanded.text.len();
            undefined.extend(expanded.undefined);
            macros.insert(name.clone(), expanded.text);
            // The bound is checked within a row: one name may have a value of megabytes.
            if self.row_bytes > MOST_BYTES {
                break;
            }
        }
        // The values of the row are taken back, so that the next row does not see them.
        for (name, before) in shadowed {
            match before {
                Some(before) => scope.insert(name.clone(), before),
                None => scope.remove(name),
            };
        }
        let line = Line { file: file.to_owned(), number: row.number, text };
        let (name, args) = ("dbLoadTemplate".to_owned(), Vec::new());
        self.script.commands.push(Command { line, name, args, undefined, row: Some(macros) });
        // No more rows are read when the room is used up.
        self.row_bytes <= MOST_BYTES && self.script.commands.len() < MOST
    }

    /// The commands of another script.
    fn include(&mut self, line: &Line, name: &str, depth: usize) {
        let opened = match depth {
            // The depth ends scripts that include themselves.
            0 => Err(NotRead::TooDeep(DEEPEST)),
            _ => self.opened(line, name),
        };
        match opened {
            Ok((file, text)) => self.lines(&file, &text, depth - 1),
            Err(why) => self.script.fates.push((line.clone(), Fate::Missing(why))),
        }
    }

    /// A file that a line names, with its text. It is looked for where the IOC would be, and beside the script itself.
    fn opened(&mut self, line: &Line, name: &str) -> Result<(PathBuf, String), NotRead> {
        let beside = line.file.parent().map(|folder| folder.join(name));
        let places = [Some(self.folder.join(name)), beside];
        // The folder of the IOC comes first, because `cd` decides there.
        let file = places.into_iter().flatten().find(|file| file.is_file());
        let file = file.ok_or_else(|| NotRead::Absent(name.to_owned()))?;
        // Files that are absent do not count: they cost nothing.
        self.includes += 1;
        if self.includes > MOST_INCLUDES {
            return Err(NotRead::TooMany(MOST_INCLUDES));
        }
        match text_of(&file) {
            Ok(text) => Ok((file, text)),
            Err(error) => Err(NotRead::Unreadable { file, reason: error.to_string() }),
        }
    }
}

fn text_of(file: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    // One byte beyond the limit shows that the file is longer.
    File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(std::io::Error::other(format!("wanted at most {LARGEST} bytes, found more")));
    }
    // Comments of old scripts are in Latin 1.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The words of a line. Spaces, commas and parentheses part them, quotes hold them together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            // A backslash before another character belongs to a path of Windows or to a macro.
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
            // The shell sends the output into the file behind `>`, which is no argument.
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
