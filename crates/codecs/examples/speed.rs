//! Temporary speed check: the best time of each frame.
use livetime_codecs::*;
use livetime_kernels::{Level, cspad};
use std::time::Instant;
fn best(n: usize, mut f: impl FnMut(usize), bytes: usize) -> f64 {
    let mut t = vec![f64::MAX; n];
    let end = Instant::now();
    while end.elapsed().as_millis() < 600 {
        for i in 0..n {
            let s = Instant::now();
            f(i);
            t[i] = t[i].min(s.elapsed().as_secs_f64());
        }
    }
    bytes as f64 / t.iter().sum::<f64>() / 1e6
}
fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let d = cspad::Cspad::new(cspad::Preset::Deck, 1);
    let quad = |e, q| {
        let mut p = vec![0u16; cspad::QUAD_PIXELS];
        d.quad(Level::best(), e, q, &mut p).unwrap();
        p.resize(p.len() + 2, 0);
        p
    };
    let le = |p: Vec<u16>| -> Vec<u8> { p.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let frames: Vec<Vec<u8>> = (0..4).map(|i| le(quad(0, i))).collect();
    let mean = |q: usize| {
        let mut sum = vec![0u32; cspad::QUAD_PIXELS + 2];
        for e in 0..5 {
            for (s, v) in sum.iter_mut().zip(quad(100 + e, q)) {
                *s += v as u32;
            }
        }
        le(sum.iter().map(|s| ((s + 2) / 5) as u16).collect())
    };
    let darks: Vec<Vec<u8>> = (0..4).map(mean).collect();
    let total: usize = frames.iter().map(|f| f.len()).sum();
    let n = frames.len();
    for level in Level::available() {
        let cs: Vec<Box<dyn Codec>> = vec![
            Box::new(Hist16::with_level(level)),
            Box::new(HistN::with_level(level)),
            Box::new(Blockpack::with_level(level)),
            Box::new(Bslz4::with_level(level)),
            Box::new(Lz4::new()),
            Box::new(Zstd::new(1).unwrap()),
        ];
        for mut c in cs {
            if !c.name().contains(&filter) {
                continue;
            }
            let mut outs: Vec<Vec<u8>> = frames.iter().map(|f| vec![0; c.bound(f.len())]).collect();
            let mut sizes = vec![0; n];
            let e = best(
                n,
                |i| {
                    sizes[i] = c
                        .encode(
                            Array::new(&frames[i], DType::U16, &[frames[i].len() / 2]).unwrap(),
                            &mut outs[i],
                        )
                        .unwrap()
                },
                total,
            );
            let mut back = vec![0; frames[0].len()];
            let dd = best(n, |i| c.decode(&outs[i][..sizes[i]], DType::U16, &mut back).unwrap(), total);
            println!(
                "{:10} {:9} ratio {:.4} enc {:6.0} dec {:6.0}",
                level.name(),
                c.name(),
                sizes.iter().sum::<usize>() as f64 / total as f64,
                e,
                dd
            );
        }
        if !"blockpack".contains(&filter) {
            continue;
        }
        let mut c = Blockpack::with_level(level);
        let mut outs: Vec<Vec<u8>> = frames.iter().map(|f| vec![0; c.bound(f.len())]).collect();
        let mut sizes = vec![0; n];
        let e = best(
            n,
            |i| {
                sizes[i] = c
                    .encode_with(
                        Array::new(&frames[i], DType::U16, &[frames[i].len() / 2]).unwrap(),
                        Some(Reference::new(5, &darks[i])),
                        &mut outs[i],
                    )
                    .unwrap()
            },
            total,
        );
        let mut back = vec![0; frames[0].len()];
        let dd = best(
            n,
            |i| {
                c.decode_with(&outs[i][..sizes[i]], DType::U16, Some(Reference::new(5, &darks[i])), &mut back)
                    .unwrap()
            },
            total,
        );
        println!(
            "{:10} {:9} ratio {:.4} enc {:6.0} dec {:6.0}",
            level.name(),
            "bp dark5",
            sizes.iter().sum::<usize>() as f64 / total as f64,
            e,
            dd
        );
    }
}
