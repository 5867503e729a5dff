use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::FramePool;
use proptest::prelude::*;

use super::*;

fn activity(time: u64, kind: u16) -> ActivityRow {
    ActivityRow { time_start: time, time_activity: time, kind, ..ActivityRow::default() }
}

fn table(rows: &[ActivityRow], watermark: u64) -> Frame {
    RowTable::with(&FramePool::new(1 << 24), rows, None, watermark).unwrap()
}

fn rows_of(frames: &[Frame]) -> Vec<DecisionRow> {
    let (mut all, mut rows, mut promised) = (Vec::new(), Vec::new(), 0);
    for frame in frames {
        RowTable::default().read(frame, &mut rows).unwrap();
        assert!(rows.iter().all(|row: &DecisionRow| row.window_begin >= promised), "{promised}: {rows:?}");
        assert!(watermark_of(frame).unwrap() >= promised);
        promised = watermark_of(frame).unwrap();
        all.append(&mut rows);
    }
    all
}

fn node(params: &[(&str, Value)]) -> Harness {
    let short: [(&str, Value); 4] =
        [("before", 10.into()), ("after", 20.into()), ("buffer", 100.into()), ("readout_limit", 200.into())];
    Harness::new::<TriggerCandidate>(&[&short[..], params].concat()).unwrap()
}

#[test]
fn nothing_is_decided_before_all_inputs_have_passed() {
    let mut node = node(&[("inputs", 2.into())]);
    assert!(node.feed_to(1, &table(&[activity(500, 5)], 10_000)).unwrap().is_empty());
    let out = node.feed(&table(&[activity(510, 6)], 600)).unwrap();
    assert_eq!((rows_of(&out).len(), watermark_of(&out[0])), (1, Some(590)));
    let row = rows_of(&out)[0];
    assert_eq!((row.number, row.window_begin, row.window_end, row.kinds), (1, 490, 530, 0x60));
    let error = node.feed_to(2, &table(&[], 0)).unwrap_err().to_string();
    assert!(error.contains("wanted `inputs: 3`") && error.contains("found 2"), "{error}");
}

#[test]
fn the_watermark_is_before_all_windows_to_come() {
    let mut node = node(&[("windows", "supernova -400 +50".into())]);
    let out = node.feed(&table(&[activity(1000, 5)], 1050)).unwrap();
    assert_eq!((rows_of(&out).len(), watermark_of(&out[0])), (0, Some(650)));
    let out = node.feed(&table(&[activity(1060, 3)], 3000)).unwrap();
    let rows = rows_of(&out);
    // Overlaps with the first, but would be longer than the limit.
    assert_eq!(
        rows.iter().map(|r| (r.window_begin, r.window_end)).collect::<Vec<_>>(),
        [(990, 1020), (660, 1110)]
    );
    assert_eq!(watermark_of(&out[0]), Some(2600));
}

#[test]
fn every_reason_is_counted() {
    let mut node = node(&[
        ("ignore", "prescale".into()),
        ("require", "adjacency + michel, supernova".into()),
        ("prescale", 2.into()),
        ("hold_off", 1000.into()),
        ("most_open", 1.into()),
        ("record_time", 480.into()),
        ("most_held", 20.into()),
    ]);
    let mut rows = vec![activity(1000, 5), activity(1010, 24)];
    rows.extend([2000, 3000, 3400, 3500, 3600, 3800, 4000, 9000].map(|time| activity(time, 3)));
    rows.extend([activity(9500, 24), activity(9505, 8)]);
    let out = node.feed(&table(&rows, 20_000)).unwrap();
    // Of the supernovae at 2000, 3000 … every second: 3000 passes and is read out until 3500, 3500 is in its hold-off as is 3800; 9000.
    let times: Vec<_> = rows_of(&out).iter().map(|r| (r.number, r.time_candidate)).collect();
    assert_eq!(times, [(1, 3000), (2, 9000)]);
    let mut number = |name: &str| node.number_of(name);
    assert_eq!((number("ignored"), number("no_coincidence"), number("prescaled")), (1.0, 1.0, 5.0));
    assert_eq!((number("held_off"), number("while_dead"), number("decisions")), (2.0, 0.0, 2.0));
    node.set("prescale", 1).unwrap();
    let more = [activity(20_000, 3), activity(20_300, 3)];
    assert_eq!(rows_of(&node.feed(&table(&more, 30_000)).unwrap()).len(), 1);
    assert_eq!(node.number_of("while_dead"), 1.0);
    let ms = ["live_ms", "paused_ms", "dead_ms"].map(|name| node.number_of(name));
    // Decided on up to the watermark from the first activity on, in ticks of 20 ns.
    assert!((ms.iter().sum::<f64>() - 28_990.0 * 20e-6).abs() < 1e-9, "{ms:?}");
    assert!(
        (ms[2] - 3.0 * 500.0 * 20e-6).abs() < 1e-9 && (ms[1] - 3.0 * 500.0 * 20e-6).abs() < 1e-9,
        "{ms:?}"
    );
}

