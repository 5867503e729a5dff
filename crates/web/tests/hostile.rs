//! Clients that mean harm, or are only slow: the run and the others go on.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::client::{LONG, Run, SMALL};

#[test]
fn silent_half_and_slow_clients_harm_nobody() {
    let run = Run::start(SMALL);
    let words: [&[u8]; 4] = [
        b"",
        b"GET /api/v1/desc",
        b"GET /api/v1/report HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /api/v1/views HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{",
    ];
    let lazy: Vec<TcpStream> = (0..200)
        .map(|number| {
            let mut stream = TcpStream::connect(run.address()).unwrap();
            let _ = stream.write_all(words[number % words.len()]);
            stream
        })
        .collect();
    for _ in 0..5 {
        assert_eq!(run.get("/healthz").status, 200);
    }
    assert_eq!(run.send("PATCH", "/api/v1/nodes/roi", &json!({ "set": { "min_x": 1 } })).status, 200);
    drop(lazy);
    run.end();
}

#[test]
fn five_hundred_silent_clients_shut_nobody_out() {
    let run = Run::start(SMALL);
    let silent: Vec<TcpStream> = (0..600).map(|_| TcpStream::connect(run.address()).unwrap()).collect();
    // A new client is given a moment to say something.
    while run.get("/api/v1/describe").status != 200 {}
    assert_eq!(run.send("PATCH", "/api/v1/nodes/roi", &json!({ "set": { "min_x": 1 } })).status, 200);
    drop(silent);
    run.end();
}

