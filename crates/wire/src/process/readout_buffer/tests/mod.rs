//! The readout buffer against a model, case by case, and under load.

mod feed;
mod load;
mod model;

use livetime_engine::testing::assert_compliant;
use livetime_formats::trigger::MissingReason::*;

use super::*;
use crate::{State, TriggerRecord};
use feed::{Feed, hit, missing_of, times_of};

/// 100 frames of WIB1.
const HUNDRED: &[(&str, livetime_engine::Value)] = &[("seconds", livetime_engine::Value::Float(50.1e-6))];

#[test]
fn a_window_in_the_past_is_answered_at_once_and_one_in_the_future_when_all_links_are_there() {
    let mut feed = Feed::new(HUNDRED);
    assert!(feed.raw(1, 0, 40).is_empty() && feed.raw(2, 0, 20).is_empty());
    let past = feed.ask(1, 110, 260);
    assert_eq!(
        (times_of(&past[0], 1), times_of(&past[0], 2)),
        ((4..11).map(|i| 25 * i).collect(), times_of(&past[0], 1))
    );
    assert!(past[0].is_whole());
    assert!(feed.ask(2, 400, 600).is_empty(), "link 2 has reached 500");
    assert!(feed.ask(3, 400, 550).is_empty());
    assert!(feed.raw(1, 1000, 4).is_empty());
    let answers = feed.raw(2, 500, 2);
    assert_eq!(answers.iter().map(|a| a.decision.number).collect::<Vec<_>>(), [3]);
    let answers = feed.raw(2, 550, 40);
    assert_eq!((answers[0].decision.number, answers[0].is_whole()), (2, true));
    assert_eq!((feed.node.number_of("whole"), feed.node.number_of("requests")), (3.0, 3.0));
}

#[test]
fn raw_data_are_not_copied_and_live_as_long_as_the_record() {
    let mut feed = Feed::new(HUNDRED);
    let batch = feed.batch(1, 0, 4);
    feed.node.feed(&batch).unwrap();
    let record = feed.ask(1, 0, 100).remove(0);
    assert!(record.fragments[0].pieces[0].frame.is_same(&batch));
    let place = batch.bytes().as_ptr();
    drop(batch);
    drop(feed);
    assert_eq!(record.fragments[0].pieces[0].bytes().as_ptr(), place);
    assert_eq!(times_of(&record, 1), [0, 25, 50, 75]);
}

#[test]
fn what_is_missing_is_named_with_its_reason() {
    let mut feed = Feed::new(HUNDRED);
    feed.raw(1, 1000, 60);
    feed.raw(1, 2600, 20); // 2500 to 2600 never came
    feed.sequence += 1;
    feed.raw(1, 3200, 40); // 3100 to 3200 was dropped; the data from 1000 on are too old
    assert!(feed.ask(1, 900, 4300).is_empty());
    let late = feed.advance(600_000_000);
    let reasons = [
        (900, 1000, NeverReceived),
        (1000, 2500, TooOld),
        (2500, 2600, NeverReceived),
        (3100, 3200, Dropped),
        (4200, 4300, Dead),
    ];
    assert_eq!(missing_of(&late[0], 1), reasons);
    assert_eq!((feed.node.number_of("partial"), feed.node.number_of("late")), (1.0, 0.0));
    feed.advance(900_000_000);
    let row = |begin, end| LedgerRow { link: 1, begin, end, state: State::Unbuffered as u8, bits: 0 };
    assert_eq!(feed.ledger, [row(3100, 3200)]);
}

#[test]
fn a_number_that_was_a_table_of_the_ledger_makes_no_long_gap_dropped() {
    let mut feed = Feed::new(&[]);
    feed.raw(1, 0, 4);
    feed.sequence += 1;
    feed.raw(1, 500, 4); // 100 to 500: four batches would fit, one number is missing
    feed.sequence += 4;
    feed.raw(1, 1000, 4);
    let record = feed.ask(1, 0, 1100).remove(0);
    assert_eq!(missing_of(&record, 1), [(100, 500, NeverReceived), (600, 1000, Dropped)]);
}

#[test]
fn a_link_that_is_late_is_waited_for_until_the_deadline() {
    let mut feed = Feed::new(&[("deadline", 0.3.into())]);
    feed.raw(1, 0, 4);
    assert!(feed.ask(1, 50, 200).is_empty());
    assert!(feed.advance(299_000_000).is_empty());
    let late = feed.advance(300_000_000);
    assert_eq!((missing_of(&late[0], 1), times_of(&late[0], 1)), (vec![(100, 200, NotYet)], vec![50, 75]));
    assert_eq!(feed.node.number_of("late"), 1.0);
    assert_eq!(
        feed.node.get("response_max_s"),
        Some(0.0.into()),
        "readbacks are made a few times per second"
    );
    feed.advance(900_000_000);
    assert_eq!(feed.node.get("response_max_s"), Some(0.3.into()));
}

