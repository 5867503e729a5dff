//! pnCCD, Timepix and CSPad 2x2, raw and compressed, against plain sums.

use std::path::Path;

use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::{Configs, Src, TypeId, id};

use super::*;

/// A detector, and how its pictures lie in a leaf.
struct Case {
    src: Src,
    type_id: TypeId,
    config: Option<(TypeId, Vec<u8>)>,
    /// Before the pixels of each panel.
    header: Vec<u8>,
    panels: usize,
    shape: Vec<usize>,
}

impl Case {
    fn pixels(&self) -> usize {
        self.shape.iter().product()
    }

    fn payload(&self, pixels: &[u16]) -> Vec<u8> {
        let panel = |pixels: &[u16]| {
            let pixels: Vec<u8> = pixels.iter().flat_map(|p| p.to_le_bytes()).collect();
            [&self.header[..], &pixels].concat()
        };
        pixels.chunks(self.pixels()).flat_map(panel).collect()
    }
}

/// A pnCCD of four links and one of two small ones, both versions of Timepix, and a CSPad 2x2.
fn cases() -> [Case; 5] {
    let src = |device| Src::detector(8, 0, device, 0);
    let links = |links: u32, pixels: u32| {
        let payload = [links, 16 + 2 * pixels].map(u32::to_le_bytes).concat();
        Some((TypeId::new(id::PNCCD_CONFIG, 1), payload))
    };
    let case = |device, type_id: (u16, u16), header: &[u8], panels, shape: &[usize]| Case {
        src: src(device),
        type_id: TypeId::new(type_id.0, type_id.1),
        config: None,
        header: header.to_vec(),
        panels,
        shape: shape.to_vec(),
    };
    let of_version_2 = [&80u16.to_le_bytes()[..], &60u16.to_le_bytes(), &[7; 8]].concat();
    [
        Case { config: links(4, 512 * 512), ..case(5, (id::PNCCD_FRAME, 1), &[9; 16], 4, &[512, 512]) },
        Case { config: links(2, 600), ..case(5, (id::PNCCD_FRAME, 1), &[9; 16], 2, &[600]) },
        case(17, (id::TIMEPIX_DATA, 1), &[5; 8], 1, &[512, 512]),
        case(17, (id::TIMEPIX_DATA, 2), &of_version_2, 1, &[60, 80]),
        case(13, (id::CSPAD2X2_ELEMENT, 1), &[3; 32], 1, &[185, 388, 2]),
    ]
}

/// The pixels of the reference vectors, one behind the other.
fn vectors() -> Option<Vec<u16>> {
    let names = ["cspad_rows", "gauss5", "gauss90", "sparse", "uniform", "onebit", "max"];
    let files = names.iter().map(|name| data(&format!("xtc1/engine/{name}_u16.raw")));
    let files: Vec<Vec<u8>> = files.collect::<Option<_>>()?;
    Some(files.concat().chunks_exact(2).map(|pixel| u16::from_le_bytes([pixel[0], pixel[1]])).collect())
}

#[test]
fn pictures_of_all_detectors_are_summed_as_plainly() {
    let Some(vectors) = vectors() else { return };
    let folder = tempfile::tempdir().unwrap();
    const EVENTS: usize = 5;
    for case in cases() {
        let configure =
            configure(&case.config.iter().map(|(t, c)| (case.src, *t, c.clone())).collect::<Vec<_>>());
        let mut configs = Configs::default();
        configs.add(&livetime_formats::xtc1::Datagram::parse(&configure).unwrap());
        // Each event begins elsewhere in the vectors.
        let event = |event: usize| -> Vec<u16> {
            vectors.iter().copied().cycle().skip(event * 7919).take(case.panels * case.pixels()).collect()
        };
        let events: Vec<Vec<u16>> = (0..EVENTS).map(event).collect();
        let engines = [Engine::NONE, Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK];
        let datagrams = events.iter().enumerate().map(|(number, pixels)| {
            let leaf = Leaf {
                src: case.src,
                type_id: case.type_id,
                engine: engines[number % engines.len()],
                ..Leaf::new(case.payload(pixels))
            };
            datagram_of(number as u64, &[leaf], &configs)
        });
        let path = write_of(folder.path(), &configure, &datagrams.collect::<Vec<_>>());
        let recording = Recording::open(&[&path]).unwrap();
        let detector = detector(&recording, None).unwrap();
        let found =
            |workers| analyze(&recording, &detector, &options(workers), &all(), &mut |_| GoOn::Yes).unwrap();
        let one = found(1);
        assert_eq!((one.account.used, one.account.lost()), (EVENTS as u64, 0), "{:?}", one.account.named);
        assert_same_bits(&one, &found(3));

        let panels = (case.panels > 1).then_some(case.panels);
        let shape: Vec<usize> = panels.into_iter().chain(case.shape.iter().copied()).collect();
        let found = ["mean", "std", "min", "max", "sum", "hits"].map(|name| array(&one, name));
        assert!(found.iter().all(|a| a.shape() == shape), "{:?}: {:?}", case.type_id, found[0].shape());
        let found = found.map(Array::values);
        for pixel in 0..case.panels * case.pixels() {
            let values: Vec<u64> = events.iter().map(|e| e[pixel].into()).collect();
            let (sum, n) = (values.iter().sum::<u64>(), EVENTS as f64);
            let squares = values.iter().map(|v| v * v).sum::<u64>();
            let variance = (EVENTS as u64 * squares - sum * sum) as f64 / (n * n);
            let expected = [
                sum as f64 / n,
                variance.sqrt(),
                *values.iter().min().unwrap() as f64,
                *values.iter().max().unwrap() as f64,
                sum as f64,
                values.iter().filter(|v| **v >= 150).count() as f64,
            ];
            let at = found.each_ref().map(|values| values[pixel]);
            assert!((at[1] - expected[1]).abs() <= 1e-12 * (1.0 + expected[1]), "pixel {pixel}: {at:?}");
            assert_eq!(
                [at[0], at[2], at[3], at[4], at[5]],
                [expected[0], expected[2], expected[3], expected[4], expected[5]]
            );
        }
        let counted: f64 = column(&one, "histogram", "count").iter().sum();
        assert_eq!(counted, (EVENTS * case.panels * case.pixels()) as f64);
    }
}

#[test]
fn a_link_without_its_configuration_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let [_, small, ..] = cases();
    let pixels = vec![1; small.panels * small.pixels()];
    let leaf = |payload| Leaf { src: small.src, type_id: small.type_id, ..Leaf::new(payload) };
    let (type_id, config) = small.config.clone().unwrap();
    let whole = datagram(0, &[leaf(small.payload(&pixels))]);
    let short = datagram(1, &[leaf(small.payload(&pixels[..599]))]);
    let datagrams = [whole, short];
    let path = write_of(folder.path(), &configure(&[(small.src, type_id, config)]), &datagrams);
    let analyzed = |path: &Path| {
        let recording = Recording::open(&[path]).unwrap();
        let detector = detector(&recording, None).unwrap();
        analyze(&recording, &detector, &Options::default(), &all(), &mut |_| GoOn::Yes)
    };
    let found = analyzed(&path).unwrap();
    assert_eq!((found.account.used, found.account.count(FaultKind::Broken)), (1, 1));
    let error = analyzed(&write(folder.path(), &datagrams)).unwrap_err().to_string();
    assert!(error.contains("wanted a pnCCDconfig of Camp-0|pnCCD-0 before this event"), "{error}");
}
