//! Which parameter areaDetector's drvInfo means.

use livetime_engine::{ParamSpec, nearest};

/// The common part of a drvInfo and the suffix of its PV: `CENTROIDX_VALUE` and `CentroidX` are both `CENTROIDX`.
fn key(name: &str) -> String {
    let upper = name.to_ascii_uppercase();
    let short = upper.strip_prefix("SIM_").unwrap_or(&upper);
    short.strip_suffix("_VALUE").unwrap_or(short).replace('_', "")
}

/// Which parameter may have been meant: `"; did you mean `total`?"`.
#[derive(PartialEq, Debug)]
pub(super) struct Hint(pub(super) String);

/// The parameter that `source` means: of readbacks and set-points with one name the readback.
///
/// # Errors
/// Which parameter may have been meant.
pub(super) fn find(source: &str, specs: &[ParamSpec]) -> Result<usize, Hint> {
    let is_it = |spec: &ParamSpec| {
        let pv = spec.pv.unwrap_or("");
        spec.name == source
            || pv == source
            || spec.style.drv_info == Some(source)
            || (!pv.is_empty() && (key(pv) == key(source) || in_full(pv) == in_full(source)))
    };
    let found = specs.iter().position(|s| s.readback && is_it(s)).or_else(|| specs.iter().position(is_it));
    found.ok_or_else(|| Hint(nearest(&source.to_ascii_lowercase(), specs.iter().map(|spec| spec.name))))
}

fn in_full(name: &str) -> String {
    name.to_ascii_uppercase().replace('_', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drv_infos_lead_to_parameters() {
        let of = |node: &str, source: &str| {
            let all = crate::test_nodes::all();
            let specs = crate::config::find_type(&all, node).unwrap().param_specs();
            find(source, specs).map(|index| specs[index].name)
        };
        for (node, source, wanted) in [
            ("statistics", "TOTAL", "total"),
            ("statistics", "MEAN_VALUE", "mean_value"),
            ("statistics", "CENTROIDX_VALUE", "centroid_x"),
            ("sim_detector", "ACQ_TIME", "acquire_time"),
            ("sim_detector", "SIM_GAIN_X", "gain_x"),
            ("sim_detector", "NIMAGES_COUNTER", "num_images_counter"),
            ("sim_detector", "Gain", "gain"),
            ("sim_detector", "gain", "gain"),
            ("tiff_files", "NUM_CAPTURED", "num_captured"),
            ("tiff_files", "FULL_FILE_NAME", "full_file_name"),
            ("tiff_files", "WRITE_MODE", "mode"),
            ("tiff_files", "CREATE_DIR", "create_directory"),
            ("pva_source", "STATUS", "detector_state"),
            ("roi", "ROI_DATA_TYPE", "data_type"),
            ("transform", "TRANSFORM_TYPE", "operation"),
        ] {
            assert_eq!(of(node, source), Ok(wanted), "{source}");
        }
        assert!(of("statistics", "TOTTAL").unwrap_err().0.contains("did you mean `total`?"));
    }
}
