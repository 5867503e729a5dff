//! Rates: what changed from one report to the next.

use livetime_engine::{NodeReport, Report};

/// What one node did in a second.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// Frames received; `None` for sources.
    pub in_hz: Option<f64>,
    /// Frames sent; `None` for nodes that sent none since the start.
    pub out_hz: Option<f64>,
    /// CPU time of its threads; `None` when it shares them.
    pub cpu_percent: Option<f64>,
}

/// The rates of every node between two reports; with `None`, since the start.
pub fn rates(before: Option<&Report>, now: &Report) -> Vec<Rates> {
    let elapsed_ns = now.elapsed_ns.saturating_sub(before.map_or(0, |b| b.elapsed_ns)).max(1);
    let of_node = |(i, node): (usize, &NodeReport)| {
        let before = before.and_then(|b| b.nodes.get(i));
        let per_second = |pick: fn(&NodeReport) -> u64| {
            let total = pick(node);
            let new = total.saturating_sub(before.map_or(0, pick));
            (total > 0).then_some(per_second(new, elapsed_ns))
        };
        let cpu_before = before.map_or(Some(0), |b| b.cpu_ns);
        Rates {
            in_hz: per_second(|n| n.received),
            out_hz: per_second(|n| n.emitted),
            cpu_percent: used(cpu_before, node.cpu_ns, elapsed_ns),
        }
    };
    now.nodes.iter().enumerate().map(of_node).collect()
}

/// CPU time of the whole run between two reports, in percent of one core.
pub fn cpu_percent(before: Option<&Report>, now: &Report) -> Option<f64> {
    let elapsed_ns = now.elapsed_ns.saturating_sub(before.map_or(0, |b| b.elapsed_ns)).max(1);
    used(before.map_or(Some(0), |b| b.cpu_ns), now.cpu_ns, elapsed_ns)
}

fn used(before_ns: Option<u64>, now_ns: Option<u64>, elapsed_ns: u64) -> Option<f64> {
    Some(share(now_ns?.saturating_sub(before_ns?), elapsed_ns))
}

/// How many in a second, if it was `count` in `elapsed_ns`.
pub(crate) fn per_second(count: u64, elapsed_ns: u64) -> f64 {
    count as f64 * 1e9 / elapsed_ns.max(1) as f64
}

/// CPU time in percent of one core.
pub(crate) fn share(cpu_ns: u64, elapsed_ns: u64) -> f64 {
    cpu_ns as f64 * 100.0 / elapsed_ns.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn rates_are_differences() {
        let (before, now) = (fixture::report(1), fixture::report(3));
        let rates = rates(Some(&before), &now);
        assert_eq!((rates[0].in_hz, rates[0].out_hz), (None, Some(200.0)));
        assert_eq!((rates[1].in_hz, rates[1].out_hz), (Some(150.0), None));
        assert_eq!((rates[0].cpu_percent, rates[1].cpu_percent), (Some(50.0), None));
        assert_eq!(cpu_percent(None, &now), Some(80.0));
    }
}
