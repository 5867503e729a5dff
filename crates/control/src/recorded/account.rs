//! The fate of the events that were given to a pipeline.

use livetime_analysis::{Loader, ReduceError, Saver};
use serde_json::{Value as Json, json};

/// So many lost events are named; the others are counted.
pub const MOST_NAMED: usize = 1000;

/// The fate of the events whose picture was given to the nodes of a pipeline: each one is used, left out or lost.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PipelineAccount {
    /// Events whose picture came out and is in the results.
    pub used: u64,
    /// Events of which no picture came out, though no node failed: the pipeline leaves them out.
    pub left_out: u64,
    /// Events that a node failed in, or whose picture came out damaged or otherwise than the first ones.
    pub lost: u64,
    /// Of all these, events whose picture is damaged or lacks some panel, as it was recorded.
    pub damaged: u64,
    /// The first [`MOST_NAMED`] of these, in their order.
    pub named: Vec<LostEvent>,
}

/// An event that a pipeline lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostEvent {
    /// Number of the event in the run, from 0 on.
    pub event: usize,
    /// When it happened, ns since 1970.
    pub time_ns: u64,
    /// The node that failed; none if the picture came out damaged, or otherwise than the pictures of the first events.
    pub node: Option<String>,
    /// Its error, or what was wanted and found.
    pub why: String,
}

impl PipelineAccount {
    /// Events that were given to the pipeline.
    pub fn given(&self) -> u64 {
        self.used + self.left_out + self.lost
    }

    /// As data.
    pub fn json(&self) -> Json {
        let named = |lost: &LostEvent| json!({ "event": lost.event, "time_ns": lost.time_ns, "node": lost.node, "why": lost.why });
        json!({
            "given": self.given(), "used": self.used, "left_out": self.left_out, "lost": self.lost,
            "damaged": self.damaged,
            "named": self.named.iter().map(named).collect::<Vec<_>>(),
        })
    }

    pub(super) fn lose(&mut self, lost: LostEvent) {
        self.lost += 1;
        let place = self.named.partition_point(|known| known.event <= lost.event);
        self.named.insert(place, lost);
        self.named.truncate(MOST_NAMED);
    }

    /// Takes in the account of other events, and leaves it empty. Which came first does not matter.
    pub(super) fn merge(&mut self, other: &mut PipelineAccount) {
        let other = std::mem::take(other);
        self.used += other.used;
        self.left_out += other.left_out;
        self.lost += other.lost;
        self.damaged += other.damaged;
        self.named.extend(other.named);
        self.named.sort_by_key(|lost| lost.event);
        self.named.truncate(MOST_NAMED);
    }

    pub(super) fn save(&self, out: &mut Saver) {
        [self.used, self.left_out, self.lost, self.damaged].into_iter().for_each(|count| out.number(count));
        out.number(self.named.len() as u64);
        for LostEvent { event, time_ns, node, why } in &self.named {
            out.number(*event as u64);
            out.number(*time_ns);
            out.number(u64::from(node.is_some()));
            out.text(node.as_deref().unwrap_or_default());
            out.text(why);
        }
    }

    /// # Errors
    /// If it is no account of at most so many events as the loader knows of.
    pub(super) fn load(from: &mut Loader<'_>) -> Result<PipelineAccount, ReduceError> {
        let most = from.events();
        let mut count = || from.at_most(most);
        let [used, left_out, lost, damaged] = [count()?, count()?, count()?, count()?];
        let mut account = PipelineAccount { used, left_out, lost, damaged, named: Vec::new() };
        // Each is at most 2^30.
        if account.given().max(damaged) > most {
            return Err(
                format!("wanted an account of at most {most} events, found {}", account.given()).into()
            );
        }
        let most_named = account.lost.min(MOST_NAMED as u64);
        for _ in 0..from.at_most(most_named)? {
            let (event, time_ns) = (usize::try_from(from.number()?)?, from.number()?);
            let (has_node, node) = (from.at_most(1)? == 1, from.text()?);
            let why = from.text()?;
            account.named.push(LostEvent { event, time_ns, node: has_node.then_some(node), why });
        }
        Ok(account)
    }
}
