//! The losses of a run, their times, and the losses of which a person has taken note.

use std::collections::BTreeMap;

use livetime_engine::{LossReason, Report, time_of_day_ns};

use super::caller::Caller;
use crate::report::losses::{Loss, Losses, Place, Sums, all};

/// A run that lost something in this time is losing now. Long enough for who looks up now and then, and as long as the
/// percentiles that faces show first.
pub const LOSING_NS: u64 = 10_000_000_000;

/// One kind of loss, and when there was more of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grown {
    /// Where, why, and how many so far.
    pub loss: Loss,
    /// How many were new at the last look that found more.
    pub more: u64,
    /// The time of that look, in ns since the start of the run.
    pub seen_ns: u64,
    /// Unintended, and no longer ago than [`LOSING_NS`], in a run that goes on.
    pub is_losing: bool,
}

/// How a run stands as to unintended losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Standing {
    /// Nothing was lost.
    #[default]
    Nothing,
    /// Something was lost in the last [`LOSING_NS`].
    Losing,
    /// Something was lost, longer ago.
    HasLost,
    /// The same, and a person has taken note of all of it.
    Acknowledged,
}

impl Standing {
    /// All of them.
    pub const ALL: [Standing; 4] =
        [Standing::Nothing, Standing::Losing, Standing::HasLost, Standing::Acknowledged];

    /// Its name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Nothing => "nothing",
            Standing::Losing => "losing",
            Standing::HasLost => "has_lost",
            Standing::Acknowledged => "acknowledged",
        }
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Standing::Nothing => "nothing lost",
            Standing::Losing => "losing now",
            Standing::HasLost => "has lost",
            Standing::Acknowledged => "has lost, acknowledged",
        }
    }
}

/// The person who has taken note of losses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acknowledged {
    /// How many unintended losses they have seen.
    pub unintended: u64,
    /// When: time of day, ns since 1970.
    pub at_ns: i64,
    /// The person.
    pub by: Caller,
}

/// All losses of a run at one moment.
#[derive(Clone, Debug, Default)]
pub struct LossBook {
    /// Each kind of loss that there was, those on edges first.
    pub kinds: Vec<Grown>,
    /// The accounts, summed.
    pub sums: Sums,
    /// By number of the node, what was lost on the way to it and in it.
    pub nodes: Vec<Losses>,
    /// The place in `kinds` of the unintended loss that grew last; of several at one look, the one that grew most.
    pub newest: Option<usize>,
    /// How the run stands.
    pub standing: Standing,
    /// The last person who has taken note.
    pub acknowledged: Option<Acknowledged>,
}

impl LossBook {
    /// The losses in a report alone: all of them are new at its time.
    pub fn of(report: &Report) -> LossBook {
        // A watch without a past takes every loss as new.
        LossWatch::default().look(report)
    }

    /// The newest unintended loss.
    pub fn newest(&self) -> Option<&Grown> {
        self.kinds.get(self.newest?)
    }

    /// `losing now: queue full on cam.out -> stats.in, 0.2 s ago`.
    pub fn describe(&self, report: &Report) -> String {
        let Some(newest) = self.newest() else { return self.standing.describe().into() };
        let ago_s = report.elapsed_ns.saturating_sub(newest.seen_ns) as f64 / 1e9;
        format!("{}: {}, {ago_s:.1} s ago", self.standing.describe(), newest.loss.describe(report))
    }
}

/// Follows the losses of a run from look to look. At most one entry for each edge or node and reason.
#[derive(Default)]
pub(super) struct LossWatch {
    /// How many so far, how many were new at the last look that found more, and when that was.
    known: BTreeMap<(Place, LossReason), (u64, u64, u64)>,
    acknowledged: Option<Acknowledged>,
}

