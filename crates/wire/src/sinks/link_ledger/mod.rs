//! `link_ledger`: the state of the time of all links of a wire readout, live and as a file.
//!
//! In: tables of [`LedgerRow`] from sources, hit finders, mergers and buffers, in any order. Out: nothing. Where several report the same time, the later state
//! of the list of [`State`]s wins.
//!
//! At the end of the run, also of one that is aborted, `file` is written, as JSON, and beside it with the ending `csv`: of each link all intervals, and the ticks, ns and percent in each state.
//! Existing files of these names get a number (`ledger.1.json`), so that nothing is replaced. The time of all links is the time of the run, from the first to the last tick reported for any; time that no node reported for a link is unknown. So
//! the states of every link sum to the length of the run, and it is checked that they do (`balanced`).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
//! use livetime_wire::{sinks::link_ledger::LinkLedgerFile, sources::wib_file::WibFile};
//!
//! let folder = std::env::temp_dir().join(format!("link-ledger-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let (dump, file) = (folder.join("link.bin"), folder.join("ledger.json"));
//! let mut frames = vec![0; 10 * Wib1Frame::BYTES];
//! for (i, bytes) in frames.chunks_mut(Wib1Frame::BYTES).enumerate() {
//!     // Two frames are missing before the last five.
//!     Wib1FrameMut::new(bytes)?.set_timestamp(1000 + 25 * (i + i / 5 * 2) as u64);
//! }
//! std::fs::write(&dump, frames)?;
//!
//! let mut source = Harness::new::<WibFile>(&[("file", dump.to_str().unwrap_or_default().into())])?;
//! let mut ledger = Harness::new::<LinkLedgerFile>(&[("file", file.to_str().unwrap_or_default().into())])?;
//! for frame in source.run_source(3)?.iter().filter(|frame| frame.table().is_ok()) {
//!     ledger.feed(frame)?;
//! }
//! ledger.drain()?;
//! assert!(std::fs::read_to_string(folder.join("ledger.csv"))?.contains("\n0,1125,1175,absent,0,\n"));
//! assert!(std::fs::read_to_string(file)?.contains("\"good\": {\"ticks\": 250, \"ns\": 5000, \"percent\": 83.333333}"));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, Teller};
use livetime_filing::{may_be_file, may_write};
use livetime_formats::wib::Faults;
use livetime_frame::Frame;

use crate::{Interval, LedgerRow, LinkLedger, RowTable, State};

/// Parameters of `link_ledger`.
#[derive(Params)]
pub struct LinkLedgerParams {
    /// The file that is written at the end; empty writes none.
    #[param(pv = "FilePath", role = File)]
    pub file: String,
    /// Length of a tick of the experiment's clock: 20 for WIB1, 16 for WIB2 and WIBEth.
    #[param(default = 20, min = 1, max = 1000000, unit = "ns")]
    pub tick_ns: u64,
    /// Numbers of the links with reports, in the order of the lists below.
    #[param(readback)]
    pub links: Vec<f64>,
    /// Percent of each link's time that is good.
    #[param(readback, unit = "%")]
    pub good_percent: Vec<f64>,
    /// Time of each link whose samples came to the hit finder, with or without faults.
    #[param(readback, unit = "s")]
    pub live_s: Vec<f64>,
    /// Time of each link that was never received.
    #[param(readback, unit = "s")]
    pub absent_s: Vec<f64>,
    /// Time of each link that was received with faults.
    #[param(readback, unit = "s")]
    pub corrupt_s: Vec<f64>,
    /// What is wrong with which links: of each state that is not good the time, and the faults that were seen, as
    /// `3: corrupt 0.500 us (mm), absent 1.200 ms; 7: dead 2.000 s`.
    #[param(readback)]
    pub faults: String,
    /// Time from the first to the last tick reported for any link.
    #[param(readback, unit = "s")]
    pub run_s: f64,
    /// Percent of the time of all links that is good.
    #[param(readback, unit = "%")]
    pub all_good_percent: f64,
    /// Whether the states of every link sum to the length of its time.
    #[param(readback)]
    pub balanced: bool,
}

