//! Plans as JSON.

use std::ops::Range;
use std::sync::Arc;

use livetime_frame::DType;
use livetime_recording::select::{Selected, Verdict};
use livetime_recording::{EventPlaces, FileEnds, FileRange, Part, Stores};
use serde_json::{Value, json};

use super::{Plan, PlannedFile, PlannedPart};
use crate::account::MOST_EVENTS;
use crate::cut::Cut;
use crate::error::{Error, Result};
use crate::{Detector, Layout, Panel, REDUCTION};

/// Version of the format; another one is refused.
const VERSION: u64 = 1;

impl Plan {
    /// With its hash.
    pub(super) fn json(&self) -> Value {
        let mut json = self.content();
        json["hash"] = self.to_string().into();
        json
    }

    /// All but the hash, which is made of it.
    pub(super) fn content(&self) -> Value {
        let file = |f: &PlannedFile| {
            let mut json =
                json!({ "path": f.path.to_str(), "bytes": f.ends.bytes, "ends": hex(f.ends.hash) });
            // Absent from plans of complete runs, whose hashes must stay.
            if f.grows {
                json["grows"] = true.into();
            }
            json
        };
        let part = |part: &PlannedPart| {
            json!({
                "leaves": pair(&part.leaves),
                "events": pair(&part.places.events),
                "reads": part.places.reads.iter().map(place).collect::<Vec<_>>(),
                "first": place(&part.places.first),
                "places": hex(part.places.hash),
            })
        };
        let panel = |p: &Panel| json!({ "number": p.number, "dtype": p.dtype.name(), "shape": p.shape });
        // Text, from which every bit comes back.
        let (low, high) = self.layout.first_values;
        let mut json = json!({
            "livetime_plan": VERSION,
            "reduction": REDUCTION,
            "run": {
                "files": self.files.iter().map(file).collect::<Vec<_>>(),
                "problems": self.problems.iter().map(|(file, error)| json!([file, error])).collect::<Vec<_>>(),
                "state": self.state.iter().map(place).collect::<Vec<_>>(),
            },
            "detector": detector(&self.detector),
            "panels": self.layout.panels.iter().map(panel).collect::<Vec<_>>(),
            "first_values": [low.to_string(), high.to_string()],
            "events": pair(&self.cut.range),
            "every": self.cut.every,
            "block_events": self.cut.block,
            "blocks": self.cut.blocks(),
            "leaf_blocks": self.cut.leaf(),
            "leaves": self.cut.leaves(),
            "reducers": self.reducers,
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
        });
        if let Some(select) = &self.select {
            json["select"] = selected(select);
        }
        json
    }
}

/// The content of a plan. Whether it makes sense is checked elsewhere.
pub(super) fn parse(text: &str) -> Result<Plan> {
    let json: Value = serde_json::from_str(text).map_err(|e| Error::refused("JSON", e.to_string()))?;
    let json = Field { name: "the plan", json: &json };
    for (name, wanted) in [("livetime_plan", VERSION), ("reduction", u64::from(REDUCTION))] {
        let found = json.get(name)?.number()?;
        if found != wanted {
            return Err(Error::refused(format!("a plan with `{name}` {wanted}"), found.to_string()));
        }
    }
    let run = json.get("run")?;
    let cut = Cut {
        range: json.get("events")?.range()?,
        every: json.get("every")?.size()?,
        block: json.get("block_events")?.size()?,
    };
    Ok(Plan {
        files: run.get("files")?.all(file)?,
        problems: run
            .get("problems")?
            .all(|p| Ok((p.at(0)?.text()?.to_owned(), p.at(1)?.text()?.to_owned())))?,
        state: run.get("state")?.all(|p| p.place())?,
        detector: json.get("detector")?.detector()?,
        layout: layout(&json)?,
        cut,
        select: match json.json.get("select") {
            Some(_) => Some(Arc::new(json.get("select")?.selected()?)),
            None => None,
        },
        reducers: json.get("reducers")?.all(|text| Ok(text.text()?.to_owned()))?,
        parts: json.get("parts")?.all(part)?,
        hash: json.get("hash")?.hash()?,
        folder: None,
        memory: None,
        stores: Stores::default(),
    })
}

fn file(json: Field<'_>) -> Result<PlannedFile> {
    let ends = FileEnds { bytes: json.get("bytes")?.number()?, hash: json.get("ends")?.hash()? };
    let grows = json.json.get("grows") == Some(&Value::Bool(true));
    Ok(PlannedFile { path: json.get("path")?.text()?.into(), ends, grows })
}

fn part(json: Field<'_>) -> Result<PlannedPart> {
    let places = EventPlaces {
        events: json.get("events")?.range()?,
        reads: json.get("reads")?.all(|p| p.place())?,
        first: json.get("first")?.place()?,
        hash: json.get("places")?.hash()?,
    };
    Ok(PlannedPart { leaves: json.get("leaves")?.range()?, places })
}

