//! Selected and corrected events: plain definitions, and the same bits by any number of workers and parts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_recording::select::{Expression, Selected, Verdict};

use super::*;

const WIDTH: usize = 31;
const HEIGHT: usize = 23;
const PIXELS: usize = WIDTH * HEIGHT;
const EVENTS: usize = 90;

/// Pictures of 16 bits; event 5 is broken.
fn run(folder: &Path) -> PathBuf {
    let leaf = |event: u64| match event {
        5 => Leaf::new(frame(WIDTH as u32, HEIGHT as u32, 16, event)[..99].to_vec()),
        _ => Leaf::new(frame(WIDTH as u32, HEIGHT as u32, 16, event)),
    };
    let datagrams: Vec<_> = (0..EVENTS as u64).map(|event| datagram(event, &[leaf(event)])).collect();
    write(folder, &datagrams)
}

fn pictures() -> Vec<Vec<f64>> {
    let events = (0..EVENTS as u64).filter(|event| *event != 5);
    events
        .map(|event| {
            values_of(livetime_frame::DType::U16, &frame(WIDTH as u32, HEIGHT as u32, 16, event)[16..])
        })
        .collect()
}

fn file(folder: &Path, name: &str, values: &[f64]) -> ConstantsFile {
    let rows = values.chunks(WIDTH).map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    let path = folder.join(name);
    std::fs::write(&path, rows.collect::<Vec<_>>().join("\n")).unwrap();
    ConstantsFile::read(path).unwrap()
}

fn pedestal(pixel: usize) -> f64 {
    100.0 + (pixel % 7) as f64
}

fn gain(pixel: usize) -> f64 {
    [1.0, 0.5, 2.0][pixel % 3]
}

fn is_good(pixel: usize) -> bool {
    !pixel.is_multiple_of(11)
}

fn corrections(folder: &Path, modes: &[&str]) -> Corrections {
    let all = |of: &dyn Fn(usize) -> f64| (0..PIXELS).map(of).collect::<Vec<f64>>();
    Corrections {
        pedestal: Some(file(folder, "pedestal.txt", &all(&pedestal))),
        gain: Some(file(folder, "gain.txt", &all(&gain))),
        mask: Some(file(folder, "mask.txt", &all(&|pixel| f64::from(u8::from(is_good(pixel)))))),
        common_modes: modes.iter().map(|mode| mode.parse().unwrap()).collect(),
        gain_bits: None,
    }
}

fn corrected(corrections: &Corrections) -> Reducers {
    let inner = Reducers::default()
        .with(PixelStatistics::all())
        .with(Histogram::default())
        .with(Hits { threshold: 40.0 });
    Reducers::default().with(Corrected::new(corrections.clone(), inner))
}

fn found(path: &Path, reducers: &Reducers, options: &Options) -> Found {
    let recording = Recording::open(&[path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    analyze(&recording, &detector, options, reducers, &mut |_| GoOn::Yes).unwrap()
}

/// By plain loops: pedestal, median of each row, gain.
fn plain(picture: &[f64]) -> Vec<f32> {
    let mut out: Vec<f32> =
        (0..PIXELS).map(|p| if is_good(p) { (picture[p] - pedestal(p)) as f32 } else { 0.0 }).collect();
    for (row, values) in out.chunks_mut(WIDTH).enumerate() {
        let good = |column: usize| is_good(row * WIDTH + column);
        let mut sorted: Vec<f32> = (0..WIDTH).filter(|c| good(*c)).map(|c| values[c]).collect();
        sorted.sort_by(f32::total_cmp);
        let half = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
        (0..WIDTH).filter(|c| good(*c)).for_each(|column| values[column] -= median);
    }
    (0..PIXELS).map(|p| out[p] * gain(p) as f32).collect()
}

#[test]
fn corrected_pictures_are_those_of_plain_loops() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let reducers = corrected(&corrections(folder.path(), &["row"]));
    let found = found(&path, &reducers, &options(3));
    assert_eq!((found.account.used, found.account.lost()), (EVENTS as u64 - 1, 1));
    let all: Vec<Vec<f32>> = pictures().iter().map(|picture| plain(picture)).collect();
    let (mean, highest) = (array(&found, "mean").values(), array(&found, "max").values());
    assert_eq!((mean.len(), highest.len()), (PIXELS, PIXELS));
    for (pixel, (mean, highest)) in mean.into_iter().zip(highest).enumerate() {
        let values = all.iter().map(|picture| f64::from(picture[pixel]));
        let wanted = values.clone().sum::<f64>() / all.len() as f64;
        assert!((mean - wanted).abs() <= 1e-9 * wanted.abs().max(1.0), "{pixel}: {mean} {wanted}");
        assert_eq!(highest, values.fold(f64::NEG_INFINITY, f64::max), "{pixel}");
    }
    let counts = column(&found, "events", "hits");
    let wanted = all.iter().map(|picture| picture.iter().filter(|v| **v >= 40.0).count() as f64);
    assert_eq!(counts, wanted.collect::<Vec<_>>());
}

#[test]
fn any_number_of_workers_and_parts_finds_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    let verdicts = (0..EVENTS).map(|event| Verdict::ALL[(event * event / 5) % 4]).collect();
    let select = Some(Arc::new(Selected::new("evr(1)".into(), 0, verdicts)));
    for select in [None, select] {
        let reducers = corrected(&corrections(folder.path(), &["bank=4,most=60", "column"]));
        let small =
            |workers| Options { workers, block_bytes: 8 << 10, select: select.clone(), ..Options::default() };
        let one = found(&path, &reducers, &small(1));
        for workers in [2, 3, 7] {
            assert_same_bits(&one, &found(&path, &reducers, &small(workers)));
        }
        let work = Work::new(&recording, &detector, &small(1), &reducers).unwrap();
        let plan = Plan::new(&recording, &work, Some(4)).unwrap();
        // Another process has the text of the plan alone.
        let plan = Plan::parse(&plan.text()).unwrap();
        let own = plan.reducers().unwrap();
        let out = folder.path().join(format!("parts-{}", select.is_some()));
        for part in 0..4 {
            let part = plan.reduce(&plan.work(&own).unwrap(), part, 2, &mut |_| GoOn::Yes).unwrap();
            part.write(&out).unwrap();
        }
        let merged = plan.merge(&plan.work(&own).unwrap(), &[out]).unwrap();
        assert_same_bits(&one, &merged.found);
        assert_eq!(plan.select().map(Selected::expression), select.as_ref().map(|s| s.expression()));
    }
}

