use std::sync::Arc;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::FramePool;
use proptest::prelude::*;

use super::*;
use crate::Piece;
use crate::process::record_bytes::RecordBytes;

const BYTES: usize = 464;

/// Three raw frames; all but the first belong to the fragment.
fn fragment(link: u16) -> Fragment {
    let mut frame = FramePool::new(1 << 20).allocator().bytes(3 * BYTES).unwrap();
    frame.bytes_mut().fill(link as u8);
    let piece = Piece { frame: frame.freeze(), range: BYTES..3 * BYTES, first: 0 };
    Fragment { link, format: RawFormat::Wib1, pieces: vec![piece], missing: Vec::new() }
}

fn answer(number: u64, links: &[u16]) -> Frame {
    let decision = DecisionRow { number, window_begin: 1000, window_end: 2000, ..DecisionRow::default() };
    let fragments = links.iter().map(|link| fragment(*link)).collect();
    framed(TriggerRecord { decision, fragments, hits: Vec::new() })
}

fn framed(record: TriggerRecord) -> Frame {
    FramePool::new(1 << 20).allocator().value(Arc::new(record)).unwrap().freeze()
}

fn builder(params: &[(&str, Value)]) -> Harness {
    Harness::new::<RecordBuilder>(&[&[("inputs", 3.into()), ("wait", 0.5.into())], params].concat()).unwrap()
}

fn record(frame: &Frame) -> TriggerRecord {
    frame.value::<TriggerRecord>().unwrap().clone()
}

/// The number, the links that have data, and the links that lack the whole window, with the reason.
fn content(frame: &Frame) -> (u64, Vec<u16>, Vec<(u16, MissingReason)>) {
    let record = record(frame);
    let has_data = record.fragments.iter().filter(|fragment| !fragment.pieces.is_empty());
    let whole = |missing: &Missing| (missing.begin, missing.end) == (1000, 2000);
    let lacking = record.fragments.iter().filter_map(|fragment| {
        let missing = fragment.missing.iter().find(|missing| whole(missing))?;
        Some((fragment.link, missing.reason))
    });
    (record.decision.number, has_data.map(|fragment| fragment.link).collect(), lacking.collect())
}

fn counts(node: &mut Harness, names: &[&str]) -> Vec<f64> {
    names.iter().map(|name| node.number_of(name)).collect()
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<RecordBuilder>(&[]);
    assert_compliant::<RecordBytes>(&[]);
}

