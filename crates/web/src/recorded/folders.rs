//! The files that may be read: files of known kinds below folders that the operator named or that this run writes to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use livetime_runtime::lock;

use crate::error::Error;

/// Folders that are kept; a run that changes its folder with each file must not grow without bound.
const MOST: usize = 256;

/// The end of the name of a file that is being written.
pub(super) const UNFINISHED: &str = ".inprogress";

/// The kind of a file for browsing, by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// A recorded run, or a part of one.
    Run,
    /// An array of NumPy.
    Array,
    /// A picture that a browser shows.
    Image,
    /// JSON: the results of an analysis, or a trace.
    Json,
    /// Something else that this program writes: hits, tables, pictures.
    Other,
}

const ENDINGS: [(&str, Kind); 21] = [
    (".xtc", Kind::Run),
    (".xtc.inprogress", Kind::Run),
    (".xtc2", Kind::Run),
    (".xtc2.inprogress", Kind::Run),
    (".h5", Kind::Run),
    (".hdf5", Kind::Run),
    (".hdf", Kind::Run),
    (".nxs", Kind::Run),
    (".cxi", Kind::Run),
    (".wib", Kind::Run),
    (".records", Kind::Run),
    (".npy", Kind::Array),
    (".png", Kind::Image),
    (".jpg", Kind::Image),
    (".jpeg", Kind::Image),
    (".json", Kind::Json),
    (".parquet", Kind::Other),
    (".csv", Kind::Other),
    (".tif", Kind::Other),
    (".tiff", Kind::Other),
    (".nc", Kind::Other),
];

impl Kind {
    /// `None`: files of this name are none of ours, and are neither listed nor read.
    pub(crate) fn of(path: &Path) -> Option<Kind> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        // Indices, and excerpts of runs that lie beside them.
        if name.starts_with('.') || name.contains(".smd.xtc") {
            return None;
        }
        ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, kind)| *kind)
    }
}

/// The folders, and single files, that may be read.
#[derive(Default)]
pub(crate) struct Folders {
    named: Vec<PathBuf>,
    written: Mutex<BTreeSet<PathBuf>>,
}

impl Folders {
    /// `named` by the operator; relative ones are seen from the folder of the program.
    pub(crate) fn new(named: Vec<PathBuf>) -> Folders {
        Folders { named, written: Mutex::default() }
    }

    /// A writer of this run writes to `folder`.
    pub(crate) fn add(&self, folder: &Path) {
        let mut written = lock(&self.written);
        // A file without a folder lies in the present one.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if written.len() < MOST && !written.contains(folder) {
            written.insert(folder.to_owned());
        }
    }

    /// All of them that are there, as whole paths without symbolic links; of two of which one lies in the other only
    /// the outer one.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let written: Vec<PathBuf> = lock(&self.written).iter().cloned().collect();
        let mut found: Vec<PathBuf> =
            self.named.iter().chain(&written).filter_map(|folder| fs::canonicalize(folder).ok()).collect();
        // Sorted, an outer folder comes before the folders inside it.
        found.sort();
        found.dedup_by(|inner, outer| inner.starts_with(outer));
        found
    }

    /// The file that a client calls `text`, as a whole path without symbolic links.
    ///
    /// # Errors
    /// 404, in the same words for a file that is not there and for one that may not be read: clients learn nothing of
    /// other folders.
    pub(crate) fn file(&self, text: &str) -> Result<PathBuf, Error> {
        let refuse = || Error::not_found("there is no such file in the folders that may be read");
        let path = Path::new(text);
        // A relative path would depend on the folder of the program.
        if !path.is_absolute() || Kind::of(path).is_none() {
            return Err(refuse());
        }
        // A file that was being written may have got its name meanwhile.
        let finished = || fs::canonicalize(text.strip_suffix(UNFINISHED).unwrap_or(text));
        let path = fs::canonicalize(path).or_else(|_| finished()).map_err(|_| refuse())?;
        match self.may_read(&path) {
            true => Ok(path),
            false => Err(refuse()),
        }
    }

    /// Whether `path`, which has no symbolic links, is a file of a known kind in one of the folders. A pipe or a
    /// device is refused: opening it could block without end.
    pub(crate) fn may_read(&self, path: &Path) -> bool {
        is_in(path, &self.roots())
            && Kind::of(path).is_some()
            && fs::metadata(path).is_ok_and(|found| found.is_file())
    }
}

/// Whether `path` lies in one of `roots`, or is one.
pub(crate) fn is_in(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_outside_the_folders_is_found() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (inside, outside) = (top.join("runs"), top.join("home"));
        for folder in [&inside, &outside, &inside.join("deep"), &top.join("runs2")] {
            fs::create_dir(folder).unwrap();
        }
        let files = [
            "runs/a.xtc",
            "runs/deep/b.h5",
            "runs/notes.txt",
            "runs/.hidden.npy",
            "home/a.xtc",
            "runs2/a.xtc",
        ];
        files.iter().for_each(|name| fs::write(top.join(name), "x").unwrap());
        symlink(outside.join("a.xtc"), inside.join("link.xtc")).unwrap();
        symlink(&outside, inside.join("way")).unwrap();
        symlink(inside.join("a.xtc"), inside.join("same.xtc")).unwrap();
        symlink("/dev/zero", inside.join("zero.xtc")).unwrap();
        fs::create_dir(inside.join("folder.xtc")).unwrap();
        let folders = Folders::new(vec![inside.clone()]);
        let found = |name: &str| folders.file(&format!("{}/{name}", top.display())).ok();
        assert_eq!(found("runs/a.xtc"), Some(inside.join("a.xtc")));
        assert_eq!(found("runs/same.xtc"), Some(inside.join("a.xtc")));
        assert_eq!(found("home/../runs/deep/b.h5"), Some(inside.join("deep/b.h5")));
        assert_eq!(found("runs/a.xtc.inprogress"), Some(inside.join("a.xtc")));
        for name in [
            "home/a.xtc",
            "home/a.xtc.inprogress",
            "runs/../home/a.xtc",
            "runs/link.xtc",
            "runs/way/a.xtc",
            "runs2/a.xtc",
            "runs/notes.txt",
            "runs/.hidden.npy",
            "runs/zero.xtc",
            "runs/folder.xtc",
            "runs/none.xtc",
            "runs/a.xtc\0",
            "runs/a.xtc/",
            "runs/a.xtc/..",
            "runs",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
        for text in ["a.xtc", "", "/", "/etc/passwd", "runs/a.xtc", "~/a.xtc", "file:///runs/a.xtc"] {
            assert_eq!(folders.file(text).unwrap_err().status, 404, "{text}");
        }
        // The sentence is the same for existing and missing files.
        let message = |name: &str| folders.file(&top.join(name).display().to_string()).unwrap_err().message;
        assert_eq!(message("home/a.xtc"), message("home/none.xtc"));
        folders.add(&outside);
        assert_eq!(found("home/a.xtc"), Some(outside.join("a.xtc")));
        assert_eq!(found("runs/link.xtc"), Some(outside.join("a.xtc")));
    }

    #[test]
    fn folders_in_each_other_are_one() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir_all(top.join("ab")).unwrap();
        let folders = Folders::new(vec![top.join("a/b"), top.join("ab"), top.join("none")]);
        folders.add(&top.join("a"));
        assert_eq!(folders.roots(), [top.join("a"), top.join("ab")]);
    }
}
