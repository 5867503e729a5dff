//! The content of the folders: recorded runs, results of analyses, traces, other files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde_json::{Value, json};

use super::folders::{Kind, is_in};

/// Folders in folders.
const DEEPEST: usize = 8;
/// Names that are looked at; a longer page helps no reader.
const MOST_LOOKED_AT: usize = 50_000;
/// Entries of each list; the newest are kept.
const MOST: usize = 1000;
/// How old an answer may be: many pages ask at the same time.
const FRESH: Duration = Duration::from_secs(1);
/// Bytes of `analysis.json` that are read.
const LONGEST_ANALYSIS: u64 = 16 << 20;
/// A trace names its events in its first bytes.
const HEAD: usize = 4096;
/// The file in which `livetime analyze -o` writes its results.
const ANALYSIS: &str = "analysis.json";

/// The last answer.
#[derive(Default)]
pub(crate) struct Listing {
    last: Option<(Instant, Vec<PathBuf>, Value)>,
}

impl Listing {
    /// The content of `roots`, which have no symbolic links.
    pub(crate) fn json(&mut self, roots: &[PathBuf]) -> Value {
        if let Some((at, of, value)) = &self.last
            && at.elapsed() < FRESH
            && of == roots
        {
            return value.clone();
        }
        let mut walk = Walk { roots, files: Vec::new(), left: MOST_LOOKED_AT };
        roots.iter().for_each(|root| walk.walk(root, 0));
        let is_cut = walk.left == 0;
        let value = listed(walk.files, roots, is_cut);
        self.last = Some((Instant::now(), roots.to_vec(), value.clone()));
        value
    }
}

struct Found {
    path: PathBuf,
    kind: Kind,
    bytes: u64,
    modified_ns: u64,
}

struct Walk<'a> {
    roots: &'a [PathBuf],
    files: Vec<Found>,
    left: usize,
}

impl Walk<'_> {
    /// Folders that cannot be read have nothing to show.
    fn walk(&mut self, path: &Path, depth: usize) {
        // Links to folders are not followed: they could lead out of the folders, or in a circle.
        let Ok(found) = fs::symlink_metadata(path) else { return };
        if found.is_dir() && depth <= DEEPEST {
            let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
            for entry in entries {
                if self.left == 0 {
                    return;
                }
                self.left -= 1;
                if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                    self.walk(&entry.path(), depth + 1);
                }
            }
        } else if let Some(kind) = Kind::of(path) {
            self.add(path, kind, found);
        }
    }

    /// A symbolic link is followed if it leads to a file in the folders.
    fn add(&mut self, path: &Path, kind: Kind, mut found: Metadata) {
        if found.is_symlink() {
            let target = fs::canonicalize(path).ok().filter(|target| is_in(target, self.roots));
            let Some(target) = target.and_then(|target| fs::metadata(target).ok()) else { return };
            found = target;
        }
        if found.is_file() {
            self.files.push(Found {
                path: path.to_owned(),
                kind,
                bytes: found.len(),
                modified_ns: modified_ns(&found),
            });
        }
    }
}

/// When a file was changed last, ns since 1970.
pub(crate) fn modified_ns(found: &Metadata) -> u64 {
    let since = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

// ---- Lists ----

fn listed(files: Vec<Found>, roots: &[PathBuf], is_cut: bool) -> Value {
    let mut runs: BTreeMap<PathBuf, Vec<Found>> = BTreeMap::new();
    let mut analyses: BTreeMap<PathBuf, Vec<Found>> = BTreeMap::new();
    let (mut traces, mut others) = (Vec::new(), Vec::new());
    let folders_with_results: BTreeSet<PathBuf> = files
        .iter()
        .filter(|found| found.path.file_name().is_some_and(|name| name == ANALYSIS))
        .filter_map(|found| found.path.parent().map(Path::to_owned))
        .collect();
    for found in files {
        let folder = found.path.parent().map(Path::to_owned).unwrap_or_default();
        match found.kind {
            Kind::Run => runs.entry(run_of(&found.path)).or_default().push(found),
            _ if folders_with_results.contains(&folder) => {
                analyses.entry(folder).or_default().push(found);
            }
            Kind::Json if is_trace(&found.path) => traces.push(found),
            Kind::Json => {}
            _ => others.push(found),
        }
    }
    let longest = runs.len().max(analyses.len()).max(traces.len()).max(others.len());
    let is_cut = is_cut || longest > MOST;
    json!({
        "folders": roots,
        "cut": is_cut,
        "runs": newest(runs.into_values().map(run_json)),
        "analyses": newest(analyses.into_iter().map(|(folder, files)| analysis_json(&folder, &files))),
        "traces": newest(traces.iter().map(file_json)),
        "others": newest(others.iter().map(file_json)),
    })
}

/// The newest first, by `modified_ns`.
fn newest(entries: impl Iterator<Item = Value>) -> Value {
    let mut entries: Vec<Value> = entries.collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry["modified_ns"].as_u64()));
    entries.truncate(MOST);
    entries.into()
}

