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
mod outcome;
mod place;
mod sets;
mod tree;

use std::path::{Path, PathBuf};

use livetime_formats::file::GrowingFile;
use livetime_formats::hdf5::Writer;
use livetime_formats::{Error, Result};

use input::Input;
use mapping::Mappings;
use order::Order;
use tree::Master;

pub use outcome::{FileAccount, Joined, Missing, Shape};

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
