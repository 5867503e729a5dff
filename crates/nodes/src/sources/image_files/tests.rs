use std::fs;
use std::io::Cursor;

use image::{ExtendedColorType, ImageEncoder};
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{Next, Value};
use tempfile::TempDir;
use tiff::encoder::{TiffEncoder, colortype};

use super::*;

fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let pixels: Vec<u8> = (0..width * height * 3).map(|i| (i % 251) as u8).collect();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut out, 95)
        .write_image(&pixels, width, height, ExtendedColorType::Rgb8)
        .unwrap();
    out
}

fn png(pixels: &[u8], width: u32, height: u32, color: ExtendedColorType) -> Vec<u8> {
    let mut out = Vec::new();
    image::codecs::png::PngEncoder::new(&mut out).write_image(pixels, width, height, color).unwrap();
    out
}

fn tiff_of<C: colortype::ColorType>(width: u32, height: u32, pixels: &[C::Inner]) -> Vec<u8>
where
    [C::Inner]: tiff::encoder::TiffValue,
{
    let mut out = Cursor::new(Vec::new());
    TiffEncoder::new(&mut out).unwrap().write_image::<C>(width, height, pixels).unwrap();
    out.into_inner()
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
    folder
}

fn source(folder: &TempDir, params: &[(&str, Value)]) -> Harness {
    let path = [("path", folder.path().to_str().unwrap().into()), ("rate_hz", 0.into())];
    Harness::new::<ImageFiles>(&[&path[..], params].concat()).unwrap()
}

fn name(frame: &Frame) -> String {
    frame.header().attributes.get("FileName").unwrap().to_string()
}

