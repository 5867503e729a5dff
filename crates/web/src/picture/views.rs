//! Views: the parts of outputs that clients look at, with an account of each.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_runtime::lock;
use tokio::sync::watch;

use super::budget::Budgets;
use super::make::Made;
use super::maker::{Maker, Shared};
use super::message::{HELD, Header};
use super::newest::Newest;
use super::not_shown::NotShown;
use super::source::{Source, Sources};
use super::spec::Spec;

/// A view ends after this time without a request.
const KEPT: Duration = Duration::from_secs(5);
/// A request waits this long for a newer picture.
const WAIT: Duration = Duration::from_secs(1);
/// A picture of a frame that came longer ago is marked as held.
const HELD_AFTER: Duration = Duration::from_secs(2);
/// Views of all clients, and of one that is not on this machine, where all those behind a proxy seem to be.
const MOST: usize = 256;
const MOST_OF_ONE: usize = 16;

/// Why there is no picture.
#[derive(Debug, PartialEq)]
pub(crate) enum Refused {
    /// There is no such view.
    Gone,
    /// There is no picture of another frame.
    NothingNew,
    /// There are too many views.
    TooMany(String),
    /// Its frames cannot be shown.
    Cannot(NotShown),
}

/// The fate of the frames of a view's output since the view began: offered = sent + left out + waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Account {
    pub(crate) offered: u64,
    pub(crate) sent: u64,
    pub(crate) left_out: u64,
    /// Newer than the last one that was sent.
    pub(crate) waiting: u64,
}

impl Account {
    fn add(&mut self, other: Account) {
        self.offered += other.offered;
        self.sent += other.sent;
        self.left_out += other.left_out;
        self.waiting += other.waiting;
    }
}

/// How far a view has come in the frames of its output, which are numbered.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The last frame before the view began, and the last one that was sent or passed over.
    began: u64,
    last: u64,
    sent: u64,
    left_out: u64,
}

impl Progress {
    fn new(newest: u64) -> Progress {
        // A view begins with the newest frame there is.
        let began = newest.saturating_sub(1);
        Progress { began, last: began, sent: 0, left_out: 0 }
    }

    /// Frame `number` is sent. Returns how many were left out since the last one.
    fn send(&mut self, number: u64) -> u64 {
        if number <= self.last {
            // The same frame is sent again with another view, so no frame was left out.
            return 0;
        }
        let left_out = number - self.last - 1;
        (self.last, self.sent, self.left_out) = (number, self.sent + 1, self.left_out + left_out);
        left_out
    }

    fn account(&self, newest: u64) -> Account {
        let newest = newest.max(self.last);
        Account {
            offered: newest - self.began,
            sent: self.sent,
            left_out: self.left_out,
            waiting: newest - self.last,
        }
    }
}

struct View {
    source: Arc<Source>,
    spec: Spec,
    owner: IpAddr,
    asked: Instant,
    progress: Progress,
    /// Tells the request that waits that another one has come.
    turn: watch::Sender<u64>,
}

impl View {
    fn newest(&self) -> u64 {
        self.source.newest.borrow().as_ref().map_or(0, |newest| newest.number)
    }

    fn account(&self) -> Account {
        self.progress.account(self.newest())
    }
}

/// All views.
pub(crate) struct Views {
    pub(crate) sources: Sources,
    pub(crate) maker: Maker,
    budgets: Budgets,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    views: BTreeMap<u64, View>,
    next: u64,
    /// Of views that have ended.
    ended: Account,
}

impl State {
    /// Ends views without requests.
    fn tidy(&mut self) {
        // A request that waits holds a receiver of `turn`.
        let old = |view: &View| view.asked.elapsed() > KEPT && view.turn.is_closed();
        let over: Vec<u64> = self.views.iter().filter(|(_, view)| old(view)).map(|(id, _)| *id).collect();
        over.into_iter().for_each(|id| _ = self.end(id));
    }

