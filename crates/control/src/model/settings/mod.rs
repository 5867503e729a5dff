//! The model keeps settings: one thread writes changed values to the settings file, and restores them when it is asked.
//!
//! | lock | held | while holding it, these may be taken |
//! |---|---|---|
//! | `book` | while a file is written, which may take seconds on a slow disk | a node's, to note an origin; `status` |
//! | `status` | to read or change it; faces wait for no disk | none |
//! | `inbox` | to add or take a wish | none |

mod account;
mod book;
mod keys;
mod limits_text;
mod start;

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

pub use account::{Account, Row};
pub use book::Keeping;

pub(super) use keys::written_by;

use account::Status;
use book::Book;
use start::{Start, Wanted};

use super::action::{Answer, Asked, Reply};
use super::caller::Caller;
use super::locks::{join, lock};
use super::refused::Refused;
use super::shared::Shared;
use super::writers::{WAITING, Writers};
use crate::settings::SettingsError;

/// Changes are written at most once in this time, and at the latest after it: a killed program loses no older ones.
const PERIOD: Duration = Duration::from_secs(1);

/// A caller's wish about the settings.
pub(super) enum Wish {
    /// To write them now.
    Save,
    /// To go back to the restore point.
    Restore,
}

impl Wish {
    fn text(&self) -> &'static str {
        match self {
            Wish::Save => "save settings",
            Wish::Restore => "restore settings",
        }
    }
}

/// The thread that keeps the settings of a run.
pub(super) struct Keeper {
    inner: Arc<Inner>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    model: Arc<Shared>,
    writers: Arc<Writers<Asked>>,
    inbox: Mutex<Inbox>,
    bell: Condvar,
    start: Start,
    book: Mutex<Book>,
    status: Mutex<Status>,
}

#[derive(Default)]
struct Inbox {
    wishes: Vec<(Caller, Wish, Reply)>,
    is_ended: bool,
}

impl Keeper {
    pub(super) fn start(
        model: &Arc<Shared>,
        writers: &Arc<Writers<Asked>>,
        keeping: Keeping,
    ) -> std::io::Result<Keeper> {
        let start = Start::new(model, keeping.pipeline, keeping.base);
        let book = Book::new(&start, model, keeping.store, keeping.restored);
        let inner = Arc::new(Inner {
            model: model.clone(),
            writers: writers.clone(),
            inbox: Mutex::default(),
            bell: Condvar::new(),
            start,
            status: Mutex::new(book.status()),
            book: Mutex::new(book),
        });
        let working = inner.clone();
        let thread = Builder::new().name("settings".into()).spawn(move || working.work_on())?;
        Ok(Keeper { inner, thread: Mutex::new(Some(thread)) })
    }

    /// Lets the wish be done. After the end `reply` is dropped.
    pub(super) fn ask(&self, caller: Caller, wish: Wish, reply: Reply) {
        let mut inbox = lock(&self.inner.inbox);
        if inbox.is_ended {
            return;
        }
        if inbox.wishes.len() >= WAITING {
            // Unlocked first: `reply` runs code of the caller.
            drop(inbox);
            let moment = self.inner.model.newest();
            return reply(Answer { result: Err(Refused::Busy(WAITING)), moment });
        }
        inbox.wishes.push((caller, wish, reply));
        drop(inbox);
        self.inner.bell.notify_one();
    }

    pub(super) fn account(&self) -> Account {
        let inner = &self.inner;
        let Status { file, problem, saved_at_ns, restored } = lock(&inner.status).clone();
        let rows = inner.start.rows(&inner.model.newest()).into_iter().map(|(_, _, row)| row).collect();
        Account { file, problem, saved_at_ns, rows, restored }
    }

    /// Writes what has changed since the last time, and ends.
    pub(super) fn end(&self) {
        lock(&self.inner.inbox).is_ended = true;
        self.inner.bell.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            join(thread);
        }
    }
}

impl Inner {
    fn work_on(&self) {
        self.finish_restoring();
        loop {
            let (wishes, is_ended) = self.next();
            for (caller, wish, reply) in wishes {
                self.carry_out(caller, &wish, reply);
            }
            self.save_changes();
            if is_ended {
                // Frees the lock of the file before the program ends.
                lock(&self.book).close();
                return;
            }
        }
    }

    /// Waits for wishes, or until changes may be written again.
    fn next(&self) -> (Vec<(Caller, Wish, Reply)>, bool) {
        let inbox = lock(&self.inbox);
        let is_quiet = |inbox: &mut Inbox| inbox.wishes.is_empty() && !inbox.is_ended;
        let waited = self.bell.wait_timeout_while(inbox, PERIOD, is_quiet);
        let (mut inbox, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut inbox.wishes), inbox.is_ended)
    }

    fn carry_out(&self, caller: Caller, wish: &Wish, reply: Reply) {
        let result = match wish {
            Wish::Save => self.save(),
            Wish::Restore => self.restore(),
        };
        let problem = result.as_ref().err().map(ToString::to_string);
        self.model.log().action(caller, String::new(), wish.text(), problem);
        // Origins that were noted are part of it.
        let moment = self.model.publish_all(|_, _| ());
        reply(Answer { result: result.map_err(Refused::Settings), moment });
    }

    fn save(&self) -> Result<(), SettingsError> {
        self.on_book(|book| {
            book.save(&self.start, &self.model)?;
            book.set_point();
            book.tell(&self.model, None);
            Ok(())
        })
    }

    fn save_changes(&self) {
        self.on_book(|book| {
            if book.has_changed(&self.start, &self.model) {
                let result = book.save(&self.start, &self.model);
                book.tell(&self.model, result.err());
            }
        });
    }

    /// Works on the book, and lets faces see what has become of it.
    fn on_book<T>(&self, work: impl FnOnce(&mut Book) -> T) -> T {
        let mut book = lock(&self.book);
        let result = work(&mut book);
        // A copy, so that faces need not wait while the book writes its file.
        *lock(&self.status) = book.status();
        result
    }

    /// Gives the run the settings that a graph does not have.
    fn finish_restoring(&self) {
        let wanted = lock(&self.book).after_start(&self.start);
        for wanted in wanted {
            match self.give(&wanted) {
                Ok(()) => wanted.note(&self.model),
                Err(why) => {
                    self.on_book(|book| book.refused(&self.start, &self.model, &wanted, why.to_string()))
                }
            }
        }
    }

    /// Gives all parameters that settings concern the values of the restore point.
    fn restore(&self) -> Result<(), SettingsError> {
        let wanted = lock(&self.book).restore_point(&self.start, &self.model)?;
        let mut refused = Vec::new();
        for wanted in wanted {
            match self.give(&wanted) {
                Ok(()) => wanted.note(&self.model),
                Err(why) => {
                    refused.push(format!("{}.{}: {why}", self.start.name(&wanted), wanted.key.name()))
                }
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(SettingsError::Values(refused)) }
    }

    /// Gives a node one value, behind all that was asked of the node before.
    fn give(&self, wanted: &Wanted) -> Result<(), Refused> {
        let change = keys::change((wanted.node, wanted.key), self.model.run.graph(), &wanted.value)?;
        let (tell, told) = sync_channel(1);
        let reply = Box::new(move |answer: Answer| _ = tell.send(answer.result));
        let asked = Asked { caller: Caller::settings(), node: wanted.node, change, reply };
        self.writers.push(wanted.node, asked).map_err(|_| Refused::Busy(WAITING))?;
        told.recv().unwrap_or(Err(Refused::RunEnded))
    }
}