#[test]
fn what_is_too_long_is_refused() {
    let run = Run::start(SMALL);
    let mut endless = TcpStream::connect(run.address()).unwrap();
    endless.set_read_timeout(Some(LONG)).unwrap();
    let _ = endless
        .write_all(&[b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ".as_slice(), &[b'a'; 70_000]].concat());
    let mut text = Vec::new();
    let _ = endless.read_to_end(&mut text);
    assert!(text.is_empty() || text.starts_with(b"HTTP/1.1 431 "), "{}", String::from_utf8_lossy(&text));
    let long = json!({ "set": { "name": "a".repeat(70_000) } });
    assert_eq!(run.send("PATCH", "/api/v1/nodes/roi", &long).status, 413);
    assert_eq!(run.get("/healthz").status, 200);
    let chatter = run.state();
    drop(chatter);
    let mut page = run.state();
    for _ in 0..200 {
        let message = tungstenite::Message::text(r#"{"kind": "pace", "hz": 10}"#);
        if page.socket.send(message).is_err() {
            break;
        }
    }
    while page.socket.read().is_ok() {}
    run.end();
}

#[test]
fn wrong_tokens_are_counted_and_changes_have_a_pace() {
    let run = Run::start(SMALL);
    let wrong = || run.ask("GET", "/api/v1/session", &[("Authorization", "Bearer 123")], None).status;
    let found: Vec<u16> = (0..7).map(|_| wrong()).collect();
    assert_eq!(found, [401, 401, 401, 401, 401, 429, 429]);
    run.end();
    let run = Run::start(SMALL);
    let set = || run.send("POST", "/api/v1/nodes/stats/enable", &json!({})).status;
    let found: Vec<u16> = (0..100).map(|_| set()).collect();
    assert!(found.iter().all(|status| [200, 429].contains(status)) && found[0] == 200, "{found:?}");
    run.end();
}

/// A client that asks for large pictures and does not read.
#[test]
fn a_client_that_does_not_read_holds_no_frame() {
    let run =
        Run::start(&SMALL.replace("max_size_x: 64, max_size_y: 32", "max_size_x: 512, max_size_y: 512"));
    let ask = b"GET /api/v1/picture?from=cam&as=raw HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let deaf: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(run.address()).unwrap();
            stream.write_all(&ask.repeat(50)).unwrap();
            stream
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(run.get("/api/v1/picture?from=cam&as=raw&wait_ms=10000").body.len(), 64 + 512 * 512 * 2);
    }
    let pool = run.model.run().report().pool;
    assert!(pool.exhausted == 0, "{pool:?}");
    drop(deaf);
    run.end();
}

/// Sends a message and waits for the reason for which the server ends.
fn refused(run: &Run, message: tungstenite::Message, times: usize) -> (u16, String) {
    let mut page = run.state();
    for _ in 0..times {
        // The server may have ended already.
        if page.socket.send(message.clone()).is_err() {
            break;
        }
    }
    loop {
        match page.socket.read() {
            Ok(tungstenite::Message::Close(Some(frame))) => {
                return (frame.code.into(), frame.reason.to_string());
            }
            Ok(_) => {}
            // A message that is too long is not even read: the connection ends.
            Err(_) => return (0, String::new()),
        }
    }
}

#[test]
fn floods_bytes_and_long_messages_end_a_socket_and_nobody_elses() {
    let run = Run::start(SMALL);
    let mut other = run.state();
    let pace = tungstenite::Message::text(r#"{"kind": "pace", "hz": 10}"#);
    // The end may be lost with data sent behind it; only an end must come.
    let (code, reason) = refused(&run, pace, 200);
    assert!(code == 0 || (code == 1008 && reason.contains("messages a second")), "{code} {reason}");
    let ping = tungstenite::Message::Ping(vec![7; 100].into());
    let (code, reason) = refused(&run, ping, 200);
    assert!(code == 0 || (code == 1008 && reason.contains("messages a second")), "{code} {reason}");
    assert_eq!(refused(&run, tungstenite::Message::binary(vec![0; 10]), 1).0, 1008);
    let long = format!(r#"{{"kind": "watch", "nodes": ["{}"]}}"#, "a".repeat(100_000));
    let (code, reason) = refused(&run, tungstenite::Message::text(long), 1);
    assert!([0, 1008, 1009].contains(&code) && !reason.contains("aaaa"), "{code} {reason}");
    other.wait_for("moment");
    run.end();
}

/// A body without an announced length, which never ends.
#[test]
fn an_endless_body_is_refused_and_not_kept() {
    let run = Run::start(SMALL);
    let mut endless = TcpStream::connect(run.address()).unwrap();
    endless.set_read_timeout(Some(LONG)).unwrap();
    let head = "POST /api/v1/views HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    endless.write_all(head.as_bytes()).unwrap();
    let chunk = [b"4000\r\n".as_slice(), &[b' '; 0x4000], b"\r\n"].concat();
    // Far more than any buffer of the system holds: the server has to say no, or to end.
    let sent = (0..4096).take_while(|_| endless.write_all(&chunk).is_ok()).count();
    let mut text = Vec::new();
    let _ = endless.read_to_end(&mut text);
    assert!(sent < 4096, "all of it was taken");
    assert!(text.is_empty() || text.starts_with(b"HTTP/1.1 413 "), "{}", String::from_utf8_lossy(&text));
    assert_eq!(run.get("/healthz").status, 200);
    run.end();
}

/// A client that asks for pictures and takes them byte by byte holds up no other client.
#[test]
fn who_reads_slowly_slows_nobody() {
    let run =
        Run::start(&SMALL.replace("max_size_x: 64, max_size_y: 32", "max_size_x: 1024, max_size_y: 1024"));
    let ask = b"GET /api/v1/picture?from=cam&as=raw&wait_ms=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut slow: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(run.address()).unwrap();
            stream.set_read_timeout(Some(LONG)).unwrap();
            stream.write_all(ask).unwrap();
            stream
        })
        .collect();
    for _ in 0..5 {
        slow.iter_mut().for_each(|stream| assert_eq!(stream.read(&mut [0]).unwrap(), 1));
        assert_eq!(run.get("/api/v1/picture?from=cam&as=raw&fit=64,64&wait_ms=10000").status, 200);
        assert_eq!(run.get("/healthz").status, 200);
    }
    assert_eq!(run.model.run().report().pool.exhausted, 0);
    run.end();
}