#[test]
fn events_that_are_not_selected_are_counted_and_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let recording = Recording::open(&[&path]).unwrap();
    // The run has no event codes.
    let error =
        recording.select(&"evr(140)".parse::<Expression>().unwrap(), 0..EVENTS, 1).unwrap_err().to_string();
    assert!(error.contains("`evr(140)`"), "{error}");
    let verdict = |event: usize| if event < 10 { Verdict::Refused } else { Verdict::ALL[event % 3] };
    let select = Selected::new("x > 1".into(), 0, (0..EVENTS).map(verdict).collect());
    let options = Options { select: Some(Arc::new(select)), events: 5..EVENTS, ..options(2) };
    let account = found(&path, &Reducers::default().with(PixelStatistics::all()), &options).account;
    let count = |wanted| (5..EVENTS).filter(|event| verdict(*event) == wanted).count() as u64;
    assert_eq!(account.used, count(Verdict::Selected));
    assert_eq!(account.unselected(Verdict::Refused), count(Verdict::Refused));
    assert_eq!(account.unselected(Verdict::WithoutValue), count(Verdict::WithoutValue));
    assert_eq!((account.lost(), account.events()), (0, EVENTS as u64 - 5));
}

#[test]
fn constants_that_do_not_fit_or_have_changed_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path());
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    let short =
        Corrections { gain: Some(file(folder.path(), "short.txt", &[1.0; 30])), ..Corrections::default() };
    let error =
        analyze(&recording, &detector, &options(2), &corrected(&short), &mut |_| GoOn::Yes).unwrap_err();
    assert!(error.to_string().contains("713 values of `gain`"), "{error}");
    let reducers = corrected(&corrections(folder.path(), &[]));
    let line = &reducers.describe()[0];
    assert!(Reducers::described(std::slice::from_ref(line)).is_ok());
    file(folder.path(), "gain.txt", &[2.0; PIXELS]);
    let error = Reducers::described(std::slice::from_ref(line)).err().unwrap().to_string();
    assert!(error.contains("gain as it was planned"), "{error}");
    for line in [
        "corrections ",
        "corrections {}",
        "corrections {\"files\":{},\"common_modes\":[\"x\"],\"reducers\":[]}",
    ] {
        assert!(Reducers::described(&[line.to_owned()]).is_err(), "{line}");
    }
}

