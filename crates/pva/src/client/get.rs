//! Reading the same channels repeatedly.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::channel::Channel;
use super::conn::Protocol;
use super::op::{Conn, Links, Op};
use super::{Error, Result};
use crate::data::Value;
use crate::proto::client::{Answer, Job};
use crate::request::parse;

/// A prepared read. After the first time it costs one short message there and one back, which is read into the
/// memory of the value before.
///
/// ```no_run
/// # use std::time::Duration;
/// # let client = livetime_pva::client::Client::from_env()?;
/// let mut temperature = client.channel("T:1").get_request("field(value)")?;
/// for _ in 0..1000 {
///     let value = temperature.get(Duration::from_secs(5))?;
///     let _ = value.f64("value");
/// }
/// # Ok::<(), livetime_pva::client::Error>(())
/// ```
pub struct GetRequest {
    channel: Channel,
    request: Value,
    op: Arc<Op>,
    // The connection on which it runs, and its result.
    place: Option<(Arc<Conn>, u32)>,
    value: Option<Value>,
    running: bool,
    error: Option<Error>,
}

impl Channel {
    /// Prepares reading repeatedly.
    pub fn get_request(&self, request: &str) -> Result<GetRequest> {
        Ok(GetRequest::new(self.clone(), parse(request)?))
    }
}

impl GetRequest {
    pub(super) fn new(channel: Channel, request: Value) -> GetRequest {
        let op = Arc::new(Op::new(Job::Get, request.clone(), false));
        GetRequest { channel, request, op, place: None, value: None, running: false, error: None }
    }

    /// The channel.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The result of the last read; `None` if it failed or there was none.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref().filter(|_| self.error.is_none() && !self.running)
    }

    /// Why the last read failed.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Reads once.
    pub fn get(&mut self, timeout: Duration) -> Result<&Value> {
        self.issue();
        self.finish(Instant::now().checked_add(timeout), timeout);
        match &self.error {
            Some(error) => Err(error.clone()),
            None => self.value.as_ref().ok_or(Error::Closed),
        }
    }

    fn issue(&mut self) {
        // A read that runs already costs one message; the way through the channel costs two and takes memory.
        if let Some((conn, _)) = &self.place {
            let conn = Arc::clone(conn);
            let mut core = conn.core();
            if self.again(&mut core) {
                return conn.flush(&mut core);
            }
        }
        self.begin();
    }

    /// Repeats the read on the same connection; `false` if the connection is closed.
    fn again(&mut self, core: &mut Protocol<Links>) -> bool {
        let (Some((_, ioid)), Some(value)) = (&self.place, self.value.take()) else {
            self.place = None;
            return false;
        };
        // Before the request is sent: the answer may be there before this thread goes on.
        self.op.set_ready(false);
        match core.connection.get_again(*ioid, value) {
            Ok(()) => {
                (self.running, self.error) = (true, None);
                true
            }
            Err(value) => {
                (self.value, self.place) = (Some(value), None);
                false
            }
        }
    }

    fn begin(&mut self) {
        self.stop();
        let op = Op::new(Job::Get, self.request.clone(), false).on(self.channel.home());
        self.op = Arc::new(op);
        (self.running, self.error) = (true, None);
        self.channel.submit(&self.op);
    }

    fn stop(&mut self) {
        self.channel.abandon(&self.op);
        (self.place, self.running) = (None, false);
    }

    fn finish(&mut self, deadline: Option<Instant>, timeout: Duration) {
        if !self.running {
            return;
        }
        if !self.op.wait(deadline) {
            self.error = Some(self.channel.late("Get", timeout));
            return self.stop();
        }
        self.running = false;
        let mut state = self.op.state();
        let outcome = state.outcome.take();
        // A clone of the connection's `Arc` for each read would be two atomic operations more.
        let same = match (&self.place, &state.place) {
            (Some((old, id)), Some((new, now))) => Arc::ptr_eq(old, new) && id == now,
            _ => false,
        };
        if !same {
            self.place = state.place.clone();
        }
        drop(state);
        match outcome {
            Some(Ok(Answer::Value(value))) => self.value = Some(value),
            Some(Err(error)) => (self.error, self.place) = (Some(error), None),
            _ => self.error = Some(Error::Closed),
        }
    }
}

/// Reads many channels: all requests go out together, then all answers are waited for.
///
/// Fails with the first error; [`GetRequest::value`] and [`GetRequest::error`] say how each went.
pub fn get_many(requests: &mut [GetRequest], timeout: Duration) -> Result<()> {
    let deadline = Instant::now().checked_add(timeout);
    issue_all(requests);
    requests.iter_mut().for_each(|request| request.finish(deadline, timeout));
    requests.iter().find_map(GetRequest::error).map_or(Ok(()), |error| Err(error.clone()))
}

fn issue_all(requests: &mut [GetRequest]) {
    let mut rest = requests;
    while let Some((first, _)) = rest.split_first_mut() {
        let Some(conn) = first.place.as_ref().map(|(conn, _)| Arc::clone(conn)) else {
            first.begin();
            rest = &mut std::mem::take(&mut rest)[1..];
            continue;
        };
        let mut core = conn.core();
        // One lock and one write of the system for all requests of a connection that follow each other.
        let here = |request: &GetRequest| request.place.as_ref().is_some_and(|(c, _)| Arc::ptr_eq(c, &conn));
        let mut issued = 0;
        while rest.get_mut(issued).is_some_and(|request| here(request) && request.again(&mut core)) {
            issued += 1;
        }
        conn.flush(&mut core);
        rest = &mut std::mem::take(&mut rest)[issued..];
    }
}

impl fmt::Debug for GetRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GetRequest({})", self.channel.name())
    }
}

impl Drop for GetRequest {
    fn drop(&mut self) {
        self.channel.abandon(&self.op);
    }
}
