//! Every level against the plain definitions, over sizes, strides, types and extreme values.

mod cases;
mod judge;
mod known;

use super::*;
use judge::{Exact, Judgement};

/// Compares every level with the judge, everything wanted.
fn check<T: Exact>(image: Plane<T>, wanted: &Wanted, scratch: &mut Scratch) {
    let judgement = Judgement::of(image, wanted);
    for level in Level::available() {
        let found = statistics(level, image, wanted, scratch);
        let what = format!("{} {} {image:.0?}", level.name(), std::any::type_name::<T>());
        let what = what.chars().take(300).collect::<String>();
        judgement.compare(&found, scratch, &what);
    }
}

fn everything(threshold: f64) -> Wanted {
    Wanted {
        basic: true,
        background_width: 2,
        is_line: false,
        centroid: true,
        threshold,
        profiles: Some(Cursor { x: 5, y: 2 }),
        histogram: Some(HistogramRange { min: 3.0, max: 100.5, bins: 37 }),
        quirks: Quirks::default(),
    }
}
