//! `livetime-bench nodes`: service time of every node, per dtype and instruction-set level.

use crate::Failed;
use livetime_engine::testing::Harness;
use livetime_engine::{NodeError, NodeType, Value as Param};
use livetime_frame::{ColorMode, DType, Frame, Layout, with_dtype};
use livetime_kernels::Level;
use serde_json::{Value, json};

use super::calls::sample;
use super::{Progress, Record, Settings, Spread, resize};
use livetime_control::config::find_type;
use livetime_control::report::table::{Style, Table};

const WIDTH: usize = 1024;
const HEIGHT: usize = 1024;

/// A list of one bad pixel.
const ONE_BAD: &str = r#"{"Bad pixels": [{"Pixel": [500, 500], "Median": [1, 1]}]}"#;

/// A node with parameters.
struct Case {
    /// Name of the row.
    name: &'static str,
    node: &'static str,
    params: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        name: "sim_detector ramp",
        node: "sim_detector",
        params: &[("acquire_time", "0"), ("acquire_period", "0")],
    },
    Case {
        name: "statistics basic",
        node: "statistics",
        params: &[("compute_statistics", "true"), ("compute_centroid", "false")],
    },
    Case {
        name: "statistics basic + centroid",
        node: "statistics",
        params: &[("compute_statistics", "true"), ("compute_centroid", "true")],
    },
    Case {
        name: "statistics all",
        node: "statistics",
        params: &[
            ("compute_statistics", "true"),
            ("compute_centroid", "true"),
            ("compute_profiles", "true"),
            ("compute_histogram", "true"),
        ],
    },
    Case {
        name: "process recursive average",
        node: "process",
        params: &[("enable_filter", "true"), ("filter_type", "recursive_ave"), ("num_filter", "100")],
    },
    Case {
        name: "process offset, scale, clips",
        node: "process",
        params: &[
            ("enable_offset_scale", "true"),
            ("scale", "0.5"),
            ("enable_low_clip", "true"),
            ("enable_high_clip", "true"),
        ],
    },
    Case { name: "roi crop", node: "roi", params: &[("min_x", "100"), ("size_x", "512"), ("size_y", "512")] },
    Case { name: "roi bin 2x2", node: "roi", params: &[("bin_x", "2"), ("bin_y", "2")] },
    Case { name: "transform rot90", node: "transform", params: &[("operation", "rot90")] },
    Case { name: "transform mirror", node: "transform", params: &[("operation", "mirror")] },
    Case { name: "color_convert rgb1", node: "color_convert", params: &[("color_mode_out", "rgb1")] },
    Case {
        name: "color_convert rainbow rgb1",
        node: "color_convert",
        params: &[("color_mode_out", "rgb1"), ("false_color", "rainbow")],
    },
    Case {
        name: "color_convert bayer to rgb1",
        node: "color_convert",
        params: &[("color_mode_out", "rgb1")],
    },
    Case {
        name: "color_convert bayer to mono",
        node: "color_convert",
        params: &[("color_mode_out", "mono")],
    },
    Case { name: "bad_pixels", node: "bad_pixels", params: &[("file_name", ONE_BAD)] },
    Case {
        name: "overlay",
        node: "overlay",
        params: &[
            ("overlay1_used", "true"),
            ("overlay1_shape", "rectangle"),
            ("overlay1_size_x", "800"),
            ("overlay1_size_y", "800"),
            ("overlay1_width_x", "2"),
            ("overlay1_width_y", "2"),
            ("overlay2_used", "true"),
            ("overlay2_shape", "ellipse"),
            ("overlay2_size_x", "800"),
            ("overlay2_size_y", "800"),
            ("overlay2_width_x", "2"),
            ("overlay3_used", "true"),
            ("overlay3_shape", "text"),
            ("overlay3_size_x", "800"),
            ("overlay3_size_y", "20"),
        ],
    },
    Case { name: "image", node: "image", params: &[] },
    Case {
        name: "circular_buffer keep",
        node: "circular_buffer",
        params: &[
            ("capture", "true"),
            ("trigger_a", "NDArrayUniqueId"),
            ("trigger_calc", "A < 0 || B > 100"),
        ],
    },
    Case {
        name: "roi_statistics 1 of 256x256",
        node: "roi_statistics",
        params: &[("region1_enable", "true"), ("region1_size_x", "256"), ("region1_size_y", "256")],
    },
    Case {
        name: "roi_statistics whole, net",
        node: "roi_statistics",
        params: &[
            ("region1_enable", "true"),
            ("region1_size_x", "1024"),
            ("region1_size_y", "1024"),
            ("region1_bgd_width", "1"),
        ],
    },
    Case {
        name: "attributes",
        node: "attributes",
        params: &[("attr1_attr_name", "NDArrayUniqueId"), ("attr2_attr_name", "NDArrayTimeStamp")],
    },
    Case { name: "fft", node: "fft", params: &[] },
    Case {
        name: "time_series of rows",
        node: "time_series",
        params: &[("acquire", "true"), ("acquire_mode", "circular_buffer")],
    },
    Case { name: "compress blockpack", node: "compress", params: &[("compressor", "blockpack")] },
    Case {
        name: "compress blockpack dense",
        node: "compress",
        params: &[("compressor", "blockpack"), ("blockpack_tier", "dense")],
    },
    Case { name: "compress bslz4", node: "compress", params: &[("compressor", "bslz4")] },
    Case { name: "compress lz4", node: "compress", params: &[("compressor", "lz4")] },
];

