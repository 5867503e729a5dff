//! Random graphs under random schedules in virtual time: the ledger closes at every step.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common;

use common::*;
use livetime_engine::testing::{Random, Simulation};
use livetime_engine::{EdgeOptions, Graph, Placement, Report, WhenFull};
use proptest::prelude::*;

const POLICIES: [WhenFull; 5] =
    [WhenFull::Block, WhenFull::DropNewest, WhenFull::DropOldest, WhenFull::Latest, WhenFull::Fail];

/// Two sources, a layer of processes, a layer of sinks, wired at random.
fn random_graph(random: &mut Random) -> Graph {
    let mut graph = Graph::default();
    let sources = 1 + random.below(2);
    let processes = 1 + random.below(3);
    let sinks = 1 + random.below(3);
    (0..sources).for_each(|i| _ = graph.add(&format!("source{i}"), COUNTER).unwrap());
    (0..processes).for_each(|i| _ = graph.add(&format!("pass{i}"), PASS).unwrap());
    (0..sinks).for_each(|i| _ = graph.add(&format!("sink{i}"), TALLY).unwrap());
    for i in 0..sources {
        set(&mut graph, &format!("source{i}"), "frames", random.below(200) as i64 + 1);
        set(&mut graph, &format!("source{i}"), "period", random.below(3) as f64 * 1e-6);
    }
    for i in 0..processes {
        let node = format!("pass{i}");
        set(&mut graph, &node, "fail_every", random.below(4) as i64 * 3);
        set(&mut graph, &node, "together", random.below(4) as i64 + 1);
        connect(&mut graph, random, &format!("source{}", random_index(i, sources)), &node);
        if random.below(3) == 0 {
            connect(&mut graph, random, "source0", &format!("{node}.in2"));
        }
    }
    for i in 0..sinks {
        connect(&mut graph, random, &format!("pass{}", random_index(i, processes)), &format!("sink{i}"));
    }
    for node in 0..graph.nodes().len() {
        place(&mut graph, random, node);
    }
    graph
}

fn random_index(i: usize, count: usize) -> usize {
    i % count
}

fn connect(graph: &mut Graph, random: &mut Random, from: &str, to: &str) {
    let options = EdgeOptions {
        when_full: POLICIES[random.below(POLICIES.len())],
        queue: 1 + random.below(6),
        every: 1 + (random.below(4) == 0) as u64 * 2,
        max_rate_hz: (random.below(5) == 0).then_some(2e5),
        max_bytes_per_s: None,
    };
    graph.connect(from, to, options).unwrap();
}

/// Placements that `check` would refuse are taken back.
fn place(graph: &mut Graph, random: &mut Random, node: usize) {
    let placements = [
        Placement::Own,
        Placement::Group("a".into()),
        Placement::Group("b".into()),
        Placement::Inline,
        Placement::Pool(2),
    ];
    graph.options_mut(node).unwrap().placement = placements[random.below(placements.len())].clone();
    if graph.check().is_err() {
        graph.options_mut(node).unwrap().placement = Placement::Own;
    }
}

fn assert_closed(report: &Report) {
    for e in &report.edges {
        assert!(e.is_closed(), "{e:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_closes_at_every_step(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random);
        let mut simulation = Simulation::new(&graph, seed).unwrap();
        let abort_at = if random.below(4) == 0 { random.below(500) } else { usize::MAX };
        for step in 0..200_000 {
            match random.below(200) {
                0 => simulation.set_enabled(random.below(graph.nodes().len()), random.below(2) == 0),
                1 => _ = simulation.set("pass0", "fail_every", &(random.below(5) as i64).into()),
                _ => {}
            }
            if step == abort_at {
                simulation.abort();
            }
            if step % 7 == 0 {
                assert_closed(&simulation.report());
            }
            if !simulation.step() {
                break;
            }
        }
        prop_assert!(simulation.is_finished(), "stuck: {:#?}", simulation.report());
        let report = simulation.report();
        assert_balanced(&report);
        prop_assert!(report.edges.iter().all(|e| e.queued == 0));
    }
}

#[test]
fn a_seed_repeats_its_schedule() {
    let outcome = |seed| {
        let mut random = Random::new(5);
        let mut simulation = Simulation::new(&random_graph(&mut random), seed).unwrap();
        assert!(simulation.run_to_end(100_000));
        let report = simulation.report();
        (report.elapsed_ns, report.edges)
    };
    assert_eq!(outcome(1), outcome(1));
}

#[test]
fn virtual_time_follows_the_source_and_nothing_else() {
    let mut graph = chain(WhenFull::Block, 4);
    set(&mut graph, "counter", "frames", 11);
    set(&mut graph, "counter", "period", 0.5);
    let mut simulation = Simulation::new(&graph, 1).unwrap();
    assert!(simulation.run_to_end(10_000));
    assert_eq!(simulation.report().elapsed_ns, 5_000_000_000);
    let tally = simulation.visit("tally", |t: &mut Tally| (t.0.frames, t.0.last));
    assert_eq!(tally, Some((11, 11)));
}
