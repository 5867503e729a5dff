//! One thread with sockets: accepts connections, limits them, and lets a service answer.
//!
//! Nothing of it may be held up by a client: headers and bodies have time limits, a client that does not read is dropped, and there are
//! a bounded number of connections ([`seats`]); a client that finds no seat is told the reason.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Sleep, sleep, timeout};
use tower_service::Service;

use crate::seats::{self, Reserved, Seat, Seats};
use crate::threads::spawn;

/// The bounds for clients of the server.
#[derive(Clone, Copy)]
struct Limits {
    /// Connections at one time. A client that says nothing goes after `headers`.
    seats: seats::Limits,
    /// A client has this long for the header of a request, also between two requests.
    headers: Duration,
    /// A client that takes nothing for this long is dropped.
    writing: Duration,
}

const LIMITS: Limits = Limits {
    // A hundred pages hold about five connections each.
    seats: seats::Limits { most: 512, most_of_one: 64, reserve: 16, grace: Duration::from_millis(250) },
    headers: Duration::from_secs(20),
    writing: Duration::from_secs(30),
};
/// Bytes of a header.
const LONGEST_HEADER: usize = 8 << 10;
const MOST_HEADERS: usize = 64;
/// Threads for requests that may wait for nodes, made when needed.
const BLOCKING: usize = 4;
/// After an error of the system, such as too many open files, the next connection is accepted after this time.
const PAUSE: Duration = Duration::from_millis(100);
/// Clients that are told at one time that there is no seat, and how long that may take.
const REFUSED: usize = 32;
const REFUSING: Duration = Duration::from_secs(5);