/// Keeps the ledgers of all links.
pub struct LinkLedgerFile {
    params: LinkLedgerParams,
    ledgers: BTreeMap<u16, LinkLedger>,
    table: RowTable<LedgerRow>,
    rows: Vec<LedgerRow>,
    /// Bits of the faults that were reported with each state of a link.
    seen: BTreeMap<(u16, State), u32>,
    is_written: bool,
    /// For failures at the end; there from the start on.
    teller: Option<Teller>,
}

impl Node for LinkLedgerFile {
    type Params = LinkLedgerParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "link_ledger",
        "What became of the time of all links of a wire readout, live and as a file.",
        &[PortSpec::table("in")],
    );

    fn new(params: LinkLedgerParams) -> Result<LinkLedgerFile, NodeError> {
        let (ledgers, table) = (BTreeMap::new(), RowTable::default());
        let (rows, seen) = (Vec::new(), BTreeMap::new());
        Ok(LinkLedgerFile { params, ledgers, table, rows, seen, is_written: false, teller: None })
    }

    fn params(&mut self) -> &mut LinkLedgerParams {
        &mut self.params
    }

    fn writes(&self) -> Vec<PathBuf> {
        let file = Path::new(&self.params.file);
        if self.params.file.is_empty() {
            Vec::new()
        } else {
            vec![file.to_owned(), file.with_extension("csv")]
        }
    }

    /// The file is written at the end, when it is too late to choose another one.
    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.teller = Some(ctx.teller());
        if self.params.file.is_empty() {
            return Ok(());
        }
        // A file that cannot be written is refused at the start, not after a run of hours.
        self.writes()
            .iter()
            .try_for_each(|path| may_be_file(path))
            .map_err(|e| NodeError::new(e).of_param("file"))?;
        let folder = Path::new(&self.params.file).parent().filter(|folder| !folder.as_os_str().is_empty());
        may_write(folder.unwrap_or(Path::new("."))).map_err(|e| NodeError::new(e).of_param("file"))
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        self.table.read(frame, &mut self.rows)?;
        for row in &self.rows {
            self.ledgers.entry(row.link).or_default().tell(Interval::from(row));
            *self.seen.entry((row.link, State::of(row.state))).or_default() |= row.bits;
        }
        self.read_back();
        Ok(())
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        if let Some((begin, end)) = self.span() {
            // Links that ended early have unknown time up to the run's end, so that all links have the same length.
            let whole = Interval { begin, end, state: State::Unknown, bits: 0 };
            self.ledgers.values_mut().for_each(|ledger| ledger.tell(whole));
        }
        self.read_back();
        if !self.params.balanced {
            ctx.tell_error("the states of a link do not sum to the length of its time");
        }
        self.write()
    }

    /// The ledger of an aborted run is worth keeping, too.
    fn stop(&mut self) {
        let Some(teller) = self.teller.take() else { return };
        if let Err(why) = self.write() {
            teller.tell_unfinished(why.to_string());
        }
    }
}

impl LinkLedgerFile {
    /// Writes the file, once.
    fn write(&mut self) -> Result<(), NodeError> {
        // `drain` and `stop` both write, and only the first of them does.
        if self.params.file.is_empty() || std::mem::replace(&mut self.is_written, true) {
            return Ok(());
        }
        let path = self.params.file.as_ref();
        report::write(path, &self.ledgers, self.params.tick_ns).map_err(NodeError::new)
    }

    /// First tick and end of the run.
    fn span(&self) -> Option<(u64, u64)> {
        let spans = || self.ledgers.values().filter_map(LinkLedger::span);
        Some((spans().map(|s| s.0).min()?, spans().map(|s| s.1).max()?))
    }