impl LossWatch {
    /// Takes over what `report` says.
    pub(super) fn look(&mut self, report: &Report) -> LossBook {
        let kinds: Vec<Grown> = all(report).map(|loss| self.grown(loss, report)).collect();
        let unintended = kinds.iter().enumerate().filter(|(_, kind)| !kind.loss.is_intended);
        // Of losses in one report the larger one is shown.
        let newest = unintended.max_by_key(|(_, kind)| (kind.seen_ns, kind.more)).map(|(place, _)| place);
        let (sums, nodes) = (Sums::of(report), Losses::of_nodes(report));
        let acknowledged = self.acknowledged.clone();
        let mut book = LossBook { kinds, sums, nodes, newest, acknowledged, standing: Standing::Nothing };
        book.standing = standing(&book);
        book
    }

    fn grown(&mut self, loss: Loss, report: &Report) -> Grown {
        let key = (loss.place, loss.reason);
        let (count, more, seen_ns) = self.known.entry(key).or_default();
        // The time stays when nothing is added.
        if loss.count > *count {
            (*count, *more, *seen_ns) = (loss.count, loss.count - *count, report.elapsed_ns);
        }
        let is_new = report.elapsed_ns.saturating_sub(*seen_ns) < LOSING_NS;
        // A run that ended does not lose any more.
        let is_losing = is_new && !loss.is_intended && !report.finished;
        Grown { loss, more: *more, seen_ns: *seen_ns, is_losing }
    }

    /// `by` has taken note of so many unintended losses.
    pub(super) fn acknowledge(&mut self, unintended: u64, by: Caller) {
        self.acknowledged = Some(Acknowledged { unintended, at_ns: time_of_day_ns(), by });
    }
}

fn standing(book: &LossBook) -> Standing {
    let Some(newest) = book.newest() else { return Standing::Nothing };
    let noted = book.acknowledged.as_ref().map_or(0, |noted| noted.unintended);
    match (newest.is_losing, noted >= book.sums.unintended) {
        // Losses go on after they were acknowledged, so this comes first.
        (true, _) => Standing::Losing,
        (false, true) => Standing::Acknowledged,
        (false, false) => Standing::HasLost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    fn at(second: u64, queue_full: u64, source_gap: u64) -> Report {
        let mut report = Report { elapsed_ns: second * 1_000_000_000, finished: false, ..fixture::report(1) };
        report.edges[0].lost.insert(LossReason::QueueFull, queue_full);
        report.nodes[0].lost.insert(LossReason::SourceGap, source_gap);
        report
    }

    #[test]
    fn the_newest_loss_is_what_grew_last_and_most_whatever_its_place() {
        let mut watch = LossWatch::default();
        let none = watch.look(&at(1, 0, 0));
        assert_eq!(
            (none.standing, none.newest().is_none(), none.sums.intended),
            (Standing::Nothing, true, 10)
        );
        let mut newest = |second, queue_full, source_gap| {
            let report = at(second, queue_full, source_gap);
            watch.look(&report).describe(&report)
        };
        assert_eq!(newest(2, 10, 1188), "losing now: source gap in cam, 0.0 s ago");
        assert_eq!(newest(3, 11, 1188), "losing now: queue full on cam.out -> end.in, 0.0 s ago");
        assert_eq!(newest(9, 11, 1188), "losing now: queue full on cam.out -> end.in, 6.0 s ago");
        assert_eq!(newest(13, 11, 1188), "has lost: queue full on cam.out -> end.in, 10.0 s ago");
    }

    #[test]
    fn what_was_acknowledged_is_told_apart_until_more_is_lost() {
        let mut watch = LossWatch::default();
        let seen = watch.look(&at(1, 5, 7)).sums.unintended;
        watch.acknowledge(seen, Caller::program());
        let standing = |watch: &mut LossWatch, report: &Report| watch.look(report).standing;
        assert_eq!(standing(&mut watch, &at(2, 5, 7)), Standing::Losing, "nobody can note what goes on");
        assert_eq!(standing(&mut watch, &at(20, 5, 7)), Standing::Acknowledged);
        assert_eq!(standing(&mut watch, &at(21, 6, 7)), Standing::Losing);
        assert_eq!(standing(&mut watch, &Report { finished: true, ..at(21, 6, 7) }), Standing::HasLost);
    }
}
