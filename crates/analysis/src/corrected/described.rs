//! Corrections as a line of a plan, and back.

use livetime_kernels::calibrate::CommonMode;
use serde_json::{Value, json};

use super::corrections::{ConstantsFile, Corrections};
use crate::Reducers;
use crate::error::{Error, Result};

/// The begin of the line.
pub(crate) const KIND: &str = "corrections ";

pub(super) fn describe(corrections: &Corrections, inner: &Reducers) -> String {
    let file = |file: &ConstantsFile| json!({ "file": file.path.to_str(), "hash": format!("{:016x}", file.constants.hash) });
    let files = corrections.files().map(|(name, found)| (name.to_owned(), file(found)));
    let modes: Vec<String> = corrections.common_modes.iter().map(ToString::to_string).collect();
    let mut json = json!({
        "files": Value::Object(files.collect()),
        "common_modes": modes,
        "reducers": inner.describe(),
    });
    if let Some(bits) = &corrections.gain_bits {
        json["gain_bits"] = bits.to_string().into();
    }
    format!("{KIND}{json}")
}

/// Whether a line is such a description.
pub(super) fn is_described(line: &str) -> bool {
    line.starts_with(KIND)
}

/// The corrections that a line describes, with its files as they were, and the reducers behind them.
pub(super) fn parse(line: &str) -> Result<(Corrections, Reducers)> {
    let wrong = || Error::refused("corrections as they were planned", "some that were changed");
    let json = line.strip_prefix(KIND).and_then(|json| serde_json::from_str::<Value>(json).ok());
    let json = json.ok_or_else(wrong)?;
    let texts = |name: &str| -> Result<Vec<String>> {
        let list = json[name].as_array().ok_or_else(wrong)?;
        list.iter().map(|text| text.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
    };
    let file = |name: &str| -> Result<Option<ConstantsFile>> {
        let wanted = &json["files"][name];
        let Some(path) = wanted["file"].as_str() else { return Ok(None) };
        let found = ConstantsFile::read(path)?;
        let hash = format!("{:016x}", found.constants.hash);
        if wanted["hash"].as_str() != Some(&hash) {
            let wanted = format!("{name} as it was planned, with the hash {}", wanted["hash"]);
            return Err(Error::refused(wanted, format!("{hash} in {path}")));
        }
        Ok(Some(found))
    };
    let modes = texts("common_modes")?.into_iter();
    let bits = json.get("gain_bits").map(|bits| bits.as_str().and_then(|bits| bits.parse().ok()));
    let corrections = Corrections {
        pedestal: file("pedestal")?,
        gain: file("gain")?,
        mask: file("mask")?,
        common_modes: modes
            .map(|mode| mode.parse::<CommonMode>().map_err(|_| wrong()))
            .collect::<Result<_>>()?,
        gain_bits: bits.map(|bits| bits.ok_or_else(wrong)).transpose()?,
    };
    let inner = texts("reducers")?;
    if inner.iter().any(|line| is_described(line)) {
        return Err(wrong());
    }
    Ok((corrections.checked()?, Reducers::described(&inner)?))
}