/// The address of a client.
#[derive(Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// A server; ends when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves the answers of `router`. `is_kept`: whether a connection is kept for another request.
    ///
    /// # Errors
    /// When the system gives no thread, or refuses a resource of a socket.
    pub(crate) fn start(
        name: &str,
        listener: TcpListener,
        router: Router,
        is_kept: bool,
    ) -> io::Result<Server> {
        Server::start_with(name, listener, router, is_kept, LIMITS)
    }

    fn start_with(
        name: &str,
        listener: TcpListener,
        router: Router,
        is_kept: bool,
        limits: Limits,
    ) -> io::Result<Server> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime =
            runtime.enable_io().enable_time().max_blocking_threads(BLOCKING).thread_name(name).build()?;
        let listener = {
            let _entered = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let thread = spawn(name, move || {
            runtime.block_on(accept(listener, router, is_kept, limits, stopped));
            // A request that still waits for a node holds up no other one.
            runtime.shutdown_timeout(PAUSE);
        })?;
        Ok(Server { address, stop, thread: Some(thread) })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

async fn accept(
    listener: tokio::net::TcpListener,
    router: Router,
    is_kept: bool,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) {
    let seats = Seats::new(limits.seats);
    let refused = Arc::new(Semaphore::new(REFUSED));
    loop {
        let accepted = tokio::select! {
            _ = stopped.wait_for(|is_stopped| *is_stopped) => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Small answers leave at once.
                let _ = stream.set_nodelay(true);
                if let Some(seat) = seats.take(peer.ip().to_canonical()) {
                    let stream = Patient { stream, limit: limits.writing, patience: None, seat };
                    tokio::spawn(connection(stream, peer, router.clone(), is_kept, limits.headers));
                // Without a permit the connection ends unanswered: a refusal costs memory, too.
                } else if let Ok(permit) = refused.clone().try_acquire_owned() {
                    tokio::spawn(async move {
                        let _ = timeout(REFUSING, refuse(stream, limits.seats.most)).await;
                        drop(permit);
                    });
                }
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Says why a client is not served, and waits until it has heard it: an end with something unread would take the answer back.
async fn refuse(mut stream: TcpStream, most: usize) -> io::Result<()> {
    let text = format!(
        "wanted one of {most} connections, found all of them busy, and those that are kept for who has the token: close pages \
         that nobody looks at\n"
    );
    let head = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Type: text/plain\r\n";
    stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes()).await?;
    stream.shutdown().await?;
    let mut unread = [0; 1024];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

async fn connection(stream: Patient, peer: SocketAddr, router: Router, is_kept: bool, headers: Duration) {
    let (client, is_reserved) = (stream.seat.client.clone(), stream.seat.is_reserved);
    let asking = client.clone();
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        if is_reserved {
            request.extensions_mut().insert(Reserved);
        }
        let (mut router, client, busy) = (router.clone(), asking.clone(), asking.ask());
        async move {
            let response = router.call(request).await;
            // Before the request ends: the seat must not look idle in between.
            if response.as_ref().is_ok_and(|response| response.status() == StatusCode::SWITCHING_PROTOCOLS) {
                client.upgrade();
            }
            drop(busy);
            response
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(headers).keep_alive(is_kept);
    builder.max_buf_size(LONGEST_HEADER).max_headers(MOST_HEADERS);
    let served = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::select! {
        // An error is the client's: it went, was too slow, or sent bytes that are no request.
        _ = served => {}
        () = client.sent_away() => {}
    }
}

/// A connection that ends when the client takes nothing for a while.
struct Patient {
    stream: TcpStream,
    /// How long.
    limit: Duration,
    /// Runs while something waits to be written.
    patience: Option<Pin<Box<Sleep>>>,
    /// Also of a connection that has become a WebSocket.
    seat: Seat,
}

impl Patient {
    fn bound<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.seat.is_used();
            self.patience = None;
            return written;
        }
        let limit = self.limit;
        // The timer exists only while a write waits.
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(patience.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
        self.seat.is_used();
        Poll::Ready(read)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bound(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.bound(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Instant;

    use axum::routing::get;

    use super::*;

    /// Longer than any answer takes, however busy the machine is.
    const LONG: Duration = livetime_testkit::HANG;
    const LARGE: usize = 64 << 20;
    const LIMITS: Limits = Limits {
        seats: seats::Limits { most: 4, most_of_one: 2, reserve: 1, grace: Duration::from_millis(50) },
        headers: Duration::from_millis(300),
        writing: Duration::from_millis(300),
    };

    fn start(limits: Limits) -> Server {
        let router =
            Router::new().route("/", get(async || "here")).route("/large", get(async || vec![0u8; LARGE]));
        let router = router.route("/slow", get(async || sleep(LONG).await));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Server::start_with("test", listener, router, true, limits).unwrap()
    }

    fn connect(server: &Server) -> TcpStream {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// Whether a request on a connection of its own is answered.
    fn answers(server: &Server) -> bool {
        let mut stream = connect(server);
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text.ends_with("here")
    }

    fn until(what: impl Fn() -> bool) {
        let end = Instant::now() + LONG;
        while !what() {
            assert!(Instant::now() < end);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Each byte in time does not help: the whole header has one limit.
    #[test]
    fn a_header_that_comes_byte_by_byte_ends_its_connection() {
        let server = start(LIMITS);
        let mut slow = connect(&server);
        let begin = Instant::now();
        let mut ended = false;
        slow.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        while !ended && begin.elapsed() < LONG {
            let is_gone = slow.write_all(b"a").is_err();
            ended = is_gone || !matches!(slow.read(&mut [0; 256]), Err(e) if is_late(&e));
        }
        assert!(ended && begin.elapsed() >= LIMITS.headers / 2, "{:?}", begin.elapsed());
        until(|| answers(&server));
    }

    fn is_late(error: &io::Error) -> bool {
        matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
    }

    #[test]
    fn a_client_that_takes_nothing_is_dropped_and_its_place_is_free() {
        let server = start(Limits {
            seats: seats::Limits { most: 1, most_of_one: 1, reserve: 0, ..LIMITS.seats },
            ..LIMITS
        });
        let mut deaf = connect(&server);
        deaf.write_all(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        // The only place there is.
        until(|| answers(&server));
        let mut taken = Vec::new();
        let _ = deaf.read_to_end(&mut taken);
        assert!(taken.len() < LARGE, "{}", taken.len());
    }

    #[test]
    fn clients_that_say_nothing_shut_nobody_out() {
        let server = start(Limits { headers: LONG, ..LIMITS });
        let mut silent: Vec<TcpStream> = (0..20).map(|_| connect(&server)).collect();
        until(|| answers(&server));
        // The one that waited longest had to go.
        let mut nothing = Vec::new();
        assert_eq!(silent[0].read_to_end(&mut nothing).unwrap_or(0), 0);
    }

    #[test]
    fn who_finds_all_busy_is_told_so_and_places_become_free() {
        let server = start(Limits { headers: LONG, ..LIMITS });
        let ask = |path: &str| {
            let mut stream = connect(&server);
            // A refused client may be too slow to have asked.
            let _ = write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            stream
        };
        let mut busy = Vec::new();
        let refusal = || {
            let mut text = String::new();
            let _ = ask("/").read_to_string(&mut text);
            text
        };
        // One that was not heard for long counts as silent, and makes room.
        while !refusal().starts_with("HTTP/1.1 503 ") {
            assert!(busy.len() < 1000);
            busy.push(ask("/slow"));
        }
        until(|| refusal().contains("wanted one of 4 connections"));
        drop(busy);
        until(|| answers(&server));
    }

    /// As many pages as there are seats: others are told so, and who holds the token still acts.
    #[test]
    fn where_all_seats_are_taken_the_token_has_one() {
        let text = "nodes:\n  cam: {type: sim_detector, params: {max_size_x: 8, max_size_y: 8}}\n";
        let graph = livetime_control::config::parse(
            "p",
            text,
            &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
            &[],
        )
        .unwrap()
        .graph;
        let model = livetime_control::model::Model::run_graph(&graph, Default::default()).unwrap();
        let options = crate::Options { token: Some("0123456789abcdef".into()), ..Default::default() };
        let app = Arc::new(crate::app::App::new(model.clone(), options, ([127, 0, 0, 1], 0).into()).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let limits = Limits { headers: LONG, ..LIMITS };
        let server = Server::start_with("test", listener, crate::routes::router(&app), true, limits).unwrap();
        let ask = |head: &str, body: &str| {
            let mut stream = connect(&server);
            let length = body.len();
            let common = "Host: localhost\r\nContent-Type: application/json";
            let _ = write!(stream, "{head}\r\n{common}\r\nContent-Length: {length}\r\n\r\n{body}");
            stream
        };
        let upgrade = "GET /api/v1/state HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
        let pages: Vec<TcpStream> = (0..LIMITS.seats.most)
            .map(|_| {
                let mut page = ask(upgrade, "");
                page.read_exact(&mut [0; 12]).unwrap();
                page
            })
            .collect();
        let answer = |head: &str, body: &str| {
            let mut text = Vec::new();
            let _ = ask(&format!("{head}\r\nConnection: close"), body).read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        };
        let refused = answer("GET /api/v1/describe HTTP/1.1", "");
        assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
        until(|| answer("GET /api/v1/describe HTTP/1.1", "").contains("kept for who has the token"));
        // The page itself, the way in, and who is in.
        let token = r#"{"token": "0123456789abcdef"}"#;
        until(|| answer("GET / HTTP/1.1", "").starts_with("HTTP/1.1 200 "));
        until(|| answer("POST /api/v1/session HTTP/1.1", token).starts_with("HTTP/1.1 200 "));
        let bearer = "PATCH /api/v1/nodes/cam HTTP/1.1\r\nAuthorization: Bearer 0123456789abcdef";
        until(|| answer(bearer, r#"{"set": {"offset": 1}}"#).starts_with("HTTP/1.1 200 "));
        drop((pages, server));
        app.views.maker.end();
        model.finish(LONG);
    }
}
