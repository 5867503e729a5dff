//! Objects that are written to moto: whole, or not there, and never in part.

use std::io::Write;
use std::path::Path;

use livetime_formats::file::{ReadAt, read_exact_at};

use crate::s3::{MOTO, Server};

const MIB: usize = 1 << 20;

fn content(size: usize) -> Vec<u8> {
    (0..size).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

#[test]
fn an_object_is_there_when_it_is_whole() {
    let Some(python) = livetime_testkit::python("s3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut moto = Server::start(&python, MOTO, folder.path());
    let stores = moto.stores();
    let mut keys = Vec::new();
    // Nothing, a little, exactly one part, and three parts of which the last one is short.
    for size in [0, 1000, 8 * MIB, 20 * MIB + 7] {
        let (key, content) = (format!("out/{size:09}.bin"), content(size));
        let path = format!("s3://runs/{key}");
        let path = Path::new(&path);
        stores.check_new(path).unwrap();
        let mut new = stores.make(path).unwrap();
        content.chunks(777_777).for_each(|piece| new.write_all(piece).unwrap());
        assert_eq!(new.len(), size as u64);
        assert!(!moto.listed().contains(&format!("{key}'],")) && stores.open(path).is_err());
        new.finish().unwrap();
        let file = stores.open(path).unwrap();
        let mut read = vec![0; size];
        read_exact_at(&file, &mut read, 0).unwrap();
        assert!(read == content && file.size().unwrap() == size as u64);
        keys.push(format!("'{key}'"));
        // Nothing is overwritten that shall not be.
        let error = stores.make(path).unwrap_err().to_string();
        assert!(error.ends_with("found wanted an object that is not there yet, found one"), "{error}");
        // The small one of another program, which came meanwhile.
        let mut other = stores.replace(path).unwrap();
        other.write_all(b"new").unwrap();
        // It is opened once more before the other is there, and not kept.
        assert_eq!(stores.open(path).unwrap().size().unwrap(), size as u64);
        other.finish().unwrap();
        drop(file);
        assert_eq!(stores.open(path).unwrap().size().unwrap(), 3);
    }
    assert_eq!(moto.listed(), format!("[{}] []", keys.join(", ")));
    stores.remove("s3://runs/out/000001000.bin".as_ref()).unwrap();
    assert!(!stores.is_file("s3://runs/out/000001000.bin".as_ref()));
}

#[test]
fn two_that_make_one_object_do_not_replace_each_other() {
    let Some(python) = livetime_testkit::python("s3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut moto = Server::start(&python, MOTO, folder.path());
    for size in [10, 9 * MIB] {
        let path = format!("s3://runs/one-{size}");
        let both = [(); 2].map(|()| moto.stores().make(path.as_ref()).unwrap());
        let made = both.map(|mut new| new.write_all(&content(size)).map(|()| new.finish()).unwrap());
        assert!(made[0].is_ok());
        let error = made[1].as_ref().unwrap_err();
        assert_eq!(error.io_error().unwrap().kind(), std::io::ErrorKind::AlreadyExists, "{error}");
    }
    let left = moto.listed();
    assert!(left.ends_with("] []"), "{left}");
}

#[test]
fn an_object_that_is_given_up_leaves_nothing() {
    let Some(python) = livetime_testkit::python("s3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut moto = Server::start(&python, MOTO, folder.path());
    let stores = moto.stores();
    let path = Path::new("s3://runs/half.bin");
    let mut new = stores.replace(path).unwrap();
    new.write_all(&content(30 * MIB)).unwrap();
    assert_eq!(moto.listed(), "[] ['half.bin']");
    drop(new);
    assert_eq!(moto.listed(), "[] []");
    // A question whether objects are taken leaves nothing either.
    stores.check_new(path).unwrap();
    assert_eq!(moto.listed(), "[] []");
    for (wrong, words) in [
        ("s3://none/a", "to begin an object, found "),
        ("s3://runs", "a bucket or a folder"),
        ("s3://runs/a/", "a bucket or a folder"),
    ] {
        let error = stores.check_new(wrong.as_ref()).unwrap_err().to_string();
        assert!(error.starts_with(wrong) && error.contains(words), "{error}");
    }
    // The server goes in the middle.
    let mut new = stores.replace(path).unwrap();
    new.write_all(&content(9 * MIB)).unwrap();
    moto.stop();
    let written = new.write_all(&content(60 * MIB));
    let error = written.map_or_else(|e| e.to_string(), |()| new.finish().unwrap_err().to_string());
    assert!(error.contains("wanted to write a part of an object, found "), "{error}");
}
