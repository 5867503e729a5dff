//! Trigger records, the last of each output that a client asks for: to step from one to the next.
//!
//! Only the program can read a record ([`Options::record`](crate::Options)). It is described at once when it comes, and let go,
//! so that no client holds raw data of the run.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use livetime_control::model::Model;
use livetime_engine::{EdgeOptions, Outlet, OutletError, WhenFull, time_of_day_ns};
use livetime_frame::Frame;
use livetime_runtime::lock;
use serde_json::{Value, json};

use crate::error::Error;
use crate::threads::spawn;

/// The content of a frame with a trigger record, as JSON; `None` for any other frame. The key `summary` is for lists of records.
pub type Describe = fn(&Frame) -> Option<Value>;

/// Records that are kept of an output, and bytes of their descriptions.
const MOST: usize = 64;
const MOST_BYTES: usize = 16 << 20;
/// Records per second that are taken of an output; more are intended losses.
const MAX_RATE_HZ: f64 = 30.0;
/// Outputs that are followed at one time.
const MOST_OUTPUTS: usize = 4;
/// An output without a request is left after this time; its descriptions stay.
const LINGER: Duration = Duration::from_secs(10);
/// A thread that waits for a record sees after this time that the requests have ended.
const LOOK: Duration = Duration::from_millis(100);

/// The records of all outputs that were asked for.
pub(crate) struct Records {
    describe: Option<Describe>,
    outputs: Mutex<BTreeMap<String, Arc<Output>>>,
    is_ended: Arc<AtomicBool>,
}

/// The records of one output.
#[derive(Default)]
pub(crate) struct Output {
    kept: Mutex<Kept>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Kept {
    asked: Option<Instant>,
    records: VecDeque<Record>,
    bytes: usize,
    /// Frames so far; the records are numbered by it.
    frames: u64,
    /// Frames of this output that hold no trigger record.
    others: u64,
}

struct Record {
    number: u64,
    at_ns: i64,
    summary: Value,
    text: Arc<str>,
}

impl Kept {
    fn is_wanted(&self) -> bool {
        self.asked.is_some_and(|asked| asked.elapsed() <= LINGER)
    }

    fn add(&mut self, described: Option<Value>) {
        self.frames += 1;
        let Some(mut record) = described else {
            self.others += 1;
            return;
        };
        let (number, at_ns) = (self.frames, time_of_day_ns());
        record["number"] = json!(number);
        record["at_ns"] = json!(at_ns);
        let text: Arc<str> = record.to_string().into();
        self.bytes += text.len();
        self.records.push_back(Record { number, at_ns, summary: record["summary"].take(), text });
        // The newest record stays, even if it alone exceeds the bytes.
        while self.records.len() > MOST || (self.bytes > MOST_BYTES && self.records.len() > 1) {
            let oldest = self.records.pop_front();
            self.bytes -= oldest.map_or(0, |record| record.text.len());
        }
    }

    fn list(&self) -> Value {
        let of = |record: &Record| json!({ "number": record.number, "at_ns": record.at_ns, "summary": record.summary });
        self.records.iter().map(of).collect()
    }
}

impl Records {
    pub(crate) fn new(describe: Option<Describe>) -> Records {
        Records { describe, outputs: Mutex::default(), is_ended: Arc::default() }
    }

    /// The output called `name`, which is followed from now on.
    pub(crate) fn follow(&self, model: &Model, name: &str) -> Result<Arc<Output>, Error> {
        let describe =
            self.describe.ok_or_else(|| Error::refused("this program does not know trigger records"))?;
        let mut outputs = lock(&self.outputs);
        if !outputs.contains_key(name) {
            // Only another output takes the room of an output without requests: its descriptions stay until
            // then.
            outputs.retain(|_, output| lock(&output.kept).is_wanted());
            if outputs.len() >= MOST_OUTPUTS {
                return Err(Error::refused(format!("wanted at most {MOST_OUTPUTS} outputs with records")));
            }
        }
        let output = outputs.entry(name.to_owned()).or_default().clone();
        lock(&output.kept).asked = Some(Instant::now());
        let mut thread = lock(&output.thread);
        // The thread ends with the requests: a later request starts another one.
        if thread.as_ref().is_none_or(JoinHandle::is_finished) {
            let latest = EdgeOptions {
                when_full: WhenFull::Latest,
                max_rate_hz: Some(MAX_RATE_HZ),
                ..EdgeOptions::default()
            };
            let outlet = model.run().subscribe(name, latest).map_err(Error::refused)?;
            let (taking, is_ended) = (output.clone(), self.is_ended.clone());
            let started = spawn("web records", move || take(outlet, describe, &taking.kept, &is_ended));
            *thread = Some(started.map_err(|e| Error::refused(format!("cannot start a thread: {e}")))?);
        }
        drop(thread);
        Ok(output)
    }

    /// Leaves all outputs, for good.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
        for output in std::mem::take(&mut *lock(&self.outputs)).into_values() {
            if let Some(thread) = lock(&output.thread).take() {
                // A thread that panicked has said so.
                let _ = thread.join();
            }
        }
    }
}

impl Output {
    /// The frames so far and the kept records, without their hits.
    pub(crate) fn list(&self, name: &str) -> Result<Value, Error> {
        let kept = lock(&self.kept);
        if kept.others > 0 && kept.records.is_empty() {
            return Err(Error::refused(format!("wanted trigger records, found something else at {name}")));
        }
        Ok(json!({ "from": name, "frames": kept.frames, "records": kept.list() }))
    }

    /// The description of a record in JSON, if it is kept.
    pub(crate) fn record(&self, number: u64) -> Option<Arc<str>> {
        let kept = lock(&self.kept);
        kept.records.iter().find(|record| record.number == number).map(|record| record.text.clone())
    }
}

/// Takes records until the requests end, or no record will come.
fn take(mut outlet: Outlet, describe: Describe, kept: &Mutex<Kept>, is_ended: &AtomicBool) {
    while !is_ended.load(Ordering::Acquire) && lock(kept).is_wanted() {
        match outlet.recv(LOOK) {
            Ok(frame) => {
                let described = describe(&frame);
                // The memory of the frame goes back before the lock is waited for.
                drop(frame);
                lock(kept).add(described);
            }
            Err(OutletError::TimedOut) => {}
            Err(OutletError::Ended) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_records_are_kept_within_bounds() {
        let mut kept = Kept::default();
        for trigger in 0..100 {
            kept.add(Some(json!({ "summary": { "trigger": trigger }, "hits": [1, 2] })));
            kept.add(None);
        }
        assert_eq!((kept.records.len(), kept.frames, kept.others), (MOST, 200, 100));
        let (first, last) = (kept.records.front().unwrap(), kept.records.back().unwrap());
        assert_eq!((first.number, last.number, &last.summary["trigger"]), (73, 199, &json!(99)));
        assert!(last.text.contains("\"hits\":[1,2]") && last.text.contains("\"number\":199"));
        assert_eq!(kept.bytes, kept.records.iter().map(|record| record.text.len()).sum::<usize>());
        kept.add(Some(json!({ "summary": null, "hits": "x".repeat(MOST_BYTES) })));
        kept.add(Some(json!({ "summary": null })));
        assert_eq!(kept.records.len(), 1, "one that is too large for all makes room for the next");
    }
}
