//! Many links and thousands of requests.

use std::time::Instant;

use livetime_engine::testing::Random;

use super::feed::Feed;

/// Ten links of 4 s in batches of 384 frames, and 5000 requests of up to 10 ms in any order: every tick of every window is there or missing with a reason.
#[test]
fn thousands_of_requests_are_answered_to_the_tick() {
    const SPAN: u64 = 384 * 25;
    let mut feed = Feed::new(&[("seconds", 1.0.into()), ("deadline", 1000.0.into())]);
    let mut random = Random::new(7);
    // One memory for all batches: the test does not read their content.
    let batch = feed.batch(0, 0, 384);
    let (mut asked, mut answers) = (0, Vec::new());
    let began = Instant::now();
    for turn in 0..2000 {
        for link in 0..10u16 {
            if random.below(100) == 0 {
                continue; // never came
            }
            let mut frame = feed.memory.relabel(&batch).unwrap();
            feed.labels.put(frame.header_mut(), link, turn * SPAN, 0);
            answers.extend(feed.node.feed(&frame.freeze()).unwrap());
        }
        while asked < 5 * turn / 2 {
            asked += 1;
            let begin = (turn * SPAN).saturating_sub(100 * SPAN) + random.next_u64() % (200 * SPAN);
            answers.extend(feed.ask_raw(asked, begin, begin + 1 + random.next_u64() % 500_000));
        }
    }
    answers.extend(feed.node.drain().unwrap());
    let took = began.elapsed();
    let mut pieces = 0;
    let mut numbers = Vec::new();
    for frame in answers.iter().filter(|frame| frame.table().is_err()) {
        let record = frame.value::<crate::TriggerRecord>().unwrap();
        numbers.push(record.decision.number);
        let window = record.decision.window_begin..record.decision.window_end;
        assert!(!record.fragments.is_empty());
        for fragment in &record.fragments {
            pieces += fragment.pieces.len();
            let missing: u64 = fragment.missing.iter().map(|m| m.end - m.begin).sum();
            let held: u64 = fragment
                .pieces
                .iter()
                .map(|piece| {
                    let end = piece.first + piece.range.len() as u64 / 464 * 25;
                    end.min(window.end) - piece.first.max(window.start)
                })
                .sum();
            assert_eq!(missing + held, window.end - window.start);
        }
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=asked).collect::<Vec<_>>());
    println!("20000 batches, {asked} requests, {pieces} pieces: {took:?}");
}