    fn end(&mut self, id: u64) -> bool {
        let Some(view) = self.views.remove(&id) else { return false };
        let mut account = view.account();
        // No client will ask for them.
        account.left_out += std::mem::take(&mut account.waiting);
        self.ended.add(account);
        true
    }
}

impl Views {
    pub(crate) fn new(sources: Sources, maker: Maker) -> Views {
        Views { sources, maker, budgets: Budgets::default(), state: Mutex::default() }
    }

    /// A new view of an output. Returns its number.
    pub(crate) fn open(&self, from: &str, spec: Spec, owner: IpAddr) -> Result<u64, Refused> {
        let mut state = lock(&self.state);
        state.tidy();
        let of_owner = state.views.values().filter(|view| view.owner == owner).count();
        if state.views.len() >= MOST || (!owner.is_loopback() && of_owner >= MOST_OF_ONE) {
            return Err(Refused::TooMany(format!(
                "wanted at most {MOST} views, {MOST_OF_ONE} of one address"
            )));
        }
        let source = self.sources.get(from).map_err(Refused::Cannot)?;
        let id = state.next;
        state.next += 1;
        let (turn, _) = watch::channel(0);
        let mut view =
            View { source, spec, owner, asked: Instant::now(), progress: Progress::default(), turn };
        view.progress = Progress::new(view.newest());
        state.views.insert(id, view);
        Ok(id)
    }

    /// Changes the specification of a view.
    pub(crate) fn change(&self, id: u64, from: &str, spec: Spec) -> Result<(), Refused> {
        let mut state = lock(&self.state);
        state.tidy();
        let state = &mut *state;
        let view = state.views.get_mut(&id).ok_or(Refused::Gone)?;
        let source = self.sources.get(from).map_err(Refused::Cannot)?;
        if !Arc::ptr_eq(&source, &view.source) {
            // An account is of one output: it begins anew with another one.
            let mut account = view.account();
            account.left_out += std::mem::take(&mut account.waiting);
            state.ended.add(account);
            view.source = source;
            view.progress = Progress::new(view.newest());
        }
        (view.spec, view.asked) = (spec, Instant::now());
        Ok(())
    }

    /// Ends a view.
    pub(crate) fn close(&self, id: u64) -> bool {
        lock(&self.state).end(id)
    }

    /// Ends views without requests.
    pub(crate) fn tidy(&self) {
        lock(&self.state).tidy();
        self.sources.tidy();
    }

    /// The accounts of all views by number, with the names of their outputs, and the sum of the ended views.
    pub(crate) fn accounts(&self) -> (Vec<(u64, String, Account)>, Account) {
        let state = lock(&self.state);
        let of = |(id, view): (&u64, &View)| (*id, view.source.name.clone(), view.account());
        (state.views.iter().map(of).collect(), state.ended)
    }

    /// A picture of another frame than the one numbered `after`, or the newest at once without.
    pub(crate) async fn next(&self, id: u64, after: Option<u64>) -> Result<(Header, Arc<Shared>), Refused> {
        let (source, spec, newest, turn) = self.begin(id)?;
        let owner = lock(&self.state).views.get(&id).map(|view| view.owner).ok_or(Refused::Gone)?;
        let wait = self.budgets.wait(owner, Instant::now());
        if wait > Duration::ZERO {
            tokio::time::sleep(wait.min(WAIT)).await;
        }
        // A request does not wait longer: the client asks again.
        if wait > WAIT {
            return Err(Refused::NothingNew);
        }
        let waited = wait_for(newest, turn, after).await;
        let newest = waited.ok_or(Refused::NothingNew)?;
        let shared = self.maker.make(&source.name, newest.clone(), spec).await.map_err(Refused::Cannot)?;
        self.budgets.spend(owner, shared.made.payload.len(), Instant::now());
        let left_out = self.sent(id, &source, newest.number);
        Ok((header(&shared.made, &newest, left_out), shared))
    }

