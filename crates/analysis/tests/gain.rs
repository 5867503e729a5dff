//! Pixels that tell their gain stage: plain definitions, the same bits by any number of workers and parts, and a real detector.

use std::path::{Path, PathBuf};

use super::*;

const WIDTH: usize = 37;
const HEIGHT: usize = 19;
const PIXELS: usize = WIDTH * HEIGHT;
const EVENTS: u64 = 60;

/// Stage 0 mostly; now and then 1 and 3, and code 2, which belongs to no stage.
fn word(event: u64, pixel: usize, noise: u64) -> u16 {
    let code = match (noise >> 8) % 16 {
        0 | 1 => 1,
        2 => 3,
        3 if (event + pixel as u64).is_multiple_of(5) => 2,
        _ => 0,
    };
    code << 14 | (1000 + noise % 200) as u16
}

fn words(event: u64) -> Vec<u16> {
    numbers(event + 1).take(PIXELS).enumerate().map(|(pixel, noise)| word(event, pixel, noise)).collect()
}

fn run(folder: &Path) -> PathBuf {
    let picture = |event| {
        let mut picture = frame(WIDTH as u32, HEIGHT as u32, 16, event);
        picture.truncate(16);
        picture.extend(words(event).iter().flat_map(|word| word.to_le_bytes()));
        picture
    };
    let datagrams: Vec<_> = (0..EVENTS).map(|event| datagram(event, &[Leaf::new(picture(event))])).collect();
    write(folder, &datagrams)
}

fn file(folder: &Path, name: &str, shape: &[usize], of: impl Fn(usize) -> f64) -> ConstantsFile {
    let head: String = shape.iter().enumerate().map(|(at, n)| format!("# DIM:{} {n}\n", at + 1)).collect();
    let values = (0..shape.iter().product()).map(|at| of(at).to_string()).collect::<Vec<_>>();
    let path = folder.join(name);
    std::fs::write(&path, head + &values.join(" ")).unwrap();
    ConstantsFile::read(path).unwrap()
}

fn pedestal(at: usize) -> f64 {
    [900.0, 1200.0, 1250.0][at / PIXELS] + (at % 7) as f64
}

fn gain(at: usize) -> f64 {
    [1.0, -24.5, -250.0][at / PIXELS] * (1.0 + (at % 3) as f64)
}

fn is_good(pixel: usize) -> bool {
    !pixel.is_multiple_of(13)
}

fn corrections(folder: &Path, modes: &[&str]) -> Corrections {
    let shape = [3, HEIGHT, WIDTH];
    let mask = file(folder, "mask.txt", &shape[1..], |pixel| f64::from(u8::from(is_good(pixel))));
    let corrections = Corrections {
        pedestal: Some(file(folder, "pedestal.txt", &shape, pedestal)),
        gain: Some(file(folder, "gain.txt", &shape, gain)),
        mask: Some(mask),
        common_modes: modes.iter().map(|mode| mode.parse().unwrap()).collect(),
        gain_bits: Some("jungfrau".parse().unwrap()),
    };
    corrections.checked().unwrap()
}

fn reducers(corrections: Corrections) -> Reducers {
    let inner = Reducers::default().with(PixelStatistics::all()).with(Histogram::default());
    Reducers::default().with(Corrected::new(corrections, inner))
}

/// A picture by plain loops, with the median of all good pixels of stage 0 subtracted from them; and its pixels of no stage.
fn plain(words: &[u16]) -> (Vec<f32>, u64) {
    let stage = |pixel: usize| [Some(0), Some(1), None, Some(2)][usize::from(words[pixel] >> 14)];
    let difference = |pixel: usize, stage: usize| {
        f32::from(words[pixel] & 0x3FFF) - pedestal(stage * PIXELS + pixel) as f32
    };
    let first = (0..PIXELS).filter(|pixel| is_good(*pixel) && stage(*pixel) == Some(0));
    let mut sorted: Vec<f32> = first.map(|pixel| difference(pixel, 0)).collect();
    sorted.sort_by(f32::total_cmp);
    let half = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
    let corrected = |pixel: usize| match stage(pixel).filter(|_| is_good(pixel)) {
        None => 0.0,
        Some(0) => (difference(pixel, 0) - median) * gain(pixel) as f32,
        Some(stage) => difference(pixel, stage) * gain(stage * PIXELS + pixel) as f32,
    };
    let unknown = (0..PIXELS).filter(|pixel| is_good(*pixel) && stage(*pixel).is_none()).count();
    ((0..PIXELS).map(corrected).collect(), unknown as u64)
}

