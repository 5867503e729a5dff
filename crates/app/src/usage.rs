//! The cost of work on files, over the number of workers.

use image::RgbImage;
pub(crate) use livetime_measure::{Meter, Usage};

use livetime_plot::{Axis, Panel, Point, Series, draw};

/// Rates and CPU over the number of workers.
pub(crate) fn plot(rows: &[(usize, Usage)]) -> RgbImage {
    let series = |name: &str, value: fn(&Usage) -> Option<f64>| {
        let points =
            rows.iter().filter_map(|(workers, usage)| Some(Point::new(*workers as f64, value(usage)?)));
        Series::new(name, points.collect())
    };
    let panel = |title: &str, y: Axis, series| Panel {
        title: title.to_owned(),
        x: Axis::new("workers", ""),
        y,
        series,
    };
    let rates = vec![
        series("uncompressed data", |u| Some(u.effective_mb_s())),
        series("files", |u| Some(u.file_mb_s())),
        series("disk", Usage::disk_mb_s),
    ];
    let cpu = vec![series("all threads", |u| Some(u.cpu_percent()))];
    draw(&[
        panel("data rates", Axis::new("rate", "MB/s").from(0.0), rates),
        panel("processor", Axis::new("CPU", "% of one core").from(0.0), cpu),
    ])
}
