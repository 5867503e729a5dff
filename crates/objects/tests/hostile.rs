//! A server of http that keeps to ranges, or lies about them as it is told.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use livetime_objects::{Objects, Settings};

/// What is wrong with an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lie {
    None,
    /// The body ends in the middle.
    Short,
    /// More bytes than were asked for, and a length that says so.
    Long,
    /// The range is another one than was asked for.
    OtherRange,
    /// The whole object with status 200.
    NoRange,
    /// The head says a size of 2^62, and ranges too.
    Huge,
    /// Half of the body, and then nothing.
    Stall,
    /// Nothing at all.
    Silent,
    /// Something that is no answer of http.
    Garbage,
    /// Status 500.
    Fails,
    /// Status 403 with a page of 100 kB.
    Forbids,
    /// Another ETag after the head.
    Changes,
    /// Another size after the head.
    Grows,
    /// A list of headers without end.
    EndlessHead,
    /// A redirection to itself.
    Circles,
}

/// The server; it ends with the value.
pub(crate) struct Server {
    pub address: String,
    shared: Arc<Shared>,
}

struct Shared {
    bytes: Vec<u8>,
    lie: Mutex<Lie>,
    /// So many requests for bytes get the lie; later ones do not.
    lies: AtomicUsize,
    requests: AtomicUsize,
    most_at_once: AtomicUsize,
    at_once: AtomicUsize,
    is_over: AtomicBool,
    /// Connections that wait for the end of the test.
    held: Mutex<Vec<TcpStream>>,
    ranges: Mutex<HashMap<(u64, u64), usize>>,
    /// Method and path of every request.
    asked: Mutex<Vec<String>>,
}

