//! One model of a running graph, which every face shows and acts on.
//!
//! Think of it as a newspaper and a counter. One thread, the looker, asks all nodes what they know, takes one report, and publishes
//! that as an immutable, numbered [`Moment`]. Faces take the newest when it suits them and compare versions; a slow face misses moments and
//! delays no other. A face that wants something done hands an [`Action`] with a [`Caller`] to [`Model::act`]: actions
//! on one node are done in the order in which they were asked for, by any faces, and the [`Answer`] holds the moment
//! after it.
//!
//! The looker looks ten times a second while a client watches ([`Model::watch`]), once a second otherwise, and at once
//! when a node told of an error ([`Bell`]) or an action changed something. It waits for no node: one that hangs is
//! shown as it was.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use livetime_control::access::Access;
//! use livetime_control::model::{Action, Bell, Caller, Change, Model};
//! use livetime_engine::{Run, RunOptions};
//!
//! let text = "nodes:\n  cam: {type: sim_detector}\n  stats: {type: statistics, from: cam}\n";
//! let pipeline = livetime_control::config::parse("my.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
//! let run = Run::start(&pipeline.graph, RunOptions::default()).map_err(|errors| errors[0].to_string())?;
//! let run = Arc::new(run);
//! let model = Model::start(&run, &Bell::default(), Access::default())?;
//!
//! let cam = run.graph().node("cam")?;
//! let answer = model.act_and_wait(Caller::program(), Action::Change(cam, Change::Set("gain".into(), 3.0.into())));
//! assert_eq!(answer.result, Ok(()));
//! let (counts, node) = answer.moment.node("cam").ok_or("no such node")?;
//! println!("{} frames, gain {:?}", counts.emitted, node.value("gain"));
//!
//! let mut watch = model.watch(Duration::from_millis(100));
//! let moment = watch.next(Duration::from_secs(10)).ok_or("nobody looks")?;
//! assert!(moment.version >= answer.moment.version);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod acquire;
mod act;
mod action;
mod alarms;
mod bell;
mod caller;
mod capture;
mod captures;
mod counter;
mod joins;
mod limits;
mod locks;
mod log;
mod looker;
mod losses;
mod moment;
mod node;
mod origin;
mod program;
mod quiet;
mod rates;
mod recent;
mod refused;
mod settings;
mod shared;
mod waiting;
mod wires;
mod writers;

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use livetime_engine::{Refusal, RefusalKind, Run};

use crate::access::Access;
pub use crate::report::rates::{Rates, RunRates};
pub use crate::report::times::{NodeTimes, Percentiles, Spans, Window};
use crate::settings::{NotKept, SettingsError};
pub use action::{Action, Answer, Change, Rewire, Which};
pub use alarms::Limited;
pub use bell::{Bell, Waker};
pub use caller::Caller;
pub use counter::Counter;
pub use limits::{Bound, Limit, Limits, Quantity, Severity};
pub use log::{Entry, What};
pub use losses::{Acknowledged, Grown, LOSING_NS, LossBook, Standing};
pub use moment::{Input, Moment, NodeMoment, NodeState, Offsets};
pub use origin::{Origin, by};
pub use refused::{EdgeRefusal, Refused, ShortCapture, StartError};
pub use settings::{Account, Keeping, Row};
pub use shared::Begun;

use action::{Asked, Reply};
use locks::{join, lock};
use settings::{Keeper, Wish};
use shared::Shared;
use writers::{WAITING, Writers};

/// The model of a run. Clones are the same model, which ends with the last of them, or with [`Model::end`].
#[derive(Clone)]
pub struct Model {
    threads: Arc<Threads>,
}

/// Ends the threads when the last handle is gone.
struct Threads {
    shared: Arc<Shared>,
    writers: Arc<Writers<Asked>>,
    keeper: OnceLock<Keeper>,
    looker: Mutex<Option<JoinHandle<()>>>,
    access: Access,
}

impl Model {
    /// Begins to look at `run`. `access` says who may act.
    ///
    /// # Errors
    /// [`StartError`] when the system gives no thread. The run goes on all the same.
    pub fn start(run: &Arc<Run>, bell: &Bell, access: Access) -> Result<Model, StartError> {
        let shared = Arc::new(Shared::new(run, bell.0.clone()));
        let looking = shared.clone();
        let looker = Builder::new().name("looker".into()).spawn(move || looking.look_on());
        let looker = Mutex::new(Some(looker.map_err(StartError::Thread)?));
        let acting = shared.clone();
        let writers = Writers::new(shared.nodes.len(), move |asked| act::carry_out(&acting, asked));
        let (writers, keeper) = (Arc::new(writers), OnceLock::new());
        Ok(Model { threads: Arc::new(Threads { shared, writers, keeper, looker, access }) })
    }

    /// Keeps the settings of the run from now on, until the end; to be called once, before others act.
    ///
    /// # Errors
    /// [`StartError`] when the system gives no thread. The run goes on without settings.
    pub fn keep(&self, keeping: Keeping) -> Result<(), StartError> {
        let keeper =
            Keeper::start(self.shared(), &self.threads.writers, keeping).map_err(StartError::Thread)?;
        // A second one would write the same file.
        let _ = self.threads.keeper.set(keeper);
        Ok(())
    }

    /// The run.
    pub fn run(&self) -> &Arc<Run> {
        &self.shared().run
    }

    // ---- Showing ----

    /// The newest moment.
    pub fn newest(&self) -> Arc<Moment> {
        self.shared().newest()
    }

