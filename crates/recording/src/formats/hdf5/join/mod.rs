//! Several files of one run as one: a master file that shows their frames in the order of their numbers.
//!
//! Hosts that share the frames of a run, or have a module of the detector each, write a file each. [`join`] writes the
//! file that shows them all: pictures and long rows as virtual data sets with paths relative to the master, short
//! columns as copies, and an account of missing and repeated numbers. No data of a picture are copied.

mod account;
mod columns;
mod input;
mod mapping;
mod order;
mod sets;
mod tree;

use std::path::{Path, PathBuf};

use livetime_formats::file::GrowingFile;
use livetime_formats::hdf5::{Rows, Writer};
use livetime_formats::{Error, Result};

use input::Input;
use order::Order;
use tree::Master;

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

/// Writes `output`, which shows the frames of all `files` in the order of their numbers. A frame that is in two files
/// is taken once if its bytes are equal in both.
///
/// # Errors
/// If a file is no HDF5 file with a number for each frame, is still being written, is shorter than it says or leads to
/// files that are missing; if files differ in type or shape of their pictures; if two frames of one number differ; if
/// there is an `output` already; or if the system refuses. Then there is no `output`.
pub fn join(files: &[PathBuf], output: &Path, shape: Shape) -> Result<Joined> {
    let folder = folder_of(output)?;
    let inputs = files.iter().map(|path| Input::open(path, &folder)).collect::<Result<Vec<Input>>>()?;
    check_once(&inputs)?;
    let sets = sets::sets(&inputs, shape)?;
    let order = order::order(&inputs, shape)?;
    order::check_again(&inputs, &sets, &order)?;
    let account = account::account(&inputs, &order, shape);
    let mappings = mappings(&inputs, &sets, &order, output)?;
    let master =
        Master { inputs: &inputs, sets: &sets, order: &order, account: &account, shape, mappings: &mappings };
    let (new, tree) = (GrowingFile::make(output)?, tree::tree(&master)?);
    let mut file = Writer::begin(new.file()?, new.written_path(), &tree.tree)?;
    columns::fill(&master, &tree.columns, &mut file)?;
    file.close()?;
    let bytes = file.bytes();
    new.finish_on_disk()?;
    let mapped =
        sets.mapped().map(|(path, is_picture)| (path.to_owned(), mappings.count(is_picture))).collect();
    let left_out = sets.left_out.into_iter().chain(tree.left_out).collect();
    Ok(Joined { mapped, left_out, bytes, ..account })
}

/// The whole path of the folder that `output` will be in.
fn folder_of(output: &Path) -> Result<PathBuf> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    folder.canonicalize().map_err(|e| Error::io("to find the folder", e).in_file(folder))
}

/// A file that is given twice would count its frames as repeated.
fn check_once(inputs: &[Input]) -> Result<()> {
    if inputs.is_empty() {
        return Err(Error::new("at least one file", "none"));
    }
    for (at, input) in inputs.iter().enumerate() {
        if inputs[..at].iter().any(|other| other.whole == input.whole) {
            return Err(Error::new("each file once", "it is given twice").in_file(&input.path));
        }
    }
    Ok(())
}

/// The most mappings of a data set; readers have bounds, too.
const MOST_MAPPINGS: usize = 1 << 20;

/// Rows of a file, and the rows of the master that show them.
type Pairs = Vec<(Rows, Rows)>;

/// The rows of each file that the master shows.
struct Mappings {
    /// Of pictures.
    pictures: Vec<Pairs>,
    /// Of data sets that are taken of one file for each frame.
    once: Vec<Pairs>,
}

impl Mappings {
    fn of(&self, is_picture: bool) -> &[Pairs] {
        if is_picture { &self.pictures } else { &self.once }
    }

    fn count(&self, is_picture: bool) -> usize {
        self.of(is_picture).iter().map(Vec::len).sum()
    }
}

fn mappings(inputs: &[Input], sets: &sets::Sets, order: &Order, output: &Path) -> Result<Mappings> {
    let once = (0..inputs.len()).map(|file| mapping::regular(order.once(file))).collect();
    let pictures = (0..inputs.len()).map(|file| mapping::regular(order.rows(file))).collect();
    let mappings = Mappings { pictures, once };
    let most = sets.mapped().map(|(_, is_picture)| mappings.count(is_picture)).max().unwrap_or(0);
    if most > MOST_MAPPINGS {
        let wanted = format!("frames in turns or in runs, at most {MOST_MAPPINGS} pieces of them");
        return Err(Error::new(wanted, format!("{most} pieces")).in_file(output));
    }
    Ok(mappings)
}
