use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::AttributeValue;

use super::*;

fn capturing(params: &[(&str, Value)]) -> Harness {
    let mut node = Harness::new::<CircularBuffer>(params).unwrap();
    node.set("capture", true).unwrap();
    node
}

/// Feeds `count` frames; the numbers of those sent.
fn feed(node: &mut Harness, count: usize) -> Vec<u64> {
    let mut sent = Vec::new();
    for _ in 0..count {
        let frame = node.image::<u16>(&[2, 5], &[1; 10]).unwrap();
        sent.extend(numbers(&node.feed(&frame).unwrap()));
    }
    sent
}

fn numbers(frames: &[Frame]) -> Vec<u64> {
    frames.iter().map(|f| f.header().sequence).collect()
}

fn status(node: &mut Harness) -> String {
    node.get("status_message").unwrap().to_string()
}

/// The behaviour that upstream's own tests check: counts and messages while the buffer fills.
#[test]
fn fills_and_wraps() {
    let mut node = Harness::new::<CircularBuffer>(&[("pre_count", 10.into())]).unwrap();
    assert_eq!(status(&mut node), "Idle");
    assert_eq!(feed(&mut node, 3), [0u64; 0], "nothing is kept or sent without a capture");
    node.set("capture", true).unwrap();
    assert_eq!(status(&mut node), "Buffer filling");
    assert_eq!(feed(&mut node, 9), [0u64; 0]);
    assert_eq!((status(&mut node), node.number_of("current_qty")), ("Buffer filling".into(), 9.0));
    assert_eq!(feed(&mut node, 21), [0u64; 0]);
    assert_eq!((status(&mut node), node.number_of("current_qty")), ("Buffer Wrapping".into(), 10.0));
    assert_eq!(node.number_of("held_bytes"), 200.0);
    node.set("capture", false).unwrap();
    assert_eq!((status(&mut node), node.number_of("current_qty")), ("Acquisition Stopped".into(), 0.0));
    assert_eq!(node.number_of("held_bytes"), 0.0);
}

#[test]
fn a_trigger_by_hand_sends_what_was_before_and_what_comes() {
    let mut node = capturing(&[("pre_count", 3.into()), ("post_count", 4.into())]);
    assert_eq!(feed(&mut node, 5), [0u64; 0]);
    node.set("trigger", true).unwrap();
    assert_eq!(node.get("triggered"), Some(true.into()));
    assert_eq!(feed(&mut node, 1), [2, 3, 4, 5]);
    assert_eq!((status(&mut node), node.number_of("post_trigger_qty")), ("Flushing".into(), 1.0));
    assert_eq!(feed(&mut node, 10), [6, 7, 8]);
    assert_eq!(status(&mut node), "Acquisition Completed");
    for (name, wanted) in [("capture", false), ("trigger", false), ("triggered", false)] {
        assert_eq!(node.get(name), Some(wanted.into()), "{name}");
    }
    assert_eq!((node.number_of("actual_trigger_count"), node.number_of("post_trigger_qty")), (1.0, 4.0));
}

/// The sequence of writes of ophyd-async's detector with continuous acquisition.
#[test]
fn no_frames_before_and_n_after() {
    let mut node = capturing(&[("pre_count", 0.into()), ("post_count", 5.into())]);
    assert_eq!(status(&mut node), "Dropping frames");
    assert_eq!(feed(&mut node, 4), [0u64; 0]);
    node.set("trigger", true).unwrap();
    assert_eq!(feed(&mut node, 9), [4, 5, 6, 7, 8]);
    node.set("capture", true).unwrap();
    node.set("trigger", true).unwrap();
    assert_eq!(feed(&mut node, 9), [13, 14, 15, 16, 17]);
}

#[test]
fn a_flush_at_once_does_not_wait_for_a_frame() {
    let mut node = capturing(&[("pre_count", 3.into()), ("post_count", 1.into())]);
    node.set("flush_on_soft_trg", "immediately").unwrap();
    feed(&mut node, 3);
    node.set("trigger", true).unwrap();
    assert_eq!(numbers(&node.advance(1).unwrap()), [0, 1, 2]);
    assert_eq!(node.number_of("current_qty"), 0.0);
    assert_eq!(feed(&mut node, 2), [3]);
    node.set("trigger", true).unwrap();
    assert_eq!(node.get("trigger"), Some(false.into()), "without a capture there is nothing to trigger");
}