    /// The newest moment if it is newer than version `version`; else waits for one, at most for `limit`, and not after the end.
    pub fn newer_than(&self, version: u64, limit: Duration) -> Option<Arc<Moment>> {
        self.shared().newer_than(version, limit)
    }

    /// A moment that is not older than `age`, or, if the looker takes longer than `limit` for one, the newest there is.
    pub fn at_most_old(&self, age: Duration, limit: Duration) -> Arc<Moment> {
        let newest = self.newest();
        if newest.taken.elapsed() <= age || self.is_ended() {
            return newest;
        }
        self.shared().waker().ring();
        self.newer_than(newest.version, limit).unwrap_or_else(|| self.newest())
    }

    /// Lets the looker look at least once in `period` as long as what is returned is kept.
    pub fn watch(&self, period: Duration) -> Watch {
        let number = self.shared().watch(period);
        Watch { shared: self.shared().clone(), number, seen: 0 }
    }

    /// Calls `begun` when an acquisition begins: for those whose clients rely on seeing each one. It is called on the
    /// thread that starts the acquisition, before the source is told, and must not wait.
    pub fn on_begun(&self, begun: Begun) {
        self.shared().on_begun(begun);
    }

    /// The events and actions of the run from number `number` on that are still kept.
    pub fn log_since(&self, number: u64) -> Vec<Entry> {
        self.shared().log().since(number)
    }

    /// Where the values of the run come from, and how the settings file is; `None` if the program keeps no account of it.
    pub fn settings(&self) -> Option<Account> {
        self.threads.keeper.get().map(Keeper::account)
    }

    /// Adds a line about what `caller` did to the log: for what concerns all faces and changes nothing in the run.
    pub fn note(&self, caller: Caller, text: &str) {
        self.shared().log().action(caller, String::new(), text, None);
    }

    // ---- Acting ----

    /// Whether the caller may act.
    pub fn may_act(&self, caller: &Caller) -> bool {
        caller.may_act(&self.threads.access)
    }

    /// Lets `action` be done, and returns at once. `reply` is called with what came of it, on a thread of the model or on this one;
    /// it must not wait. It is dropped uncalled when the run ends before.
    pub fn act(&self, caller: Caller, action: Action, reply: impl FnOnce(Answer) + Send + 'static) {
        let shared = self.shared();
        let refused = |reason: Refused| Answer { result: Err(reason), moment: shared.newest() };
        if !caller.may_act(&self.threads.access) {
            return reply(refused(Refused::MayNotAct(Box::new(caller))));
        }
        match action {
            Action::Change(node, _) if node >= shared.nodes.len() => {
                reply(refused(Refusal::new(RefusalKind::NodeNumber(node)).into()));
            }
            Action::Change(node, change) => {
                let asked = Asked { caller, node, change, reply: Box::new(reply) };
                if let Err(asked) = self.threads.writers.push(node, asked) {
                    (asked.reply)(refused(Refused::Busy(WAITING)));
                }
            }
            Action::Stop | Action::Abort => {
                let text = action.to_string();
                if action == Action::Abort {
                    shared.run.abort()
                } else {
                    shared.run.stop()
                }
                // The looker shows the end at once.
                shared.waker().ring();
                shared.log().action(caller, String::new(), &text, None);
                reply(Answer { result: Ok(()), moment: shared.newest() });
            }
            Action::SaveSettings => self.wish(caller, Wish::Save, Box::new(reply)),
            Action::RestoreSettings => self.wish(caller, Wish::Restore, Box::new(reply)),
            Action::Acknowledge(unintended) => {
                let moment = shared.acknowledge(unintended, caller.clone());
                shared.log().action(caller, String::new(), &action.to_string(), None);
                reply(Answer { result: Ok(()), moment });
            }
        }
    }

    fn wish(&self, caller: Caller, wish: Wish, reply: Reply) {
        let Some(keeper) = self.threads.keeper.get() else {
            let why = SettingsError::NotKept(NotKept::NoFile);
            return reply(Answer { result: Err(why.into()), moment: self.newest() });
        };
        keeper.ask(caller, wish, reply);
    }

    /// The same, and waits for the answer. Not for threads that must not wait: a node that hangs takes 5 s.
    pub fn act_and_wait(&self, caller: Caller, action: Action) -> Answer {
        let (tell, told) = sync_channel(1);
        self.act(caller, action, move |answer| _ = tell.send(answer));
        let ended = || Answer { result: Err(Refused::RunEnded), moment: self.newest() };
        told.recv().unwrap_or_else(|_| ended())
    }

    /// Looks a last time and ends all threads. Waiting actions are dropped. The last moment stays to be read.
    pub fn end(&self) {
        self.threads.end();
    }

    /// Whether the last moment is published.
    pub fn is_ended(&self) -> bool {
        self.shared().is_over()
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.threads.shared
    }
}

impl Threads {
    fn end(&self) {
        // Writers first: the last moment has all that they still carry out.
        self.writers.end();
        self.shared.waker().end();
        if let Some(looker) = lock(&self.looker).take() {
            join(looker);
        }
        // Last, so that the file has the values of the last moment.
        if let Some(keeper) = self.keeper.get() {
            keeper.end();
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.end();
    }
}

/// A client that watches a run.
pub struct Watch {
    shared: Arc<Shared>,
    number: u64,
    seen: u64,
}

impl Watch {
    /// The newest moment that this watch has not returned yet; waits for it at most for `limit`, and not after the end of the model.
    pub fn next(&mut self, limit: Duration) -> Option<Arc<Moment>> {
        let moment = self.shared.newer_than(self.seen, limit)?;
        self.seen = moment.version;
        Some(moment)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.unwatch(self.number);
    }
}
