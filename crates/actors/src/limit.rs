//! Time limits of states: renewed by one store, checked when they would expire.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use livetime_runtime::{EdgeOptions, WhenFull};

use super::agent::{Agent, Me};
use super::failure::AgentError;
use super::input::Input;
use super::local::Local;
use super::sink::Sink;
use super::subscription::{Step, Subscription};
use super::timed::After;
use super::timer::Timer;

/// A state's time limit.
pub(crate) struct Limit<S> {
    pub(crate) renewed_ns: u64,
    limit_ns: u64,
    next: S,
    /// Distinguishes this limit from older ones, whose timers may have fired already.
    number: u64,
    _timer: Timer,
}

/// The clock that `renew_limit` uses is read once per turn. A limit is longer by this tolerance.
const SLACK_NS: u64 = 100_000;

impl<S: Copy> Limit<S> {
    /// Gives the agent a time limit in place of its present one.
    pub(crate) fn set<A: Agent<State = S>>(me: &mut Me<A>, local: &mut Local, limit: Duration, next: S) {
        let input = me.limit_input.clone().unwrap_or_else(|| make_input(me, local));
        local.needs_clock = true;
        me.limits += 1;
        let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX).saturating_add(SLACK_NS);
        let renewed_ns = local.read_clock();
        let timer = arm(&input, me.limits, renewed_ns.saturating_add(limit_ns), local);
        me.limit = Some(Box::new(Limit { renewed_ns, limit_ns, next, number: me.limits, _timer: timer }));
    }
}

fn arm(input: &Arc<Input<u64>>, number: u64, at_ns: u64, local: &Local) -> Timer {
    let to = input.clone() as Arc<dyn Sink<u64>>;
    local.core.timers.set(at_ns, Box::new(After { to, message: Some(number), is_retry: false }))
}

fn make_input<A: Agent>(me: &mut Me<A>, local: &mut Local) -> Arc<Input<u64>> {
    // Only the newest timer matters: older ones may be dropped.
    let options = EdgeOptions { when_full: WhenFull::DropOldest, queue: 2, ..EdgeOptions::default() };
    let input = Arc::new(Input::new(local, me.number, options));
    me.limit_input = Some(input.clone());
    let expiries = Expiries(input.clone());
    me.is_changed = true;
    me.changes.push(Box::new(move |list, _, _| list.push(Box::new(expiries))));
    input
}

/// Receives the timers of limits that may have expired.
struct Expiries(Arc<Input<u64>>);

impl<A: Agent> Subscription<A> for Expiries {
    fn step(&mut self, _: &mut A, me: &mut Me<A>, local: &mut Local) -> Result<Step, AgentError> {
        let Some((item, _)) = self.0.take(local) else { return Ok(Step::Nothing) };
        let now_ns = local.read_clock();
        // The timer of an earlier limit may have fired already.
        let Some(limit) = me.limit.as_mut().filter(|l| l.number == item.message) else {
            return Ok(Step::Handled);
        };
        let over_ns = limit.renewed_ns.saturating_add(limit.limit_ns);
        if now_ns < over_ns {
            // The limit was renewed meanwhile: check again when it would expire now.
            limit._timer = arm(&self.0, limit.number, over_ns, local);
        } else {
            me.next_state = Some(limit.next);
            me.limit = None;
            me.is_changed = true;
        }
        Ok(Step::Handled)
    }

    fn is_urgent(&self) -> bool {
        false
    }

    fn has_message(&self, local: &mut Local) -> bool {
        self.0.has_message(local)
    }

    fn looked_at(&self) {
        self.0.looked_at();
    }

    fn close(&mut self, me: &mut Me<A>, local: &mut Local) {
        me.limit = None;
        self.0.close(local);
    }

    fn forget_handlers(&mut self) -> Option<Box<dyn Any + Send>> {
        None
    }

    fn is_of(&self, _: &dyn Any) -> bool {
        false
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
