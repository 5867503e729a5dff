//! Helpers for all tests of analyses.

use std::path::Path;

use livetime_analysis::*;
use livetime_frame::{DType, with_dtype};
use livetime_kernels::accumulate::Element;

/// A file of the recorded data.
pub(crate) fn data(name: &str) -> Option<Vec<u8>> {
    livetime_testkit::data(name).map(|file| std::fs::read(file).unwrap())
}

pub(crate) fn all() -> Reducers {
    Reducers::default()
        .with(PixelStatistics::all())
        .with(Histogram::default())
        .with(Hits { threshold: 150.0 })
        .with(InOrder)
}

/// Depends on the order of events as much as anything can.
pub(crate) struct InOrder;

impl Reducer for InOrder {
    type Partial = (f64, Vec<u64>);

    fn partial(&self, _: &Layout) -> (f64, Vec<u64>) {
        (0.0, Vec::new())
    }

    fn map(
        &self,
        (chain, events): &mut (f64, Vec<u64>),
        event: &EventPictures<'_>,
    ) -> Result<(), ReduceError> {
        let sum: f64 = event.pictures().flat_map(|p| p.values()).filter(|v| v.is_finite()).sum();
        *chain = *chain / 3.0 + sum.abs().sqrt();
        events.push(event.event as u64);
        Ok(())
    }

    fn merge(
        &self,
        (chain, events): &mut (f64, Vec<u64>),
        next: &mut (f64, Vec<u64>),
    ) -> Result<(), ReduceError> {
        *chain = *chain / 7.0 + std::mem::take(&mut next.0);
        events.append(&mut next.1);
        Ok(())
    }

    fn finish(&self, _: &Layout, (chain, events): (f64, Vec<u64>)) -> Result<Vec<Named>, ReduceError> {
        Ok(vec![Named::number("chain", chain), Named::table("order", vec![Column::new("event", events)])])
    }

    fn save(&self, (chain, events): &(f64, Vec<u64>), out: &mut Saver) -> Result<(), ReduceError> {
        out.float(*chain);
        out.list(events);
        Ok(())
    }

    fn load(&self, _: &Layout, from: &mut Loader<'_>) -> Result<(f64, Vec<u64>), ReduceError> {
        Ok((from.float()?, from.list()?))
    }
}

pub(crate) fn analyzed(path: &Path, workers: usize) -> Found {
    let recording = Recording::open(&[path]).unwrap();
    let detector = detector(&recording, Some("Opal1000")).unwrap();
    let options = options(workers);
    analyze(&recording, &detector, &options, &all(), &mut |_| GoOn::Yes).unwrap()
}

pub(crate) fn array<'a>(found: &'a Found, name: &str) -> &'a Array {
    match &found.results.iter().find(|r| r.name == name).unwrap().value {
        Value::Array(array) => array,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn column(found: &Found, table: &str, name: &str) -> Vec<f64> {
    match &found.results.iter().find(|r| r.name == table).unwrap().value {
        Value::Table(table) => table.columns.iter().find(|c| c.name == name).unwrap().cells.values(),
        other => panic!("{other:?}"),
    }
}

/// The same bits also where they are NaN, which are not equal.
pub(crate) fn assert_same_bits(one: &Found, other: &Found) {
    assert_eq!((one.account.clone(), one.results.len()), (other.account.clone(), other.results.len()));
    for (a, b) in one.results.iter().zip(&other.results) {
        assert_eq!(a, b, "{}", a.name);
    }
}

/// Mean, deviation, lowest and highest of one pixel, by plain loops.
pub(crate) fn plain(frames: &[Vec<f64>], pixel: usize) -> (f64, f64, f64, f64) {
    let n = frames.len() as f64;
    let values = || frames.iter().map(|f| f[pixel]);
    let mean = values().sum::<f64>() / n;
    let variance = values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (
        mean,
        variance.sqrt(),
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    )
}

/// Of blocks that are so small that a test has many of them.
pub(crate) fn options(workers: usize) -> Options {
    Options { workers, block_bytes: 256 << 10, ..Options::default() }
}

/// Little-endian elements as `f64`.
pub(crate) fn values_of(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    fn all<T: Element>(bytes: &[u8]) -> Vec<f64> {
        (0..bytes.len() / size_of::<T>()).map(|i| T::load::<1>(bytes, i)[0].to_f64()).collect()
    }
    with_dtype!(dtype, T => all::<T>(bytes))
}