#[test]
fn links_that_never_come_are_in_every_record() {
    let mut feed = Feed::new(&[("links", "1-2, 7".into())]);
    feed.raw(1, 0, 8);
    assert!(feed.ask(1, 0, 100).is_empty(), "2 and 7 may still come");
    let record = feed.advance(500_000_001).remove(0);
    assert_eq!(record.fragments.iter().map(|f| f.link).collect::<Vec<_>>(), [1, 2, 7]);
    assert_eq!((missing_of(&record, 1), missing_of(&record, 7)), (vec![], vec![(0, 100, Dead)]));
    feed.raw(7, 50, 8);
    let record = feed.ask(2, 0, 100).remove(0);
    assert_eq!(missing_of(&record, 7), [(0, 50, NeverReceived)]);
    assert!(feed.node.set("links", "1-x").unwrap_err().to_string().contains("`1-x`"));
}

#[test]
fn requests_that_wait_at_the_end_are_answered_with_what_is_there() {
    let mut feed = Feed::new(HUNDRED);
    assert!(feed.ask(1, 0, 50).is_empty(), "no link is known yet");
    feed.ask(2, 0, 500);
    let answers = feed.raw(1, 0, 4);
    assert_eq!(answers[0].decision.number, 1);
    let last = feed.node.drain().unwrap();
    let record = last[0].value::<TriggerRecord>().unwrap();
    assert_eq!(missing_of(record, 1), [(100, 500, NotYet)]);
}

#[test]
fn windows_that_are_none_and_requests_that_are_too_many_are_answered_at_once() {
    let mut feed = Feed::new(&[("most_waiting", 1.into())]);
    feed.raw(1, 0, 4);
    let invalid = feed.ask(1, 50, 50);
    assert!(invalid[0].fragments.is_empty() && !invalid[0].is_whole());
    assert!(feed.ask(2, 0, 200).is_empty());
    assert_eq!(missing_of(&feed.ask(3, 50, 200)[0], 1), [(100, 200, NotYet)]);
    let counts = ["invalid", "hurried", "partial"].map(|name| feed.node.number_of(name));
    assert_eq!(counts, [1.0, 1.0, 1.0]);
}

#[test]
fn what_waits_pins_until_memory_runs_short() {
    let cost = livetime_frame::FramePool::cost_bytes(4 * 464);
    let share = cost as f64 * 2.5 / f64::from(1 << 30);
    let mut feed = Feed::new(&[("max_bytes", (4 * cost as i64).into()), ("pinned_share", share.into())]);
    feed.raw(1, 0, 4);
    assert!(feed.ask(1, 0, 10_000).is_empty());
    for batch in 1..6 {
        feed.raw(1, 100 * batch, 4);
    }
    feed.advance(300_000_000);
    let count = |feed: &mut Feed, name: &str| feed.node.number_of(name);
    assert_eq!(
        (count(&mut feed, "bytes"), count(&mut feed, "pinned_bytes")),
        (6.0 * cost as f64, 2.0 * cost as f64)
    );
    feed.raw(1, 600, 4);
    feed.advance(400_000_000);
    let record = feed.raw(1, 9_900, 8).remove(0);
    assert_eq!(missing_of(&record, 1), [(0, 300, Overrun), (700, 9_900, NeverReceived)]);
    feed.advance(800_000_000);
    assert_eq!((count(&mut feed, "overruns"), count(&mut feed, "pinned_bytes")), (3.0, 0.0));
    assert_eq!(feed.ledger.iter().map(|row| row.end - row.begin).sum::<u64>(), 300);
}

#[test]
fn an_exhausted_pool_makes_it_let_go() {
    let mut feed = Feed::new(&[]);
    for batch in 0..32 {
        feed.raw(1, 100 * batch, 4);
    }
    feed.advance(300_000_000);
    let before = feed.node.number_of("bytes");
    assert!(feed.memory.bytes(1 << 30).is_err());
    feed.advance(600_000_000);
    assert_eq!(feed.node.number_of("bytes"), before / 16.0 * 15.0);
    assert_eq!(feed.node.number_of("squeezed"), 1.0);
}

#[test]
fn a_window_may_be_asked_for_by_hand() {
    let mut feed = Feed::new(&[]);
    feed.raw(1, 0, 4);
    feed.node.set("window_begin", 25i64).unwrap();
    feed.node.set("window_end", 75i64).unwrap();
    feed.node.set("request", true).unwrap();
    let record = feed.advance(1).remove(0);
    assert_eq!((record.decision.number, times_of(&record, 1)), (1 << 63, vec![25, 50]));
    assert_eq!(feed.node.get("request"), Some(false.into()));
}

