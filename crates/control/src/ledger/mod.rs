//! The ledgers of several runs, read from their reports and black boxes, as one.
//!
//! A run is in a ledger once, wherever its accounts were found: its report is worth more than its black box, and that more than
//! what the next run says about it.

mod account;
mod cut;
mod error;
mod fields;

use std::collections::BTreeMap;

use fields::sum;

pub use account::{EdgeLine, NodeLine, RunAccount, State};
pub use cut::{CutEnd, Side};
pub use error::LedgerError;
pub use fields::Lost;

/// Name of the reason of breaks with unknown losses.
const UNKNOWN: &str = "unknown";

/// The accounts of several runs.
#[derive(Default, Debug)]
pub struct Ledger {
    /// Each run once, in the order in which they were added.
    pub runs: Vec<RunAccount>,
    /// Killed runs of which only this count is left.
    pub dropped: u64,
}

/// The counts of both sides of a cut.
#[derive(Debug)]
pub struct Cut<'a> {
    /// Name and epoch.
    pub name: (&'a str, &'a str),
    /// The end of the sender, if its report is there.
    pub sender: Option<&'a CutEnd>,
    /// The end of the receiver; of several that took over from each other the last.
    pub receiver: Option<&'a CutEnd>,
    /// Whether both runs have counted to their end. Copies of counts are of different moments, and agree with nothing.
    pub is_final: bool,
}

impl Cut<'_> {
    /// The counts that do not agree, in words; `None` if all do, as far as they are known.
    pub fn problem(&self) -> Option<String> {
        let (cut, epoch) = self.name;
        let open = [self.sender, self.receiver].into_iter().flatten().find(|end| !end.is_closed());
        if let Some(end) = open {
            return Some(format!(
                "cut {cut}, epoch {epoch}: the sum of the {} does not close",
                end.side.name()
            ));
        }
        let (sender, receiver) = (self.sender?, self.receiver?);
        (self.is_final && !agree(sender, receiver)).then(|| {
            format!(
                "cut {cut}, epoch {epoch}: the sender says {} of {} delivered, the receiver {} of {}",
                sender.delivered, sender.offered, receiver.delivered, receiver.offered
            )
        })
    }
}

/// Whether two final accounts of a cut fit. Until the last acknowledgement the sender knows of fewer completed frames than the
/// receiver, and so of frames that it took back; frames before the receiver's start were for others, which completed them
/// or not.
fn agree(sender: &CutEnd, receiver: &CutEnd) -> bool {
    let slack = sum([sender.queued, sender.in_doubt, sender.retaken]);
    let of_all = sum([receiver.start, receiver.delivered]);
    sum([receiver.start, receiver.offered]).is_some_and(|offered| offered <= sender.offered)
        && of_all.is_some_and(|most| sender.delivered <= most)
        && receiver.delivered.saturating_sub(sender.delivered) <= slack.unwrap_or(u64::MAX)
}

impl Ledger {
    /// Adds a run and the runs that were killed before it.
    pub fn add(&mut self, mut account: RunAccount) {
        self.dropped += std::mem::take(&mut account.previous_dropped);
        for earlier in std::mem::take(&mut account.previous) {
            self.put(earlier);
        }
        self.put(account);
    }

    fn put(&mut self, account: RunAccount) {
        let known = self.runs.iter_mut().find(|known| !known.run.is_empty() && known.run == account.run);
        match known {
            Some(known) if worth(&account) > worth(known) => *known = account,
            Some(_) => {}
            None => self.runs.push(account),
        }
    }

    /// The cuts of all runs, both sides together.
    pub fn cuts(&self) -> Vec<Cut<'_>> {
        let mut found: BTreeMap<(&str, &str), Cut<'_>> = BTreeMap::new();
        for (run, end) in self.runs.iter().flat_map(|run| run.cuts.iter().map(move |end| (run, end))) {
            let name = (&*end.cut, &*end.epoch);
            let cut = found.entry(name).or_insert(Cut { name, sender: None, receiver: None, is_final: true });
            let place = match end.side {
                Side::Sender => &mut cut.sender,
                Side::Receiver => &mut cut.receiver,
            };
            // A receiver that was killed has handed over to the last one.
            if place.is_none_or(|known| known.start <= end.start) {
                *place = Some(end);
            }
            cut.is_final &= run.state == State::Ended || (end.side == Side::Receiver && *place != Some(end));
        }
        found.into_values().collect()
    }

    /// The accounts that do not close, in words.
    pub fn open(&self) -> Vec<String> {
        let runs =
            self.runs.iter().flat_map(|run| run.open().map(move |what| format!("{}: {what}", name_of(run))));
        runs.chain(self.cuts().iter().filter_map(Cut::problem)).collect()
    }

    /// The unknown acts, and since when they are unknown, in words.
    pub fn unknown(&self) -> Vec<String> {
        let runs = self.runs.iter().flat_map(unknown_of);
        let cuts = self.cuts().into_iter().filter_map(|cut| {
            let missing = match (cut.sender, cut.receiver) {
                (Some(_), None) => "receiver",
                (None, Some(_)) => "sender",
                _ => return None,
            };
            Some(format!("cut {}, epoch {}: no report of the {missing}", cut.name.0, cut.name.1))
        });
        let in_doubt = self.cuts().into_iter().filter_map(|cut| {
            let end = cut.sender.or(cut.receiver).filter(|end| end.in_doubt > 0)?;
            Some(format!("cut {}, epoch {}: {} frames are in doubt", end.cut, end.epoch, end.in_doubt))
        });
        let dropped = (self.dropped > 0)
            .then(|| format!("{} killed runs: their accounts are no longer kept", self.dropped));
        runs.chain(cuts).chain(in_doubt).chain(dropped).collect()
    }

    /// Breaks among the unintended losses: of each it is [unknown](Ledger::unknown) how many frames are missing.
    pub fn breaks(&self) -> u64 {
        let nodes = self.runs.iter().flat_map(|run| &run.nodes);
        nodes.filter_map(|node| node.lost.get(UNKNOWN)).fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Unintended losses of all runs and cuts.
    pub fn unintended(&self) -> u64 {
        let lost = |cut: Cut<'_>| cut.sender.or(cut.receiver).map_or(0, |end| end.lost.values().sum());
        let cuts = self.cuts().into_iter().map(lost);
        self.runs.iter().map(RunAccount::unintended).chain(cuts).fold(0, u64::saturating_add)
    }
}

fn unknown_of(run: &RunAccount) -> Vec<String> {
    let name = name_of(run);
    let killed = (run.state == State::Killed)
        .then(|| format!("{name}: what it did since {}", run.known_until.as_deref().unwrap_or("its start")));
    let nodes = run.nodes.iter().filter(|node| node.lost.contains_key(UNKNOWN));
    let nodes = nodes.map(|node| {
        format!(
            "{name}: frames that {} missed since {}",
            node.name,
            node.unknown_since.as_deref().unwrap_or("its start")
        )
    });
    killed.into_iter().chain(nodes).collect()
}

/// `plugins.yaml, run 18f…`.
pub fn name_of(run: &RunAccount) -> String {
    let pipeline = if run.pipeline.is_empty() { "a run" } else { &run.pipeline };
    if run.run.is_empty() { pipeline.to_owned() } else { format!("{pipeline}, run {}", run.run) }
}

/// Of two accounts of one run the later one.
fn worth(run: &RunAccount) -> (bool, Option<&str>, bool) {
    (run.state == State::Ended, run.known_until.as_deref(), run.state == State::Killed)
}
