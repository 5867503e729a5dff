//! Temporary speed check.
use livetime_codecs::*;
use livetime_kernels::{Level, cspad};
use std::time::Instant;
fn best(mut f: impl FnMut(), bytes: usize) -> f64 {
    let mut t = f64::MAX;
    let end = Instant::now();
    while end.elapsed().as_millis() < 400 {
        let s = Instant::now();
        f();
        t = t.min(s.elapsed().as_secs_f64());
    }
    bytes as f64 / t / 1e6
}
fn main() {
    let preset = std::env::args().nth(1).unwrap_or("deck".into());
    let preset = *cspad::Preset::ALL.iter().find(|p| p.name() == preset).unwrap();
    let d = cspad::Cspad::new(preset, 1);
    let s = Instant::now();
    let frames: Vec<Vec<u8>> = (0..8)
        .map(|i| {
            let mut q = vec![0u16; cspad::QUAD_PIXELS];
            d.quad(Level::best(), i / 4, (i % 4) as usize, &mut q).unwrap();
            q.resize(q.len() + 2, 0);
            q.iter().flat_map(|v| v.to_le_bytes()).collect()
        })
        .collect();
    println!("gen {:.1} ms per quad", s.elapsed().as_secs_f64() * 1e3 / 8.0);
    let total: usize = frames.iter().map(|f| f.len()).sum();
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
            let mut outs: Vec<Vec<u8>> = frames.iter().map(|f| vec![0; c.bound(f.len())]).collect();
            let mut sizes = vec![0; frames.len()];
            let e = best(
                || {
                    for i in 0..frames.len() {
                        sizes[i] = c
                            .encode(
                                Array::new(&frames[i], DType::U16, &[frames[i].len() / 2]).unwrap(),
                                &mut outs[i],
                            )
                            .unwrap();
                    }
                },
                total,
            );
            let mut back = vec![0; frames[0].len()];
            let dd = best(
                || {
                    for i in 0..frames.len() {
                        c.decode(&outs[i][..sizes[i]], DType::U16, &mut back).unwrap();
                    }
                },
                total,
            );
            println!(
                "{:10} {:9} ratio {:.4} enc {:6.0} dec {:6.0}",
                level.name(),
                c.name(),
                sizes.iter().sum::<usize>() as f64 / total as f64,
                e,
                dd
            );
        }
        let mut c = Blockpack::with_level(level);
        let mean = |q: usize| -> Vec<u8> {
            let mut sum = vec![0u32; cspad::QUAD_PIXELS];
            let mut p = vec![0u16; cspad::QUAD_PIXELS];
            for e in 0..5 {
                d.quad(Level::best(), 100 + e, q, &mut p).unwrap();
                for (s, v) in sum.iter_mut().zip(&p) {
                    *s += *v as u32;
                }
            }
            sum.resize(sum.len() + 2, 0);
            sum.iter().flat_map(|s| (((s + 2) / 5) as u16).to_le_bytes()).collect()
        };
        let darks: Vec<Vec<u8>> = (0..4).map(mean).collect();
        let mut outs: Vec<Vec<u8>> = frames.iter().map(|f| vec![0; c.bound(f.len())]).collect();
        let mut sizes = vec![0; frames.len()];
        let e = best(
            || {
                for i in 0..frames.len() {
                    sizes[i] = c
                        .encode_with(
                            Array::new(&frames[i], DType::U16, &[frames[i].len() / 2]).unwrap(),
                            Some(Reference::new(5, &darks[i % 4])),
                            &mut outs[i],
                        )
                        .unwrap();
                }
            },
            total,
        );
        let mut back = vec![0; frames[0].len()];
        let dd = best(
            || {
                for i in 0..frames.len() {
                    c.decode_with(
                        &outs[i][..sizes[i]],
                        DType::U16,
                        Some(Reference::new(5, &darks[i % 4])),
                        &mut back,
                    )
                    .unwrap();
                }
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
