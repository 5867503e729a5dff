//! The thread that copies the counts of a run into its black box.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use livetime_engine::Run;

use super::content::Content;
use super::layout;
use crate::ledger::State;

/// The shortest pause between two copies. Counts of a killed run after its last copy are unknown.
pub const PERIOD: Duration = Duration::from_millis(50);
/// A pause is at least a hundred times as long as the copy before it: a graph of a thousand nodes gives a hundredth of a core to its black
/// box, not a tenth.
const SHARE: u32 = 100;
/// The longest pause, after a copy that a slow file system held up.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Called when copies cannot be written any more, with the reason, and with `None` when they are written again.
pub type Problem = Arc<dyn Fn(Option<String>) + Send + Sync>;

/// State of the thread that copies.
pub(super) struct Copier {
    pub(super) run: Weak<Run>,
    pub(super) file: File,
    pub(super) slot: u32,
    pub(super) content: Content,
    pub(super) number: u64,
    pub(super) tell: Problem,
}

/// Set at the end of the run.
pub(super) type End = Arc<(Mutex<bool>, Condvar)>;

impl Copier {
    /// Copies until the end, and a last time then.
    pub(super) fn copy_on(mut self, end: &End) {
        let mut is_failing = false;
        let (mut last, mut pause) = (Instant::now(), PERIOD);
        loop {
            let is_ended = wait(end, pause);
            let begin = Instant::now();
            let state = if is_ended { State::Ended } else { State::Running };
            let copied = self.copy(state);
            pause = (SHARE * begin.elapsed()).clamp(PERIOD, LONGEST_PAUSE);
            // The longest time between two copies bounds the acts of a killed run that stay unknown.
            self.content.longest = self.content.longest.max(last.elapsed());
            last = Instant::now();
            // Reported once when it begins, and once when copies work again.
            if copied.is_err() != is_failing {
                is_failing = !is_failing;
                (self.tell)(copied.err().map(|error| error.to_string()));
            }
            // After the copy: the last one says that the run has ended.
            if is_ended {
                return;
            }
        }
    }

    /// Writes one copy. The counts are read before the file is touched, so that a file system that hangs holds nothing of the run.
    pub(super) fn copy(&mut self, state: State) -> io::Result<()> {
        // The box does not keep the run alive.
        let Some(run) = self.run.upgrade() else { return Ok(()) };
        let text = self.content.text(&run, state);
        // The run is let go before the write, which may take long.
        drop(run);
        self.write(text.as_bytes())
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let bytes = layout::slot(self.number + 1, text);
        if bytes.len() > self.slot as usize {
            let what = format!("the counts have {} bytes, and room is for {}", bytes.len(), self.slot);
            return Err(io::Error::other(what));
        }
        // The other slot keeps the copy before, in case this one is cut off.
        let place = layout::FIRST + (self.number + 1) % 2 * u64::from(self.slot);
        self.file.write_all_at(&bytes, place)?;
        // Only a whole copy is followed by one in the other slot.
        self.number += 1;
        Ok(())
    }
}

/// Waits for the time of the next copy; true at the end of the run.
fn wait((is_ended, bell): &(Mutex<bool>, Condvar), pause: Duration) -> bool {
    let ended = is_ended.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = bell.wait_timeout_while(ended, pause, |ended| !*ended);
    *waited.unwrap_or_else(PoisonError::into_inner).0
}