fn number(found: &Found, name: &str) -> f64 {
    match &found.results.iter().find(|named| named.name == name).unwrap().value {
        Value::Number(number) => *number,
        other => panic!("{other:?}"),
    }
}

fn found(path: &Path, reducers: &Reducers, options: &Options) -> Found {
    let recording = Recording::open(&[path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    analyze(&recording, &detector, options, reducers, &mut |_| GoOn::Yes).unwrap()
}

#[test]
fn each_pixel_is_corrected_by_its_own_stage() {
    let folder = tempfile::tempdir().unwrap();
    let found = found(&run(folder.path()), &reducers(corrections(folder.path(), &["panel"])), &options(3));
    let all: Vec<(Vec<f32>, u64)> = (0..EVENTS).map(|event| plain(&words(event))).collect();
    let unknown: u64 = all.iter().map(|(_, unknown)| unknown).sum();
    assert!(unknown > 100, "{unknown}");
    assert_eq!(number(&found, UNKNOWN_GAIN), unknown as f64);
    let (lowest, highest) = (array(&found, "min").values(), array(&found, "max").values());
    let mean = array(&found, "mean").values();
    for pixel in 0..PIXELS {
        let values = all.iter().map(|(picture, _)| f64::from(picture[pixel]));
        assert_eq!(lowest[pixel], values.clone().fold(f64::INFINITY, f64::min), "{pixel}");
        assert_eq!(highest[pixel], values.clone().fold(f64::NEG_INFINITY, f64::max), "{pixel}");
        let wanted = values.sum::<f64>() / EVENTS as f64;
        assert!((mean[pixel] - wanted).abs() <= 1e-9 * wanted.abs().max(1.0), "{pixel}");
    }
    // The bits of the gain are no part of the values, whose range the histogram has.
    let outside = |named: &&Named| ["histogram-below", "histogram-above"].contains(&named.name.as_str());
    assert_eq!(found.results.iter().filter(outside).count(), 0);
}

#[test]
fn any_number_of_workers_and_parts_finds_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    let reducers = reducers(corrections(folder.path(), &["row,least=3", "column"]));
    let small = |workers| Options { workers, block_bytes: 8 << 10, ..Options::default() };
    let one = found(&path, &reducers, &small(1));
    assert!(number(&one, UNKNOWN_GAIN) > 0.0);
    for workers in [2, 5] {
        assert_same_bits(&one, &found(&path, &reducers, &small(workers)));
    }
    let work = Work::new(&recording, &detector, &small(1), &reducers).unwrap();
    let plan = Plan::parse(&Plan::new(&recording, &work, Some(3)).unwrap().text()).unwrap();
    let own = plan.reducers().unwrap();
    let out = folder.path().join("parts");
    for part in 0..3 {
        let part = plan.reduce(&plan.work(&own).unwrap(), part, 2, &mut |_| GoOn::Yes).unwrap();
        part.write(&out).unwrap();
    }
    assert_same_bits(&one, &plan.merge(&plan.work(&own).unwrap(), &[out]).unwrap().found);
}

#[test]
fn constants_without_the_stages_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let right = corrections(folder.path(), &[]);
    let one = file(folder.path(), "one.txt", &[HEIGHT, WIDTH], |_| 1.0);
    let refused = |corrections: Corrections| corrections.checked().err().unwrap().to_string();
    let error = refused(Corrections { gain: Some(one.clone()), ..right.clone() });
    assert!(error.contains("a first axis of 3 gain stages") && error.contains("one.txt"), "{error}");
    let error = refused(Corrections { gain_bits: Some("14:2".parse().unwrap()), ..right.clone() });
    assert!(error.contains("4 gain stages") && error.contains("[3, 19, 37]"), "{error}");
    let nan =
        file(folder.path(), "nan.txt", &[3, PIXELS], |at| if at == PIXELS + 4 { f64::NAN } else { 1.0 });
    let error = refused(Corrections { pedestal: Some(nan), ..right.clone() });
    assert!(error.contains("NaN at pixel 4 of stage 1") && error.contains("nan.txt"), "{error}");

    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    let failed = |corrections: Corrections| {
        let done = analyze(&recording, &detector, &options(2), &reducers(corrections), &mut |_| GoOn::Yes);
        done.err().unwrap().to_string()
    };
    let small = file(folder.path(), "small.txt", &[3, 5], |_| 1.0);
    let error = failed(Corrections { pedestal: Some(small), ..right.clone() });
    assert!(
        error.contains("2109 values of `pedestal`, one for each of 3 gain stages of each pixel"),
        "{error}"
    );
    let error = failed(Corrections { gain_bits: None, ..right });
    assert!(
        error.contains("found 2109") && error.contains("as of gain stages, without gain bits"),
        "{error}"
    );
}

