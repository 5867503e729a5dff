//! Letters and time stamps.

use std::fmt::Write;

use jiff::Timestamp;
use jiff::fmt::StdFmtWrite;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use livetime_engine::NodeError;

use super::params::{Font, ShapeParams};
use super::shape::Spans;

/// The glyphs of the four fonts one after the other: of each character the rows from top to bottom, a row in one byte for
/// the narrow fonts and in two (the high one first) for the wide ones, the leftmost pixel in the highest bit. Made from
/// 6x13, 6x13B, 9x15 and 9x15B of the X Window System, which are in the public domain.
const GLYPHS: &[u8; 191 * 2 * (13 + 2 * 15)] = include_bytes!("fonts.bin");
/// Characters of a font: 32 to 126 and 160 to 255.
const CHARACTERS: usize = 191;

impl Font {
    /// Width and height of a character.
    fn size(self) -> (usize, usize) {
        match self {
            Font::Small | Font::SmallBold => (6, 13),
            Font::Large | Font::LargeBold => (9, 15),
        }
    }

    /// A row of a character, the leftmost pixel in the highest bit; `None` for a character without a glyph.
    fn row(self, character: char, row: usize) -> Option<u16> {
        let number = match u32::from(character) {
            code @ 32..=126 => code as usize - 32,
            code @ 160..=255 => code as usize - 160 + 95,
            _ => return None,
        };
        let first = match self {
            Font::Small => 0,
            Font::SmallBold => CHARACTERS * 13,
            Font::Large => 2 * CHARACTERS * 13,
            Font::LargeBold => 2 * CHARACTERS * (13 + 15),
        };
        let at = number * self.size().1 + row;
        Some(match self {
            Font::Small | Font::SmallBold => u16::from(*GLYPHS.get(first + at)?) << 8,
            _ => u16::from_be_bytes(*GLYPHS.get(first + 2 * at..)?.first_chunk()?),
        })
    }
}

/// Draws a text at the position of `shape`, cut off where its size ends.
pub(super) fn write(spans: &mut Spans, shape: &ShapeParams, text: impl Iterator<Item = char> + Clone) {
    let (width, height) = shape.font.size();
    let end = shape.position_x + shape.size_x;
    let bottom = shape.position_y + shape.size_y.min(height as i64) - 1;
    // Each cell is wider than one pixel, so no more of them lie in front of the end.
    let cells = usize::try_from(shape.size_x).unwrap_or(0).div_ceil(width);
    for y in spans.rows(shape.position_y, bottom) {
        let row = (y - shape.position_y) as usize;
        for (number, character) in text.clone().take(cells).enumerate() {
            let Some(bits) = shape.font.row(character, row) else { continue };
            let left = shape.position_x + (number * width) as i64;
            run(bits, |start, len| {
                let start = left + i64::from(start);
                spans.add(y, start, (start + i64::from(len)).min(end) - 1);
            });
        }
    }
}

/// Calls `each` with start and length of every run of set bits, from the highest bit on.
fn run(bits: u16, mut each: impl FnMut(u32, u32)) {
    let (mut rest, mut at) = (bits, 0);
    while rest != 0 {
        let gap = rest.leading_zeros();
        rest <<= gap;
        let len = rest.leading_ones();
        each(at + gap, len);
        rest = rest.checked_shl(len).unwrap_or(0);
        at += gap + len;
    }
}

/// Writes times.
pub(super) struct Clock(TimeZone);

impl Clock {
    /// The clock of the time zone called `name`; empty for the machine's time zone.
    pub(super) fn of(name: &str) -> Result<Clock, NodeError> {
        if name.is_empty() {
            return Ok(Clock(TimeZone::system()));
        }
        let zone = TimeZone::get(name).map_err(|e| {
            NodeError::new(format_args!("`time_zone`: wanted a name as `Europe/Zurich`, found `{name}`: {e}"))
        });
        Ok(Clock(zone?))
    }
}

/// A format, parsed once, and the text made with it, whose memory is reused.
#[derive(Default)]
pub(super) struct Stamp {
    parts: Vec<Part>,
    pub(super) text: String,
}

enum Part {
    /// As of strftime.
    Format(String),
    /// The fraction of the second, with this number of digits.
    Fraction(usize),
}

impl Stamp {
    /// With the directives of strftime, and EPICS' `%03f`: the fraction of the second with 3 digits (`%f`: 9).
    pub(super) fn of(format: &str, clock: &Clock) -> Result<Stamp, NodeError> {
        let mut stamp = Stamp { parts: parts(format), text: String::new() };
        // The format is tried at once, so that a wrong one is refused when set and not at the first frame.
        stamp.write(clock, 0).map_err(|e| {
            let wanted = "`time_stamp_format`: wanted a format as of strftime";
            NodeError::new(format_args!("{wanted}, found `{format}`: {e}"))
        })?;
        Ok(stamp)
    }

    /// Makes the text for `ns` since 1970.
    pub(super) fn write(&mut self, clock: &Clock, ns: i64) -> Result<(), NodeError> {
        self.text.clear();
        if self.parts.is_empty() {
            return Ok(());
        }
        let time = Timestamp::from_nanosecond(ns.into()).unwrap_or_default().to_zoned(clock.0.clone());
        let time = BrokenDownTime::from(&time);
        for part in &self.parts {
            match part {
                Part::Format(format) => {
                    time.format(format, StdFmtWrite(&mut self.text)).map_err(NodeError::new)?;
                }
                Part::Fraction(digits) => {
                    let fraction = ns.rem_euclid(1_000_000_000) / 10i64.pow(9 - *digits as u32);
                    let _ = write!(self.text, "{fraction:0digits$}");
                }
            }
        }
        Ok(())
    }
}

fn parts(format: &str) -> Vec<Part> {
    let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), format);
    while let Some(at) = rest.find('%') {
        plain += &rest[..at];
        rest = &rest[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if rest[digits..].starts_with('f') {
            if !plain.is_empty() {
                parts.push(Part::Format(std::mem::take(&mut plain)));
            }
            // A number of nanoseconds has nine digits.
            parts.push(Part::Fraction(rest[..digits].parse().unwrap_or(9).clamp(1, 9)));
            rest = &rest[digits + 1..];
            continue;
        }
        // The character behind it, too, so that the second one of `%%` begins nothing.
        let next = rest.chars().next().map_or(0, char::len_utf8);
        plain.push('%');
        plain += &rest[..next];
        rest = &rest[next..];
    }
    plain += rest;
    if !plain.is_empty() {
        parts.push(Part::Format(plain));
    }
    parts
}
