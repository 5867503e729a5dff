//! The settings file on the disk: its lock, its old copies, and the one way to write it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use livetime_formats::file::GrowingFile;

use super::error::SettingsError;
use super::file::SettingsFile;

/// Old copies that are kept, `FILE.1` (the newest) to `FILE.7`. There is a new one at the first write of each run, so
/// that a service that restarts without changes replaces none.
pub const COPIES: usize = 7;
/// Longer files are refused: settings of a thousand nodes take a tenth of it.
const MAX_BYTES: u64 = 16 << 20;
/// How often the lock is tried while its last owner removes it.
const MOST_TRIES: usize = 100;

/// The settings file beside a pipeline file: `beamline.settings.json` for `beamline.yaml`.
pub fn file_beside(pipeline: &Path) -> PathBuf {
    pipeline.with_extension("settings.json")
}

/// A settings file as it was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Read {
    /// The content; `None` if there is no file, or none that can be read.
    pub file: Option<SettingsFile>,
    /// The file that was read: the wanted one, or its newest copy that is whole.
    pub from: PathBuf,
    /// Problems with the wanted file, and with copies newer than the one that was read.
    pub problems: Vec<SettingsError>,
}

/// A settings file that this program reads and writes. The first write takes a lock, which other programs respect until
/// this one ends.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    lock: Option<File>,
    /// The bytes that this program has read or written last.
    seen: Option<Vec<u8>>,
    /// There is a copy of the file from before the first write.
    has_copy: bool,
}