#[test]
fn hits_of_the_window_come_with_it_and_are_waited_for() {
    let mut feed = Feed::new(HUNDRED);
    feed.raw(1, 0, 80);
    feed.hits(Some(1), &[hit(30, 1), hit(90, 2)], 80);
    feed.hits(Some(1), &[hit(85, 9)], 120);
    assert!(feed.ask(1, 80, 200).is_empty(), "hits have reached 120");
    let record = feed.hits(Some(1), &[hit(150, 3), hit(200, 4)], 500).remove(0);
    assert!(record.is_whole());
    let mut rows = Vec::new();
    record.hits[0].rows(&record.decision, &mut rows).unwrap();
    assert_eq!(
        rows.iter().map(|h| (h.time_start, h.channel)).collect::<Vec<_>>(),
        [(85, 9), (90, 2), (150, 3)]
    );
    // Raw frames and hits before 2000 are released together.
    feed.raw(1, 2000, 100);
    feed.hits(Some(1), &[], 4500);
    let record = feed.ask(2, 100, 300).remove(0);
    assert_eq!((record.hits[0].missing[0].reason, record.hits[0].missing[0].end), (TooOld, 201));
}

#[test]
fn hits_that_run_ahead_of_raw_frames_are_kept_for_them() {
    let mut feed = Feed::new(&[]);
    feed.raw(1, 0, 40);
    for turn in 0..50 {
        feed.hits(None, &[hit(1000 * turn + 5, 1)], 1000 * turn + 1000);
        // A late batch releases time that its link has not reached.
        if turn % 10 == 3 {
            feed.raw(1, 1000 * (turn / 10 + 1), 40);
        }
    }
    feed.raw(1, 6000, 40 * 10);
    let record = feed.ask(1, 0, 15_000).remove(0);
    assert!(record.is_whole(), "{:?}", record.hits[0].missing);
    let mut rows = Vec::new();
    record.hits[0].rows(&record.decision, &mut rows).unwrap();
    assert_eq!(rows.len(), 15);
}

#[test]
fn what_a_record_lacks_by_the_buffers_doing_is_a_loss_that_is_told() {
    let mut feed = Feed::new(HUNDRED);
    (0..4).for_each(|turn| _ = feed.raw(1, 1000 * turn, 40));
    assert!(!feed.ask(1, 500, 900).remove(0).is_whole());
    assert!(feed.ask(2, 2100, 2200).remove(0).is_whole());
    let events = feed.node.events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(
        events[0].message,
        "the record of trigger 1 lacks data from 500 to 900: too_old; 1 such records so far"
    );
}

#[test]
fn merged_hits_go_although_a_link_is_dead() {
    let mut feed = Feed::new(HUNDRED);
    feed.raw(2, 0, 4);
    for turn in 0..10 {
        feed.raw(1, 1000 * turn, 40);
        feed.hits(None, &[hit(1000 * turn + 5, 1)], 1000 * turn + 1000);
    }
    feed.advance(600_000_000);
    let record = feed.ask(1, 0, 10_000).remove(0);
    assert_eq!(record.hits[0].link, None);
    let mut rows = Vec::new();
    record.hits[0].rows(&record.decision, &mut rows).unwrap();
    let starts: Vec<u64> = rows.iter().map(|hit| hit.time_start).collect();
    // As the raw frames of link 1: the frames of earlier times have been released.
    assert_eq!(starts, [8005, 9005]);
    assert_eq!(record.hits[0].missing.last().unwrap().end, 7006);
}

#[test]
fn a_clock_that_is_set_back_begins_anew_and_frames_that_came_before_are_refused() {
    let mut feed = Feed::new(HUNDRED);
    feed.raw(1, 100_000, 8);
    let again = feed.batch(1, 100_100, 4);
    let error = feed.node.feed(&again).unwrap_err().to_string();
    assert_eq!(
        error,
        "wanted frames of link 1 that were not there before, found 100100 to 100200 after 100200"
    );
    feed.raw(1, 1000, 8);
    let record = feed.ask(1, 900, 1100).remove(0);
    assert_eq!((missing_of(&record, 1), times_of(&record, 1).len()), (vec![(900, 1000, TooOld)], 4));
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<ReadoutBuffer>(&[]);
}

#[test]
fn what_is_no_raw_batch_no_hit_and_no_decision_is_refused_by_name() {
    let mut feed = Feed::new(&[]);
    let batch = feed.batch(1, 0, 4);
    for (input, text) in [(1, "table"), (2, "table")] {
        assert!(feed.node.feed_to(input, &batch).unwrap_err().to_string().contains(text));
    }
    let hits = feed.table(&[hit(1, 1)], None, Some(5));
    assert!(feed.node.feed_to(2, &hits).unwrap_err().to_string().contains("window_begin"));
    let unmarked = feed.table(&[hit(1, 1)], None, None);
    assert!(feed.node.feed_to(1, &unmarked).unwrap_err().to_string().contains("`watermark`"));
}