/// Attributes, counts and constants in the expression; several triggers.
#[test]
fn triggers_by_expression() {
    let mut node = Harness::new::<CircularBuffer>(&[
        ("trigger_a", "Level".into()),
        ("trigger_b", "NDArrayUniqueId".into()),
        ("trigger_calc", "A > 10 && B > D && E = C".into()),
        ("pre_count", 1.into()),
        ("post_count", 2.into()),
        ("preset_trigger_count", 2.into()),
        ("capture", true.into()),
    ])
    .unwrap();
    let level = "Level".into();
    let mut sent = Vec::new();
    for value in [20, 5, 5, 20, 5, 20, 20, 5, 20] {
        let frame = node
            .bytes_with(&[0], |header| header.attributes.set(&level, AttributeValue::Int(value)))
            .unwrap();
        sent.extend(numbers(&node.feed(&frame).unwrap()));
    }
    // Frame 3 is the first after number 2 above 10; frame 5 finds nothing kept, and is kept.
    assert_eq!(sent, [2, 3, 4, 5, 6, 7]);
    assert_eq!(
        (node.number_of("actual_trigger_count"), status(&mut node)),
        (2.0, "Acquisition Completed".into())
    );
    assert_eq!((node.number_of("trigger_a_val"), node.number_of("trigger_b_val")), (20.0, 6.0));
    assert_eq!(node.number_of("trigger_calc_val"), 1.0);
}

#[test]
fn a_frame_without_the_attribute_is_nan_and_no_trigger() {
    let mut node = capturing(&[("trigger_a", "Nothing".into()), ("trigger_calc", "A".into())]);
    assert_eq!(feed(&mut node, 3), [0u64; 0]);
    assert!(node.number_of("trigger_a_val").is_nan() && node.number_of("trigger_calc_val").is_nan());
    node.set("trigger_calc", "1/0").unwrap();
    assert_eq!(feed(&mut node, 3), [0u64; 0], "infinite is no trigger");
    node.set("trigger_calc", "0.5").unwrap();
    assert_eq!(feed(&mut node, 1), [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn endless_triggers_and_no_frames_after() {
    let mut node = capturing(&[
        ("pre_count", 1.into()),
        ("post_count", 0.into()),
        ("preset_trigger_count", 0.into()),
        ("trigger_a", "NDArrayUniqueId".into()),
        ("trigger_calc", "A % 3 = 2".into()),
    ]);
    assert_eq!(feed(&mut node, 9), [1, 2, 4, 5, 7, 8], "the frame of the trigger is sent always");
    assert_eq!((node.number_of("actual_trigger_count"), status(&mut node)), (3.0, "Buffer filling".into()));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut node = capturing(&[("pre_count", 2.into())]);
    let error = node.set("pre_count", 3).unwrap_err().to_string();
    assert!(error.contains("found one under way with 2"), "{error}");
    let error = node.set("trigger_calc", "A >").unwrap_err().to_string();
    assert!(error.contains("found the end at character 4"), "{error}");
    assert!(Harness::new::<CircularBuffer>(&[("trigger_calc", ")".into())]).is_err());
    node.set("trigger_calc", "").unwrap();
    assert_eq!(node.get("trigger_calc"), Some("0".into()));
}

/// Frames that are kept must not starve the source.
#[test]
fn memory_is_bounded_by_its_share() {
    let mut node = capturing(&[("pool_share", 0.0.into())]);
    assert_eq!(feed(&mut node, 3), [0u64; 0]);
    assert_eq!((node.number_of("current_qty"), node.number_of("released_early")), (0.0, 3.0));
    node.set("pool_share", 1.0).unwrap();
    feed(&mut node, 3);
    assert_eq!((node.number_of("current_qty"), node.number_of("released_early")), (3.0, 3.0));
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<CircularBuffer>(&[]);
    assert_compliant::<CircularBuffer>(&[("capture", true.into()), ("trigger_calc", "1".into())]);
}
