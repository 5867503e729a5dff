//! Trigger records as JSON, for the page of a run.

use livetime_formats::trigger::Missing;
use livetime_frame::Frame;
use livetime_wire::{HitRow, TriggerRecord};
use serde_json::{Value, json};

/// More hits are left out of a description, and counted.
const MOST_HITS: usize = 50_000;

/// The content of the frame of a trigger record; `None` for any other frame. Times are ticks from the begin of the window.
pub(crate) fn describe(frame: &Frame) -> Option<Value> {
    let record: &TriggerRecord = frame.value().ok()?;
    let decision = &record.decision;
    let begin = decision.window_begin;
    let since = |time: u64| time.wrapping_sub(begin) as i64;
    let missing = |all: &[Missing]| -> Vec<Value> {
        let one =
            |m: &Missing| json!({ "begin": since(m.begin), "end": since(m.end), "why": m.reason.name() });
        all.iter().map(one).collect()
    };
    let mut rows = Vec::new();
    // A table that is not one of hits is an error of the node that sent it, which has said so.
    record.hits.iter().for_each(|hits| _ = hits.rows(decision, &mut rows));
    let left_out = rows.len().saturating_sub(MOST_HITS);
    let links: Vec<Value> = record
        .fragments
        .iter()
        .map(|f| json!({ "link": f.link, "bytes": f.bytes(), "missing": missing(&f.missing) }))
        .collect();
    let streams: Vec<Value> = record
        .hits
        .iter()
        .map(|hits| json!({ "link": hits.link, "missing": missing(&hits.missing) }))
        .collect();
    let faulty = record.fragments.iter().filter(|f| !f.missing.is_empty()).count()
        + record.hits.iter().filter(|hits| !hits.missing.is_empty()).count();
    let kinds: Vec<u16> = decision.kinds().collect();
    Some(json!({
        // 64-bit times have more digits than a number of a browser.
        "window_begin": begin.to_string(),
        "window_ticks": since(decision.window_end),
        "candidate": since(decision.time_candidate),
        "links": links,
        "streams": streams,
        "hits": columns(&rows[..rows.len() - left_out], since),
        "hits_left_out": left_out,
        "summary": {
            "trigger": decision.number, "kinds": kinds, "activities": decision.activities, "hits": rows.len(),
            "bytes": record.bytes(), "links": record.fragments.len(), "incomplete": faulty, "whole": record.is_whole(),
        },
        "trigger": decision.number,
        "kinds": kinds,
        "whole": record.is_whole(),
    }))
}

fn columns(rows: &[HitRow], since: impl Fn(u64) -> i64) -> Value {
    let column = |of: &dyn Fn(&HitRow) -> Value| -> Vec<Value> { rows.iter().map(of).collect() };
    json!({
        "start": column(&|hit| json!(since(hit.time_start))),
        "channel": column(&|hit| json!(hit.channel)),
        "sum": column(&|hit| json!(hit.adc_integral)),
        "peak": column(&|hit| json!(hit.adc_peak)),
        "ticks": column(&|hit| json!(hit.samples_over)),
        "link": column(&|hit| json!(hit.link)),
        "plane": column(&|hit| json!(hit.plane)),
        "flags": column(&|hit| json!(hit.flags)),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use livetime_formats::trigger::MissingReason;
    use livetime_frame::FramePool;
    use livetime_wire::{DecisionRow, Fragment, HitFragment, RawFormat, RowTable};

    use super::*;

    #[test]
    fn a_record_is_described_with_its_hits_and_what_is_missing() {
        let pool = FramePool::new(1 << 20);
        let begin = (1 << 60) + 7;
        let hit = |time_start, channel| HitRow { time_start, channel, adc_integral: 90, ..HitRow::default() };
        let table = RowTable::with(
            &pool,
            &[hit(begin - 5, 3), hit(begin + 20, 9), hit(begin + 4, 8)],
            None,
            u64::MAX,
        )
        .unwrap();
        let missing = vec![Missing { begin: begin + 100, end: begin + 125, reason: MissingReason::TooOld }];
        let decision = DecisionRow {
            number: 4,
            window_begin: begin,
            window_end: begin + 1000,
            time_candidate: begin + 50,
            kinds: 6,
            activities: 2,
        };
        let record = TriggerRecord {
            decision,
            fragments: vec![Fragment { link: 7, format: RawFormat::Wib1, pieces: Vec::new(), missing }],
            hits: vec![HitFragment { link: None, tables: vec![table.clone()], missing: Vec::new() }],
        };
        let frame = pool.allocator().value(Arc::new(record)).unwrap().freeze();
        let found = describe(&frame).unwrap();
        assert_eq!((&found["window_begin"], &found["candidate"]), (&json!(begin.to_string()), &json!(50)));
        assert_eq!((&found["hits"]["start"], &found["hits"]["channel"]), (&json!([4, 20]), &json!([8, 9])));
        assert_eq!(found["links"][0]["missing"], json!([{ "begin": 100, "end": 125, "why": "too_old" }]));
        assert_eq!(found["summary"]["whole"], false);
        assert_eq!((&found["summary"]["incomplete"], &found["kinds"]), (&json!(1), &json!([1, 2])));
        assert!(describe(&table).is_none(), "a table is no record");
    }
}
