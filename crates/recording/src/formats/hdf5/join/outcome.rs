//! The shapes of a join, and its account.

use std::path::PathBuf;

/// How the files belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// Each frame is in one file.
    #[default]
    Shared,
    /// Each file has one module of each frame: pictures get an axis behind the first one, in the order of the files.
    SideBySide,
}

/// Numbers of frames that are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The first one.
    pub first: i64,
    /// The last one.
    pub last: i64,
    /// The file that lacks them; `None`: no file has them.
    pub file: Option<usize>,
}

impl Missing {
    /// How many they are.
    pub fn count(&self) -> u64 {
        self.last.abs_diff(self.first) + 1
    }
}

/// What a file brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileAccount {
    /// The file.
    pub path: PathBuf,
    /// Its complete frames.
    pub frames: u64,
    /// Its lowest number and its highest one; `None` without a frame.
    pub numbers: Option<(i64, i64)>,
    /// Frames that were left out because their like was taken already.
    pub again: u64,
    /// Numbers that the run has and this file lacks; 0 for files that share the frames.
    pub missing: u64,
    /// Its frames that lack modules, if it is a master.
    pub partial: u64,
}

/// What was joined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// Frames of the master.
    pub frames: u64,
    /// Its lowest number and its highest one.
    pub numbers: Option<(i64, i64)>,
    /// Missing numbers between them, in their order; of a number that a module lacks, its file.
    pub missing: Vec<Missing>,
    /// A line for each file, in the order in which they were given.
    pub files: Vec<FileAccount>,
    /// Virtual data sets, and of how many mappings each consists.
    pub mapped: Vec<(String, usize)>,
    /// Data sets of the files that the master does not have, and why.
    pub left_out: Vec<String>,
    /// Bytes of the master.
    pub bytes: u64,
}

impl Joined {
    /// Whether no number is missing, and no module of a frame.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.files.iter().all(|file| file.partial == 0)
    }

    /// How many frames are missing, or frames of modules.
    pub fn missing_frames(&self) -> u64 {
        self.missing.iter().fold(0, |all, missing| all.saturating_add(missing.count()))
    }
}
