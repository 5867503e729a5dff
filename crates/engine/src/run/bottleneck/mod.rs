//! The limit of a graph's rate, estimated from the service times of its nodes.
//!
//! The model: a place is a thread, or the threads of a pool. A frame that comes to a node costs its place the node's
//! mean service time. So the working time of a place grows with the rate of the sources, and a place that would have to
//! work all the time is a limit; all places together also need CPU time, which is bounded by the number of cores. Nodes
//! behind `latest` edges and behind rate limits do not see the rate grow, and are never reported as the limit.

use std::collections::BTreeMap;

use livetime_runtime::{LossReason, WhenFull};

use super::{EdgeAccount, Report, ThreadReport};
use crate::ByNode;
use crate::graph::Placement;

/// The limit of a graph's rate.
#[derive(Clone, PartialEq, Debug)]
pub struct Bottleneck {
    /// Frames per second that all sources together send now.
    pub rate_hz: f64,
    /// Frames per second that the sources could send without losses behind them, in the same proportion to each other,
    /// with the cores as busy as they were: the time that threads waited for a core is part of the time of a frame.
    pub sustainable_hz: f64,
    /// The same if every thread had a core whenever it needs one, as far as the graph itself leaves cores.
    pub undisturbed_hz: f64,
    /// The largest share of the run's time that one thread was ready to run and had no core. Where it is large, the machine was busy, with the graph or
    /// with other programs.
    pub delayed: f64,
    /// The limit at that rate.
    pub limit: Limit,
    /// The node that has most to do in the busiest place.
    pub node: usize,
    /// The share of the time that this place would have to work to handle all that comes, 1 for all of it; above 1 it
    /// cannot.
    pub utilisation: f64,
    /// The same of all cores.
    pub cpu_utilisation: f64,
    /// The gain from one more thread for the node; `None` when it cannot have one, because it keeps state from frame to
    /// frame or cannot be in a pool at its position.
    pub one_more: Option<MoreThreads>,
}

/// The reason that a graph cannot have a higher rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The place of the node with this number.
    Node(usize),
    /// The cores.
    Cpu,
}

/// A graph with one more thread.
#[derive(Clone, PartialEq, Debug)]
pub struct MoreThreads {
    /// The node that is placed again: the busiest one, or the busiest among the nodes that run inside it.
    pub node: usize,
    /// How it would be placed.
    pub placement: Placement,
    /// The rate that the sources could send then.
    pub sustainable_hz: f64,
    /// The limit after that change.
    pub limit: Limit,
}

/// The work of a place per second.
#[derive(Clone, Debug, Default)]
struct WorkPlace {
    threads: f64,
    /// Nodes, and seconds of work for them that grow with the rate of the sources.
    growing: Vec<(usize, f64)>,
    /// Seconds of work that do not.
    constant: f64,
    /// The share of the work that is CPU time; the rest is waiting, for a disk or a device.
    cpu_share: f64,
    /// How many times as long the work took because the thread had no core meanwhile.
    stretch: f64,
}

impl WorkPlace {
    fn growing(&self) -> f64 {
        self.growing.iter().map(|(_, work)| work).sum()
    }

    fn utilisation(&self) -> f64 {
        (self.growing() + self.constant) / self.threads
    }

    /// By how much the rate of the sources may grow before this place works all the time.
    fn headroom(&self) -> f64 {
        headroom(self.threads, self.growing(), self.constant)
    }

    /// The same with the cores as busy as they were.
    fn headroom_as_it_was(&self) -> f64 {
        headroom(self.threads, self.growing() * self.stretch, self.constant * self.stretch)
    }

