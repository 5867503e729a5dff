//! The same analysis by several numbers of workers.

use image::RgbImage;

use super::Measured;
use crate::plot::{Panel, Series, draw};

/// Name of the plot's file.
pub(super) const FILE: &str = "workers.png";

/// Whether all found the same, bit for bit.
pub(super) fn are_same(all: &[Measured]) -> bool {
    all.windows(2).all(|pair| pair[0].found == pair[1].found)
}

/// Rates and CPU over the number of workers.
pub(super) fn plot(all: &[Measured]) -> RgbImage {
    let series = |name: &str, value: &dyn Fn(&Measured) -> Option<f64>| Series {
        name: name.to_owned(),
        points: all.iter().filter_map(|m| Some((m.workers as f64, value(m)?))).collect(),
    };
    draw(
        "workers",
        &[
            Panel {
                title: "MB/s".into(),
                series: vec![
                    series("uncompressed data", &|m| Some(m.usage.effective_mb_s())),
                    series("files", &|m| Some(m.usage.file_mb_s())),
                    series("disk", &|m| m.usage.disk_mb_s()),
                ],
            },
            Panel {
                title: "CPU, % of one core".into(),
                series: vec![series("all threads", &|m| Some(m.usage.cpu_percent()))],
            },
        ],
    )
}
