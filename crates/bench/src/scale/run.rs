//! A recorded run of LCLS-II with sparse pictures of floats: many events, few bytes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Numbers of the format: a configuration, an event, and the kinds of containers.
const CONFIGURE: u32 = 2;
const EVENT: u32 = 12;
const PARENT: u16 = 0;
const SHAPES_AND_DATA: u16 = 1;
const SHAPES: u16 = 2;
const DATA: u16 = 3;
const NAMES: u16 = 4;
const F32: u32 = 8;
/// Bytes of the head of a container, and where its length begins in it.
const HEAD: usize = 12;
const EXTENT: usize = 8;
/// Every name has this many bytes.
const NAME: usize = 256;
/// The events follow each other at this distance.
const PERIOD_NS: u64 = 1_000_000;
const BEGIN_S: u64 = 1_000_000_000;

/// Writes a run of `events` events into `folder`; one event in `every` has a picture of `rows` x `columns` floats.
pub(super) fn write(
    folder: &Path,
    events: u64,
    every: u64,
    [rows, columns]: [u32; 2],
) -> io::Result<PathBuf> {
    let path = folder.join("scale-r0001-s000-c000.xtc2");
    let mut file = BufWriter::new(File::create(&path)?);
    file.write_all(&datagram(CONFIGURE, 0, &names(0)))?;
    let mut picture = vec![0; rows as usize * columns as usize * size_of::<f32>()];
    for event in 0..events {
        let mut payload = Vec::new();
        if event.is_multiple_of(every) {
            fill(&mut picture, event);
            let shape = [rows, columns, 0, 0, 0].map(u32::to_le_bytes).concat();
            let both = [container(0, SHAPES, &shape), container(0, DATA, &picture)].concat();
            payload = container(1, SHAPES_AND_DATA, &both);
        }
        file.write_all(&datagram(EVENT, 1 + event, &payload))?;
    }
    file.flush()?;
    Ok(path)
}

/// Rows and columns of the pictures in sparse files: a MB of floats.
const SPARSE: [u32; 2] = [500, 500];

/// Writes a run of `streams` streams, each of `chunks` files with `events` events. Each stream has a segment of the detector. Of the pictures
/// only their heads are on the disk; the pixels are holes, and read as zeros.
pub(super) fn write_sparse(
    folder: &Path,
    streams: u32,
    chunks: u32,
    events: u32,
) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for stream in 0..streams {
        for chunk in 0..chunks {
            let path = folder.join(format!("scale-r0001-s{stream:03}-c{chunk:03}.xtc2"));
            let file = File::create(&path)?;
            let mut at = 0;
            if chunk == 0 {
                let configure = datagram(CONFIGURE, 0, &names(stream));
                file.write_all_at(&configure, 0)?;
                at += configure.len() as u64;
            }
            for event in chunk * events..(chunk + 1) * events {
                let (head, length) = sparse(stream, event.into());
                file.write_all_at(&head, at)?;
                at += length;
            }
            file.set_len(at)?;
            files.push(path);
        }
    }
    Ok(files)
}

/// The begin of an event up to its pixels, and the length of all.
fn sparse(stream: u32, event: u64) -> (Vec<u8>, u64) {
    let pixels = SPARSE.iter().product::<u32>() as usize * size_of::<f32>();
    let shape = [SPARSE[0], SPARSE[1], 0, 0, 0].map(u32::to_le_bytes).concat();
    let mut bytes = datagram(EVENT, 1 + event, &[]);
    let root = bytes.len() - HEAD;
    bytes.extend(container(1 + stream, SHAPES_AND_DATA, &container(0, SHAPES, &shape)));
    let both = bytes.len() - HEAD - shape.len() - HEAD;
    bytes.extend(container(0, DATA, &[]));
    let data = bytes.len() - HEAD;
    // Lengths of the containers that hold the pixels.
    for at in [root, both, data] {
        let extent = (bytes.len() - at + pixels) as u32;
        bytes[at + EXTENT..at + HEAD].copy_from_slice(&extent.to_le_bytes());
    }
    let length = (bytes.len() + pixels) as u64;
    (bytes, length)
}

/// Values whose sums are rounded, so that another order of the events gives other bits.
fn fill(picture: &mut [u8], event: u64) {
    let mut state = event.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for value in picture.as_chunks_mut::<4>().0 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *value = ((state >> 40) as f32 / 1e3).to_le_bytes();
    }
}

fn datagram(transition: u32, number: u64, payload: &[u8]) -> Vec<u8> {
    let time = number * PERIOD_NS;
    let (seconds, nanoseconds) = (BEGIN_S + time / 1_000_000_000, time % 1_000_000_000);
    let header = [nanoseconds as u32, seconds as u32, transition << 24].map(u32::to_le_bytes).concat();
    [header, container(0, PARENT, payload)].concat()
}

/// The picture `raw` of a segment of the detector `area`.
fn names(segment: u32) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let name = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(NAME, 0);
        bytes
    };
    let detector = [words(&[1]), name("type"), name("area"), name("0"), name("raw"), words(&[0, segment])];
    let field = [name(""), words(&[0]), name("raw"), words(&[F32, 2])];
    container(1 + segment, NAMES, &[detector.concat(), field.concat()].concat())
}

fn container(src: u32, kind: u16, payload: &[u8]) -> Vec<u8> {
    let extent = ((HEAD + payload.len()) as u32).to_le_bytes();
    [&src.to_le_bytes()[..], &[0, 0], &kind.to_le_bytes(), &extent, payload].concat()
}