    fn busiest_node(&self) -> Option<(usize, f64)> {
        self.growing.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn headroom(capacity: f64, growing: f64, constant: f64) -> f64 {
    if growing > 0.0 { (capacity - constant).max(0.0) / growing } else { f64::INFINITY }
}

impl Report {
    /// The limit of the graph, as far as its own service times show; `None` before frames were sent, or without
    /// statistics. All times are since the start of the run.
    ///
    /// The estimate takes the service times as they are: it does not know that caches and memory are shared. The report
    /// gives the measured time that threads waited for a core beside the estimate.
    pub fn bottleneck(&self) -> Option<Bottleneck> {
        let seconds = self.elapsed_ns as f64 / 1e9;
        let is_source = self.sources();
        let sent: u64 = self.nodes.iter().zip(&is_source).filter(|(_, s)| **s).map(|(n, _)| n.emitted).sum();
        if sent == 0 || seconds == 0.0 {
            return None;
        }
        let rate_hz = sent as f64 / seconds;
        let places = self.places(seconds);
        let (factor, limit) = limit_of(&places, self.cores)?;
        let busiest = busiest(&places)?;
        let node = busiest.busiest_node()?.0;
        let one_more = self.with_one_more(&places, node).and_then(|(node, placement, places)| {
            let (factor, limit) = limit_of(&places, self.cores)?;
            let factor = factor.min(as_it_was(&places));
            Some(MoreThreads { node, placement, sustainable_hz: factor * rate_hz, limit })
        });
        Some(Bottleneck {
            rate_hz,
            sustainable_hz: factor.min(as_it_was(&places)) * rate_hz,
            undisturbed_hz: factor * rate_hz,
            delayed: self.delayed(),
            limit,
            node,
            utilisation: busiest.utilisation(),
            cpu_utilisation: places.iter().map(|p| (p.growing() + p.constant) * p.cpu_share).sum::<f64>()
                / self.cores as f64,
            one_more,
        })
    }

    /// The largest share of the time that one thread was ready to run and had no core.
    fn delayed(&self) -> f64 {
        let delayed = self.threads.iter().filter_map(|thread| thread.delayed_ns).max();
        delayed.unwrap_or(0) as f64 / self.elapsed_ns.max(1) as f64
    }

    fn sources(&self) -> Vec<bool> {
        let mut is_source = vec![true; self.nodes.len()];
        self.edges.iter().filter_map(|edge| edge.nodes.1).for_each(|node| is_source[node] = false);
        is_source
    }

    fn places(&self, seconds: f64) -> Vec<WorkPlace> {
        let demands = self.demands();
        let mut places: BTreeMap<Vec<usize>, WorkPlace> = BTreeMap::new();
        let mut threads_of: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (number, thread) in self.threads.iter().enumerate() {
            thread.nodes.iter().for_each(|node| threads_of[*node].push(number));
        }
        for ((node, demand), threads) in demands.iter().enumerate().zip(threads_of) {
            let count = threads.len().max(1) as f64;
            let place = places.entry(threads).or_default();
            place.threads = count;
            match demand.is_constant {
                true => place.constant += demand.own_ns / 1e9 / seconds,
                false => place.growing.push((node, demand.own_ns / 1e9 / seconds)),
            }
        }
        for (threads, place) in &mut places {
            self.tell_cpu_from_waiting(threads, place, &demands);
        }
        places.into_values().collect()
    }

    /// A handler that waits for a core seems to take longer than it does: the waiting time is subtracted. Time of a
    /// thread that is neither CPU time nor waiting for a core is time in which it was blocked. A thread waits for a
    /// core also when it is woken for a frame, outside a handler; the share inside handlers is not known, and taken to
    /// be the share of time that the thread was in handlers.
    fn tell_cpu_from_waiting(&self, threads: &[usize], place: &mut WorkPlace, demands: &[Demand]) {
        let sum = |of: fn(&ThreadReport) -> Option<u64>| -> Option<u64> {
            threads.iter().map(|t| of(&self.threads[*t])).sum()
        };
        (place.cpu_share, place.stretch) = (1.0, 1.0);
        let outermost = |node: &usize| self.nodes[*node].placement != Placement::Inline;
        let busy: f64 = self.nodes_on(threads).filter(outermost).map(|node| demands[node].busy_ns).sum();
        if busy <= 0.0 {
            return;
        }
        // Without the system's times the service times are taken as they are.
        let Some(cpu) = sum(|t| t.cpu_ns) else { return };
        // A thread that polls uses more CPU time than it has work.
        let cpu = busy.min(cpu as f64);
        let inside = (busy / (self.elapsed_ns as f64 * place.threads)).min(1.0);
        // Never below the CPU time: the estimate of the waiting inside handlers may be too large.
        let real = (busy - inside * sum(|t| t.delayed_ns).unwrap_or(0) as f64).max(cpu);
        place.growing.iter_mut().for_each(|(_, work)| *work *= real / busy);
        place.constant *= real / busy;
        (place.cpu_share, place.stretch) = (cpu / real, busy / real);
    }

    fn nodes_on(&self, threads: &[usize]) -> impl Iterator<Item = usize> {
        let first = threads.first().map(|t| &self.threads[*t].nodes);
        first.into_iter().flatten().copied()
    }

    fn demands(&self) -> Vec<Demand> {
        let count = self.nodes.len();
        let mut demands: Vec<Demand> = vec![Demand::default(); count];
        let leading_to = ByNode::new(count, self.edges.iter().map(|edge| edge.nodes.1));
        // The graph has no cycle, so that after as many rounds as it has nodes everything upstream is known. Most files name
        // senders before receivers, and are done after two.
        for _ in 0..count {
            let before = demands.clone();
            for node in 0..count {
                let incoming: Vec<&EdgeAccount> = leading_to.of(node).map(|edge| &self.edges[edge]).collect();
                demands[node] = self.demand(node, &incoming, &demands);
            }
            if demands == before {
                break;
            }
        }
        let leading_from = ByNode::new(count, self.edges.iter().map(|edge| Some(edge.nodes.0)));
        for node in 0..count {
            let children = leading_from.of(node).filter_map(|edge| self.edges[edge].nodes.1);
            let inside = children.filter(|child| self.nodes[*child].placement == Placement::Inline);
            let inside_busy: f64 = inside.map(|child| demands[child].busy_ns).sum();
            let own_busy = (demands[node].busy_ns - inside_busy).max(0.0);
            demands[node].own_ns = own_busy * demands[node].scale;
        }
        demands
    }

    fn demand(&self, node: usize, incoming: &[&EdgeAccount], upstream: &[Demand]) -> Demand {
        let report = &self.nodes[node];
        if incoming.is_empty() {
            return Demand {
                busy_ns: report.service.sum_ns as f64,
                scale: 1.0,
                own_ns: 0.0,
                is_constant: false,
            };
        }
        let is_constant = incoming.iter().all(|e| does_not_grow(e) || upstream[e.nodes.0].is_constant);
        let wanted: f64 = incoming.iter().map(|e| e.arrived() as f64 * upstream[e.nodes.0].scale).sum();
        let scale = match report.received {
            0 => 1.0,
            _ if is_constant => 1.0,
            // At least 1: a sum of counts that are read one after the other may be a few frames short.
            received => (wanted / received as f64).max(1.0),
        };
        let busy_ns = report.service.mean_ns() as f64 * report.received as f64;
        Demand { busy_ns, scale, own_ns: 0.0, is_constant }
    }

    /// The places if a thread is added for this node: for itself if it shares one, or for one that runs inside it, else
    /// one more.
    fn with_one_more(&self, places: &[WorkPlace], node: usize) -> Option<(usize, Placement, Vec<WorkPlace>)> {
        let at = places.iter().position(|p| p.growing.iter().any(|(n, _)| *n == node))?;
        let mut places = places.to_vec();
        let place = &mut places[at];
        let mut others = place.growing.clone();
        others.retain(|(n, work)| *n != node && *work > 0.0);
        // A node of a pool needs one more copy. A node with a thread of its own can only be relieved of the largest node
        // inside it. A node that shares a thread gets its own, if anything else works on the shared one.
        let moved = match self.nodes[node].placement {
            Placement::Pool(_) => None,
            Placement::Own => others.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(child, _)| child),
            _ => Some(node).filter(|_| !others.is_empty() || place.constant > 0.0),
        };
        if let Some(moved) = moved {
            let (growing, rest) = place.growing.iter().partition(|(n, _)| *n == moved);
            place.growing = rest;
            let (cpu_share, stretch) = (place.cpu_share, place.stretch);
            places.push(WorkPlace { threads: 1.0, growing, constant: 0.0, cpu_share, stretch });
            return Some((moved, Placement::Own, places));
        }
        if !self.nodes[node].parallel {
            return None;
        }
        place.threads += 1.0;
        let placement = Placement::Pool(place.threads as usize);
        Some((node, placement, places))
    }
}

/// The time that a node needs of its place, in ns since the start.
#[derive(Clone, PartialEq, Debug, Default)]
struct Demand {
    /// The time that it took, with the nodes inside it.
    busy_ns: f64,
    /// The factor by which it would have had to handle more frames if none had been lost.
    scale: f64,
    /// The time that it would have taken for all of them, without the nodes inside it.
    own_ns: f64,
    is_constant: bool,
}

/// The edge passes only this many frames, at any rate of arrival.
fn does_not_grow(edge: &EdgeAccount) -> bool {
    edge.when_full == WhenFull::Latest || edge.lost.contains_key(&LossReason::RateLimited)
}

fn busiest(places: &[WorkPlace]) -> Option<&WorkPlace> {
    let working = places.iter().filter(|p| p.growing() > 0.0);
    working.min_by(|a, b| a.headroom().total_cmp(&b.headroom()))
}

/// By how much the rate may grow with the cores as busy as they were.
fn as_it_was(places: &[WorkPlace]) -> f64 {
    places.iter().map(WorkPlace::headroom_as_it_was).fold(f64::INFINITY, f64::min)
}

/// The factor by which the rate may grow, and the limit then.
fn limit_of(places: &[WorkPlace], cores: usize) -> Option<(f64, Limit)> {
    let busiest = busiest(places)?;
    let node = busiest.busiest_node()?.0;
    let growing: f64 = places.iter().map(|p| p.growing() * p.cpu_share).sum();
    let constant: f64 = places.iter().map(|p| p.constant * p.cpu_share).sum();
    let cpu = headroom(cores as f64, growing, constant);
    let place = busiest.headroom();
    Some(if cpu < place { (cpu, Limit::Cpu) } else { (place, Limit::Node(node)) })
}

#[cfg(test)]
mod tests;
