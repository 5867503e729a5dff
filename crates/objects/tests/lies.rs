//! Servers that lie, stall and fail: an error that says what was wanted and what came, never wrong bytes and never a wait without end.

use std::io::ErrorKind;

use livetime_formats::file::{ReadAt, Store, Stores};
use livetime_objects::{Kind, ObjectError};

use crate::hostile::{Lie, Server, objects};

fn content() -> Vec<u8> {
    (0..300_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// The error of reading from a server that lies as soon as the object is open.
fn error_of(lie: Lie) -> ObjectError {
    let server = Server::start(content(), Lie::None, 0);
    let objects = objects(64 << 20);
    let object = objects.open(&server.address).unwrap();
    server.becomes(lie);
    error_in(object.read_at(&mut [0; 1000], 0))
}

fn error_in<T>(outcome: std::io::Result<T>) -> ObjectError {
    let error = outcome.map(drop).unwrap_err();
    let error =
        error.get_ref().and_then(|e| e.downcast_ref::<ObjectError>()).expect("an error of an object").clone();
    assert!(error.to_string().len() < 800, "{error}");
    error
}

#[test]
fn a_lie_at_the_opening_is_an_error_that_names_it() {
    for (lie, kinds, words) in [
        (Lie::Short, &[Kind::Lie, Kind::Failed, Kind::TimedOut][..], "wanted an object, found "),
        (Lie::Long, &[Kind::Lie, Kind::Failed], "found more"),
        (Lie::OtherRange, &[Kind::Lie, Kind::Failed], "1..65537"),
        (Lie::NoRange, &[Kind::Unsupported], "Range request not supported"),
        (Lie::Garbage, &[Kind::Failed], "wanted an object, found "),
        (Lie::Fails, &[Kind::Failed], "500"),
        (Lie::Forbids, &[Kind::Forbidden], "status 403"),
        (Lie::EndlessHead, &[Kind::Failed], "wanted an object, found "),
        (Lie::Stall, &[Kind::Failed, Kind::TimedOut], "wanted an object, found "),
        (Lie::Silent, &[Kind::Failed, Kind::TimedOut], "wanted an object, found "),
        (Lie::Circles, &[Kind::Failed], "wanted an object, found "),
    ] {
        let server = Server::start(content(), lie, usize::MAX);
        let address = format!("{}?X-Amz-Signature=geheim&X-Amz-Date=1", server.address);
        let objects = objects(64 << 20);
        let error = error_in(objects.open(&address));
        assert!(kinds.contains(&error.kind), "{lie:?}: {:?}: {error}", error.kind);
        assert!(error.to_string().contains(words), "{lie:?}: {error}");
        assert!(!format!("{error} {error:?}").contains("geheim"), "{lie:?}: {error:?}");
    }
}

#[test]
fn a_signature_is_sent_with_every_request_and_shown_by_none() {
    let server = Server::start(content(), Lie::None, 0);
    let objects = std::sync::Arc::new(objects(64 << 20));
    let stores = Stores::with(objects.clone());
    let signed = format!("{}?X-Amz-Signature=geheim%2F1&b=c/d", server.address);
    let named = stores.named(signed.as_ref()).unwrap();
    assert_eq!(named, std::path::Path::new(&server.address));
    assert!(stores.is_signed(&named) && !stores.is_signed("http://127.0.0.1/other".as_ref()));
    let file = stores.open(&named).unwrap();
    let mut bytes = vec![0; content().len()];
    livetime_formats::file::read_exact_at(&file, &mut bytes, 0).unwrap();
    assert!(bytes == content());
    let asked = server.asked();
    assert!(
        asked.len() >= 2 && asked.iter().all(|line| line.ends_with("?X-Amz-Signature=geheim%2F1&b=c/d")),
        "{asked:?}"
    );
    assert!(asked.iter().all(|line| line.starts_with("GET ")), "signed for reading alone: {asked:?}");
    // The same server without the signature is another client.
    let other = server.address.replace("run.bin", "other.bin");
    stores.open(other.as_ref()).unwrap();
    assert_eq!(server.asked().last().unwrap(), "GET /folder/other.bin");
    drop(file);
    server.becomes(Lie::Fails);
    for error in [
        stores.open(format!("{}2?X-Amz-Signature=geheim", server.address).as_ref()).unwrap_err(),
        stores.named("http://127.0.0.1/a?geheim#mark".as_ref()).unwrap_err(),
        Stores::default().named("http://127.0.0.1/a?geheim".as_ref()).unwrap_err(),
        Stores::default().open("http://127.0.0.1/a?geheim".as_ref()).unwrap_err(),
    ] {
        assert!(!format!("{error} {error:?}").contains("geheim"), "{error:?}");
    }
    assert!(!format!("{objects:?}").contains("geheim"));
}

#[test]
fn a_server_of_http_takes_no_object() {
    let server = Server::start(content(), Lie::None, 0);
    let stores = Stores::with(std::sync::Arc::new(objects(64 << 20)));
    let path = std::path::Path::new(&server.address);
    for error in [
        stores.make(path).unwrap_err(),
        stores.replace(path).unwrap_err(),
        stores.check_new(path).unwrap_err(),
        Stores::default().make(path).unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(
            error.starts_with(&format!("{}: wanted to write the object, found ", server.address)),
            "{error}"
        );
    }
    assert!(stores.remove(path).is_err());
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn a_lie_is_an_error_that_names_it() {
    for (lie, kinds, words) in [
        (Lie::Short, &[Kind::Lie, Kind::Failed, Kind::TimedOut][..], ", bytes 0..300000, found "),
        (Lie::Long, &[Kind::Lie, Kind::Failed], "found more"),
        (Lie::OtherRange, &[Kind::Lie, Kind::Failed], "1..300001"),
        (Lie::NoRange, &[Kind::Unsupported], "Range request not supported"),
        (Lie::Garbage, &[Kind::Failed], ", bytes 0..300000, found "),
        (Lie::Fails, &[Kind::Failed], "500"),
        (Lie::Forbids, &[Kind::Forbidden], "status 403"),
        (Lie::Changes, &[Kind::Changed], "the ETag \"two\""),
        (Lie::Grows, &[Kind::Changed], "of 300001 bytes"),
        (Lie::EndlessHead, &[Kind::Failed], ", bytes 0..300000, found "),
        (Lie::Stall, &[Kind::Failed, Kind::TimedOut], ", bytes 0..300000, found "),
        (Lie::Silent, &[Kind::Failed, Kind::TimedOut], ", bytes 0..300000, found "),
    ] {
        let error = error_of(lie);
        assert!(kinds.contains(&error.kind), "{lie:?}: {:?}: {error}", error.kind);
        assert!(error.to_string().contains(words), "{lie:?}: {error}");
    }
}

#[test]
fn a_size_that_cannot_be_takes_no_memory() {
    let server = Server::start(content(), Lie::Huge, usize::MAX);
    let objects = objects(64 << 20);
    let object = objects.open(&server.address).unwrap();
    assert_eq!(object.size().unwrap(), 1 << 62);
    object.will_need(0, u64::MAX);
    assert!(object.read_at(&mut [0; 1000], (1 << 62) - 1000).is_err());
    assert_eq!(object.read_at(&mut [0; 1000], 1 << 62).unwrap(), 0);
}

#[test]
fn a_fault_that_passes_is_asked_again_and_one_that_stays_is_told_each_time() {
    let content = content();
    for lie in [Lie::Short, Lie::Long, Lie::Fails, Lie::Garbage, Lie::Stall] {
        // Once at the opening, and once later.
        let server = Server::start(content.clone(), lie, 1);
        let objects = objects(64 << 20);
        let object = objects.open(&server.address).unwrap();
        server.lies_once(lie);
        let mut bytes = vec![0; content.len()];
        assert_eq!(object.read_at(&mut bytes, 0).unwrap(), content.len(), "{lie:?}");
        assert!(bytes == content, "{lie:?}");
    }
    let server = Server::start(content.clone(), Lie::None, 0);
    let objects = objects(64 << 20);
    let object = objects.open(&server.address).unwrap();
    server.becomes(Lie::Fails);
    assert!(object.read_at(&mut [0; 10], 0).is_err() && object.read_at(&mut [0; 10], 0).is_err());
    server.becomes(Lie::None);
    assert_eq!(object.read_at(&mut [0; 10], 0).unwrap(), 10);
}

#[test]
fn nothing_listens_and_nothing_is_there() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/run.bin", listener.local_addr().unwrap());
    drop(listener);
    let objects = objects(64 << 20);
    let error = objects.open(&address).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("wanted an object, found "), "{error}");
    assert_eq!(objects.list("http://127.0.0.1/folder").unwrap_err().kind(), ErrorKind::Unsupported);
}