    fn read_back(&mut self) {
        let span = self.span();
        let faults = self.faults();
        let (p, ledgers) = (&mut self.params, &self.ledgers);
        p.faults = faults;
        let seconds = |ticks: u64| ticks as f64 * p.tick_ns as f64 * 1e-9;
        let list = |of: &dyn Fn(&LinkLedger) -> f64| ledgers.values().map(of).collect::<Vec<f64>>();
        let percent = |good: u64, ticks: u64| 100.0 * good as f64 / ticks.max(1) as f64;
        p.links = ledgers.keys().map(|link| f64::from(*link)).collect();
        p.good_percent = list(&|ledger| percent(ledger.ticks_in(State::Good), ledger.ticks()));
        p.live_s = list(&|ledger| seconds(live(ledger)));
        p.absent_s = list(&|ledger| seconds(ledger.ticks_in(State::Absent)));
        p.corrupt_s = list(&|ledger| seconds(ledger.ticks_in(State::Corrupt)));
        p.run_s = seconds(span.map_or(0, |(begin, end)| end - begin));
        let sum = |of: &dyn Fn(&LinkLedger) -> u64| ledgers.values().map(of).fold(0, u64::saturating_add);
        p.all_good_percent = percent(sum(&|ledger| ledger.ticks_in(State::Good)), sum(&LinkLedger::ticks));
        p.balanced = ledgers.values().all(report::is_balanced);
    }

    /// The faults of each link, in words.
    fn faults(&self) -> String {
        let of_link = |(link, ledger): (&u16, &LinkLedger)| {
            let of_state = |state: State| {
                let ticks = ledger.ticks_in(state);
                let bits = self.seen.get(&(*link, state)).copied().unwrap_or(0);
                let why = if bits == 0 { String::new() } else { format!(" ({})", Faults::of_bits(bits)) };
                (ticks > 0).then(|| {
                    format!("{} {}{why}", state.name(), span(ticks.saturating_mul(self.params.tick_ns)))
                })
            };
            let states: Vec<String> =
                State::ALL.into_iter().filter(|state| *state != State::Good).filter_map(of_state).collect();
            (!states.is_empty()).then(|| format!("{link}: {}", states.join(", ")))
        };
        self.ledgers.iter().filter_map(of_link).collect::<Vec<_>>().join("; ")
    }
}

fn span(ns: u64) -> String {
    match ns {
        1_000_000_000.. => format!("{:.3} s", ns as f64 * 1e-9),
        1_000_000.. => format!("{:.3} ms", ns as f64 * 1e-6),
        _ => format!("{:.3} us", ns as f64 * 1e-3),
    }
}

/// Ticks with samples that reached the hit finder.
fn live(ledger: &LinkLedger) -> u64 {
    let states = State::ALL.into_iter().filter(|state| (State::Good..State::Shed).contains(state));
    states.map(|state| ledger.ticks_in(state)).sum()
}

#[cfg(test)]
mod tests {
    use livetime_engine::Value;
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::{FramePool, TableLayout};

    use super::*;
    use crate::Row;

    fn table(rows: &[LedgerRow]) -> Frame {
        let mut allocator = FramePool::new(1 << 20).allocator();
        let mut table = allocator.table(TableLayout::new(LedgerRow::schema(), rows.len()).unwrap()).unwrap();
        LedgerRow::put(rows, &mut table).unwrap();
        table.freeze()
    }

    fn row(link: u16, begin: u64, end: u64, state: State, faults: Faults) -> LedgerRow {
        LedgerRow { link, begin, end, state: state as u8, bits: faults.bits() }
    }