#[test]
fn late_and_too_many_activities_are_counted_and_named() {
    let mut node = node(&[("most_held", 2.into())]);
    node.feed(&table(&[], 1000)).unwrap();
    let out =
        node.feed(&table(&[activity(999, 5), activity(1000, 5), activity(1100, 5), activity(1150, 5)], 1000));
    assert!(out.unwrap().is_empty());
    assert_eq!(
        (node.number_of("late"), node.number_of("left_out"), node.number_of("activities")),
        (1.0, 1.0, 4.0)
    );
    assert!(node.events()[0].message.contains("found one of algorithm 0 at 999"));
    assert_eq!(rows_of(&node.drain().unwrap()).len(), 2);
}

#[test]
fn an_input_that_never_came_is_named_at_the_end() {
    let mut node = node(&[("inputs", 2.into())]);
    node.feed(&table(&[activity(100, 5)], 1000)).unwrap();
    assert_eq!(rows_of(&node.drain().unwrap()).len(), 1, "what came is not lost");
    assert!(node.events()[0].message.contains("1 of 2 inputs"));
}

#[test]
fn the_end_of_all_time_is_no_time() {
    let mut node = node(&[]);
    node.feed(&table(&[activity(1000, 5)], 1500)).unwrap();
    let out = node.feed(&table(&[activity(2000, 5)], u64::MAX)).unwrap();
    assert_eq!((rows_of(&out).len(), watermark_of(&out[0])), (1, Some(u64::MAX)));
    assert!((node.number_of("live_ms") - 1000.0 * 20e-6).abs() < 1e-9, "{}", node.number_of("live_ms"));
}

#[test]
fn texts_that_say_nothing_are_refused() {
    let error = Harness::new::<TriggerCandidate>(&[("ignore", "adjacent".into())]).err().unwrap().to_string();
    assert!(error.contains("did you mean `adjacency`?"), "{error}");
    let mut node = node(&[("ignore", "prescale".into())]);
    assert!(node.set("windows", "prescale").is_err());
    node.feed(&table(&[activity(100, 5)], 1000)).unwrap();
    assert_eq!(node.number_of("ignored"), 1.0, "the texts before stay");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn decisions_do_not_depend_on_how_activities_come(
        raw in prop::collection::vec((0u64..4000, 2u16..9, 0usize..3), 0..80),
        waits in prop::collection::vec((0u64..400, 0usize..3), 1..40),
    ) {
        let params = [
            ("inputs", 3.into()), ("hold_off", 150.into()), ("most_open", 2.into()), ("record_time", 90.into()),
            ("windows", "7 -150 +20".into()), ("require", "3, 4 + 5, 6, 7, 8".into()),
        ];
        let of_input = |input: usize, from: u64, to: u64| -> Vec<ActivityRow> {
            let fits = |r: &&(u64, u16, usize)| r.2 == input && (from..to).contains(&(1000 + r.0));
            raw.iter().filter(fits).map(|r| activity(1000 + r.0, r.1)).collect()
        };
        let mut whole = node(&params);
        let mut expected = Vec::new();
        for input in 0..3 {
            expected.extend(whole.feed_to(input, &table(&of_input(input, 0, u64::MAX), 6000)).unwrap());
        }
        expected.extend(whole.drain().unwrap());
        let (mut cut, mut out, mut passed) = (node(&params), Vec::new(), [1000; 3]);
        for (wait, input) in waits {
            let until = passed[input] + wait;
            out.extend(cut.feed_to(input, &table(&of_input(input, passed[input], until), until)).unwrap());
            passed[input] = until;
        }
        for (input, from) in passed.into_iter().enumerate() {
            let until = from.max(6000);
            out.extend(cut.feed_to(input, &table(&of_input(input, from, u64::MAX), until)).unwrap());
        }
        out.extend(cut.drain().unwrap());
        let rows = rows_of(&out);
        prop_assert!(rows.iter().zip(1..).all(|(row, number)| row.number == number));
        prop_assert_eq!(&rows, &rows_of(&expected));
        prop_assert_eq!(cut.number_of("late"), 0.0);
        let reasons = ["held_off", "while_dead", "no_coincidence", "decisions"];
        prop_assert_eq!(reasons.map(|r| cut.number_of(r)), reasons.map(|r| whole.number_of(r)));
    }
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<TriggerCandidate>(&[]);
    assert_compliant::<TriggerCandidate>(&[("inputs", 8.into())]);
}