/// The common part of the names of one run: the name without the numbers of stream and chunk, `-s00-c00`, or without
/// the link's number, `-l03.wib`.
fn run_of(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stream = name.char_indices().rev().find(|(at, c)| *c == '-' && name[at + 1..].starts_with('s'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let link = name.strip_suffix(".wib").and_then(|name| name.rsplit_once("-l"));
    if let Some((begin, _)) = link.filter(|(_, link)| is_number(link)) {
        return path.with_file_name(format!("{begin}.wib"));
    }
    let run = stream.and_then(|(at, _)| {
        let (numbers, ending) = name[at + 2..].split_once('.')?;
        let (stream, chunk) = numbers.split_once("-c")?;
        // An ending of its own, as `.hist16.xtc`, makes another run.
        let ending = ending.strip_suffix(".inprogress").unwrap_or(ending);
        (is_number(stream) && is_number(chunk)).then(|| format!("{}.{ending}", &name[..at]))
    });
    path.with_file_name(run.unwrap_or(name))
}

fn run_json(mut files: Vec<Found>) -> Value {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let Some(first) = files.first() else { return Value::Null };
    let is_growing = |found: &Found| found.path.extension().is_some_and(|ending| ending == "inprogress");
    json!({
        "path": first.path,
        "name": run_of(&first.path).file_name().map(|name| name.to_string_lossy()),
        "folder": first.path.parent(),
        "files": files.len(),
        "bytes": files.iter().map(|found| found.bytes).sum::<u64>(),
        "modified_ns": files.iter().map(|found| found.modified_ns).max(),
        "growing": files.iter().any(is_growing),
    })
}

fn file_json(found: &Found) -> Value {
    json!({
        "path": found.path,
        "name": found.path.file_name().map(|name| name.to_string_lossy()),
        "kind": kind_name(found.kind),
        "bytes": found.bytes,
        "modified_ns": found.modified_ns,
    })
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Run => "run",
        Kind::Array => "array",
        Kind::Image => "image",
        Kind::Json => "json",
        Kind::Other => "other",
    }
}

/// The output of an analysis in a folder: its files, and the words of its report that describe it.
fn analysis_json(folder: &Path, files: &[Found]) -> Value {
    let words = read_json(&folder.join(ANALYSIS)).unwrap_or_default();
    let kept = ["detector", "events", "used", "results", "not_used"];
    let kept = kept.into_iter().map(|key| (key.to_owned(), words[key].clone()));
    let shown = files.iter().filter(|found| matches!(found.kind, Kind::Array | Kind::Image));
    json!({
        "folder": folder,
        "name": folder.file_name().map(|name| name.to_string_lossy()),
        "modified_ns": files.iter().map(|found| found.modified_ns).max(),
        "found": kept.collect::<serde_json::Map<_, _>>(),
        "files": shown.map(file_json).collect::<Vec<_>>(),
    })
}

fn read_json(path: &Path) -> Option<Value> {
    let file = File::open(path).ok()?;
    if file.metadata().ok()?.len() > LONGEST_ANALYSIS {
        return None;
    }
    // Bounded once more, because the file may grow meanwhile.
    serde_json::from_reader(std::io::BufReader::new(file.take(LONGEST_ANALYSIS))).ok()
}

/// Whether a file of JSON is a trace, by its first bytes.
pub(crate) fn is_trace(path: &Path) -> bool {
    let mut head = Vec::with_capacity(HEAD);
    let read = File::open(path).and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains("\"traceEvents\"")
}

/// Whether a file of JSON is the report of an analysis.
pub(crate) fn is_analysis(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ANALYSIS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_run_are_one_entry() {
        let run = |name: &str| run_of(Path::new(name)).display().to_string();
        for name in
            ["/d/e236-r0003-s04-c00.xtc", "/d/e236-r0003-s05-c01.xtc", "/d/e236-r0003-s05-c02.xtc.inprogress"]
        {
            assert_eq!(run(name), "/d/e236-r0003.xtc");
        }
        assert_eq!(run("/d/link_0001-l03.wib"), "/d/link_0001.wib");
        assert_eq!(run("/d/link_0001-lx.wib"), "/d/link_0001-lx.wib");
        assert_eq!(run("/d/xpptut15-r0014-s000-c000.xtc2"), "/d/xpptut15-r0014.xtc2");
        for alone in ["/d/scan.h5", "/d/a-s1.xtc", "/d/a-sx-c1.xtc", "/d/-s-c.xtc", "/d/-s", "/d/a-s1-c.xtc"]
        {
            assert_eq!(run(alone), alone);
        }
        assert_eq!(run("/d/e-r1-s04-c00.hist16.xtc"), "/d/e-r1.hist16.xtc");
    }

    #[test]
    fn what_lies_in_a_folder_is_sorted_by_what_it_is() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            let path = top.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a-r0001-s00-c00.xtc", "1");
        write("a-r0001-s01-c00.xtc.inprogress", "23");
        write("deep/b.h5", "x");
        write("found/analysis.json", r#"{"detector": "cam", "events": 7, "secret": 1}"#);
        write("found/mean.npy", "x");
        write("found/mean.png", "x");
        write("trace.json", r#"{"displayTimeUnit": "ns", "traceEvents": []}"#);
        write("other.json", "{}");
        write("hits.parquet", "x");
        write("notes.txt", "x");
        write(".git/c.h5", "x");
        let found = Listing::default().json(std::slice::from_ref(&top));
        let names = |key: &str| -> Vec<String> {
            let mut names: Vec<String> =
                found[key].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap().into()).collect();
            names.sort();
            names
        };
        assert_eq!(names("runs"), ["a-r0001.xtc", "b.h5"]);
        assert_eq!(names("analyses"), ["found"]);
        assert_eq!(names("traces"), ["trace.json"]);
        assert_eq!(names("others"), ["hits.parquet"]);
        let run = found["runs"].as_array().unwrap().iter().find(|run| run["name"] == "a-r0001.xtc").unwrap();
        assert_eq!((&run["files"], &run["bytes"], &run["growing"]), (&json!(2), &json!(3), &json!(true)));
        let analysis = &found["analyses"][0];
        assert_eq!(analysis["found"]["detector"], "cam");
        assert_eq!((analysis["files"].as_array().unwrap().len(), analysis["found"].get("secret")), (2, None));
        assert_eq!(found["cut"], false);
    }
}
