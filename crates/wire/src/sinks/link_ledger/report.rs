//! The ledgers as files.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};

use livetime_filing::numbered;
use livetime_formats::Error;
use livetime_formats::file::{GrowingFile, IN_PROGRESS, Purpose, name_new};
use livetime_formats::wib::Faults;

use crate::{Interval, LinkLedger, State};

/// Writes `path` as JSON, and beside it the same intervals with the ending `csv`. Readers see complete files only. Files of these names that
/// are there already get a number: `ledger.json` becomes `ledger.1.json`, or the next number that is free.
///
/// # Errors
/// The error of the system, and the place of the data.
pub(super) fn write(
    path: &Path,
    ledgers: &BTreeMap<u16, LinkLedger>,
    tick_ns: u64,
) -> Result<(), ReportError> {
    let table = path.with_extension("csv");
    let [new_json, new_table] = [(path, json(ledgers, tick_ns)), (&table, csv(ledgers))]
        .map(|(path, text)| write_new(path, &text).map_err(|error| (path.to_owned(), error)));
    let (new_json, new_table) = match (new_json, new_table) {
        (Ok(json), Ok(table)) => (json, table),
        (Ok(kept), Err((path, error))) | (Err((path, error)), Ok(kept)) => {
            return Err(ReportError::Write { path, error, half: Some(kept.written_path().to_owned()) });
        }
        (Err((path, error)), Err(_)) => return Err(ReportError::Write { path, error, half: None }),
    };
    put_aside(path, &table).map_err(|error| {
        let data = [&new_json, &new_table].map(|new| new.written_path().to_owned());
        ReportError::Name { path: path.to_owned(), error, data }
    })?;
    new_table.finish().and_then(|()| new_json.finish()).map_err(ReportError::Finish)
}

/// Why there is no report.
#[derive(Debug)]
pub(super) enum ReportError {
    /// A file cannot be written; the other one is there if `half` names it.
    Write { path: PathBuf, error: Error, half: Option<PathBuf> },
    /// The files that are there cannot be put aside, so that the data keep other names.
    Name { path: PathBuf, error: io::Error, data: [PathBuf; 2] },
    /// A file cannot be given its name.
    Finish(Error),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::Write { path, error, half } => {
                write!(f, "`{}`: wanted to write it, found: {}", path.display(), error.cause())?;
                let Some(half) = half else { return Ok(()) };
                write!(f, "; the other half of the data is in `{}`", half.display())
            }
            ReportError::Name { path, error, data: [json, table] } => {
                let (path, json, table) = (path.display(), json.display(), table.display());
                write!(f, "`{path}`: wanted to give it its name, found: {error}; ")?;
                write!(f, "the data are in `{json}` and `{table}`")
            }
            ReportError::Finish(error) => error.fmt(f),
        }
    }
}

/// Writes a file to the disk under a name that marks it as incomplete. Half a file has no use: it is taken away again.
fn write_new(path: &Path, text: &str) -> Result<GrowingFile, Error> {
    let purpose = Purpose { is_kept: true, replaces: false };
    let mut new = GrowingFile::create_beside(path, &format!(".{IN_PROGRESS}"), purpose)?;
    match new.append(&[text.as_bytes()]).and_then(|_| new.sync()) {
        Ok(()) => Ok(new),
        // The first error is the one to tell.
        Err(e) => {
            let _ = new.discard();
            Err(e)
        }
    }
}

/// Gives existing files of these names the next number that is free for both.
fn put_aside(json: &Path, table: &Path) -> io::Result<()> {
    let mut files = [json, table].into_iter().filter(|path| path.is_file());
    let is_free = |number: &u64| [json, table].iter().all(|path| !numbered(path, *number).exists());
    let number = (1..u64::MAX).find(is_free).unwrap_or(u64::MAX);
    files.try_for_each(|path| name_new(path, &numbered(path, number)))
}

/// Whether the states of a link sum to the length of its time.
pub(super) fn is_balanced(ledger: &LinkLedger) -> bool {
    State::ALL.into_iter().map(|state| ledger.ticks_in(state)).sum::<u64>() == ledger.ticks()
}

fn json(ledgers: &BTreeMap<u16, LinkLedger>, tick_ns: u64) -> String {
    let links: Vec<String> = ledgers.iter().map(|(link, ledger)| link_json(*link, ledger, tick_ns)).collect();
    format!("{{\"tick_ns\": {tick_ns}, \"links\": [\n{}\n]}}\n", links.join(",\n"))
}

fn link_json(link: u16, ledger: &LinkLedger, tick_ns: u64) -> String {
    let ticks = ledger.ticks();
    let (begin, end) = ledger.span().unwrap_or_default();
    let states = State::ALL.into_iter().filter(|state| ledger.ticks_in(*state) > 0);
    let states: Vec<String> =
        states.map(|state| state_json(state, ledger.ticks_in(state), ticks, tick_ns)).collect();
    let intervals: Vec<String> = ledger.intervals().map(interval_json).collect();
    format!(
        "{{\"link\": {link}, \"begin\": {begin}, \"end\": {end}, \"ticks\": {ticks}, \"balanced\": {}, \
         \"folded_ticks\": {},\n \"states\": {{{}}},\n \"intervals\": [\n  {}\n ]}}",
        is_balanced(ledger),
        ledger.folded_ticks(),
        states.join(", "),
        intervals.join(",\n  ")
    )
}

fn state_json(state: State, ticks: u64, all: u64, tick_ns: u64) -> String {
    let (ns, percent) = (u128::from(ticks) * u128::from(tick_ns), 100.0 * ticks as f64 / all.max(1) as f64);
    format!("\"{}\": {{\"ticks\": {ticks}, \"ns\": {ns}, \"percent\": {percent:.6}}}", state.name())
}

fn interval_json(interval: &Interval) -> String {
    let Interval { begin, end, state, bits } = interval;
    let (state, faults) = (state.name(), Faults::of_bits(*bits));
    format!(
        "{{\"begin\": {begin}, \"end\": {end}, \"state\": \"{state}\", \"bits\": {bits}, \"faults\": \"{faults}\"}}"
    )
}

fn csv(ledgers: &BTreeMap<u16, LinkLedger>) -> String {
    let mut text = String::from("link,begin,end,state,bits,faults\n");
    for (link, ledger) in ledgers {
        for Interval { begin, end, state, bits } in ledger.intervals() {
            let faults = Faults::of_bits(*bits).to_string().replace(", ", "; ");
            // Writing to text does not fail.
            let _ = writeln!(text, "{link},{begin},{end},{},{bits},{faults}", state.name());
        }
    }
    text
}