impl Store {
    /// The file at `path`, which need not exist. Nothing is written yet.
    pub fn new(path: &Path) -> Store {
        // A link stays a link: the file that it leads to is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Store { path, lock: None, seen: None, has_copy: false }
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file, or if it is damaged the newest of its copies that is whole. A file that is missing has no copy: a
    /// person who removes it wants to begin anew.
    pub fn read(&mut self) -> Read {
        let mut problems = Vec::new();
        for number in 0..=COPIES {
            let from = self.copy(number);
            match read(&from) {
                Ok(None) if number == 0 => break,
                Ok(None) => {}
                Ok(Some(bytes)) => match parsed(&bytes) {
                    Ok(file) => {
                        self.seen = (number == 0).then_some(bytes);
                        return Read { file: Some(file), from, problems };
                    }
                    Err(error) => {
                        if number == 0 {
                            self.seen = Some(bytes);
                        }
                        problems.push(in_file(&from, &error));
                    }
                },
                Err(error) => {
                    problems.push(SettingsError::io(&from, "to read the settings", error));
                    break;
                }
            }
        }
        Read { file: None, from: self.path.clone(), problems }
    }

    /// Whether the file is not as this program has read or written it last; its content if it is whole.
    ///
    /// # Errors
    /// [`SettingsError`] when the file cannot be read, or is damaged.
    pub fn changed_by_others(&mut self) -> Result<Option<SettingsFile>, SettingsError> {
        let wanted = "to read the settings";
        let bytes = read(&self.path).map_err(|error| SettingsError::io(&self.path, wanted, error))?;
        let Some(bytes) = bytes.filter(|bytes| self.seen.as_ref() != Some(bytes)) else { return Ok(None) };
        parsed(&bytes).map(Some).map_err(|error| in_file(&self.path, &error))
    }

    /// Takes the lock, unless this program has it.
    ///
    /// # Errors
    /// [`SettingsError::Held`] when another program has it; or the folder cannot be written.
    pub fn hold(&mut self) -> Result<(), SettingsError> {
        if self.lock.is_none() {
            self.lock = Some(take_lock(&self.path)?);
        }
        Ok(())
    }

    /// Replaces the file by `text`, which is on the disk when this returns. After any failure the old file is there, or
    /// the whole new one. A file that another program has changed meanwhile becomes a copy.
    ///
    /// # Errors
    /// [`SettingsError`] when another program holds the file, the disk is full, or the folder cannot be written.
    pub fn write(&mut self, text: &str) -> Result<(), SettingsError> {
        self.hold()?;
        let wanted = "to write the settings";
        let path = self.path.clone();
        let refused = |error: io::Error| SettingsError::io(&path, wanted, error);
        let old = read(&self.path).map_err(refused)?;
        if let Some(old) = old.filter(|old| !self.has_copy || self.seen.as_ref() != Some(old)) {
            self.copy_away(&old).map_err(refused)?;
        }
        let written = || {
            let mut file = GrowingFile::replace(&path)?;
            file.append(&[text.as_bytes()])?;
            file.finish_on_disk()
        };
        written().map_err(|error| SettingsError::io(&path, wanted, error))?;
        sync_folder(&path);
        (self.seen, self.has_copy) = (Some(text.into()), true);
        Ok(())
    }

    /// Makes the file `old` the newest copy. A damaged one is no copy, and gets the ending `broken`.
    fn copy_away(&self, old: &[u8]) -> io::Result<()> {
        if parsed(old).is_err() {
            return std::fs::rename(&self.path, with_ending(&self.path, "broken"));
        }
        for number in (1..COPIES).rev() {
            match std::fs::rename(self.copy(number), self.copy(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        // The file keeps its name until the new one is whole.
        let copy = self.copy(1);
        std::fs::hard_link(&self.path, &copy).or_else(|_| std::fs::copy(&self.path, &copy).map(|_| ()))
    }

    /// The file itself for 0.
    fn copy(&self, number: usize) -> PathBuf {
        if number == 0 { self.path.clone() } else { with_ending(&self.path, &number.to_string()) }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.lock.is_some() {
            // While it is held, so that no other program can have locked it.
            let _ = std::fs::remove_file(with_ending(&self.path, LOCK));
        }
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// The bytes of a file; `None` if there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?,
    };
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(io::Error::other("a file of more than 16 MiB")),
        false => Ok(Some(bytes)),
    }
}

fn parsed(bytes: &[u8]) -> Result<SettingsFile, SettingsError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => SettingsFile::parse(text),
        Err(error) => {
            let place = format!("byte {}", error.valid_up_to());
            Err(SettingsError::content(place, "UTF-8", "other bytes"))
        }
    }
}

fn in_file(path: &Path, error: &SettingsError) -> SettingsError {
    SettingsError::io(path, "a settings file", error)
}

/// The new name reaches the disk with its folder; a file system that cannot do that keeps it with the next write.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

// ---- The lock ----

const LOCK: &str = "lock";

fn take_lock(path: &Path) -> Result<File, SettingsError> {
    let name = with_ending(path, LOCK);
    for _ in 0..MOST_TRIES {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let opened = options.open(&name);
        let mut file = opened.map_err(|error| SettingsError::io(path, "to write the settings", error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(SettingsError::Held { path: path.to_owned(), by: holder(&mut file) });
            }
            // A file system without locks does for one program at a time.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        // Its last owner may have removed the name between the two calls.
        if is_at(&file, &name) {
            let said = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
            said.map_err(|error| SettingsError::io(path, "to write the settings", error))?;
            return Ok(file);
        }
    }
    Err(SettingsError::Held { path: path.to_owned(), by: None })
}

/// The process that says in the file that it holds the lock.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn is_at(file: &File, path: &Path) -> bool {
    let place = |found: std::fs::Metadata| (found.dev(), found.ino());
    file.metadata().ok().zip(std::fs::metadata(path).ok()).is_some_and(|(a, b)| place(a) == place(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(gain: i64) -> String {
        let mut file = SettingsFile::default();
        file.set("cam", "sim_detector", "gain", gain.into(), "ada", 0);
        file.text()
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn each_run_that_writes_leaves_one_copy_and_seven_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.settings.json");
        for run in 0..10 {
            let mut store = Store::new(&path);
            store.read();
            // A second write of one run makes no copy.
            store.write(&text(100 + run)).unwrap();
            store.write(&text(run)).unwrap();
        }
        let wanted: Vec<String> = (1..=7).map(|number| format!("p.settings.json.{number}")).collect();
        assert_eq!(names(folder.path())[1..], wanted);
        for (number, run) in (0..=7).zip((2..10).rev()) {
            let found = std::fs::read_to_string(Store::new(&path).copy(number)).unwrap();
            assert_eq!(found, text(run), "copy {number}");
        }
    }

    #[test]
    fn a_second_program_is_refused_until_the_first_one_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        let (mut first, mut second) = (Store::new(&path), Store::new(&path));
        first.write(&text(1)).unwrap();
        let error = second.write(&text(2)).unwrap_err();
        assert_eq!(error, SettingsError::Held { path: path.clone(), by: Some(std::process::id()) });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text(1));
        drop(first);
        second.write(&text(2)).unwrap();
        drop(second);
        assert_eq!(names(folder.path()), ["s.json", "s.json.1"]);
    }

    #[test]
    fn a_file_that_others_changed_becomes_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        let mut store = Store::new(&path);
        store.write(&text(1)).unwrap();
        assert_eq!(store.changed_by_others(), Ok(None));
        std::fs::write(&path, text(5)).unwrap();
        assert_eq!(store.changed_by_others().unwrap().unwrap().text(), text(5));
        store.write(&text(2)).unwrap();
        let found = [0, 1].map(|number| std::fs::read_to_string(store.copy(number)).unwrap());
        assert_eq!(found, [text(2), text(5)]);
    }

    #[test]
    fn a_damaged_file_gives_way_to_its_newest_whole_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        for run in [1, 2] {
            Store::new(&path).write(&text(run)).unwrap();
        }
        let cut = &text(2)[..40];
        std::fs::write(&path, cut).unwrap();
        let mut store = Store::new(&path);
        let read = store.read();
        assert_eq!((read.file.unwrap().text(), read.from), (text(1), store.copy(1)));
        assert!(
            read.problems[0].to_string().contains("s.json`: wanted a settings file"),
            "{:?}",
            read.problems
        );
        store.write(&text(3)).unwrap();
        assert_eq!(std::fs::read_to_string(with_ending(&path, "broken")).unwrap(), cut);
        assert_eq!(std::fs::read_to_string(store.copy(1)).unwrap(), text(1), "the good copy stays");
    }

    #[test]
    fn no_file_means_no_settings_and_no_text_panics() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::new(&folder.path().join("s.json"));
        assert_eq!(store.read(), Read { file: None, from: store.path.clone(), problems: vec![] });
        std::fs::write(&store.path, [0xff, 0xfe]).unwrap();
        assert!(store.read().problems[0].to_string().contains("UTF-8"));
        assert!(Store::new(folder.path()).read().problems.len() == 1, "a folder");
        assert!(names(folder.path()).len() == 1, "reading locks nothing");
    }
}
