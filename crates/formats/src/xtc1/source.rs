//! The sender of a container or leaf.

use std::fmt;
use std::str::FromStr;

use super::names::{BEAM_LINE, DETECTORS, DEVICES};
use crate::Error;

/// A sender, as two words of the file.
///
/// ```
/// use livetime_formats::xtc1::Src;
///
/// let cspad = Src::detector(32, 0, 10, 0);
/// assert_eq!(cspad.to_string(), "CxiDs1-0|Cspad-0");
/// assert_eq!(Src { log: 0x0600_0000, phy: 2 }.to_string(), "FEEGasDetEnergy");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Src {
    /// Bits 24 to 31: level. Bits 0 to 23: process.
    pub log: u32,
    /// The detector, the kind of beam-line data, or an IPv4 address: the sender, whatever the process.
    pub phy: u32,
}

/// Where in the data acquisition a sender stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Run control.
    Control,
    /// A detector.
    Source,
    /// A node that reads detectors.
    Segment,
    /// An event builder.
    Event,
    /// A recorder.
    Recorder,
    /// A monitor.
    Observer,
    /// A sender of beam-line data.
    Reporter,
    /// A number without a meaning.
    Other(u8),
}

const LEVELS: [Level; 7] = [
    Level::Control,
    Level::Source,
    Level::Segment,
    Level::Event,
    Level::Recorder,
    Level::Observer,
    Level::Reporter,
];

impl Src {
    /// No sender.
    pub const NONE: Src = Src { log: u32::MAX, phy: u32::MAX };
    /// The sender of root containers: an event builder without an address.
    pub const EVENT_BUILDER: Src = Src { log: 3 << 24, phy: 0 };
    /// The sender of small-data records: a recorder.
    pub const RECORDER: Src = Src { log: 4 << 24, phy: 0 };

    /// The same sender, whatever its process: processes differ from file to file.
    #[must_use]
    pub const fn without_process(self) -> Src {
        // The upper byte is the level.
        Src { log: self.log & 0xFF00_0000, ..self }
    }

    /// The device `device_id` of type `device` at the place `detector`, `detector_id`.
    pub const fn detector(detector: u8, detector_id: u8, device: u8, device_id: u8) -> Src {
        Src { log: 1 << 24, phy: u32::from_be_bytes([detector, detector_id, device, device_id]) }
    }

    /// A node that reads detectors, by its IPv4 address.
    pub const fn segment(address: u32) -> Src {
        Src { log: 2 << 24, phy: address }
    }

    /// The detector of that name, as `CxiDs1-0|Cspad-0`.
    ///
    /// # Errors
    /// If it is no name of a place and a device with their numbers.
    ///
    /// ```
    /// use livetime_formats::xtc1::Src;
    /// let src = Src::named("CxiDs1-0|Cspad-2")?;
    /// assert_eq!(src.to_string(), "CxiDs1-0|Cspad-2");
    /// assert!(Src::named("CxiDs1-0|Cspat-2").is_err());
    /// # Ok::<(), livetime_formats::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Src, Error> {
        let part = |text: &str, names: &[&str]| {
            let (name, id) = text.rsplit_once('-')?;
            // Users write names in any case.
            let number = names.iter().position(|n| n.eq_ignore_ascii_case(name))?;
            Some((u8::try_from(number).ok()?, id.parse::<u8>().ok()?))
        };
        let parts = name.split_once('|');
        let parts = parts.and_then(|(a, b)| Some((part(a, &DETECTORS)?, part(b, &DEVICES)?)));
        let Some(((detector, detector_id), (device, device_id))) = parts else {
            return Err(Error::new("a known place and device, as CxiDs1-0|Cspad-0", format!("`{name}`")));
        };
        Ok(Src::detector(detector, detector_id, device, device_id))
    }

    /// The level.
    pub fn level(self) -> Level {
        let number = (self.log >> 24) as u8;
        LEVELS.get(usize::from(number)).copied().unwrap_or(Level::Other(number))
    }

    /// The process.
    pub fn process(self) -> u32 {
        self.log & 0xFF_FFFF
    }

    fn parts(self) -> [u8; 4] {
        self.phy.to_be_bytes()
    }
}

fn name_of(names: &[&'static str], number: u8) -> Option<&'static str> {
    names.get(usize::from(number)).copied()
}

impl fmt::Display for Src {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |f: &mut fmt::Formatter<'_>, names, kind, number, id| match name_of(names, number) {
            Some(name) => write!(f, "{name}-{id}"),
            None => write!(f, "{kind}{number}-{id}"),
        };
        if *self == Src::NONE {
            return f.write_str("none");
        }
        match self.level() {
            Level::Source => {
                let [detector, detector_id, device, device_id] = self.parts();
                named(f, &DETECTORS, "Detector", detector, detector_id)?;
                f.write_str("|")?;
                named(f, &DEVICES, "Device", device, device_id)
            }
            Level::Reporter => match BEAM_LINE.get(self.phy as usize) {
                Some(name) => f.write_str(name),
                None => write!(f, "Bld{}", self.phy),
            },
            Level::Other(level) => write!(f, "Level{level} {:#010x}", self.phy),
            level => {
                let [a, b, c, d] = self.parts();
                write!(f, "{level:?} {a}.{b}.{c}.{d}")
            }
        }
    }
}