#[test]
fn a_clock_that_is_set_back_begins_an_epoch_when_all_inputs_have_followed() {
    let mut node = node(&[("inputs", 2.into())]);
    let begins = |frames: Vec<Frame>| rows_in(&frames).iter().map(|row| row.window_begin).collect::<Vec<_>>();
    let mut decided = begins(node.feed(&table(&[activity(5000, 5)], 5050)).unwrap());
    decided.extend(begins(node.feed(&table(&[activity(1000, 5)], 1050)).unwrap()));
    assert_eq!(decided, [], "the other input may have some of the epoch before");
    decided.extend(begins(node.feed_to(1, &table(&[activity(5300, 6)], 5400)).unwrap()));
    decided.extend(begins(node.feed_to(1, &table(&[], 1100)).unwrap()));
    decided.extend(begins(node.feed(&table(&[activity(2000, 5)], 2050)).unwrap()));
    decided.extend(begins(node.drain().unwrap()));
    assert_eq!(decided, [4990, 5290, 990, 1990]);
    assert_eq!((node.number_of("late"), node.number_of("decisions")), (0.0, 4.0));
}

fn rows_in(frames: &[Frame]) -> Vec<DecisionRow> {
    frames.iter().flat_map(|frame| rows_of(std::slice::from_ref(frame))).collect()
}

#[test]
fn of_150_edges_to_one_input_a_dead_one_holds_nobody_up_and_catches_up() {
    let params = [("inputs", 150.into()), ("dead_after", 0.1.into()), ("buffer", 0.into())];
    let (mut node, mut decided, ms) = (node(&params), Vec::new(), 1_000_000);
    let mut round = |node: &mut Harness, at: u64, but: Option<usize>| {
        let mut out = node.advance(at * 10 * ms).unwrap();
        for sender in (0..150).filter(|sender| Some(*sender) != but) {
            let rows = if sender == 140 { vec![activity(at * 1000 + 500, 5)] } else { vec![] };
            out.extend(node.feed_from(sender, &table(&rows, at * 1000 + 1000)).unwrap());
        }
        decided.extend(rows_in(&out).iter().map(|row| row.time_candidate));
        decided.len()
    };
    for at in 1..10 {
        round(&mut node, at, None);
    }
    assert_eq!(node.number_of("inputs_heard"), 150.0);
    // Nothing is decided while stream 77 may bring earlier ones.
    let before = round(&mut node, 10, Some(77));
    assert_eq!((before, round(&mut node, 11, Some(77))), (9, 9));
    for at in 12..40 {
        round(&mut node, at, Some(77));
    }
    assert_eq!((node.number_of("inputs_dead"), node.number_of("deaths")), (1.0, 1.0));
    // Its activities of the time that is decided are late; then it catches up.
    node.feed_from(77, &table(&[activity(20_000, 5)], 39_000)).unwrap();
    assert_eq!((node.number_of("late"), node.number_of("inputs_dead")), (1.0, 1.0));
    node.feed_from(77, &table(&[], 41_000)).unwrap();
    assert_eq!(node.number_of("inputs_dead"), 0.0);
    assert_eq!(round(&mut node, 40, Some(77)), 40);
    let told: Vec<String> = node.events().into_iter().map(|event| event.message).collect();
    assert!(told[0].contains("from output 0 of node 77 is dead") && told[2].contains("is back"), "{told:?}");
    let error = node.feed_from(150, &table(&[], 0)).unwrap_err().to_string();
    assert!(error.contains("wanted `inputs: 151`"), "{error}");
}

#[test]
fn inputs_that_never_come_are_given_up() {
    let mut node = node(&[("inputs", 2.into()), ("dead_after", 0.1.into())]);
    node.feed_from(1, &table(&[activity(500, 5)], 1000)).unwrap();
    let mut out = Vec::new();
    for step in 1..10u64 {
        out.extend(node.advance(step * 30_000_000).unwrap());
        out.extend(node.feed_from(1, &table(&[], 1000 + step)).unwrap());
    }
    assert_eq!(rows_of(&out).len(), 1);
    // One that comes late has to catch up first.
    node.feed_from(2, &table(&[activity(600, 5)], 700)).unwrap();
    assert_eq!((node.number_of("late"), node.number_of("inputs_dead")), (1.0, 1.0));
    node.feed_from(2, &table(&[], 2000)).unwrap();
    assert_eq!(node.number_of("inputs_dead"), 0.0);
}
