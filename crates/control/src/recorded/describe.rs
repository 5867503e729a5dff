//! A pipeline reducer as a line of text, from which it can be made again on another machine.

use livetime_analysis::{Layout as Panels, Panel};
use livetime_frame::{ColorMode, DType, Layout};
use serde_json::{Value as Json, json};
use twox_hash::XxHash3_64;

use crate::config::Setting;

/// The begin of the line; JSON follows.
pub(super) const KIND: &str = "pipeline ";

/// How events become frames: 2 is as a source sends them; 1 was without attributes, flags and damaged events.
const FRAMES: u32 = 2;

/// All that a pipeline reducer is made of.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Description {
    /// Name of the pipeline file.
    pub(super) file: String,
    /// Its text.
    pub(super) text: String,
    pub(super) source: Option<String>,
    pub(super) of: Option<String>,
    pub(super) settings: Vec<Setting>,
    /// The layout of the run's pictures.
    pub(super) input: Layout,
    /// The layout of the pictures that come out.
    pub(super) output: Panels,
    /// How the reducers describe themselves that get it.
    pub(super) reducers: Vec<String>,
}

impl Description {
    /// The hash of what is in the file: 16 digits.
    pub(super) fn hash(&self) -> String {
        format!("{:016x}", XxHash3_64::oneshot(self.text.as_bytes()))
    }

    pub(super) fn line(&self) -> String {
        let settings: Vec<String> = self.settings.iter().map(Setting::to_string).collect();
        let (low, high) = self.output.first_values;
        let panel = self.output.panels.first();
        let json = json!({
            "file": self.file, "hash": self.hash(), "text": self.text, "source": self.source, "of": self.of,
            "set": settings, "reducers": self.reducers, "frames": FRAMES,
            "input": {
                "dtype": self.input.dtype().name(), "color": self.input.color().name(),
                "shape": self.input.shape().collect::<Vec<_>>(),
            },
            // Floats as text, of which every bit comes back.
            "output": {
                "dtype": panel.map(|p| p.dtype.name()), "shape": panel.map(|p| &p.shape),
                "first_values": [low.to_string(), high.to_string()],
            },
        });
        format!("{KIND}{json}")
    }

    /// Takes it from its line. `None` if it is none, or was changed by hand.
    pub(super) fn parse(line: &str) -> Option<Description> {
        let json: Json = serde_json::from_str(line.strip_prefix(KIND)?).ok()?;
        let (input, output) = (&json["input"], &json["output"]);
        let value = |at: usize| output["first_values"][at].as_str()?.parse::<f64>().ok();
        let panel = Panel { number: 0, dtype: dtype(output)?, shape: shape(output)? };
        let found = Description {
            file: text(&json["file"])?,
            text: text(&json["text"])?,
            source: text(&json["source"]),
            of: text(&json["of"]),
            settings: texts(&json["set"])?.iter().map(|s| s.parse().ok()).collect::<Option<_>>()?,
            input: Layout::packed(dtype(input)?, color(input)?, &shape(input)?).ok()?,
            output: Panels { panels: vec![panel], first_values: (value(0)?, value(1)?) },
            reducers: texts(&json["reducers"])?,
        };
        (found.line() == line).then_some(found)
    }
}

fn text(json: &Json) -> Option<String> {
    json.as_str().map(str::to_owned)
}

fn texts(json: &Json) -> Option<Vec<String>> {
    json.as_array()?.iter().map(text).collect()
}

fn dtype(json: &Json) -> Option<DType> {
    json["dtype"].as_str()?.parse().ok()
}

fn color(json: &Json) -> Option<ColorMode> {
    let name = json["color"].as_str()?;
    ColorMode::ALL.into_iter().find(|color| color.name() == name)
}

fn shape(json: &Json) -> Option<Vec<usize>> {
    let sizes = json["shape"].as_array()?.iter().map(|size| usize::try_from(size.as_u64()?).ok());
    // As many pixels as an address can count.
    let sizes: Vec<usize> = sizes.collect::<Option<_>>()?;
    sizes.iter().try_fold(1usize, |product, size| product.checked_mul(*size)).map(|_| sizes)
}
