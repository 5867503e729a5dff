//! A whole plan by the command itself: the same files for any number of parts and workers, in any order, on every level of instructions.

use std::path::{Path, PathBuf};

use clap::Parser;
use livetime_kernels::Level;
use livetime_testkit::xtc2::{self, CONFIGURE, L1_ACCEPT, Names};

use crate::cli::Cli;
use crate::output::{Exit, Output};

/// Six blocks of 1024 events, each a leaf.
const EVENTS: u64 = 5500;
const SIDE: u32 = 5;
const WHAT: [&str; 4] = ["--with", "mean,std,histogram,hits", "--threshold", "100"];

/// Runs the program in this process, where the level of instructions can be set.
fn livetime(args: &[&str]) -> (Exit, String) {
    let cli = Cli::try_parse_from([&["livetime"], args].concat()).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output =
        Output { out: &mut out, err: &mut err, is_terminal: false, is_coloured: false, level: cli.log };
    let exit = crate::execute(cli, &[], &mut output);
    (exit, String::from_utf8(err).unwrap())
}

/// Floats of very different size, whose sums have other last bits in another order.
fn pixels(event: u64, segment: u32) -> Vec<u8> {
    let value = |pixel: u32| {
        let number = (event * 31 + u64::from(segment * 7 + pixel)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (number >> 40) as f32 / 1000.0 * 10f32.powi((number % 9) as i32 - 4)
    };
    (0..SIDE * SIDE).flat_map(|pixel| value(pixel).to_le_bytes()).collect()
}

/// A run of a detector with two segments. One segment is missing now and then; two events cannot be used.
fn recorded(folder: &Path) -> PathBuf {
    let fields = &[("raw", 8, 2)];
    let panel = |segment| Names { id: 0x100 + segment, detector: "epix", algorithm: "raw", segment, fields };
    let record = |pixels: &[u8], segment: u32| xtc2::record(panel(segment).id, 0, &[&[SIDE, SIDE]], pixels);
    let event = |number: u64| {
        let records = match number {
            1500 => vec![],
            4000 => vec![record(&[0; 7], 0)],
            _ if number % 7 == 3 => vec![record(&pixels(number, 0), 0)],
            _ => vec![record(&pixels(number, 0), 0), record(&pixels(number, 1), 1)],
        };
        xtc2::datagram(L1_ACCEPT, 1_000_000_000 + number * 1_000_000, 0, &records)
    };
    let configure = xtc2::datagram(CONFIGURE, 1, 0, &[xtc2::names(&panel(0)), xtc2::names(&panel(1))]);
    let path = folder.join("x-r0001-s000-c000.xtc2");
    std::fs::write(&path, [configure, (0..EVENTS).flat_map(event).collect()].concat()).unwrap();
    path
}

/// All NPY files of a folder, with their bytes.
fn arrays(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let arrays = files.filter(|file| file.extension().is_some_and(|ending| ending == "npy"));
    let name = |file: &Path| PathBuf::from(file.file_name().unwrap());
    let mut arrays: Vec<_> = arrays.map(|file| (name(&file), std::fs::read(&file).unwrap())).collect();
    arrays.sort();
    arrays
}

/// A plan in a folder of its own.
struct Planned {
    folder: tempfile::TempDir,
    parts: usize,
}

impl Planned {
    fn new(run: &Path, parts: usize) -> Planned {
        let planned = Planned { folder: tempfile::tempdir().unwrap(), parts };
        let (plan, count) = (planned.at("plan.json"), parts.to_string());
        let args = [&["analyze", run.to_str().unwrap(), "--plan", &plan, "--parts", &count], &WHAT[..]];
        assert_eq!(livetime(&args.concat()), (Exit::Ok, String::new()));
        planned
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn part(&self, number: usize, workers: usize) {
        let [number, workers] = [number, workers].map(|n| n.to_string());
        let (plan, parts) = (self.at("plan.json"), self.at("parts"));
        let args = ["analyze", "--plan", &plan, "--part", &number, "--workers", &workers, "-o", &parts];
        assert_eq!(livetime(&args), (Exit::Ok, String::new()));
    }

    fn merge(&self) -> (Exit, String) {
        let [plan, parts, out] = ["plan.json", "parts", "out"].map(|name| self.at(name));
        livetime(&["analyze", "--plan", &plan, "--merge", &parts, "-o", &out])
    }

    /// A part is as if its process had been killed while it wrote.
    fn kill(&self, number: usize) {
        let name = format!("part-{number:05}.ltpart");
        let part = self.folder.path().join("parts").join(&name);
        let bytes = std::fs::read(&part).unwrap();
        std::fs::write(part.with_file_name(format!(".{name}.77")), &bytes[..bytes.len() / 2]).unwrap();
        std::fs::remove_file(part).unwrap();
    }

    /// Analyses all parts by so many workers in an order that `turn` says, one of them twice, and merges them.
    fn arrays(&self, workers: usize, turn: usize) -> Vec<(PathBuf, Vec<u8>)> {
        let mut order: Vec<usize> = (0..self.parts).collect();
        order.rotate_left(turn % self.parts);
        if workers % 2 == turn % 2 {
            order.reverse();
        }
        order.iter().for_each(|number| self.part(*number, workers));
        let killed = order[self.parts / 2];
        self.kill(killed);
        let (exit, error) = self.merge();
        assert_eq!(exit, Exit::Failed);
        assert!(error.ends_with(&format!("wanted every part, found none of {killed}\n")), "{error}");
        self.part(killed, workers + 1);
        // One event is broken.
        assert_eq!(self.merge(), (Exit::Loss, String::new()));
        arrays(Path::new(&self.at("out")))
    }
}

#[test]
fn a_plan_writes_the_same_files_however_it_is_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let run = recorded(folder.path());
    let mut first = None;
    for (turn, level) in Level::available().into_iter().enumerate() {
        Level::set_limit(Some(level));
        let whole = folder.path().join(level.name());
        let args = ["analyze", run.to_str().unwrap(), "--workers", "2", "-o", whole.to_str().unwrap()];
        assert_eq!(livetime(&[&args, &WHAT[..]].concat()), (Exit::Loss, String::new()));
        let whole = arrays(&whole);
        assert!(whole.len() >= 4, "{whole:?}");
        let first = first.get_or_insert_with(|| whole.clone());
        assert!(*first == whole, "one process, {}", level.name());
        for workers in [1, 2, 3, 5, 8] {
            // Of eight parts two have no leaf.
            let found = Planned::new(&run, workers).arrays(workers, turn);
            assert!(*first == found, "{workers} workers and parts, {}", level.name());
        }
    }
    Level::set_limit(None);
}