fn layout(json: &Field<'_>) -> Result<Layout> {
    let panel = |panel: Field<'_>| {
        let dtype = panel.get("dtype")?;
        let known = dtype.text()?.parse::<DType>().map_err(|_| dtype.refused("a type of pixels"))?;
        Ok(Panel {
            number: panel.get("number")?.number_u32()?,
            dtype: known,
            shape: panel.get("shape")?.all(|n| n.size())?,
        })
    };
    let values = json.get("first_values")?;
    let value = |at: usize| {
        let field = values.at(at)?;
        field.text()?.parse::<f64>().map_err(|_| field.refused("a number as text"))
    };
    Ok(Layout { panels: json.get("panels")?.all(panel)?, first_values: (value(0)?, value(1)?) })
}

fn detector(detector: &Detector) -> Value {
    let part = |part: Part| match part {
        Part::Text(text) => Value::from(text),
        Part::Number(number) => Value::from(number),
    };
    let parts: Vec<Value> = detector.parts().into_iter().map(part).collect();
    json!({ "name": detector.to_string(), detector.key(): parts })
}

/// The verdicts as a letter each, in runs: `12s3r` is 12 events that are selected and 3 that are refused.
fn selected(select: &Selected) -> Value {
    let runs = select.verdicts().chunk_by(|a, b| a == b);
    let verdicts: String = runs.map(|run| format!("{}{}", run.len(), letter(run[0]))).collect();
    json!({ "expression": select.expression(), "first": select.events().start, "verdicts": verdicts })
}

fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Selected => 's',
        Verdict::Refused => 'r',
        Verdict::WithoutValue => 'w',
        Verdict::Unreadable => 'u',
    }
}

fn pair<T: Copy + Into<Value>>(range: &Range<T>) -> Value {
    Value::Array(vec![range.start.into(), range.end.into()])
}

fn place(piece: &FileRange) -> Value {
    json!([piece.file, piece.bytes.start, piece.bytes.end])
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// A piece of JSON, and its name.
#[derive(Clone, Copy)]
struct Field<'a> {
    name: &'a str,
    json: &'a Value,
}

impl<'a> Field<'a> {
    fn refused(&self, wanted: &str) -> Error {
        let mut found = self.json.to_string();
        // Not all of a large file.
        found.truncate(found.char_indices().nth(60).map_or(found.len(), |(at, _)| at));
        Error::refused(format!("{wanted} in `{}`", self.name), found)
    }

    fn get(&self, name: &'a str) -> Result<Field<'a>> {
        let json = self
            .json
            .get(name)
            .ok_or_else(|| Error::refused(format!("`{name}` in {}", self.name), "none"))?;
        Ok(Field { name, json })
    }

    fn at(&self, at: usize) -> Result<Field<'a>> {
        let json = self.json.get(at).ok_or_else(|| self.refused("a longer list"))?;
        Ok(Field { name: self.name, json })
    }

    fn all<T>(&self, each: impl Fn(Field<'a>) -> Result<T>) -> Result<Vec<T>> {
        let list = self.json.as_array().ok_or_else(|| self.refused("a list"))?;
        list.iter().map(|json| each(Field { name: self.name, json })).collect()
    }

    fn number(&self) -> Result<u64> {
        self.json.as_u64().ok_or_else(|| self.refused("a number"))
    }

    fn number_u32(&self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| self.refused("a number of 32 bits"))
    }

    fn size(&self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| self.refused("a size"))
    }

    fn text(&self) -> Result<&'a str> {
        self.json.as_str().ok_or_else(|| self.refused("text"))
    }

    fn range(&self) -> Result<Range<usize>> {
        Ok(self.at(0)?.size()?..self.at(1)?.size()?)
    }

    fn hash(&self) -> Result<u64> {
        u64::from_str_radix(self.text()?, 16).map_err(|_| self.refused("a hash"))
    }

    fn place(&self) -> Result<FileRange> {
        let bytes = self.at(1)?.number()?..self.at(2)?.number()?;
        Ok(FileRange { file: self.at(0)?.size()?, bytes })
    }

    fn selected(&self) -> Result<Selected> {
        let text = self.get("verdicts")?;
        let mut verdicts = Vec::new();
        for run in text.text()?.split_inclusive(|c: char| c.is_ascii_lowercase()) {
            let refuse = || text.refused("verdicts");
            let count = run.get(..run.len() - 1).and_then(|count| count.parse::<usize>().ok());
            let count = count.filter(|n| *n <= MOST_EVENTS as usize - verdicts.len()).ok_or_else(refuse)?;
            let verdict = Verdict::ALL.into_iter().find(|v| run.ends_with(letter(*v))).ok_or_else(refuse)?;
            verdicts.resize(verdicts.len() + count, verdict);
        }
        let expression = self.get("expression")?.text()?.to_owned();
        let first = self.get("first")?;
        let start = first.size()?;
        if start > MOST_EVENTS as usize {
            return Err(first.refused("the number of an event"));
        }
        Ok(Selected::new(expression, start, verdicts))
    }

    fn detector(&self) -> Result<Detector> {
        let mut known = Detector::keys().filter_map(|key| Some((key, self.get(key).ok()?)));
        let (key, kept) = known.next().ok_or_else(|| self.refused("a kind of detector that is known"))?;
        let part = |part: Field<'_>| match part.json {
            Value::String(text) => Ok(Part::Text(text.clone())),
            _ => part.number_u32().map(Part::Number),
        };
        let parts = kept.all(part)?;
        Detector::of_parts(key, &parts).ok_or_else(|| kept.refused("the parts of a detector"))
    }
}
