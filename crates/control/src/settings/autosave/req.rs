//! Request files of autosave.

use std::{fmt, io};

use crate::attributes::{AttributesError, expand};

/// Files within files within files: no IOC goes deeper, and a file that includes itself ends here.
const DEEPEST: usize = 20;
/// Includes of all files together: a few files that each include all others would never end.
const MOST_INCLUDES: usize = 10_000;
/// More names are not read: the largest IOCs save some ten thousand.
const MOST_NAMES: usize = 1_000_000;

/// The names of a request file with all that it includes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Req {
    /// In the order of autosave.
    pub names: Vec<ReqName>,
    /// Lines that could not be followed, each with its place: a file that is missing, a macro without a value.
    pub problems: Vec<String>,
}

/// A name to be saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReqName {
    /// The file that asks for it.
    pub file: String,
    /// The number of the line there, from 1 on.
    pub line: usize,
    /// The name of the PV, perhaps with a field.
    pub name: String,
}

/// Reads the request file `name` with `macros` (`P=13SIM1:,R=cam1:`), and the files that it includes. `open` gives the text
/// of a file by the name that a line has for it, or says why not.
pub fn read_req(name: &str, macros: &str, open: &dyn Fn(&str) -> io::Result<String>) -> Req {
    let mut reader = Reader { req: Req::default(), open, includes: 0 };
    match open(name) {
        Ok(text) => reader.read((name, &text), macros, 1),
        Err(why) => reader.req.problems.push(format!("{name}: {why}")),
    }
    reader.req
}

struct Reader<'a> {
    req: Req,
    open: &'a dyn Fn(&str) -> io::Result<String>,
    includes: usize,
}

impl Reader<'_> {
    fn read(&mut self, (file, text): (&str, &str), macros: &str, depth: usize) {
        for (number, line) in text.lines().enumerate() {
            let (number, line) = (number + 1, line.trim());
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // The line that reached the limit has reported it.
            if self.req.names.len() >= MOST_NAMES || self.includes > MOST_INCLUDES {
                return;
            }
            if let Err(why) = self.line((file, number), line, macros, depth) {
                self.req.problems.push(format!("{file}:{number}: {why}"));
            }
        }
    }

    fn line(
        &mut self,
        (file, line): (&str, usize),
        text: &str,
        macros: &str,
        depth: usize,
    ) -> Result<(), WrongLine> {
        let expanded = expand(text, macros).map_err(WrongLine::Macros)?;
        let Some((name, macros)) = included(&expanded) else {
            let name = expanded.split_whitespace().next().unwrap_or_default();
            // A macro may be replaced by nothing, or by a mark of a comment.
            if !name.is_empty() && !name.starts_with('#') {
                let (file, name) = (file.to_owned(), name.to_owned());
                self.req.names.push(ReqName { file, line, name });
            }
            return too_many(self.req.names.len(), MOST_NAMES, "names");
        };
        if depth >= DEEPEST {
            return Err(WrongLine::TooDeep);
        }
        self.includes += 1;
        too_many(self.includes, MOST_INCLUDES + 1, "includes")?;
        let text = (self.open)(&name).map_err(|why| WrongLine::Include(name.clone(), why))?;
        self.read((&name, &text), &macros, depth + 1);
        Ok(())
    }
}

/// The last one that is read says that the others are not.
fn too_many(count: usize, most: usize, things: &'static str) -> Result<(), WrongLine> {
    if count < most { Ok(()) } else { Err(WrongLine::TooMany(most, things)) }
}

/// Why a line of a request file cannot be followed.
enum WrongLine {
    Macros(AttributesError),
    TooDeep,
    TooMany(usize, &'static str),
    Include(String, io::Error),
}

impl fmt::Display for WrongLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrongLine::Macros(error) => error.fmt(f),
            WrongLine::TooDeep => write!(f, "wanted at most {DEEPEST} files within one another, found more"),
            WrongLine::TooMany(most, things) => write!(f, "wanted less than {most} {things}, found more"),
            WrongLine::Include(name, why) => write!(f, "`{name}`: {why}"),
        }
    }
}

/// Name and macros of the file that a line includes: `file "ADBase.req", P=13SIM1:, R=cam1:`. As autosave does it, quotes
/// are left out, and blanks separate macros as commas do.
fn included(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix("file")?;
    let rest = rest.strip_prefix(|c: char| c.is_whitespace() || c == '"')?;
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '"');
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | ',');
    let end = rest.find(is_end).unwrap_or(rest.len());
    let macros = rest[end..].replace('"', "");
    let macros: Vec<&str> =
        macros.split(|c: char| c.is_whitespace() || c == ',').filter(|m| m.contains('=')).collect();
    Some((rest[..end].to_owned(), macros.join(",")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(files: &[(&str, &str)], macros: &str) -> (Vec<String>, Vec<String>) {
        let open = |name: &str| {
            let found = files.iter().find(|(known, _)| *known == name);
            found
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(|| io::Error::other("wanted a file, found none"))
        };
        let req = read_req(files[0].0, macros, &open);
        (req.names.into_iter().map(|name| name.name).collect(), req.problems)
    }

    #[test]
    fn files_are_included_with_their_macros() {
        let files = [
            (
                "auto_settings.req",
                "# of the IOC\nfile \"ADBase_settings.req\",   P=$(P), R=cam1:\n\
                 file \"stats.req\", P=$(P),  R=Stats1:\n$(P)Extra.DESC\nfile no.req P=$(P)\n$(Q)x\n",
            ),
            ("ADBase_settings.req", "$(P)$(R)AcquireTime\n\n  $(P)${R}Gain  \n"),
            ("stats.req", "file base.req P=$(P) R=$(R)\n$(P)$(R)BgdWidth"),
            ("base.req", "$(P)$(R)EnableCallbacks"),
        ];
        let (found, problems) = names(&files, "P=13SIM1:");
        let wanted = [
            "13SIM1:cam1:AcquireTime",
            "13SIM1:cam1:Gain",
            "13SIM1:Stats1:EnableCallbacks",
            "13SIM1:Stats1:BgdWidth",
            "13SIM1:Extra.DESC",
        ];
        assert_eq!(found, wanted);
        assert_eq!(problems[0], "auto_settings.req:5: `no.req`: wanted a file, found none");
        assert!(
            problems[1].starts_with("auto_settings.req:6: ") && problems[1].contains("`Q`"),
            "{problems:?}"
        );
    }

    #[test]
    fn a_file_that_includes_itself_ends() {
        let (found, problems) = names(&[("a.req", "x\nfile a.req\nfiles\n")], "");
        assert_eq!((found.len(), problems.len()), (2 * DEEPEST, 1));
        assert!(problems[0].contains("at most 20 files"), "{problems:?}");
    }

    #[test]
    fn files_that_include_each_other_many_times_end() {
        let (found, problems) = names(&[("a.req", &"file a.req\n".repeat(10))], "");
        assert!(found.is_empty());
        assert!(problems.iter().any(|problem| problem.contains("10001 includes")), "{}", problems.len());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_named(text in any::<String>(), macros in any::<String>()) {
            let _ = read_req("a", &macros, &|_| Ok(text.clone()));
        }
    }
}