#[test]
fn a_quad_of_epix_is_corrected_and_assembled() {
    let Some(packed) = data("xtc2/lcls2/test_epix_calib.xtc2.zst") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test_epix_calib.xtc2");
    std::fs::write(&path, zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let recording = Recording::open(&[&path]).unwrap();
    let detector = detector(&recording, Some("epixquad.raw.raw")).unwrap();
    let analyzed = |corrections: Option<Corrections>| {
        let inner = Reducers::default().with(PixelStatistics { mean: true, ..PixelStatistics::default() });
        let reducers = match corrections {
            Some(corrections) => Reducers::default().with(Corrected::new(corrections, inner)),
            None => inner,
        };
        analyze(&recording, &detector, &options(2), &reducers, &mut |_| GoOn::Yes).unwrap()
    };
    let raw = analyzed(None);
    let pedestal = file(folder.path(), "pedestal.txt", &array(&raw, "mean").values());
    let modes = ["bank=8".parse().unwrap(), "column".parse().unwrap()];
    let none = analyzed(Some(Corrections { pedestal: Some(pedestal.clone()), ..Corrections::default() }));
    // Of two events each is as far from the mean as the other one.
    assert!(array(&none, "mean").values().iter().all(|v| v.abs() < 0.01));
    let common =
        Corrections { pedestal: Some(pedestal), common_modes: modes.into(), ..Corrections::default() };
    assert_eq!(array(&analyzed(Some(common)), "mean").shape(), [4, 352, 384]);

    let segments =
        [(20_000, -20_000), (-20_000, -20_000), (20_000, 20_000), (-20_000, 20_000)].into_iter().enumerate();
    let lines = segments.map(|(n, (x, y))| format!("CAMERA 0 EPIX10KA:V1 {n} {x} {y} 0 0 0 0 0 0 0\n"));
    let text = lines.collect::<String>() + "IP 0 CAMERA 0 0 0 -100000 90 0 0 0 0 0\n";
    let assembly = livetime_recording::geometry::Geometry::parse(&text).unwrap().assembly().unwrap();
    let mean = raw.results.iter().find(|named| named.name == "mean").unwrap();
    let Value::Array(picture) = mean.assembled(&assembly).unwrap().value else { panic!() };
    // The camera is turned: 75,350 um between the outermost pixels in x, and 78,550 in y, in cells of 100 um.
    assert_eq!(picture.shape(), [755, 787]);
    let seen = picture.values().iter().filter(|v| !v.is_nan()).count();
    assert!(seen > 4 * 352 * 384 - 10_000 && seen <= 4 * 352 * 384, "{seen}");
}

/// Two pixels of light on an even background, at a place of its own in each event.
fn spot(event: u64) -> (usize, usize, Vec<u8>) {
    let (row, column) = (3 + event as usize % 15, 4 + event as usize % 20);
    let mut picture = frame(WIDTH as u32, HEIGHT as u32, 16, event);
    let mut pixels = [10u16; PIXELS];
    (pixels[row * WIDTH + column], pixels[row * WIDTH + column + 1]) = (110, 60);
    picture.truncate(16);
    picture.extend(pixels.iter().flat_map(|value| value.to_le_bytes()));
    (row, column, picture)
}

#[test]
fn spots_of_a_recorded_run_are_found_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    // No spot in every tenth event.
    let picture = |event: u64| match event % 10 {
        0 => spot(event)
            .2
            .iter()
            .enumerate()
            .map(|(i, b)| if i < 16 { *b } else { 10 * u8::from(i % 2 == 0) })
            .collect(),
        _ => spot(event).2,
    };
    let datagrams: Vec<_> =
        (0..EVENTS as u64).map(|event| datagram(event, &[Leaf::new(picture(event))])).collect();
    let path = write(folder.path(), &datagrams);
    let reducers = Reducers::default().with("high=80,low=50,rank=2".parse::<Peaks>().unwrap());
    let one = found(&path, &reducers, &options(1));
    let wanted: Vec<u64> = (0..EVENTS as u64).filter(|event| event % 10 != 0).collect();
    assert_eq!(column(&one, "peaks", "event"), wanted.iter().map(|event| *event as f64).collect::<Vec<_>>());
    let columns = ["row", "column", "pixels", "max", "sum", "background", "row_mean", "column_mean"];
    let columns = columns.map(|name| column(&one, "peaks", name));
    for (at, event) in wanted.iter().enumerate() {
        let (row, column, _) = spot(*event);
        let (row, column) = (row as f64, column as f64);
        // 100 and 50 above the background.
        let by_hand = [row, column, 2.0, 100.0, 150.0, 10.0, row, column + 1.0 / 3.0];
        for (found, wanted) in columns.iter().map(|values| values[at]).zip(by_hand) {
            assert!((found - wanted).abs() < 1e-5, "event {event}: {found}, wanted {wanted}");
        }
    }
    assert_eq!(column(&one, "peak-events", "peaks").iter().sum::<f64>(), wanted.len() as f64);
    assert_same_bits(&one, &found(&path, &reducers, &options(3)));
}
