//! The shared state of the workers of an analysis, and the state of each.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender};

use livetime_recording::{Picture, Reader};

use crate::account::Account;
use crate::fault::{BrokenEvent, Fault, Outcome};
use crate::reducer::AnyPartial;
use crate::tree::Forest;
use crate::{Recording, Work};

/// The result of a worker at its end: its account, and the partial results of reducers that take any order.
pub(crate) type Share = (Account, Vec<AnyPartial>);

/// The shared state of all workers.
pub(crate) struct Shared<'a> {
    pub(crate) work: &'a Work<'a>,
    pub(crate) recording: &'a Recording,
    /// The next leaf that no worker has taken.
    pub(crate) next: AtomicUsize,
    pub(crate) end: usize,
    /// The caller wants no more, or a worker has failed.
    pub(crate) is_stopped: AtomicBool,
    /// Pictures are reduced strip by strip where that can be done.
    pub(crate) by_strips: bool,
    /// A strip could not be read.
    pub(crate) has_failed: AtomicBool,
    pub(crate) forest: Mutex<Forest<Vec<AnyPartial>>>,
    /// Partial results of no event that were used before: their memory is there already.
    pub(crate) spare: Mutex<Vec<Vec<AnyPartial>>>,
}

impl Shared<'_> {
    /// All is in vain: some strips of a picture were reduced, and another one cannot be read.
    pub(crate) fn fail_strips(&self) {
        // Relaxed, as for all flags here: they only stop work early. Joining the threads orders everything else.
        self.has_failed.store(true, Ordering::Relaxed);
        self.stop();
    }

    pub(crate) fn add_broken(&self, event: usize, fault: Fault, account: &mut Account) {
        account.add(BrokenEvent { event, time_ns: self.recording.time_ns(event), fault });
    }

    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// The state of a worker.
pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) reader: Reader,
    /// The pictures of the events of a block. Pixels are reduced where they were read or decompressed: nothing is copied.
    pub(crate) slots: Vec<Picture>,
    pub(crate) share: Share,
    /// Strips of some events, side by side.
    pub(crate) strips: Vec<u8>,
    pub(crate) has_order: bool,
    /// The next block that can come, and how many events are selected before it: a worker's blocks come in their order.
    pub(crate) selected: (usize, u64),
    pub(crate) ask: SyncSender<usize>,
    pub(crate) done: Sender<(usize, u64)>,
}

/// Shows the good panels of an event: their position in the layout, that in the picture, and their pixels.
pub(crate) fn place<'s>(
    work: &Work<'_>,
    picture: &'s Picture,
    mut note: impl FnMut(usize, usize, &'s [u8]),
) -> Outcome {
    // Asked first, because a picture without a good panel is a fault of its own kind.
    drop(picture.good_panels()?);
    for (number, panel) in picture.panels().enumerate().filter(|(_, panel)| panel.damage == 0) {
        note(work.layout.position(panel.number, panel.dtype, panel.shape)?, number, panel.bytes);
    }
    Ok(())
}

impl Worker<'_> {
    /// How many events are selected before `block`.
    pub(crate) fn selected_before(&mut self, block: usize) -> u64 {
        let (known, before) = self.selected;
        self.selected = (block, before + self.shared.work.selected(known..block));
        self.selected.1
    }
}
