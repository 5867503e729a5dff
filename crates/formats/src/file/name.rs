//! The meaning of a file's name.

use std::path::Path;

/// The ending of the name of a file that is being written. Its writer removes it after the last byte.
pub const IN_PROGRESS: &str = "inprogress";

/// The format of a file, by the end of its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// `.xtc`: datagrams of LCLS-I.
    Xtc1,
    /// `.smd.xtc`: the same with large data replaced by where they are.
    SmallXtc1,
    /// `.xtc.idx`: index of one `.xtc`.
    Index,
    /// `.xtc2`: datagrams of LCLS-II.
    Xtc2,
    /// `.smd.xtc2`: their small data.
    SmallXtc2,
}

impl Format {
    /// The format of the file `path`, if its name has one; `.inprogress` at its end does not matter.
    pub fn of(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?;
        let name = name.strip_suffix(&format!(".{IN_PROGRESS}")).unwrap_or(name);
        const ENDINGS: [(&str, Format); 5] = [
            (".smd.xtc2", Format::SmallXtc2),
            (".smd.xtc", Format::SmallXtc1),
            (".xtc.idx", Format::Index),
            (".xtc2", Format::Xtc2),
            (".xtc", Format::Xtc1),
        ];
        ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format)
    }
}

/// The parts of a file's name: `e236-r0003-s04-c00.xtc`.
///
/// ```
/// use livetime_formats::file::FileName;
///
/// let name = FileName::parse("data/xcs-c00118-r0006-s81-c02.smd.xtc.inprogress".as_ref()).unwrap();
/// assert_eq!((name.experiment.as_str(), name.run, name.stream, name.chunk), ("xcs-c00118", 6, 81, 2));
/// assert!(name.in_progress);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileName {
    /// The experiment: its name, or `e` and its number.
    pub experiment: String,
    /// Number of the run.
    pub run: u32,
    /// Number of the stream, which is one recorder. From 80 on: a recorder of slow cameras (LCLS-I).
    pub stream: u32,
    /// Number of the piece of the stream.
    pub chunk: u32,
    /// The file is still being written.
    pub in_progress: bool,
}

impl FileName {
    /// Parses the last part of `path`; `None` if it is not named in this way.
    pub fn parse(path: &Path) -> Option<FileName> {
        let name = path.file_name()?.to_str()?;
        let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
        let (stem, chunk) = number(stem, "-c")?;
        let (stem, stream) = number(stem, "-s")?;
        let (experiment, run) = number(stem, "-r")?;
        let in_progress = extension == IN_PROGRESS || extension.ends_with(&format!(".{IN_PROGRESS}"));
        Some(FileName { experiment: experiment.to_owned(), run, stream, chunk, in_progress })
    }
}

/// Takes the last `mark` and the number behind it off a name.
fn number<'a>(name: &'a str, mark: &str) -> Option<(&'a str, u32)> {
    let (before, digits) = name.rsplit_once(mark)?;
    let is_number = digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten().map(|n| (before, n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_the_right() {
        let parse =
            |name: &str| FileName::parse(Path::new(name)).map(|n| (n.experiment, n.run, n.stream, n.chunk));
        assert_eq!(parse("e236-r0003-s04-c00.xtc"), Some(("e236".into(), 3, 4, 0)));
        assert_eq!(parse("/a.b/xpptut15-r0014-s000-c001.smd.xtc2"), Some(("xpptut15".into(), 14, 0, 1)));
        assert_eq!(parse("a-r1-s2-r0003-s04-c00.xtc"), Some(("a-r1-s2".into(), 3, 4, 0)));
        for other in
            ["run.xtc", "e1-r1-s1.xtc", "e1-r1-s1-cx.xtc", "e1-r1-s1-c99999999999.xtc", "e1-r1-s1-c.xtc"]
        {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn formats_are_known_by_the_end_of_the_name() {
        let format = |name: &str| Format::of(Path::new(name));
        assert_eq!(format("x.xtc"), Some(Format::Xtc1));
        assert_eq!(format("x.smd.xtc"), Some(Format::SmallXtc1));
        assert_eq!(format("x.xtc.idx"), Some(Format::Index));
        assert_eq!(format("x.smd.xtc2.inprogress"), Some(Format::SmallXtc2));
        assert_eq!(format("test_epix_calib.xtc2"), Some(Format::Xtc2));
        assert_eq!(format("x.h5"), None);
    }
}
