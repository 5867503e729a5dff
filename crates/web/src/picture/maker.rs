//! The one thread that makes pictures, so that they cost at most one core, and the frame path nothing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use livetime_runtime::lock;
use tokio::sync::oneshot;

use super::make::{Made, make};
use super::newest::Newest;
use super::not_shown::NotShown;
use super::spec::Spec;
use crate::serve_error::ServeError;
use crate::threads::spawn;

/// Pictures that wait to be made: one for each view that may be asked for at one time.
const WAITING: usize = 256;
/// Pictures that are kept for the next who wants the same one.
const KEPT: usize = 16;
/// Bytes of all pictures that are made and not yet sent; more are refused.
const MOST_BYTES: u64 = 512 << 20;

/// The result of a wish.
pub(crate) type Result = std::result::Result<Arc<Shared>, NotShown>;

/// A picture that several clients may be sent at the same time.
pub(crate) struct Shared {
    pub(crate) made: Made,
    bytes: Arc<AtomicU64>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.bytes.fetch_sub(self.made.payload.len() as u64, Ordering::Relaxed);
    }
}

struct Wish {
    source: String,
    newest: Arc<Newest>,
    spec: Spec,
    answer: oneshot::Sender<Result>,
}

/// The thread and the way to it.
pub(crate) struct Maker {
    wishes: Mutex<Option<SyncSender<Wish>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Maker {
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start() -> std::result::Result<Maker, ServeError> {
        let (sender, wishes) = sync_channel(WAITING);
        let thread = spawn("web views", move || Work::default().go_on(&wishes));
        let thread = thread.map_err(ServeError::Thread)?;
        Ok(Maker { wishes: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    /// Makes a picture of a frame of the output called `source`, or takes one that was made before.
    pub(crate) async fn make(&self, source: &str, newest: Arc<Newest>, spec: Spec) -> Result {
        let (answer, made) = oneshot::channel();
        let wish = Wish { source: source.to_owned(), newest, spec, answer };
        let sent = lock(&self.wishes).as_ref().map(|wishes| wishes.try_send(wish));
        match sent {
            Some(Ok(())) => {}
            Some(Err(TrySendError::Full(_))) => return Err(NotShown::TooManyWanted),
            Some(Err(TrySendError::Disconnected(_))) | None => return Err(NotShown::Ended),
        }
        made.await.unwrap_or(Err(NotShown::Ended))
    }

    pub(crate) fn end(&self) {
        *lock(&self.wishes) = None;
        if let Some(thread) = lock(&self.thread).take() {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

#[derive(Default)]
struct Work {
    /// Made lately, the newest last.
    kept: VecDeque<(String, u64, Spec, Arc<Shared>)>,
    bytes: Arc<AtomicU64>,
}

impl Work {
    fn go_on(&mut self, wishes: &Receiver<Wish>) {
        while let Ok(wish) = wishes.recv() {
            // A client that has gone needs nothing.
            if !wish.answer.is_closed() {
                let made = self.made(&wish);
                let _ = wish.answer.send(made);
            }
        }
    }

    fn made(&mut self, wish: &Wish) -> Result {
        let number = wish.newest.number;
        // After a newer frame of the same output no client will want the old picture.
        self.kept.retain(|(source, old, ..)| *source != wish.source || *old >= number);
        let is_it = |(source, of, spec, _): &&(String, u64, Spec, Arc<Shared>)| {
            *source == wish.source && *of == number && *spec == wish.spec
        };
        if let Some((.., shared)) = self.kept.iter().find(is_it) {
            return Ok(shared.clone());
        }
        let made = make(&wish.newest.frame, &wish.spec)?;
        let length = made.payload.len() as u64;
        if self.bytes.fetch_add(length, Ordering::Relaxed) + length > MOST_BYTES {
            self.bytes.fetch_sub(length, Ordering::Relaxed);
            return Err(NotShown::TooManyUnderWay);
        }
        let shared = Arc::new(Shared { made, bytes: self.bytes.clone() });
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((wish.source.clone(), number, wish.spec, shared.clone()));
        Ok(shared)
    }
}
