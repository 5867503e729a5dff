//! Readers get the bytes of the object, whatever way they read, in few requests.

use livetime_formats::file::{ReadAt, Store, fill_at};

use crate::hostile::{Lie, Server, patient};

const MIB: usize = 1 << 20;

fn content(size: usize) -> Vec<u8> {
    (0..size).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

#[test]
fn a_reader_that_goes_on_gets_blocks_and_one_that_jumps_pages() {
    let content = content(40 * MIB + 123);
    let server = Server::start(content.clone(), Lie::None, 0);
    let objects = patient(512 << 20);
    let object = objects.open(&server.address).unwrap();
    let mut read = vec![0; content.len()];
    for (piece, at) in read.chunks_mut(100_000).zip((0..).step_by(100_000)) {
        assert_eq!(fill_at(&object, piece, at).unwrap(), piece.len());
    }
    assert!(read == content);
    let ranges = server.ranges();
    assert!(ranges.values().all(|times| *times == 1), "no range twice: {ranges:?}");
    // The first page, before the reader was known to go on, and the blocks of 8 MiB.
    assert_eq!(ranges.len(), 1 + 6, "{ranges:?}");
    assert_eq!(fill_at(&object, &mut [0; 10], content.len() as u64).unwrap(), 0);
    drop(object);
    // Opened again as it was: all is in memory.
    let again = objects.open(&server.address).unwrap();
    let mut some = [0; 1000];
    assert_eq!(fill_at(&again, &mut some, 9_000_000).unwrap(), 1000);
    assert_eq!((server.requests(), &some[..]), (7, &content[9_000_000..9_001_000]));
}

#[test]
fn jumps_cost_pages() {
    let content = content(64 * MIB);
    let server = Server::start(content.clone(), Lie::None, 0);
    let objects = patient(512 << 20);
    let object = objects.open(&server.address).unwrap();
    for at in [63, 5, 40, 22, 11].map(|mib| mib * MIB + 77) {
        let mut some = [0; 40];
        assert_eq!(fill_at(&object, &mut some, at as u64).unwrap(), 40);
        assert_eq!(some, content[at..at + 40]);
    }
    // The first one came with the answer that the object is there.
    assert_eq!(objects.read(), (6, 6 * 65536));
}

#[test]
fn heads_that_will_be_needed_come_at_once_and_as_pages() {
    let content = content(64 * MIB);
    let server = Server::start(content.clone(), Lie::None, 0);
    let objects = patient(512 << 20);
    let object = objects.open(&server.address).unwrap();
    let places = [63, 5, 40, 22].map(|mib| (mib * MIB + 77) as u64);
    places.iter().for_each(|at| object.will_need(*at, 40));
    object.will_need(content.len() as u64, 40);
    for at in places {
        let mut some = [0; 40];
        assert_eq!(fill_at(&object, &mut some, at).unwrap(), 40);
        assert_eq!(some, content[at as usize..][..40]);
    }
    assert_eq!(objects.read(), (5, 5 * 65536));
    // Opened again at once: not one more request.
    drop(object);
    objects.open(&server.address).unwrap();
    assert_eq!(server.requests(), 5);
}

#[test]
fn many_readers_share_blocks_within_little_memory() {
    let content = content(100 * MIB);
    let server = Server::start(content.clone(), Lie::None, 0);
    // Room for three blocks.
    let objects = patient(24 << 20);
    let object = objects.open(&server.address).unwrap();
    object.will_need(0, 100 << 20);
    std::thread::scope(|scope| {
        for reader in 0..4 {
            let (object, content) = (object.clone(), &content);
            scope.spawn(move || {
                let part = 25 * MIB;
                let mut read = vec![0; part];
                for (piece, at) in read.chunks_mut(MIB / 3).zip((reader * part..).step_by(MIB / 3)) {
                    assert_eq!(fill_at(&object, piece, at as u64).unwrap(), piece.len());
                }
                assert!(read == content[reader * part..][..part]);
            });
        }
    });
    assert!(server.most_at_once() <= 16, "{}", server.most_at_once());
}