#[test]
fn answers_of_all_senders_make_a_record_whatever_their_order() {
    let mut node = builder(&[]);
    assert!(node.feed_from(1, &answer(1, &[4, 5])).unwrap().is_empty());
    assert!(node.feed_from(2, &answer(2, &[0])).unwrap().is_empty());
    assert!(node.feed_from(3, &answer(1, &[9])).unwrap().is_empty());
    let out = node.feed_from(2, &answer(1, &[0, 1])).unwrap();
    assert_eq!(content(&out[0]), (1, vec![0, 1, 4, 5, 9], vec![]));
    assert!(node.feed_from(3, &answer(2, &[9])).unwrap().is_empty());
    let out = node.feed_from(1, &answer(2, &[4])).unwrap();
    assert_eq!(content(&out[0]), (2, vec![0, 4, 9], vec![]));
    let names = ["records", "whole", "missing", "waiting", "waiting_bytes", "senders"];
    assert_eq!(counts(&mut node, &names), [2.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
}

#[test]
fn an_answer_that_does_not_come_is_named_and_counted_and_tardy_afterwards() {
    let mut node = builder(&[("links", "0-2,7".into())]);
    for sender in 0..3u16 {
        node.feed_from(sender.into(), &answer(1, &[sender])).unwrap();
    }
    node.feed_from(0, &answer(2, &[0])).unwrap();
    node.feed_from(1, &answer(2, &[1])).unwrap();
    assert!(node.advance(400_000_000).unwrap().is_empty());
    let out = node.advance(600_000_000).unwrap();
    // Sender 2 is known to have link 2; link 7 was never there.
    let lacking = vec![(2, MissingReason::NotYet), (7, MissingReason::NeverReceived)];
    assert_eq!(content(&out[0]), (2, vec![0, 1], lacking));
    assert!(!record(&out[0]).is_whole());
    assert!(node.feed_from(2, &answer(2, &[2])).unwrap().is_empty());
    assert_eq!(counts(&mut node, &["records", "missing", "tardy"]), [2.0, 1.0, 1.0]);
    let told: Vec<String> = node.events().into_iter().map(|event| event.message).collect();
    assert!(told[0].contains("trigger 2 leaves without the answers of 1 of 3"), "{told:?}");
}

#[test]
fn answers_that_fit_nothing_are_counted_and_refused() {
    let mut node = builder(&[("most_ahead", 10.into())]);
    node.feed_from(0, &answer(5, &[0, 1])).unwrap();
    node.feed_from(0, &answer(5, &[0, 1])).unwrap();
    assert_eq!(counts(&mut node, &["repeated", "waiting"]), [1.0, 1.0], "a sender that answers twice");
    // A link that another sender has sent.
    node.feed_from(1, &answer(5, &[1, 2])).unwrap();
    assert_eq!(node.number_of("repeated"), 2.0);
    let error = node.feed_from(0, &answer(16, &[0])).map(drop).unwrap_err().to_string();
    assert!(error.contains("at most 10 beyond the newest, found 16"), "{error}");
    let decision = DecisionRow { number: 5, window_begin: 1, window_end: 2, ..DecisionRow::default() };
    let other = framed(TriggerRecord { decision, ..TriggerRecord::default() });
    let error = node.feed_from(2, &other).map(drop).unwrap_err().to_string();
    assert!(error.contains("wanted the window (1000, 2000) for trigger 5, found (1, 2)"), "{error}");
    assert_eq!(counts(&mut node, &["far_ahead", "foreign"]), [1.0, 1.0]);
    let out = node.feed_from(2, &answer(5, &[3])).unwrap();
    assert_eq!(content(&out[0]).1, [0, 1, 2, 3]);
    let error = node.feed_from(9, &answer(6, &[0])).map(drop).unwrap_err().to_string();
    assert!(error.contains("wanted `inputs: 4` or more in the parameters, found 3"), "{error}");
    assert!(node.feed(&node.pool().allocator().bytes(3).unwrap().freeze()).is_err(), "no record");
}

#[test]
fn records_that_wait_take_no_more_memory_than_they_may() {
    let mut node = builder(&[("most_waiting", 2.into())]);
    let mut sent = Vec::new();
    for number in 1..=5 {
        sent.extend(node.feed_from(0, &answer(number, &[0])).unwrap().iter().map(|frame| content(frame).0));
    }
    assert_eq!((sent, node.number_of("waiting")), (vec![1, 2, 3], 2.0), "the oldest leave");
    let mut node = builder(&[("most_bytes", 2000.into())]);
    node.feed_from(0, &answer(1, &[0])).unwrap();
    node.feed_from(0, &answer(2, &[0])).unwrap();
    let out = node.feed_from(0, &answer(3, &[0])).unwrap();
    assert_eq!((content(&out[0]).0, node.number_of("waiting_bytes")), (1, 4.0 * BYTES as f64));
    assert_eq!(node.drain().unwrap().len(), 2, "and the rest at the end");
    assert_eq!(node.number_of("missing"), 6.0);
}

/// An answer with all that can be in one, and the same as bytes.
fn full() -> (TriggerRecord, Frame) {
    let missing = Missing { begin: 1000, end: 1100, reason: MissingReason::Overrun };
    let hit = HitRow { time_start: 1500, channel: 7, adc_peak: 9, flags: HitRow::CUT, ..HitRow::default() };
    let table = RowTable::with(&FramePool::new(1 << 20), &[hit], None, 0).unwrap();
    let decision = DecisionRow {
        number: 3,
        window_begin: 1000,
        window_end: 2000,
        time_candidate: 1400,
        kinds: 1 << 7,
        activities: 0,
    };
    let made = TriggerRecord {
        decision,
        fragments: vec![fragment(3), Fragment { pieces: Vec::new(), missing: vec![missing], ..fragment(9) }],
        hits: vec![
            HitFragment { link: None, tables: vec![table], missing: Vec::new() },
            HitFragment { link: Some(3), tables: Vec::new(), missing: vec![missing] },
        ],
    };
    let mut node = Harness::new::<RecordBytes>(&[("run", 42.into())]).unwrap();
    let bytes = node.feed(&framed(made.clone())).unwrap().remove(0);
    (made, bytes)
}

#[test]
fn bytes_from_another_host_are_the_same_record_and_lie_where_they_came() {
    let (made, bytes) = full();
    let mut node = builder(&[("inputs", 1.into())]);
    let out = record(&node.feed(&bytes).unwrap()[0]);
    let decision = made.decision;
    assert_eq!(out.decision, decision);
    for (out, made) in out.fragments.iter().zip(&made.fragments) {
        assert_eq!((out.link, out.format, &out.missing), (made.link, made.format, &made.missing));
        assert!(out.pieces.iter().map(Piece::bytes).eq(made.pieces.iter().map(Piece::bytes)));
        assert!(out.pieces.iter().all(|piece| piece.frame.is_same(&bytes)), "not copied");
    }
    for (out, made) in out.hits.iter().zip(&made.hits) {
        let (mut rows, mut wanted) = (Vec::new(), Vec::new());
        out.rows(&decision, &mut rows).unwrap();
        made.rows(&decision, &mut wanted).unwrap();
        assert_eq!((out.link, &rows, &out.missing), (made.link, &wanted, &made.missing));
    }
    // A record of another run: its bytes differ in that number alone.
    let mut other = bytes.bytes().to_vec();
    let run = other.windows(4).position(|four| four == 42u32.to_le_bytes()).unwrap();
    other[run] = 43;
    let other = node.bytes(&other).unwrap();
    let error = node.feed(&other).map(drop).unwrap_err().to_string();
    assert!(error.contains("wanted an answer of run 42, found one of 43"), "{error}");
    assert_eq!(node.number_of("foreign"), 1.0);
}

proptest! {
    #[test]
    fn bytes_that_are_no_record_are_refused(place in any::<prop::sample::Index>(), bit in 0u8..8, cut in 0usize..2000) {
        let (_, bytes) = full();
        let mut bad = bytes.bytes().to_vec();
        let at = place.index(bad.len());
        bad[at] ^= 1 << bit;
        bad.truncate(bytes.bytes().len().saturating_sub(cut / 10));
        let mut node = builder(&[("inputs", 1.into())]);
        let frame = node.bytes(&bad).unwrap();
        // Refused, or a record with another content; the node goes on.
        let _ = node.feed(&frame);
        prop_assert!(cut < 10 || node.number_of("records") == 0.0, "a part is no record");
        if node.number_of("records") == 0.0 {
            prop_assert_eq!(node.feed(&bytes).map(|out| out.len()).unwrap_or(0), 1);
        }
    }
}