/// Produces to the end; errors as texts.
fn run(harness: &mut Harness) -> (Vec<Frame>, Vec<String>) {
    let (mut frames, mut errors) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        match harness.produce() {
            Ok((more, next)) => {
                frames.extend(more);
                if next == Next::Finished {
                    return (frames, errors);
                }
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    panic!("no end after {} frames and {errors:?}", frames.len());
}

#[test]
fn every_format_and_type() {
    let gray16: Vec<u8> = [1u16, 2, 500, 65535].iter().flat_map(|v| v.to_ne_bytes()).collect();
    let files: [(&str, Vec<u8>); 11] = [
        ("1.png", png(&[1, 2, 3, 4, 5, 6], 3, 2, ExtendedColorType::L8)),
        ("2.png", png(&gray16, 2, 2, ExtendedColorType::L16)),
        ("3.png", png(&[1, 2, 3, 4, 5, 6], 2, 1, ExtendedColorType::Rgb8)),
        ("4.png", png(&[1, 2, 3, 99, 4, 5, 6, 99], 2, 1, ExtendedColorType::Rgba8)),
        ("5.tif", tiff_of::<colortype::Gray32Float>(2, 1, &[1.5, f32::MIN])),
        ("6.tif", tiff_of::<colortype::GrayI64>(1, 2, &[i64::MIN, 7])),
        ("7.tiff", tiff_of::<colortype::Gray64Float>(1, 1, &[0.1])),
        ("8.tif", tiff_of::<colortype::RGB16>(1, 1, &[1, 2, 60000])),
        ("9.tif", tiff_of::<colortype::GrayI8>(2, 1, &[-1, 127])),
        ("10.tif", tiff_of::<colortype::RGBA8>(1, 2, &[1, 2, 3, 4, 5, 6, 7, 8])),
        ("11.jpg", jpeg(5, 4)),
    ];
    let folder = folder(&files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice())));
    let (frames, errors) = run(&mut source(&folder, &[]));
    assert_eq!(errors, [""; 0]);
    let described: Vec<_> =
        frames.iter().map(|f| format!("{} {}", name(f), f.array().unwrap().layout())).collect();
    let expected = [
        "1.png 2x3 u8 mono",
        "2.png 2x2 u16 mono",
        "3.png 1x2x3 u8 rgb1",
        "4.png 1x2x3 u8 rgb1",
        "5.tif 1x2 f32 mono",
        "6.tif 2x1 i64 mono",
        "7.tiff 1x1 f64 mono",
        "8.tif 1x1x3 u16 rgb1",
        "9.tif 1x2 i8 mono",
        "10.tif 2x1x3 u8 rgb1",
        "11.jpg 4x5x3 u8 rgb1",
    ];
    assert_eq!(described, expected);
    assert_eq!(frames[0].bytes(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(frames[1].array().unwrap().elements::<u16>().unwrap(), [1, 2, 500, 65535]);
    assert_eq!(
        (frames[2].bytes(), frames[3].bytes()),
        (&[1u8, 2, 3, 4, 5, 6][..], &[1u8, 2, 3, 4, 5, 6][..])
    );
    assert_eq!(frames[4].array().unwrap().elements::<f32>().unwrap(), [1.5, f32::MIN]);
    assert_eq!(frames[5].array().unwrap().elements::<i64>().unwrap(), [i64::MIN, 7]);
    assert_eq!(frames[6].array().unwrap().elements::<f64>().unwrap(), [0.1]);
    assert_eq!(frames[7].array().unwrap().elements::<u16>().unwrap(), [1, 2, 60000]);
    assert_eq!(frames[8].array().unwrap().elements::<i8>().unwrap(), [-1, 127]);
    assert_eq!(frames[9].bytes(), [1, 2, 3, 5, 6, 7]);
    let numbers: Vec<u64> = frames.iter().map(|f| f.header().sequence).collect();
    assert_eq!(numbers, (1..=11).collect::<Vec<u64>>());
}

#[test]
fn broken_files_are_named_and_passed_over() {
    let (jpeg, png) = (jpeg(64, 64), png(&[9; 4096], 64, 64, ExtendedColorType::L8));
    let tiff = tiff_of::<colortype::Gray8>(64, 64, &[7; 4096]);
    let folder = folder(&[
        ("1 cut.jpg", &jpeg[..jpeg.len() / 2]),
        ("2 cut.jpg", &jpeg[..30]),
        ("3 cut.png", &png[..png.len() / 2]),
        ("4 cut.tif", &tiff[..tiff.len() / 2]),
        ("5 empty.jpg", b""),
        ("6 text.png", b"This is no picture."),
        ("7 good.tif", &tiff),
        ("8 cut.tif", &tiff[..5]),
    ]);
    let mut harness = source(&folder, &[("loops", 2.into())]);
    let (frames, errors) = run(&mut harness);
    assert_eq!(frames.iter().map(name).collect::<Vec<_>>(), ["7 good.tif"; 2]);
    assert_eq!((errors.len(), harness.number_of("failures")), (14, 14.0), "{errors:#?}");
    for (i, file) in ["1 cut.jpg", "2 cut.jpg", "3 cut.png", "4 cut.tif"].iter().enumerate() {
        assert!(errors[i].contains(file), "{}", errors[i]);
    }
    assert!(errors[0].ends_with("wanted a whole JPEG, found one without its end"), "{}", errors[0]);
    assert!(errors[4].ends_with("wanted a picture, found an empty file"), "{}", errors[4]);
    assert!(errors[5].ends_with("wanted a JPEG, PNG or TIFF picture, found something else"), "{}", errors[5]);
}

#[test]
fn a_broken_picture_is_a_loss_at_the_source() {
    use livetime_engine::{EdgeOptions, Graph, NodeType, Run, RunOptions, WhenFull};
    let good = png(&[1, 2, 3, 4], 2, 2, ExtendedColorType::L8);
    let folder = folder(&[("a.png", &good), ("b.png", &good[..20]), ("c.png", &good)]);
    let mut graph = Graph::default();
    let source = graph.add("source", NodeType::of::<ImageFiles>()).unwrap();
    graph.add("end", NodeType::of::<crate::sinks::null::Null>()).unwrap();
    graph.set(source, "path", &folder.path().to_str().unwrap().into()).unwrap();
    graph.set(source, "rate_hz", &0.0.into()).unwrap();
    graph
        .connect("source", "end", EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() })
        .unwrap();
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let report = run.finish(livetime_testkit::HANG);
    assert_eq!(report.imbalances(), Vec::<String>::new());
    assert_eq!((report.nodes[1].completed, report.nodes[0].lost.values().sum::<u64>()), (2, 1));
}

/// Two folders that one node joins: by the times of their files, at every run.
#[test]
fn a_replay_of_pictures_has_one_order() {
    use livetime_engine::testing::Simulation;
    use livetime_engine::{EdgeOptions, Graph, NodeType, WhenFull};
    let picture = png(&[1, 2, 3, 4], 2, 2, ExtendedColorType::L8);
    let folders: Vec<TempDir> = [[1, 4, 5], [2, 3, 6]]
        .map(|times| {
            let folder = folder(&[("a.png", &picture), ("b.png", &picture), ("c.png", &picture)]);
            for (name, second) in ["a.png", "b.png", "c.png"].into_iter().zip(times) {
                let file = fs::File::options().append(true).open(folder.path().join(name)).unwrap();
                file.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(second)).unwrap();
            }
            folder
        })
        .into();
    let mut graph = Graph::default();
    let block = EdgeOptions { when_full: WhenFull::Block, queue: 20, ..EdgeOptions::default() };
    graph.add("all", NodeType::of::<crate::process::gather::Gather>()).unwrap();
    for (folder, name) in folders.iter().zip(["one", "two"]) {
        let node = graph.add(name, NodeType::of::<ImageFiles>()).unwrap();
        graph.set(node, "path", &folder.path().to_str().unwrap().into()).unwrap();
        graph.connect(name, "all", block).unwrap();
    }
    for seed in 0..20 {
        let mut simulation = Simulation::new(&graph, seed).unwrap();
        let mut outlet = simulation.subscribe("all", block).unwrap();
        assert!(simulation.run_to_end(100_000));
        let seconds: Vec<i64> = std::iter::from_fn(|| outlet.recv(std::time::Duration::ZERO).ok())
            .map(|frame| frame.header().event_time_ns / 1_000_000_000)
            .collect();
        assert_eq!(seconds, [1, 2, 3, 4, 5, 6], "seed {seed}");
    }
}

