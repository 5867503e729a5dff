use livetime_engine::EdgeOptions;

use super::*;

fn graph() -> Graph {
    let find = |name: &str| livetime_nodes::ALL.iter().find(|node| node.spec.name == name).unwrap().clone();
    let mut graph = Graph::default();
    // Declared against the flow.
    graph.add("last", find("null")).unwrap();
    graph.add("middle", find("statistics")).unwrap();
    graph.add("first", find("sim_detector")).unwrap();
    graph.connect("middle", "last", EdgeOptions::default()).unwrap();
    graph.connect("first", "middle", EdgeOptions::default()).unwrap();
    graph
}

fn trails(late: &[(u64, u64)], early: &[(u64, u64)]) -> Vec<Trail> {
    vec![
        Trail { from: (1, 0), to: (0, 0), frames: late.to_vec() },
        Trail { from: (2, 0), to: (1, 0), frames: early.to_vec() },
    ]
}

#[test]
fn the_node_nearest_to_the_source_is_named_and_its_first_frame() {
    let graph = graph();
    let (one, other) = (trails(&[(1, 5)], &[(1, 5), (2, 6)]), trails(&[(1, 9)], &[(1, 5), (2, 7)]));
    assert_eq!(Difference::first(&graph, &one, &one), None);
    let mut verdict = Verdict::new(&graph, &one, 0);
    assert_eq!(verdict.text(), "the same: 1 run, 3 frames on 2 edges\n");
    verdict.difference = Difference::first(&graph, &one, &other);
    verdict.runs = 4;
    let wanted = "not the same: run 4 against run 1: first.out to middle: frame 1 (number 2) differs\n";
    assert_eq!(verdict.text(), wanted);
    assert_eq!(verdict.json()["difference"]["node"], "first");
    let short = trails(&[(1, 5)], &[(1, 5)]);
    verdict.difference = Difference::first(&graph, &one, &short);
    assert!(verdict.text().ends_with("first.out to middle: 1 frames came, not 2\n"), "{}", verdict.text());
}

#[test]
fn a_live_source_is_refused_with_what_to_do() {
    let refused = refuse_endless(&graph()).unwrap_err();
    assert!(format!("{refused:?}").contains("`first` (sim_detector), which may not: give --frames N"));
}