/// Chooses senders by name, as users write them: `CxiDs1-0|Cspad-0`, `CxiDs1.0:Cspad.0`, `*|Cspad-*`, `Cspad`, `EBeam`,
/// `BldInfo(EBeam)`. Capitals do not matter. Parts that are left out match anything.
///
/// ```
/// use livetime_formats::xtc1::{Src, SourcePattern};
///
/// let cspad = Src::detector(32, 0, 10, 0);
/// for text in ["CxiDs1-0|Cspad-0", "CxiDs1.0:Cspad.0", "cspad", "*|Cspad", "CxiDs*:*.0", "DetInfo(:Cspad.0)"] {
///     assert!(text.parse::<SourcePattern>()?.matches(cspad), "{text}");
/// }
/// assert!(!"CxiDs1-0|Cspad-1".parse::<SourcePattern>()?.matches(cspad));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePattern {
    first: NamePattern,
    /// The device, if the text names two things.
    second: Option<NamePattern>,
}

/// A name with `*`, and the number behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NamePattern {
    name: String,
    id: Option<u8>,
}

impl SourcePattern {
    /// Whether it chooses `src`.
    pub fn matches(&self, src: Src) -> bool {
        let [detector, detector_id, device, device_id] = src.parts();
        match (src.level(), &self.second) {
            (Level::Source, Some(second)) => {
                self.first.matches(&DETECTORS, "Detector", detector, detector_id)
                    && second.matches(&DEVICES, "Device", device, device_id)
            }
            (Level::Source, None) => {
                self.first.matches(&DETECTORS, "Detector", detector, detector_id)
                    // A single name may be a detector's or a device's.
                    || self.first.matches(&DEVICES, "Device", device, device_id)
            }
            (Level::Reporter, None) => glob(&self.first.whole(), &src.to_string().to_ascii_lowercase()),
            // Only these two levels have names.
            _ => false,
        }
    }
}

impl NamePattern {
    fn matches(&self, names: &[&'static str], kind: &str, number: u8, id: u8) -> bool {
        // An unknown number gets a name that is made of it, as messages show it.
        let name = name_of(names, number).map_or_else(|| format!("{kind}{number}"), str::to_owned);
        self.id.is_none_or(|wanted| wanted == id) && glob(&self.name, &name.to_ascii_lowercase())
    }

    /// Names of beam-line data may end with `-01` themselves.
    fn whole(&self) -> String {
        self.id.map_or_else(|| self.name.clone(), |id| format!("{}-{id:02}", self.name))
    }

    fn parse(text: &str) -> NamePattern {
        // The last sign counts, because names may have such signs, too.
        let split = text.rsplit_once(['-', '.']);
        let (name, id) = match split {
            Some((name, "*" | "")) => (name, None),
            Some((name, id)) if id.parse::<u8>().is_ok() => (name, id.parse().ok()),
            _ => (text, None),
        };
        let name = if name.is_empty() { "*" } else { name };
        NamePattern { name: name.to_ascii_lowercase(), id }
    }
}

impl FromStr for SourcePattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<SourcePattern, Error> {
        let inside =
            // psana's users write the type around the name.
            ["DetInfo(", "BldInfo(", "Source("].iter().find_map(|p| text.strip_prefix(p)?.strip_suffix(')'));
        let inside = inside.unwrap_or(text).trim();
        if inside.is_empty() {
            return Err(Error::new("the name of a detector, as CxiDs1-0|Cspad-0", "nothing"));
        }
        let (first, second) = inside.split_once(['|', ':']).map_or((inside, None), |(a, b)| (a, Some(b)));
        if second.is_some_and(|s| s.contains(['|', ':'])) {
            return Err(Error::new("a detector and a device, as CxiDs1-0|Cspad-0", format!("`{text}`")));
        }
        Ok(SourcePattern { first: NamePattern::parse(first), second: second.map(NamePattern::parse) })
    }
}

/// Whether `text` matches `pattern`, in which `*` stands for anything.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        // The first place that fits leaves the most text for later parts.
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, src: Src) -> bool {
        pattern.parse::<SourcePattern>().unwrap().matches(src)
    }

    #[test]
    fn patterns_choose_detectors_in_both_dialects() {
        let src = Src::detector(24, 0, 10, 2);
        assert_eq!(src.to_string(), "CxiEndstation-0|Cspad-2");
        for yes in
            ["Cspad-2", "Cspad.2", "cspad-*", "CxiEndstation", "*", "*|*", "Cxi*:Cs*d.2", "CxiEndstation-0|"]
        {
            assert!(matches(yes, src), "{yes}");
        }
        for no in ["Cspad-1", "Cspad2x2", "CxiEndstation-1|Cspad-2", "Cxi*:Cs*x", "EBeam"] {
            assert!(!matches(no, src), "{no}");
        }
    }

    #[test]
    fn patterns_choose_beam_line_data() {
        let src = |phy| Src { log: 6 << 24, phy };
        assert!(matches("EBeam", src(0)) && matches("BldInfo(EBeam)", src(0)));
        assert!(matches("NH2-SB1-IPM-01", src(3)) && matches("*IPM*", src(3)));
        assert!(!matches("EBeam", src(1)));
        assert_eq!(src(4000).to_string(), "Bld4000");
    }

    #[test]
    fn unknown_numbers_are_shown_as_numbers() {
        assert_eq!(Src::detector(200, 1, 99, 2).to_string(), "Detector200-1|Device99-2");
        assert_eq!(Src::NONE.to_string(), "none");
        assert_eq!(Src::segment(0xAC15_0102).to_string(), "Segment 172.21.1.2");
        assert!("".parse::<SourcePattern>().is_err() && "a|b|c".parse::<SourcePattern>().is_err());
    }
}