#[test]
fn any_prefix_of_a_file_is_refused() {
    let files = [
        jpeg(16, 16),
        png(&[9; 256], 16, 16, ExtendedColorType::L8),
        tiff_of::<colortype::Gray16>(16, 16, &[7; 256]),
    ];
    for file in &files {
        let try_to = |bytes: &[u8]| {
            let picture = picture_file::open(bytes, 1 << 20)?;
            let mut out = vec![0; picture.layout.span()];
            picture.read(&mut out)
        };
        try_to(file).unwrap();
        // The last chunk of a PNG and the last bytes of a TIFF's directory carry no pixels.
        for len in 0..file.len() - 24 {
            assert!(try_to(&file[..len]).is_err(), "{len} of {} bytes", file.len());
        }
        // For any content of the file, nothing panics.
        for at in 0..file.len() {
            let mut bytes = file.clone();
            bytes[at] ^= 0xff;
            let _ = try_to(&bytes);
        }
    }
}

#[test]
fn a_folder_of_failures_ends() {
    let folder = folder(&[("a.jpg", b"x"), ("b.jpg", b"y")]);
    let mut harness = source(&folder, &[("loops", 0.into())]);
    let (frames, errors) = run(&mut harness);
    assert_eq!((frames.len(), errors.len()), (0, 2));
    let events = harness.events();
    assert!(events[0].is_error && events[0].message.contains("found none in 2 files"), "{events:?}");
}

#[test]
fn pictures_that_are_too_large_are_refused_before_they_are_decoded() {
    let large = png(&vec![0; 3000 * 3000], 3000, 3000, ExtendedColorType::L8);
    assert!(large.len() < 100_000);
    let folder =
        folder(&[("a.png", &large), ("b.tif", &tiff_of::<colortype::Gray8>(400, 400, &[0; 160_000]))]);
    let (_, errors) = run(&mut source(&folder, &[("max_bytes", 150_000.into())]));
    assert!(errors[0].contains("a.png`"), "{}", errors[0]);
    assert!(errors[1].contains("wanted a file of at most 146.48 KiB"), "{}", errors[1]);
}

#[test]
fn other_sizes_are_told_or_refused() {
    let small = png(&[1, 2], 2, 1, ExtendedColorType::L8);
    let tall = png(&[1, 2], 1, 2, ExtendedColorType::L8);
    let deep = png(&[1, 2, 3, 4], 2, 1, ExtendedColorType::L16);
    let folder = folder(&[("a.png", &small), ("b.png", &tall), ("c.png", &deep), ("d.png", &small)]);
    let mut harness = source(&folder, &[("loops", 2.into())]);
    assert_eq!(run(&mut harness).0.len(), 8);
    let told: Vec<_> = harness.events().into_iter().map(|e| e.message).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(told[0], "`b.png` is 2x1 u8 mono, the picture before was 1x2 u8 mono");
    let (frames, errors) = run(&mut source(&folder, &[("same_size", true.into())]));
    assert_eq!((frames.len(), errors.len()), (2, 2));
    assert!(errors[1].ends_with("wanted 1x2 u8 mono as in the first picture, found 1x2 u16 mono"));
}

