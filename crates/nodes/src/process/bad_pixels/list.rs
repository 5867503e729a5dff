//! The list of bad pixels, as it is written.

use std::fs::File;
use std::io::Read;

use livetime_engine::NodeError;
use serde_json::{Map, Value};

use crate::error::Mismatch;

/// The longest list, in bytes: as values in memory it takes up to 16 times as much.
const MOST_BYTES: u64 = 8 << 20;
/// The most values that medians of one picture are made of, all together: 64 MiB of places.
pub(super) const MOST_NEIGHBOURS: u64 = 1 << 24;
/// The most bad pixels, those in rectangles one by one: a few words and a place in the picture each.
const MOST_PIXELS: u64 = 1 << 20;
/// The largest coordinate, far beyond any detector's, so that sums cannot overflow.
const MOST: i64 = 1 << 31;

/// A rectangle of bad pixels, as one entry of the list has it.
struct Entry {
    first: BadPixel,
    width: i64,
    height: i64,
}

impl Entry {
    fn pixels(&self) -> u64 {
        self.width.unsigned_abs().saturating_mul(self.height.unsigned_abs())
    }

    fn each(&self) -> impl Iterator<Item = BadPixel> + '_ {
        let Entry { first, width, height } = *self;
        let row = move |y: i64| (0..width).map(move |x| BadPixel { x: first.x + x, y: first.y + y, ..first });
        (0..height).flat_map(row)
    }
}

/// A bad pixel of the detector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BadPixel {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) fix: Fix,
}

/// Where its new value is from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fix {
    Set(f64),
    /// The value of the pixel at this offset, in columns and rows.
    Replace(i64, i64),
    /// The median of the neighbours, up to this number of columns and rows on each side.
    Median(i64, i64),
}

/// The list in a file, or in a text that begins with a brace.
pub(super) fn read(file_name: &str) -> Result<Vec<BadPixel>, NodeError> {
    match file_name.trim_start() {
        "" => Ok(Vec::new()),
        // A client can write the list itself in place of a file name.
        text if text.starts_with('{') => parse(text.as_bytes(), "the text"),
        _ => {
            let file = File::open(file_name).map_err(|e| cannot_read(file_name, &e))?;
            let mut bytes = Vec::new();
            // One byte beyond the limit tells a list that is too long from one of exactly this length.
            file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|e| cannot_read(file_name, &e))?;
            parse(&bytes, file_name)
        }
    }
}

fn cannot_read(file_name: &str, error: &std::io::Error) -> NodeError {
    NodeError::new(format_args!("cannot read the list of bad pixels `{file_name}`: {error}"))
}

/// `from` is where the bytes are from, for errors.
fn parse(bytes: &[u8], from: &str) -> Result<Vec<BadPixel>, NodeError> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(NodeError::new(format_args!(
            "{from}: wanted a list of at most {MOST_BYTES} bytes, found more"
        )));
    }
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|e| NodeError::new(format_args!("{from}: wanted JSON, found an error: {e}")))?;
    let list = value.get("Bad pixels").and_then(Value::as_array);
    let list = list.ok_or_else(|| {
        NodeError::new(format_args!("{from}: wanted an object with a list `Bad pixels`, found none"))
    })?;
    let pixel = |(index, entry)| {
        entry_of(entry)
            .map_err(|e| NodeError::new(format_args!("{from}: entry {index} of `Bad pixels`: {e}")))
    };
    let entries = list.iter().enumerate().map(pixel).collect::<Result<Vec<_>, _>>()?;
    // Rectangles are counted before they are spelled out: one entry of a few bytes may mean 2^62 pixels.
    check_count(&entries, from)?;
    let pixels: Vec<BadPixel> = entries.iter().flat_map(Entry::each).collect();
    check_medians(&pixels, from)?;
    Ok(pixels)
}

/// Before anything is made of them.
fn check_count(entries: &[Entry], from: &str) -> Result<(), NodeError> {
    let all = entries.iter().map(Entry::pixels).fold(0, u64::saturating_add);
    if all <= MOST_PIXELS {
        return Ok(());
    }
    Err(NodeError::new(format_args!("{from}: wanted at most {MOST_PIXELS} bad pixels, found {all}")))
}

fn entry_of(entry: &Value) -> Result<Entry, Mismatch> {
    let entry = entry.as_object().ok_or_else(|| Mismatch::new("an object", shown(entry)))?;
    let known = ["Pixel", "Size", "Set", "Replace", "Median"];
    // An unknown key is refused, because a misspelt `Size` would repair one pixel in place of a column.
    if let Some(unknown) = entry.keys().find(|key| !known.contains(&key.as_str())) {
        let wanted = "Pixel, Size and one of Set, Replace, Median";
        return Err(Mismatch::new(wanted, format!("`{unknown}`")));
    }
    let (x, y) = pair(entry, "Pixel", 0)?;
    let (width, height) = if entry.contains_key("Size") { pair(entry, "Size", 1)? } else { (1, 1) };
    // The keys of the repairs begin behind `Pixel` and `Size`.
    let fixes: Vec<&str> = known[2..].iter().copied().filter(|key| entry.contains_key(*key)).collect();
    let fix = match fixes[..] {
        ["Set"] => Fix::Set(number(&entry["Set"])?),
        // A distance may be negative, a pixel, a size and a half width may not.
        ["Replace"] => pair(entry, "Replace", -MOST).map(|(dx, dy)| Fix::Replace(dx, dy))?,
        ["Median"] => pair(entry, "Median", 0).map(|(hx, hy)| Fix::Median(hx, hy))?,
        _ => return Err(Mismatch::new("one of Set, Replace, Median", fixes.len().to_string())),
    };
    Ok(Entry { first: BadPixel { x, y, fix }, width, height })
}

/// Two whole numbers from `least` on.
fn pair(entry: &Map<String, Value>, key: &str, least: i64) -> Result<(i64, i64), Mismatch> {
    let whole = |v: &Value| v.as_i64().filter(|v| (least..=MOST).contains(v));
    let values = entry.get(key).and_then(Value::as_array);
    match values.map(|v| v.iter().map(whole).collect::<Vec<_>>()).as_deref() {
        Some([Some(x), Some(y)]) => Ok((*x, *y)),
        _ => {
            let found = entry.get(key).map_or_else(|| "none".into(), shown);
            Err(Mismatch::new(format!("`{key}` with two whole numbers from {least} to {MOST}"), found))
        }
    }
}

fn number(value: &Value) -> Result<f64, Mismatch> {
    value.as_f64().ok_or_else(|| Mismatch::new("`Set` with a number", shown(value)))
}

/// The beginning of a value: it may be long.
fn shown(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

fn check_medians(pixels: &[BadPixel], from: &str) -> Result<(), NodeError> {
    let area = |p: &BadPixel| match p.fix {
        // The casts keep the value: `pair` allows no negative half width.
        Fix::Median(hx, hy) => (2 * hx as u64 + 1).saturating_mul(2 * hy as u64 + 1),
        _ => 0,
    };
    let all = pixels.iter().map(area).fold(0, u64::saturating_add);
    if all <= MOST_NEIGHBOURS {
        return Ok(());
    }
    Err(NodeError::new(format_args!(
        "{from}: wanted medians of at most {MOST_NEIGHBOURS} pixels all together, found {all}; make the windows smaller"
    )))
}
