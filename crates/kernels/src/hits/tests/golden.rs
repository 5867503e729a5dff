//! The hits that the experiments' own code found.

use crate::Level;
use crate::hits::{Hit, HitBuffer, RunningSum, SeedHits, TpgHits, TpgSetup};
use crate::test_data::{file, table};
use crate::wib::{WIB1_BYTES, WIBETH_BYTES, unpack_wib1, unpack_wibeth};

/// Rows in a call: one by one, a superchunk, awkward, everything.
const BATCHES: [usize; 5] = [1, 12, 31, 100, usize::MAX];

#[test]
fn the_seed_finds_its_golden_hits() {
    let (Some(frames), Some(hits), Some(state)) =
        (file("wib/wib1_frames.bin.zst"), file("wib/wib1_hits_seed.txt"), file("wib/wib1_final_state.txt"))
    else {
        return;
    };
    let (expected, state) = (table(&hits), table(&state));
    let mut samples = vec![0; frames.len() / WIB1_BYTES * 256];
    for level in Level::available() {
        unpack_wib1(level, &frames, &mut samples).unwrap();
        for batch in BATCHES {
            let mut finder = SeedHits::new(256, 3).unwrap();
            let mut found = HitBuffer::with_capacity(10_000);
            let rows = batch.min(3000);
            for (i, samples) in samples.chunks(rows * 256).enumerate() {
                finder.find(level, samples, (i * rows) as i64, &mut found).unwrap();
            }
            let row = |hit: &Hit| {
                let end = hit.end();
                // The original notes in which superchunk a hit ends, and at which of its ticks.
                vec![end / 12, hit.channel.into(), end % 12, hit.sum.into(), hit.over.into()]
            };
            let mut found: Vec<_> = found.hits().iter().map(row).collect();
            // Sorted, as the file is.
            found.sort();
            assert!(found == expected, "{} {batch}: {} hits", level.name(), found.len());
            for channel in &state {
                let quartiles = finder.quartiles(channel[0] as usize).unwrap().map(i64::from);
                assert_eq!(quartiles, channel[1..], "{} {batch} channel {}", level.name(), channel[0]);
            }
        }
    }
}

#[test]
fn tpglibs_finds_its_golden_primitives() {
    let chains = [
        ("threshold", RunningSum::None, [60, 61, 62]),
        ("runsum", RunningSum::Signed, [100, 101, 102]),
        ("absrunsum", RunningSum::Absolute, [100, 101, 102]),
    ];
    let Some(frames) = file("wib/wibeth_frames.bin.zst") else { return };
    let planes: Vec<u8> = (0..64).map(|c| if c % 8 >= 5 { 2 } else { c % 2 }).collect();
    let first = i64::from_le_bytes(frames[8..16].try_into().unwrap());
    let mut samples = vec![0; frames.len() / WIBETH_BYTES * 4096];
    for (name, running_sum, threshold) in chains {
        let Some(expected) = file(&format!("wib/wibeth_tps_{name}.txt")) else { return };
        let mut expected = table(&expected);
        expected.sort();
        for level in Level::available() {
            unpack_wibeth(level, &frames, &mut samples).unwrap();
            for batch in BATCHES {
                let setup = TpgSetup { limit: 1, running_sum, threshold, ..TpgSetup::default() };
                let mut finder = TpgHits::new(&planes, setup).unwrap();
                let mut found = HitBuffer::with_capacity(10_000);
                let rows = batch.min(samples.len() / 64);
                for (i, samples) in samples.chunks(rows * 64).enumerate() {
                    finder.find(level, samples, (i * rows) as i64, &mut found).unwrap();
                }
                // A tick of WIBEth takes 32 ticks of the clock.
                let time = |tick: i64| first + 32 * tick;
                let row = |hit: &Hit| {
                    let peak = time(hit.start + i64::from(hit.to_peak));
                    // The original notes the frame in which a hit ends.
                    let frame = hit.end() / 64;
                    let (over, sum, high) = (hit.over.into(), hit.sum.into(), hit.peak.into());
                    vec![frame, hit.channel.into(), time(hit.start), over, peak, sum, high]
                };
                let mut found: Vec<_> = found.hits().iter().map(row).collect();
                found.sort();
                assert!(found == expected, "{name} {} {batch}: {} hits", level.name(), found.len());
            }
        }
    }
}
