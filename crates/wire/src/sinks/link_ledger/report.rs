//! The ledgers as files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use livetime_formats::file::{name_new, numbered};
use livetime_formats::wib::Faults;

use crate::{Interval, LinkLedger, State};

/// Writes `path` as JSON, and beside it the same intervals with the ending `csv`. Readers see complete files only. Files of these names that
/// are there already get a number: `ledger.json` becomes `ledger.1.json`, or the next number that is free.
///
/// # Errors
/// Text: what the system says, and where the data are.
pub(super) fn write(path: &Path, ledgers: &BTreeMap<u16, LinkLedger>, tick_ns: u64) -> Result<(), String> {
    let table = path.with_extension("csv");
    let [new_json, new_table] =
        [(path, json(ledgers, tick_ns)), (&table, csv(ledgers))].map(|(path, text)| {
            write_partial(path, &text)
                .map_err(|e| format!("`{}`: wanted to write it, found: {e}", path.display()))
        });
    let (new_json, new_table) = match (new_json, new_table) {
        (Ok(json), Ok(table)) => (json, table),
        (Ok(kept), Err(why)) | (Err(why), Ok(kept)) => {
            return Err(format!("{why}; the other half of the data is in `{}`", kept.display()));
        }
        (Err(why), Err(_)) => return Err(why),
    };
    put_aside(path, &table)
        .and_then(|()| name_new(&new_table, &table))
        .and_then(|()| name_new(&new_json, path))
        .map_err(|e| {
            let (wanted, json, table) = (path.display(), new_json.display(), new_table.display());
            format!(
                "`{wanted}`: wanted to give it its name, found: {e}; the data are in `{json}` and `{table}`"
            )
        })
}

/// Writes a file to the disk under a name that marks it as incomplete. Half a file has no use: it is taken away again.
fn write_partial(path: &Path, text: &str) -> io::Result<PathBuf> {
    let named = |end: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let mut partial = named(".inprogress".into());
    let mut file = match create(&partial) {
        // Another program's, or what a killed one has left.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            partial = named(format!(".inprogress-{}", std::process::id()));
            create(&partial)?
        }
        file => file?,
    };
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written.map(|()| partial)
}

/// Gives what has these names now the next number that both have free.
fn put_aside(json: &Path, table: &Path) -> io::Result<()> {
    let mut files = [json, table].into_iter().filter(|path| path.is_file());
    let is_free = |number: &u64| [json, table].iter().all(|path| !numbered(path, *number).exists());
    let number = (1..u64::MAX).find(is_free).unwrap_or(u64::MAX);
    files.try_for_each(|path| name_new(path, &numbered(path, number)))
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
        super::is_balanced(ledger),
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
