//! Clients that watch: pictures by request, moments by socket, each on a thread of its own.

use crate::Failed;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use livetime_engine::time_of_day_ns;
use serde_json::{Value, json};

use super::link::{Requests, StateSocket};

/// Threads of clients read into memory that they have; they need little stack.
const STACK: usize = 128 << 10;

/// A picture that came.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub(super) at: Instant,
    /// Age when the server answered, and when the client had received all bytes.
    pub(super) answered_us: f64,
    pub(super) whole_us: f64,
}

/// A moment that came.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) at: Instant,
    pub(super) bytes: usize,
}

/// The updates that clients have received.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) pictures: Vec<Shown>,
    pub(super) moments: Vec<Told>,
}

impl Seen {
    /// Memory of the client's buffers.
    pub(super) fn bytes(&self) -> usize {
        self.pictures.capacity() * size_of::<Shown>() + self.moments.capacity() * size_of::<Told>()
    }
}

/// Clients that watch until they are ended.
#[derive(Default)]
pub(super) struct Crowd {
    is_over: Arc<AtomicBool>,
    sockets: Vec<TcpStream>,
    threads: Vec<JoinHandle<Result<Seen, Failed>>>,
}

/// A browser is mostly on another machine: here it must not take a core from the run that it watches.
fn step_back() {
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(None, 19);
    }
}

impl Crowd {
    /// As many clients that ask for one picture of `from` after the other, `pace` apart; `fit`: not larger than that.
    pub(super) fn pictures(
        &mut self,
        address: SocketAddr,
        clients: usize,
        from: &str,
        fit: Option<u32>,
        pace: Duration,
    ) -> Result<(), Failed> {
        for _ in 0..clients {
            let mut view = View::open(address, from, fit)?;
            let is_over = self.is_over.clone();
            self.start(move || {
                let mut seen = Seen::default();
                while !is_over.load(Ordering::Acquire) {
                    let due = Instant::now() + pace;
                    seen.pictures.extend(view.next()?.map(|picture| picture.shown));
                    // Only the rest of the time, so that the pace does not depend on the server.
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                }
                view.close()?;
                Ok(seen)
            })?;
        }
        Ok(())
    }

    /// As many clients that watch moments. `room`: for how many each has room before it begins.
    pub(super) fn moments(&mut self, address: SocketAddr, clients: usize, room: usize) -> Result<(), Failed> {
        for _ in 0..clients {
            let mut socket = StateSocket::open(address)?;
            self.sockets.push(socket.handle()?);
            let mut seen = Seen { moments: Vec::with_capacity(room), ..Seen::default() };
            self.start(move || {
                while let Some(text) = socket.next() {
                    let Some(version) = version_of(text) else { continue };
                    seen.moments.push(Told { at: Instant::now(), bytes: text.len() });
                    if socket.seen(version).is_none() {
                        break;
                    }
                }
                Ok(seen)
            })?;
        }
        Ok(())
    }

    fn start(&mut self, work: impl FnOnce() -> Result<Seen, Failed> + Send + 'static) -> Result<(), Failed> {
        let thread = Builder::new().name("client".into()).stack_size(STACK).spawn(move || {
            step_back();
            work()
        });
        self.threads.push(thread.map_err(|e| format!("cannot start a client: {e}"))?);
        Ok(())
    }

    /// Ends all clients.
    pub(super) fn end(self) -> Result<Vec<Seen>, Failed> {
        self.is_over.store(true, Ordering::Release);
        for socket in &self.sockets {
            // One that has ended needs no more.
            let _ = socket.shutdown(Shutdown::Both);
        }
        let seen =
            self.threads.into_iter().map(|t| t.join().map_err(|_| "a client has failed".to_owned())?);
        seen.collect()
    }
}

/// The version of a moment; `None` of another message.
fn version_of(text: &str) -> Option<u64> {
    text.contains("\"kind\":\"moment\"").then_some(())?;
    let (_, rest) = text.split_once("\"version\":")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

// ---- A view ----

/// A view and its connection.
pub(super) struct View {
    requests: Requests,
    url: String,
    last: Option<u64>,
}

/// A picture, as far as it is looked at.
pub(super) struct Picture {
    pub(super) shown: Shown,
    pub(super) width: u32,
}

impl View {
    pub(super) fn open(address: SocketAddr, from: &str, fit: Option<u32>) -> Result<View, Failed> {
        let mut requests = Requests::open(address)?;
        let view = json!({ "from": from, "fit": fit.map(|size| [size, size]) });
        let answer = requests.ask("POST", "/api/v1/views", None, &view.to_string())?;
        let body: Value = serde_json::from_slice(answer.body)?;
        let url = body["url"].as_str().ok_or_else(|| format!("wanted a view, found {body}"))?.to_owned();
        Ok(View { requests, url, last: None })
    }

    /// The next picture; `None` if there was none for a while.
    pub(super) fn next(&mut self) -> Result<Option<Picture>, Failed> {
        let path = match self.last {
            Some(last) => format!("{}?after={last}", self.url),
            None => self.url.clone(),
        };
        let answer = self.requests.ask("GET", &path, None, "")?;
        let (at, now_ns) = (Instant::now(), time_of_day_ns());
        let body = match (answer.status, answer.body.len()) {
            (204, _) => return Ok(None),
            // A picture has a header of 64 bytes.
            (200, 64..) => answer.body,
            (status, _) => {
                return Err(format!(
                    "wanted a picture, found {status}: {}",
                    String::from_utf8_lossy(answer.body)
                )
                .into());
            }
        };
        // The places are listed in `docs/spec/web-data.md`.
        let word =
            |at: usize| body.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let whole_us = now_ns.saturating_sub(long(16) as i64) as f64 / 1e3;
        let shown = Shown { at, answered_us: f64::from(word(56)), whole_us };
        let (width, sequence) = (word(24), long(8));
        self.last = Some(sequence);
        Ok(Some(Picture { shown, width }))
    }

    fn close(mut self) -> Result<(), Failed> {
        self.requests.ask("DELETE", &self.url, None, "").map(|_| ())
    }
}
