//! One thread that answers requests, and lets no client keep it.
//!
//! Sockets do not block. A client has ten seconds for everything, from connecting to closing; when there are too many, the
//! oldest goes. What is served is made at most ten times a second, however often it is asked for.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token, Waker};

use super::http::{Hosts, LONGEST_REQUEST, Request, answer, request};
use super::text::Format;

/// Clients at one time.
const MOST_CLIENTS: usize = 32;
/// A client has this long.
const PATIENCE: Duration = Duration::from_secs(10);
/// What is served is at most this old.
const FRESH: Duration = Duration::from_millis(100);
/// Clients whose time is over are looked for this often.
const LOOK: Duration = Duration::from_secs(1);

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
const FIRST_CLIENT: usize = 2;

/// Makes the text to be served.
pub(super) type Render = Box<dyn FnMut(Format) -> String + Send>;

pub(super) struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start(mut listener: TcpListener, hosts: Hosts, render: Render) -> io::Result<Server> {
        let poll = Poll::new()?;
        let address = listener.local_addr()?;
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        let stop = Arc::new(AtomicBool::new(false));
        let clients = Clients { list: BTreeMap::new(), next: FIRST_CLIENT };
        let texts = Texts { render, hosts, made: BTreeMap::new() };
        let mut serving = Serving { poll, listener, clients, texts, stop: stop.clone() };
        let thread = std::thread::Builder::new().name("metrics".into()).spawn(move || serving.run())?;
        Ok(Server { address, stop, waker, thread: Some(thread) })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Without the waker it sees the flag at its next look.
        let _ = self.waker.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Serving {
    poll: Poll,
    listener: TcpListener,
    clients: Clients,
    texts: Texts,
    stop: Arc<AtomicBool>,
}

impl Serving {
    fn run(&mut self) {
        let mut events = Events::with_capacity(64);
        while !self.stop.load(Ordering::Acquire) {
            if let Err(error) = self.poll.poll(&mut events, Some(LOOK))
                && error.kind() != ErrorKind::Interrupted
            {
                return;
            }
            // Also without an event: one that failed for lack of a file is tried again.
            self.accept();
            for event in &events {
                self.clients.advance(event.token().0, &mut self.texts);
            }
            self.clients.list.retain(|_, client| client.since.elapsed() < PATIENCE);
        }
    }

    fn accept(&mut self) {
        // Who connects faster than this is served in the next turn.
        for _ in 0..MOST_CLIENTS {
            let Ok((mut stream, _)) = self.listener.accept() else { return };
            let number = self.clients.next;
            let interest = Interest::READABLE | Interest::WRITABLE;
            if self.poll.registry().register(&mut stream, Token(number), interest).is_ok() {
                self.clients.add(stream);
                self.clients.advance(number, &mut self.texts);
            }
        }
    }
}

/// Clients by number: the smallest is the oldest.
struct Clients {
    list: BTreeMap<usize, Client>,
    next: usize,
}

impl Clients {
    fn add(&mut self, stream: TcpStream) {
        if self.list.len() >= MOST_CLIENTS {
            self.list.pop_first();
        }
        let client =
            Client { stream, since: Instant::now(), input: vec![], output: vec![], sent: 0, discarded: 0 };
        self.list.insert(self.next, client);
        self.next += 1;
    }

    fn advance(&mut self, number: usize, texts: &mut Texts) {
        if let Some(client) = self.list.get_mut(&number)
            && !client.advance(texts)
        {
            self.list.remove(&number);
        }
    }
}

struct Client {
    stream: TcpStream,
    since: Instant,
    input: Vec<u8>,
    /// Empty until the request is known.
    output: Vec<u8>,
    sent: usize,
    /// Bytes that came after the request.
    discarded: usize,
}

impl Client {
    /// Goes as far as the socket allows; false when it is to be closed.
    fn advance(&mut self, texts: &mut Texts) -> bool {
        let goes_on = self.read(texts) && self.write();
        // Closing a socket with something unread takes back what was sent: what still comes is read first.
        goes_on && (self.output.is_empty() || self.sent < self.output.len() || self.discard())
    }

    fn read(&mut self, texts: &mut Texts) -> bool {
        let mut chunk = [0; 1024];
        while self.output.is_empty() {
            match self.stream.read(&mut chunk) {
                Ok(0) => return false,
                Ok(count) => self.input.extend_from_slice(&chunk[..count]),
                Err(error) => return may_go_on(&error),
            }
            if let Some(request) = request(&self.input, &texts.hosts) {
                self.output = texts.answer(request);
            }
        }
        true
    }

    fn write(&mut self) -> bool {
        while self.sent < self.output.len() {
            match self.stream.write(&self.output[self.sent..]) {
                Ok(0) => return false,
                Ok(count) => self.sent += count,
                Err(error) => return may_go_on(&error),
            }
        }
        self.output.is_empty() || self.stream.shutdown(Shutdown::Write).is_ok()
    }

    fn discard(&mut self) -> bool {
        let mut chunk = [0; 1024];
        while self.discarded < LONGEST_REQUEST {
            match self.stream.read(&mut chunk) {
                Ok(0) => return false,
                Ok(count) => self.discarded += count,
                Err(error) => return may_go_on(&error),
            }
        }
        false
    }
}

fn may_go_on(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// The texts that were made last.
struct Texts {
    render: Render,
    hosts: Hosts,
    made: BTreeMap<&'static str, (Instant, String)>,
}

impl Texts {
    fn answer(&mut self, request: Request) -> Vec<u8> {
        match request {
            Request::Other(status, body) => answer(status, "text/plain; charset=utf-8", body, true),
            Request::Metrics { format, with_body } => {
                answer("200 OK", format.content_type(), self.text(format), with_body)
            }
        }
    }

    fn text(&mut self, format: Format) -> &str {
        let render = &mut self.render;
        let mut make = || (Instant::now(), render(format));
        let entry = self.made.entry(format.content_type()).or_insert_with(&mut make);
        if entry.0.elapsed() >= FRESH {
            *entry = make();
        }
        &entry.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream as Plain;
    use std::sync::atomic::AtomicUsize;

    /// A server of a large text, and how often it was made.
    fn server() -> (Server, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let made = Arc::new(AtomicUsize::new(0));
        let counter = made.clone();
        let render = move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            "x 1\n".repeat(1 << 20)
        };
        (Server::start(listener, Hosts::new(None, &[]), Box::new(render)).unwrap(), made)
    }

    fn get(server: &Server) -> String {
        let mut stream = Plain::connect(server.address()).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    fn is_whole(text: &str) -> bool {
        text.starts_with("HTTP/1.1 200 OK\r\n") && text.len() > 4 << 20 && text.ends_with("x 1\n")
    }

    #[test]
    fn slow_and_silent_clients_harm_nobody() {
        let (server, _) = server();
        // Some say nothing, some say half, some ask and do not read.
        let lazy: Vec<Plain> = (0..4 * MOST_CLIENTS)
            .map(|number| {
                let mut stream = Plain::connect(server.address()).unwrap();
                let words: [&[u8]; 3] = [b"", b"GET /met", b"GET /metrics HTTP/1.1\r\n\r\n"];
                let _ = stream.write_all(words[number % 3]);
                stream
            })
            .collect();
        for _ in 0..5 {
            assert!(is_whole(&get(&server)));
        }
        // The oldest were let go to make room; of those that asked nothing it can be seen.
        let is_closed = |mut stream: &Plain| match stream.read(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        };
        lazy.iter().for_each(|stream| stream.set_nonblocking(true).unwrap());
        let silent = lazy.iter().enumerate().filter(|(number, _)| number % 3 != 2);
        assert!(silent.filter(|(_, stream)| is_closed(stream)).count() >= 2 * MOST_CLIENTS);
    }

    #[test]
    fn a_request_without_end_is_refused_and_more_behind_one_is_read() {
        let (server, _) = server();
        let mut endless = Plain::connect(server.address()).unwrap();
        let _ = endless.write_all(&[b'a'; 2 * LONGEST_REQUEST]);
        let mut text = String::new();
        let _ = endless.read_to_string(&mut text);
        assert!(text.starts_with("HTTP/1.1 431 "), "{text}");
        let mut talkative = Plain::connect(server.address()).unwrap();
        talkative.write_all(b"POST /metrics HTTP/1.1\r\nContent-Length: 4000\r\n\r\n").unwrap();
        talkative.write_all(&[b'b'; 4000]).unwrap();
        let mut text = String::new();
        talkative.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 405 ") && text.contains("Allow: GET, HEAD\r\n"), "{text}");
    }

    #[test]
    fn asking_often_makes_little_work_and_the_end_comes_at_once() {
        let (server, made) = server();
        let started = Instant::now();
        (0..30).for_each(|_| assert!(is_whole(&get(&server))));
        let most = 1 + started.elapsed().as_millis() as usize / FRESH.as_millis() as usize;
        assert!((1..=most).contains(&made.load(Ordering::Relaxed)));
        let _silent = Plain::connect(server.address()).unwrap();
        drop(server);
    }
}
