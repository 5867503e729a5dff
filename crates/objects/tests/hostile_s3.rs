//! A server that takes objects as S3 does, and fails as it is told: a writer gets an error, and the server is asked to forget the parts.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use livetime_formats::file::Stores;
use livetime_objects::{Kind, ObjectError, Objects, Settings};

/// What is wrong with the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// Nothing.
    None,
    /// Parts are answered with status 500.
    Parts,
    /// Parts are never answered.
    Silent,
    /// The end is answered with status 200, and an error in the body.
    HiddenInTheEnd,
    /// The end is answered as if all were well, and the object has another size.
    OtherSize,
    /// The end is not allowed.
    Forbidden,
    /// No upload may begin, told with a page of 100 kB.
    NoBeginning,
    /// An upload begins with something that is no answer.
    Garbage,
}

struct Taker {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    held: Arc<Mutex<Vec<TcpStream>>>,
}

impl Taker {
    fn start(fault: Fault) -> Taker {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let taker = Taker { port, asked: Arc::default(), is_over: Arc::default(), held: Arc::default() };
        let (asked, is_over, held) = (taker.asked.clone(), taker.is_over.clone(), taker.held.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (asked, held) = (asked.clone(), held.clone());
                std::thread::spawn(move || serve(stream, fault, &asked, &held));
            }
        });
        taker
    }

    fn stores(&self) -> Stores {
        let variables = [
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ACCESS_KEY_ID", "user".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "geheim".to_owned()),
        ];
        let mut settings = Settings::of(variables.map(|(name, value)| (name.to_owned(), value)));
        settings.stall = Duration::from_millis(300);
        settings.limit = Duration::from_secs(5);
        settings.tries = 2;
        Stores::with(Arc::new(Objects::new(settings)))
    }

    fn count(&self, begin: &str, part: &str) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|line| line.starts_with(begin) && line.contains(part)).count()
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.held.lock().unwrap().clear();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn serve(stream: TcpStream, fault: Fault, asked: &Mutex<Vec<String>>, held: &Mutex<Vec<TcpStream>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).map_or(true, |count| count == 0) {
                return;
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if first.is_empty() {
                line.clone_into(&mut first);
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        if std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).is_err() {
            return;
        }
        asked.lock().unwrap().push(first.clone());
        let Some((status, body)) = answer(&first, fault) else {
            held.lock().unwrap().push(reader.get_ref().try_clone().unwrap());
            return;
        };
        let size = if fault == Fault::OtherSize { 5 } else { 9 << 20 };
        // The head of an object says the size of a body that does not come.
        let length = if first.starts_with("HEAD") { size } else { body.len() };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nETag: \"one\"\r\n\
             Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n\r\n"
        );
        if reader.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat()).is_err() {
            return;
        }
    }
}

/// Status and body; `None`: no answer at all.
fn answer(first: &str, fault: Fault) -> Option<(&'static str, String)> {
    let is = |begin: &str, part: &str| first.starts_with(begin) && first.contains(part);
    Some(match fault {
        Fault::NoBeginning if is("POST", "?uploads") => ("403 Forbidden", "x".repeat(100_000)),
        Fault::Garbage if is("POST", "?uploads") => ("200 OK", "<what/>".to_owned()),
        _ if is("POST", "?uploads") => {
            let named = "<Bucket>runs</Bucket><Key>a</Key><UploadId>17</UploadId>";
            ("200 OK", format!("<InitiateMultipartUploadResult>{named}</InitiateMultipartUploadResult>"))
        }
        Fault::Parts if is("PUT", "partNumber") => ("500 Internal", "woe".to_owned()),
        Fault::Silent if is("PUT", "partNumber") => return None,
        Fault::HiddenInTheEnd if is("POST", "uploadId") => {
            ("200 OK", "<Error><Code>InternalError</Code><Message>woe</Message></Error>".to_owned())
        }
        Fault::Forbidden if is("POST", "uploadId") => ("403 Forbidden", "no".to_owned()),
        _ if is("POST", "uploadId") => (
            "200 OK",
            "<CompleteMultipartUploadResult><ETag>one</ETag></CompleteMultipartUploadResult>".to_owned(),
        ),
        _ if is("DELETE", "") => ("204 No Content", String::new()),
        _ => ("200 OK", String::new()),
    })
}

/// Writes an object of two parts; its error, if it has one.
fn written(taker: &Taker) -> std::io::Result<()> {
    let refused = |e: livetime_formats::Error| std::io::Error::other(e.to_string());
    let mut new = taker.stores().replace("s3://runs/a".as_ref()).map_err(refused)?;
    new.write_all(&vec![7; 9 << 20])?;
    new.finish().map_err(|e| match e.io_error() {
        Some(why) => std::io::Error::new(why.kind(), why.to_string()),
        None => refused(e),
    })
}

#[test]
fn a_server_that_fails_while_it_takes_an_object_is_told_to_forget_it() {
    let taker = Taker::start(Fault::None);
    written(&taker).unwrap();
    assert_eq!((taker.count("PUT", "partNumber"), taker.count("DELETE", "")), (2, 0));
    for (fault, words, is_aborted) in [
        (Fault::Parts, "wanted to write a part of an object, found ", true),
        (Fault::Silent, "wanted to write a part of an object, found ", true),
        (Fault::HiddenInTheEnd, "wanted to put the parts of an object together, found ", true),
        (Fault::Forbidden, "wanted to put the parts of an object together, found status 403", true),
        (Fault::OtherSize, "wanted an object of 9437184 bytes, found one of 5", false),
        (Fault::NoBeginning, "wanted to begin an object, found status 403", false),
        (Fault::Garbage, "wanted to begin an object, found ", false),
    ] {
        let taker = Taker::start(fault);
        let error = written(&taker).unwrap_err();
        assert!(error.to_string().contains(words), "{fault:?}: {error}");
        assert!(error.to_string().len() < 900 && !error.to_string().contains("geheim"), "{fault:?}: {error}");
        assert_eq!(taker.count("DELETE", "uploadId=17") > 0, is_aborted, "{fault:?}");
    }
}

#[test]
fn a_store_that_takes_nothing_is_known_before_the_work() {
    let taker = Taker::start(Fault::NoBeginning);
    let error = taker.stores().check_new("s3://runs/a".as_ref()).unwrap_err();
    let why = error.io_error().unwrap();
    assert_eq!(why.kind(), ErrorKind::PermissionDenied, "{error}");
    let why = why.get_ref().and_then(|e| e.downcast_ref::<ObjectError>()).unwrap();
    assert_eq!(why.kind, Kind::Forbidden);
    let taker = Taker::start(Fault::None);
    taker.stores().check_new("s3://runs/a".as_ref()).unwrap();
    assert_eq!(taker.count("DELETE", "uploadId=17"), 1);
}
