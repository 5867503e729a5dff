//! The frames that codecs are measured on: simulated CSPad quadrants, and real ones where the test data are.

use crate::Failed;
use std::path::PathBuf;

use livetime_codecs::{Codec, DType, Zstd};
use livetime_formats::xtc2::{Datagram, NamesTable, Transition};
use livetime_kernels::cspad::{Cspad, Preset, QUAD_PIXELS, QUADS};
use livetime_kernels::{LengthError, Level};

use crate::Progress;

/// Frames of `u16` as bytes.
pub(super) struct Frames {
    pub(super) name: &'static str,
    pub(super) frames: Vec<Vec<u8>>,
    /// Name of a way to choose references, and one for each frame.
    pub(super) references: Vec<(&'static str, Vec<Vec<u8>>)>,
}

/// All data that are present; `progress` names the missing ones.
pub(super) fn all(progress: &mut Progress) -> Result<Vec<Frames>, Failed> {
    let deck = deck()?;
    let mut all = vec![in_cache(&deck), deck];
    for file in &REAL {
        match real(file) {
            Ok(frames) => all.push(frames),
            Err(error) => progress.log(format!("SKIPPED: {}: {error} (set LIVETIME_DATA)", file.name)),
        }
    }
    Ok(all)
}

/// Part of one frame and of its references, so small that the work does not wait for memory.
fn in_cache(frames: &Frames) -> Frames {
    const BYTES: usize = 128 << 10;
    // A part that fits in the cache shows the speed of a codec without the memory's.
    let part = |frames: &Vec<Vec<u8>>| frames.iter().take(1).map(|frame| frame[..BYTES].to_vec()).collect();
    let references = frames.references.iter().map(|(name, frames)| (*name, part(frames)));
    Frames { name: "deck, 128 KiB", frames: part(&frames.frames), references: references.collect() }
}

/// Events before the measured ones; dark frames are their mean.
const DARKS: u64 = 100;
const EVENTS: u64 = 3;

/// Quadrants as they stand in XTC files, with their two extra words.
fn deck() -> Result<Frames, LengthError> {
    let detector = Cspad::new(Preset::Deck, 1);
    let mut pixels = vec![0; QUAD_PIXELS];
    let mut quad = |event: u64, quad: usize| -> Result<Vec<u16>, LengthError> {
        detector.quad(Level::best(), event, quad, &mut pixels)?;
        Ok([&pixels[..], &[0; 2]].concat())
    };
    let mut mean = |from: u64, to: u64, q: usize| -> Result<Vec<u8>, LengthError> {
        let mut sums = vec![0; QUAD_PIXELS + 2];
        for event in from..to {
            quad(event, q)?.iter().zip(&mut sums).for_each(|(v, sum)| *sum += u64::from(*v));
        }
        let mean = |sum: &u64| ((sum + (to - from) / 2) / (to - from)) as u16;
        Ok(sums.iter().flat_map(|sum| mean(sum).to_le_bytes()).collect())
    };
    let (mut frames, mut dark, mut five, mut previous) = (vec![], vec![], vec![], vec![]);
    for q in 0..QUADS {
        let (dark_quad, five_quad) = (mean(0, DARKS, q)?, mean(DARKS - 5, DARKS, q)?);
        for event in DARKS..DARKS + EVENTS {
            // The mean of one event is the event.
            frames.push(mean(event, event + 1, q)?);
            previous.push(mean(event - 1, event, q)?);
            dark.push(dark_quad.clone());
            five.push(five_quad.clone());
        }
    }
    let references = vec![("mean of 100", dark), ("mean of 5", five), ("previous", previous)];
    Ok(Frames { name: "deck", frames, references })
}

/// A file with two events of real frames.
struct Real {
    name: &'static str,
    file: &'static str,
    /// Bytes of the unpacked file.
    bytes: usize,
}

const REAL: [Real; 2] = [
    Real { name: "ePix10ka", file: "test_epix_calib.xtc2.zst", bytes: 3_922_114 },
    Real { name: "Jungfrau", file: "test_jungfrau05M_calib.xtc2.zst", bytes: 2_124_558 },
];

fn real(real: &Real) -> Result<Frames, Failed> {
    let data = std::env::var_os("LIVETIME_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from);
    let path = data.join("xtc2/lcls2").join(real.file);
    let packed = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut file = vec![0; real.bytes];
    let mut zstd = Zstd::new(1)?;
    zstd.decode(&packed, DType::U8, &mut file)?;
    let frames = frames_of(&file)?;
    // The file is known to have two events; another one is not the file that the sizes are of.
    if frames.len() != 2 || frames[0].len() != frames[1].len() {
        return Err(format!("wanted 2 frames of one size, found {}", frames.len()).into());
    }
    let others = frames.iter().rev().cloned().collect();
    Ok(Frames { name: real.name, frames, references: vec![("other event", others)] })
}

/// The pictures of each event, all segments one behind the other.
fn frames_of(mut file: &[u8]) -> livetime_formats::Result<Vec<Vec<u8>>> {
    let (mut names, mut frames) = (NamesTable::default(), Vec::new());
    while !file.is_empty() {
        let datagram = Datagram::parse(file)?;
        file = &file[datagram.bytes.len()..];
        names.update(&datagram);
        if datagram.header.transition() == Transition::L1Accept {
            let values = datagram.records(&names).flat_map(|record| record.values());
            let pictures =
                values.filter_map(Result::ok).filter(|v| v.dtype.bytes() == 2 && v.shape().len() > 1);
            frames.push(pictures.flat_map(|picture| picture.bytes.to_vec()).collect());
        }
    }
    Ok(frames)
}