#[test]
fn kept_pictures_are_not_decoded_again() {
    let files = folder(&[
        ("a.png", &png(&[1; 64], 8, 8, ExtendedColorType::L8)),
        ("b.png", &png(&[2; 64], 8, 8, ExtendedColorType::L8)),
    ]);
    for (keep, same) in [(1 << 20, true), (0, false)] {
        let mut harness = source(&files, &[("loops", 3.into()), ("keep_bytes", keep.into())]);
        let (frames, _) = run(&mut harness);
        let place = |i: usize| frames[i].bytes().as_ptr();
        assert_eq!((frames.len(), place(0) == place(2) && place(3) == place(5)), (6, same));
        assert_eq!((frames[5].header().sequence, name(&frames[5]).as_str()), (6, "b.png"));
        assert_eq!(frames[4].bytes(), [1; 64]);
    }
}

#[test]
fn frames_come_at_the_rate() {
    let folder = folder(&[("a.png", &png(&[1], 1, 1, ExtendedColorType::L8))]);
    let mut harness = source(&folder, &[("rate_hz", 100.into()), ("loops", 0.into())]);
    let at = |frames: Vec<Frame>| frames.iter().map(|f| f.header().entry_ns).collect::<Vec<_>>();
    assert_eq!(at(harness.run_source(3).unwrap()), [0, 10_000_000, 20_000_000]);
    harness.set("rate_hz", 50.0).unwrap();
    assert_eq!(at(harness.run_source(1).unwrap()), [40_000_000]);
}

#[test]
fn folders_and_patterns() {
    let one = png(&[1], 1, 1, ExtendedColorType::L8);
    let files = folder(&[("a1.png", &one), ("a2.png", &one), ("b.txt", b"text"), ("b.dat", &one)]);
    let mut harness = source(&files, &[("pattern", "*.dat".into()), ("loops", 0.into())]);
    assert_eq!(name(&harness.run_source(1).unwrap()[0]), "b.dat");
    harness.set("pattern", "a?.png").unwrap();
    assert_eq!(
        harness.run_source(3).unwrap().iter().map(name).collect::<Vec<_>>(),
        ["a1.png", "a2.png", "a1.png"]
    );
    assert!(harness.set("pattern", "z*").unwrap_err().to_string().ends_with("wanted files `z*`, found none"));
    let single = files.path().join("a2.png");
    let mut harness = Harness::new::<ImageFiles>(&[("path", single.to_str().unwrap().into())]).unwrap();
    assert_eq!(run(&mut harness).0.len(), 1);
    for path in ["", "/no/such/place"] {
        assert!(Harness::new::<ImageFiles>(&[("path", path.into())]).is_err());
    }
}

#[test]
fn a_recorded_picture() {
    let Some(file) = crate::test_data::find("images/calico-replay-1.jpg") else { return };
    let params = [("path", file.to_str().unwrap().into()), ("loops", 2.into()), ("rate_hz", 0.into())];
    let (frames, errors) = run(&mut Harness::new::<ImageFiles>(&params).unwrap());
    assert_eq!((frames.len(), errors.len()), (2, 0));
    let expected = image::load_from_memory(&fs::read(&file).unwrap()).unwrap();
    let array = frames[1].array().unwrap();
    assert_eq!(
        (array.layout().width(), array.layout().height()),
        (expected.width() as usize, expected.height() as usize)
    );
    assert_eq!(array.bytes(), expected.as_bytes());
}

#[test]
fn keeps_the_contract() {
    let files = folder(&[
        ("a.png", &png(&[1], 1, 1, ExtendedColorType::L8)),
        ("b.png", &png(&[1, 2], 2, 1, ExtendedColorType::L8)),
    ]);
    let path = files.path().to_str().unwrap();
    assert_compliant::<ImageFiles>(&[("path", path.into()), ("loops", 0.into())]);
}

#[test]
fn without_a_pattern_pictures_are_taken() {
    assert!(is_picture("A.JPG") && !is_picture(".a.jpg") && !is_picture("a.txt"));
}