impl Server {
    pub(crate) fn start(bytes: Vec<u8>, lie: Lie, lies: usize) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/folder/run.bin", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            bytes,
            lie: Mutex::new(lie),
            lies: AtomicUsize::new(lies),
            requests: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
            at_once: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            held: Mutex::default(),
            ranges: Mutex::default(),
            asked: Mutex::default(),
        });
        let for_thread = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if for_thread.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), shared) = (stream, for_thread.clone()) else { continue };
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Server { address, shared }
    }

    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    pub(crate) fn most_at_once(&self) -> usize {
        self.shared.most_at_once.load(Ordering::SeqCst)
    }

    /// How often each range was asked for.
    pub(crate) fn ranges(&self) -> HashMap<(u64, u64), usize> {
        self.shared.ranges.lock().unwrap().clone()
    }

    /// Method and path of every request.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap().clone()
    }

    pub(crate) fn becomes(&self, lie: Lie) {
        *self.shared.lie.lock().unwrap() = lie;
        self.shared.lies.store(usize::MAX, Ordering::SeqCst);
    }

    pub(crate) fn lies_once(&self, lie: Lie) {
        *self.shared.lie.lock().unwrap() = lie;
        self.shared.lies.store(1, Ordering::SeqCst);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.shared.held.lock().unwrap().clear();
        let host = self.address.split('/').nth(2).unwrap_or_default();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(host);
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some((method, path, range)) = request(&mut reader) {
            self.asked.lock().unwrap().push(format!("{method} {path}"));
            let done = match (&*method, range) {
                ("HEAD", _) => self.head(reader.get_mut()),
                (_, None) => reader.get_mut().write_all(b"HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n"),
                (_, Some(range)) => {
                    let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
                    self.most_at_once.fetch_max(now, Ordering::SeqCst);
                    let done = self.get(reader.get_mut(), range);
                    self.at_once.fetch_sub(1, Ordering::SeqCst);
                    done
                }
            };
            if done.is_err() {
                return;
            }
        }
    }

    fn head(&self, out: &mut TcpStream) -> std::io::Result<()> {
        let size = if *self.lie.lock().unwrap() == Lie::Huge { 1 << 62 } else { self.bytes.len() };
        write!(
            out,
            "HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nETag: \"one\"\r\nAccept-Ranges: bytes\r\n\r\n"
        )
    }

    fn get(&self, out: &mut TcpStream, (start, end): (u64, u64)) -> std::io::Result<()> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        *self.ranges.lock().unwrap().entry((start, end)).or_default() += 1;
        let lies = self.lies.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok();
        let lie = if lies { *self.lie.lock().unwrap() } else { Lie::None };
        let size = self.bytes.len() as u64;
        let (from, to) = (start.min(size) as usize, end.min(size) as usize);
        let bytes = &self.bytes[from..to];
        let tag = if lie == Lie::Changes { "two" } else { "one" };
        let total = match lie {
            Lie::Huge => 1 << 62,
            Lie::Grows => size + 1,
            _ => size,
        };
        let head = |range: (u64, u64), length: usize| {
            let (first, last) = (range.0, range.1.saturating_sub(1));
            format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Length: {length}\r\nContent-Range: bytes {first}-{last}/{total}\r\n\
                 ETag: \"{tag}\"\r\n\r\n"
            )
        };
        match lie {
            Lie::None | Lie::Changes | Lie::Grows => {
                out.write_all(head((start, end), bytes.len()).as_bytes())?;
                out.write_all(bytes)
            }
            Lie::Huge => {
                out.write_all(head((start, end), (end - start) as usize).as_bytes())?;
                out.write_all(bytes)?;
                self.hold(out)
            }
            Lie::Short => {
                out.write_all(head((start, end), bytes.len()).as_bytes())?;
                out.write_all(&bytes[..bytes.len() / 2])?;
                Err(std::io::ErrorKind::Other.into())
            }
            Lie::Long => {
                out.write_all(head((start, end), bytes.len() + 1000).as_bytes())?;
                out.write_all(bytes)?;
                out.write_all(&[7; 1000])
            }
            Lie::OtherRange => {
                out.write_all(head((start + 1, end + 1), bytes.len()).as_bytes())?;
                out.write_all(bytes)
            }
            Lie::NoRange => {
                write!(out, "HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nETag: \"one\"\r\n\r\n")?;
                out.write_all(&self.bytes)
            }
            Lie::Stall => {
                out.write_all(head((start, end), bytes.len()).as_bytes())?;
                out.write_all(&bytes[..bytes.len() / 2])?;
                self.hold(out)
            }
            Lie::Silent => self.hold(out),
            Lie::Garbage => {
                out.write_all(&[0xFF; 5000])?;
                Err(std::io::ErrorKind::Other.into())
            }
            Lie::Fails => out.write_all(b"HTTP/1.1 500 Internal\r\nContent-Length: 4\r\n\r\nwoe!"),
            Lie::Forbids => {
                write!(out, "HTTP/1.1 403 Forbidden\r\nContent-Length: 100000\r\n\r\n")?;
                out.write_all(&[b'x'; 100_000])
            }
            Lie::Circles => {
                out.write_all(b"HTTP/1.1 302 Found\r\nLocation: run.bin\r\nContent-Length: 0\r\n\r\n")
            }
            Lie::EndlessHead => {
                out.write_all(b"HTTP/1.1 206 Partial Content\r\n")?;
                for number in 0u64.. {
                    write!(out, "X-{number}: {}\r\n", "y".repeat(1000))?;
                }
                Ok(())
            }
        }
    }

    /// Keeps the connection open and silent until the server ends.
    fn hold(&self, out: &TcpStream) -> std::io::Result<()> {
        self.held.lock().unwrap().push(out.try_clone()?);
        Ok(())
    }
}

/// Method, path and range of a request.
type Request = (String, String, Option<(u64, u64)>);

/// The next request; `None` at the end of the connection.
fn request(reader: &mut impl BufRead) -> Option<Request> {
    let (mut first, mut range) = (String::new(), None);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            let mut words = first.split(' ').map(str::to_owned);
            return Some((words.next()?, words.next()?, range));
        }
        if first.is_empty() {
            line.clone_into(&mut first);
        }
        if let Some(text) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            let (start, last) = text.split_once('-')?;
            range = Some((start.parse().ok()?, last.parse::<u64>().ok()? + 1));
        }
    }
}

/// Objects with limits that a test can wait for.
pub(crate) fn objects(cache_bytes: u64) -> Objects {
    let mut settings = Settings::of([]);
    settings.cache_bytes = cache_bytes;
    settings.stall = std::time::Duration::from_millis(300);
    settings.limit = std::time::Duration::from_secs(5);
    settings.tries = 2;
    Objects::new(settings)
}

/// Objects with the limits of a program, for servers that answer: a busy machine is no fault.
pub(crate) fn patient(cache_bytes: u64) -> Objects {
    let mut settings = Settings::of([]);
    settings.cache_bytes = cache_bytes;
    settings.tries = 2;
    Objects::new(settings)
}
