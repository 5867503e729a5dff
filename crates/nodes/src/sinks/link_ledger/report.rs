//! The ledgers as files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use livetime_formats::wib::Faults;

use crate::wire::{Interval, LinkLedger, State};

/// Writes `path` as JSON, and beside it the same intervals with the ending `csv`. Whoever reads sees whole files only.
///
/// # Errors
/// What the system says.
pub(super) fn write(path: &Path, ledgers: &BTreeMap<u16, LinkLedger>, tick_ns: u64) -> io::Result<()> {
    write_whole(path, &json(ledgers, tick_ns))?;
    write_whole(&path.with_extension("csv"), &csv(ledgers))
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".inprogress");
    std::fs::write(&partial, text)?;
    std::fs::rename(partial, path)
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
