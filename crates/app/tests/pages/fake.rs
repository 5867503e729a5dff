//! Something else in the place of a host's page.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

/// Answers each connection, and keeps the requests.
pub(super) struct Fake {
    requests: mpsc::Receiver<String>,
}

impl Fake {
    /// `answer` gets each connection behind the head of its request.
    pub(super) fn start(address: &str, answer: impl Fn(TcpStream, &str) + Send + Sync + 'static) -> Fake {
        let listener = TcpListener::bind(address).unwrap();
        let (put, requests) = mpsc::channel();
        let answer = std::sync::Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (put, answer) = (put.clone(), answer.clone());
                std::thread::spawn(move || {
                    let mut stream = stream;
                    let head = head(&mut stream);
                    // The test may have heard enough.
                    _ = put.send(head.clone());
                    answer(stream, &head);
                });
            }
        });
        Fake { requests }
    }

    /// All heads of requests so far.
    pub(super) fn heads(&self) -> Vec<String> {
        self.requests.try_iter().collect()
    }
}

fn head(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// Writes until the other side has had enough; how many bytes that were, at most `most`.
pub(super) fn pour(mut stream: TcpStream, begin: &str, most: usize) {
    let mut poured = 0;
    if stream.write_all(begin.as_bytes()).is_ok() {
        while poured < most && stream.write_all(&[b'a'; 64 << 10]).is_ok() {
            poured += 64 << 10;
        }
    }
}