    #[test]
    fn the_ledger_is_live_and_then_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        let mut node = Harness::new::<LinkLedgerFile>(&[("file", file.to_str().unwrap().into())]).unwrap();
        let none = Faults::NONE;
        node.feed(&table(&[
            row(3, 1000, 1100, State::Good, none),
            row(3, 1150, 2000, State::Good, none),
            row(9, 1500, 2500, State::Good, none),
        ]))
        .unwrap();
        node.feed(&table(&[
            row(3, 1100, 1150, State::Absent, none),
            row(3, 1200, 1225, State::Corrupt, Faults::MM | Faults::capture(1)),
        ]))
        .unwrap();
        assert_eq!(node.get("links"), Some(Value::List(vec![3.0, 9.0])));
        assert_eq!(node.get("good_percent"), Some(Value::List(vec![92.5, 100.0])));
        assert_eq!(node.get("absent_s"), Some(Value::List(vec![50.0 * 20.0 * 1e-9, 0.0])));
        let faults = "3: corrupt 0.500 us (mm, capture error in block 1), absent 1.000 us";
        assert_eq!(node.get("faults"), Some(faults.into()));
        node.drain().unwrap();
        assert_eq!(
            (node.get("balanced"), node.number_of("run_s")),
            (Some(true.into()), 1500.0 * 20.0 * 1e-9)
        );

        let csv = std::fs::read_to_string(folder.path().join("run.csv")).unwrap();
        let wanted = "link,begin,end,state,bits,faults\n\
            3,1000,1100,good,0,\n3,1100,1150,absent,0,\n3,1150,1200,good,0,\n\
            3,1200,1225,corrupt,513,mm; capture error in block 1\n3,1225,2000,good,0,\n3,2000,2500,unknown,0,\n\
            9,1000,1500,unknown,0,\n9,1500,2500,good,0,\n";
        assert_eq!(csv, wanted);
        let json = std::fs::read_to_string(&file).unwrap();
        assert!(json.contains("\"absent\": {\"ticks\": 50, \"ns\": 1000, \"percent\": 3.333333}"), "{json}");
        assert!(json.contains("{\"begin\": 1200, \"end\": 1225, \"state\": \"corrupt\", \"bits\": 513, \"faults\": \"mm, capture error in block 1\"}"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left behind");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let start = |file: &str| Harness::new::<LinkLedgerFile>(&[("file", file.into())]);
        assert!(start("/nowhere/run.json").err().unwrap().to_string().contains("`/nowhere`"));
        let folder = tempfile::tempdir().unwrap();
        // Neither of its files can have the name of a folder, which it must leave alone.
        std::fs::create_dir(folder.path().join("old.csv")).unwrap();
        for wrong in [PathBuf::from("/"), folder.path().into(), folder.path().join("old.json")] {
            let error = start(wrong.to_str().unwrap()).err().unwrap().to_string();
            assert!(error.contains("wanted the name of a file, found a folder"), "{error}");
        }
        let file = folder.path().join("run.json");
        let mut node = start(file.to_str().unwrap()).unwrap();
        drop(folder);
        assert!(node.drain().unwrap_err().to_string().contains("/run.json`: wanted to write it"));
    }

    #[test]
    fn a_second_ledger_replaces_none_and_an_aborted_run_has_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        for run in 1..=3 {
            let mut node =
                Harness::new::<LinkLedgerFile>(&[("file", file.to_str().unwrap().into())]).unwrap();
            node.feed(&table(&[row(run, 1000, 2000, State::Good, Faults::NONE)])).unwrap();
            match run {
                1 => node.drain().map(drop).unwrap(),
                _ => node.stop(),
            }
            node.stop();
        }
        for (name, link) in [("run", 3), ("run.1", 1), ("run.2", 2)] {
            let json = std::fs::read_to_string(folder.path().join(format!("{name}.json"))).unwrap();
            assert!(json.contains(&format!("\"link\": {link},")), "{name}: {json}");
            let csv = std::fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
            assert!(csv.contains(&format!("\n{link},1000,2000,good")), "{name}: {csv}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6);
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<LinkLedgerFile>(&[]);
    }
}