const DTYPES: [DType; 3] = [DType::U8, DType::U16, DType::F32];

struct Row {
    name: &'static str,
    /// The node sends frames of this type on unchanged: the time would not be the time of its work.
    passes: bool,
    dtype: DType,
    shape: Vec<usize>,
    level: &'static str,
    ns: Spread,
}

impl Row {
    /// Bytes of the input image per ns of service time.
    fn gb_per_s(&self) -> f64 {
        (self.shape.iter().product::<usize>() * self.dtype.bytes()) as f64 / self.ns.median
    }
}

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let mut rows = Vec::new();
    // The last case has no limit: the kernels choose the level themselves.
    for limit in Level::available().into_iter().map(Some).chain([None]) {
        // Nodes ask for the best level; for this measurement the best is this one.
        Level::set_limit(limit);
        let level = limit.map_or("chosen", Level::name);
        for case in CASES.iter().filter(|c| c.name.contains(&settings.filter)) {
            for dtype in DTYPES {
                progress.log(format!("{} {dtype} {level}", case.name));
                let (ns, passes) =
                    measure(case, dtype, settings).map_err(|e| format!("{} {dtype}: {e}", case.name))?;
                rows.push(Row { name: case.name, passes, dtype, shape: vec![HEIGHT, WIDTH], level, ns });
            }
        }
        for (name, method) in resize::METHODS.into_iter().filter(|(name, _)| name.contains(&settings.filter))
        {
            progress.log(format!("{name} {level}"));
            let ns = resize::measure(method, settings).map_err(|e| format!("{name}: {e}"))?;
            let (dtype, shape) = (DType::U8, resize::SHAPE.to_vec());
            rows.push(Row { name, passes: false, dtype, shape, level, ns });
        }
    }
    Ok(record(&rows))
}

fn nodes() -> Vec<NodeType> {
    [livetime_nodes::ALL, livetime_sim::ALL].concat()
}

/// The time, and whether the node only passes frames of this type on.
fn measure(case: &Case, dtype: DType, settings: &Settings) -> Result<(Spread, bool), NodeError> {
    let node_type = find_type(&nodes(), case.node).map_err(NodeError::new)?;
    let mut params: Vec<(&str, Param)> = case.params.iter().map(|(n, v)| (*n, Param::from(*v))).collect();
    let is_source = node_type.spec.inputs.is_empty();
    if is_source {
        params.push(("data_type", dtype.name().into()));
    }
    let mut harness = Harness::of(node_type, &params)?;
    let color = if case.name.contains("bayer") { ColorMode::Bayer } else { ColorMode::Mono };
    let image = image(&mut harness, dtype, color)?;
    let mut handle = move |harness: &mut Harness| match is_source {
        true => harness.run_source(1).map(drop),
        false => harness.feed(&image).map(drop),
    };
    let samples = (0..settings.repeats()).map(|_| sample(&mut harness, &mut handle, settings.quick));
    let ns = Spread::of(samples.collect::<Result<_, _>>()?);
    Ok((ns, harness.number_of("unchanged") > 0.0))
}

/// A ramp with some structure, so that minima, maxima and centroids move.
fn image(harness: &mut Harness, dtype: DType, color: ColorMode) -> Result<Frame, NodeError> {
    let layout = Layout::packed(dtype, color, &[HEIGHT, WIDTH])?;
    with_dtype!(dtype, T => {
        let pixels: Vec<T> = (0..WIDTH * HEIGHT).map(|i| ((i * 7 + i / WIDTH * 13) % 251) as T).collect();
        harness.array::<T>(layout, &pixels)
    })
}

fn record(rows: &[Row]) -> Record {
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "node": row.name,
                "dtype": row.dtype.name(),
                "shape": row.shape,
                "level": row.level,
                "passes_unchanged": row.passes,
                "ns_per_frame": row.ns.median.round(),
                "min": row.ns.min.round(),
                "max": row.ns.max.round(),
                "frames_per_s": (1e9 / row.ns.median).round(),
                "gb_per_s": (row.gb_per_s() * 100.0).round() / 100.0,
            })
        })
        .collect();
    let mut table = Table::new(&["node", "dtype", "level", "us/frame", "min", "max", "GB/s"]).right(3..7);
    for row in rows {
        let us = |ns: f64| format!("{:.1}", ns / 1000.0);
        table.row([
            if row.passes { format!("{} (passes unchanged)", row.name) } else { row.name.to_owned() },
            row.dtype.name().to_owned(),
            row.level.to_owned(),
            us(row.ns.median),
            us(row.ns.min),
            us(row.ns.max),
            if row.passes { "-".to_owned() } else { format!("{:.1}", row.gb_per_s()) },
        ]);
    }
    Record { json: json!({ "rows": json }), table: table.render(Style::default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_measured_nodes_are_known() {
        CASES.iter().for_each(|case| _ = find_type(&nodes(), case.node).unwrap());
    }
}