    #[allow(clippy::type_complexity, reason = "what one request needs to know, used in one place")]
    fn begin(
        &self,
        id: u64,
    ) -> Result<(Arc<Source>, Spec, watch::Receiver<Option<Arc<Newest>>>, watch::Receiver<u64>), Refused>
    {
        let mut state = lock(&self.state);
        let view = state.views.get_mut(&id).ok_or(Refused::Gone)?;
        view.asked = Instant::now();
        // A request that waits already has lost its turn.
        view.turn.send_modify(|turn| *turn += 1);
        let turn = view.turn.subscribe();
        Ok((view.source.clone(), view.spec, view.source.newest.clone(), turn))
    }

    fn sent(&self, id: u64, source: &Arc<Source>, number: u64) -> u64 {
        let mut state = lock(&self.state);
        // The view may show another output by now, whose frames have other numbers.
        let view = state.views.get_mut(&id).filter(|view| Arc::ptr_eq(&view.source, source));
        view.map_or(0, |view| {
            view.asked = Instant::now();
            view.progress.send(number)
        })
    }

    /// The newest frame of the view's output, if there is one.
    pub(crate) fn newest(&self, id: u64) -> Result<Option<Arc<Newest>>, Refused> {
        let mut state = lock(&self.state);
        let view = state.views.get_mut(&id).ok_or(Refused::Gone)?;
        view.asked = Instant::now();
        let newest = view.source.newest.borrow().clone();
        Ok(newest)
    }

    /// A frame of an output, without a view: the newest while it is watched, else the next. It is waited for at most `limit`; one that
    /// was kept from earlier times is then better than none.
    pub(crate) async fn one(&self, from: &str, limit: Duration) -> Result<(String, Arc<Newest>), Refused> {
        let source = self.sources.get(from).map_err(Refused::Cannot)?;
        let mut newest = source.newest.clone();
        let came =
            newest.wait_for(|newest| newest.as_ref().is_some_and(|newest| newest.number > source.began));
        let found =
            tokio::time::timeout(limit, came).await.ok().and_then(Result::ok).and_then(|found| found.clone());
        // Without a new frame in time, the last one of an earlier watch is shown.
        let newest = found.or_else(|| source.newest.borrow().clone()).ok_or(Refused::NothingNew)?;
        Ok((source.name.clone(), newest))
    }
}

async fn wait_for(
    mut newest: watch::Receiver<Option<Arc<Newest>>>,
    mut turn: watch::Receiver<u64>,
    after: Option<u64>,
) -> Option<Arc<Newest>> {
    let is_other = |newest: &Option<Arc<Newest>>| {
        newest.as_ref().is_some_and(|newest| after != Some(newest.frame.header().sequence))
    };
    let wait = async {
        let found = newest.wait_for(is_other).await.ok().and_then(|newest| newest.clone());
        match found {
            Some(newest) => Some(newest),
            // The node has ended: a client that asks in a loop still waits each time.
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        found = wait => found,
        _ = turn.changed() => None,
        () = tokio::time::sleep(WAIT) => None,
    }
}

/// The header of a message, for one client.
pub(crate) fn header(made: &Made, newest: &Newest, left_out: u64) -> Header {
    let waited = newest.came.elapsed();
    let age_us = (newest.age + waited).as_micros();
    Header {
        left_out: u32::try_from(left_out).unwrap_or(u32::MAX),
        age_us: u32::try_from(age_us).unwrap_or(u32::MAX),
        flags: made.header.flags | if waited > HELD_AFTER { HELD } else { 0 },
        ..made.header
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Frames come, requests take the newest or the same one again: at every moment the account closes, and what is said to be left
        /// out, message by message, adds up.
        #[test]
        fn the_account_closes_at_every_moment(
            start in 0u64..5,
            steps in proptest::collection::vec((0u64..4, any::<bool>()), 0..200),
        ) {
            let mut newest = start;
            let mut progress = Progress::new(newest);
            let mut told = 0;
            for (came, asks) in steps {
                newest += came;
                if asks && newest > 0 {
                    told += progress.send(newest);
                }
                let account = progress.account(newest);
                prop_assert_eq!(account.offered, account.sent + account.left_out + account.waiting);
                prop_assert_eq!(account.left_out, told);
            }
        }
    }
}