#[test]
fn a_plan_names_the_bits() {
    let folder = tempfile::tempdir().unwrap();
    let line = reducers(corrections(folder.path(), &[])).describe().remove(0);
    let again = |line: &str| Reducers::described(&[line.to_owned()]).map(|all| all.describe().remove(0));
    assert!(line.contains("\"gain_bits\":\"14:2=0,1,3\""), "{line}");
    assert_eq!(again(&line).unwrap(), line);
    assert!(again(&line.replace("14:2=0,1,3", "15:2")).is_err());
    assert!(again(&line.replace("14:2=0,1,3", "14:1=0,1")).is_err());
    // Without them a plan is what it was before there were any.
    let plain = Corrections { gain_bits: None, ..corrections(folder.path(), &[]) };
    assert!(!reducers(plain).describe()[0].contains("gain_bits"));
}

#[test]
fn a_real_jungfrau_is_corrected() {
    let Some(packed) = data("xtc2/lcls2/test_jungfrau05M_calib.xtc2.zst") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test_jungfrau05M_calib.xtc2");
    std::fs::write(&path, zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("jungfrau")).unwrap();
    let analyzed = |reducers: &Reducers| {
        analyze(&recording, &detector, &options(2), reducers, &mut |_| GoOn::Yes).unwrap()
    };
    let raw = analyzed(&Reducers::default().with(PixelStatistics::all()));
    let pixels = array(&raw, "mean").values().len();
    let stages = |at: usize| [1.0, -27.0, -310.0][at / pixels];
    let gain = file(folder.path(), "gain.txt", &[3, 512, 1024], stages);
    let corrections = Corrections {
        gain: Some(gain),
        gain_bits: Some("jungfrau".parse().unwrap()),
        ..Corrections::default()
    };
    let inner = Reducers::default().with(PixelStatistics::all());
    let corrected =
        analyzed(&Reducers::default().with(Corrected::new(corrections.checked().unwrap(), inner)));
    let of = |found: &Found, name: &str| array(found, name).values();
    let stage = |word: f64| [0, 1, usize::MAX, 2][word as usize >> 14];
    let value = |word: f64| (word as u16 & 0x3FFF) as f64 * stages(stage(word) * pixels);
    // Of two events, the least and the most are both.
    let both = of(&raw, "min").into_iter().zip(of(&raw, "max"));
    for (at, ((least, most), found)) in both.zip(of(&corrected, "mean")).enumerate() {
        assert_eq!(found, f64::midpoint(value(least), value(most)), "{at}");
    }
    let inner = of(&raw, "max").iter().filter(|word| stage(**word) > 0).count();
    assert!(inner > 100, "{inner}");
    assert_eq!(number(&corrected, UNKNOWN_GAIN), 0.0);
}
