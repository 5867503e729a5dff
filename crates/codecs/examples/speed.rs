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
    let frames: Vec<Vec<u8>> = (0..8).map(|i| { let mut q = vec![0u16; cspad::QUAD_PIXELS]; d.quad(Level::best(), i / 4, (i % 4) as usize, &mut q).unwrap(); q.resize(q.len() + 2, 0); q.iter().flat_map(|v| v.to_le_bytes()).collect() }).collect();
    println!("gen {:.1} ms per quad", s.elapsed().as_secs_f64() * 1e3 / 8.0);
    let total: usize = frames.iter().map(|f| f.len()).sum();
    for level in Level::available() {
        use livetime_kernels::hist;
        let f = &frames[0];
        let (mut data, mut map) = (vec![0; f.len() + 8], vec![0; hist::map_words(f.len() / 2)]);
        let mut counts = [0; 512];
        println!("  survey {:.0}", best(|| { std::hint::black_box(hist::survey(level, f, 4)); }, f.len()));
        println!("  sum {:.0}", best(|| { std::hint::black_box(hist::sum(level, f)); }, f.len()));
        println!("  count {:.0}", best(|| { hist::count_values(level, f, 1024, &mut counts); std::hint::black_box(counts[3]); }, f.len()));
        println!("  pack_bytes {:.0}", best(|| { hist::pack_bytes(level, f, 1080, &mut data, &mut map).unwrap(); }, f.len()));
        println!("  pack_codes {:.0}", best(|| { hist::pack_codes(level, f, hist::Codes { base: 1080, inside: 7, outside: 14 }, &mut data, &mut map).unwrap(); }, f.len()));
        let cs: Vec<Box<dyn Codec>> = vec![Box::new(Hist16::with_level(level)), Box::new(HistN::with_level(level))];
        for mut c in cs {
            let mut outs: Vec<Vec<u8>> = frames.iter().map(|f| vec![0; c.bound(f.len())]).collect();
            let mut sizes = vec![0; frames.len()];
            let e = best(|| for i in 0..frames.len() { sizes[i] = c.encode(Array::new(&frames[i], DType::U16, &[frames[i].len() / 2]).unwrap(), &mut outs[i]).unwrap(); }, total);
            let mut back = vec![0; frames[0].len()];
            let dd = best(|| for i in 0..frames.len() { c.decode(&outs[i][..sizes[i]], DType::U16, &mut back).unwrap(); }, total);
            println!("{:10} {:9} ratio {:.4} enc {:6.0} dec {:6.0}", level.name(), c.name(), sizes.iter().sum::<usize>() as f64 / total as f64, e, dd);
        }
    }
}
