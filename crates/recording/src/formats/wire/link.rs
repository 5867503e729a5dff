//! A link: its name, and the places of its frames.

use std::ops::RangeInclusive;

use livetime_formats::wib::RawFormat;
use livetime_frame::AttributeValue;

use super::scan::Stretch;
use crate::detector::{Naming, Part};
use crate::{Detector, SmallValue, Wanted};

/// How the links of a format are named; `of_parts` knows its own.
pub(super) const fn naming(format: &'static str, of_parts: fn(&[Part]) -> Option<Detector>) -> Naming {
    Naming {
        one: "a link",
        name_of_one: "the name of one link",
        fits: |wanted, detector| Ok(is_part(wanted, detector.name())),
        // Both formats of frames share one word in plans, and the name of the format is a part beside it.
        key: "link",
        parts: |link| [link.name(), link.format_name()].map(|text| Part::Text(text.to_owned())).to_vec(),
        ..Naming::by_name(format, of_parts)
    }
}

/// The link of this name, of a format.
pub(super) fn detector(naming: &'static Naming, name: &str) -> Detector {
    Detector::new(naming, name, 2)
}

/// The link whose name and format were kept in a plan, if the format is this one.
pub(super) fn of_parts(naming: &'static Naming, parts: &[Part]) -> Option<Detector> {
    match parts {
        [Part::Text(name), Part::Text(format)] if format == naming.format => Some(detector(naming, name)),
        _ => None,
    }
}

/// Whether the wanted name is the name of a link, or consecutive parts of it.
fn is_part(wanted: &Wanted, name: &str) -> bool {
    // The underscores keep `crate1` from matching `crate10`.
    let is_in = format!("_{name}_").contains(&format!("_{}_", wanted.detector));
    (wanted.detector.is_empty() || is_in) && wanted.is_name_alone()
}

/// Where frames are from, as their headers say: name and number, from the detector down to the link.
pub(super) fn place(format: RawFormat, identity: u64) -> Vec<(&'static str, u64)> {
    let bits = |from: u32, count: u32| identity >> from & ((1 << count) - 1);
    match format {
        RawFormat::Wib1 => vec![("crate", bits(16, 5)), ("slot", bits(21, 3)), ("fiber", bits(13, 3))],
        RawFormat::Wib2 => {
            vec![("det", bits(6, 6)), ("crate", bits(12, 10)), ("slot", bits(22, 3)), ("link", bits(26, 6))]
        }
        RawFormat::WibEth => {
            vec![("det", bits(6, 6)), ("crate", bits(12, 10)), ("slot", bits(22, 4)), ("stream", bits(26, 8))]
        }
    }
}

/// `crate5_slot2_fiber1`: a word in expressions.
pub(super) fn name(place: &[(&str, u64)]) -> String {
    let parts: Vec<String> = place.iter().map(|(part, number)| format!("{part}{number}")).collect();
    parts.join("_")
}

/// A whole number that was recorded.
pub(super) fn number(source: &str, name: &str, unit: &'static str, value: u64) -> SmallValue {
    let values = vec![AttributeValue::Uint(value)];
    SmallValue { source: source.to_owned(), name: name.to_owned(), unit, values, damage: 0 }
}

/// The frames of a link, and in which windows they are.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) place: Vec<(&'static str, u64)>,
    pub(super) stretches: Vec<Stretch>,
    /// Number of the window, and of a stretch that has frames in it; in this order.
    cover: Vec<(u64, u32)>,
}

/// How much of a file's known content its link has taken over.
#[derive(Default, Debug)]
pub(super) struct Seen {
    stretches: usize,
    /// The place of the last of them, and the last window that it is in.
    last: Option<(usize, u64)>,
}

impl Seen {
    /// The last window that its link has frames of the file in.
    pub(super) fn last_window(&self) -> u64 {
        self.last.map_or(0, |(_, window)| window)
    }
}

impl Link {
    pub(super) fn new(format: RawFormat, identity: u64) -> Link {
        let place = place(format, identity);
        Link { name: name(&place), place, stretches: Vec::new(), cover: Vec::new() }
    }

    /// Takes over new stretches of a file, and the growth of the last known one. `windows` gives the first and the last
    /// window of a stretch.
    pub(super) fn take(
        &mut self,
        seen: &mut Seen,
        all: &[Stretch],
        windows: impl Fn(&Stretch) -> (u64, u64),
    ) {
        let known = self.cover.len();
        // The last stretch of the file may have become longer since.
        if let (Some((place, until)), Some(longer)) = (seen.last, all.get(seen.stretches.wrapping_sub(1))) {
            let last = windows(longer).1;
            self.stretches[place] = *longer;
            self.cover(place, until + 1..=last);
            seen.last = Some((place, last));
        }
        for stretch in all.iter().skip(seen.stretches) {
            let (place, (first, last)) = (self.stretches.len(), windows(stretch));
            self.stretches.push(*stretch);
            self.cover(place, first..=last);
            seen.last = Some((place, last));
        }
        seen.stretches = all.len();
        // Files of one link may overlap in time, so the order is checked only from the first new one.
        if !self.cover[known.saturating_sub(1)..].is_sorted() {
            self.cover.sort_unstable();
        }
    }

    fn cover(&mut self, place: usize, windows: RangeInclusive<u64>) {
        self.cover.extend(windows.map(|window| (window, place as u32)));
    }

    /// The windows from `first` on that have frames, in ascending order.
    pub(super) fn windows_from(&self, first: u64) -> impl Iterator<Item = u64> {
        let from = self.cover.partition_point(|(known, _)| *known < first);
        self.cover.iter().skip(from).map(|(window, _)| *window)
    }

    /// Whether a window is the first that has frames, and whether it is the last.
    pub(super) fn is_at_an_end(&self, window: u64) -> (bool, bool) {
        let is = |end: Option<&(u64, u32)>| end.is_some_and(|(known, _)| *known == window);
        (is(self.cover.first()), is(self.cover.last()))
    }

    /// The stretches with frames in a window.
    pub(super) fn stretches_in(&self, window: u64) -> impl Iterator<Item = &Stretch> {
        let from = self.cover.partition_point(|(known, _)| *known < window);
        let covers = self.cover.iter().skip(from).take_while(move |(known, _)| *known == window);
        covers.filter_map(|(_, number)| self.stretches.get(*number as usize))
    }
}

#[cfg(test)]
mod tests {
    use livetime_formats::wib::{Wib1Frame, Wib1FrameMut, WibEthFrame, WibEthFrameMut};

    use super::*;

    #[test]
    fn links_have_the_numbers_of_their_headers() {
        let mut bytes = [0; Wib1Frame::BYTES];
        Wib1FrameMut::new(&mut bytes).unwrap().set_identity(5, 2, 1);
        let wib1 = place(RawFormat::Wib1, RawFormat::Wib1.identity(&bytes));
        assert_eq!(name(&wib1), "crate5_slot2_fiber1");
        let mut bytes = [0; WibEthFrame::BYTES];
        WibEthFrameMut::new(&mut bytes).unwrap().set_identity(3, 1, 2, 65);
        let wibeth = place(RawFormat::WibEth, RawFormat::WibEth.identity(&bytes));
        assert_eq!(name(&wibeth), "det3_crate1_slot2_stream65");
        let wib2 = 4u32 | 3 << 6 | 2 << 12 | 1 << 22 | 9 << 26;
        assert_eq!(name(&place(RawFormat::Wib2, wib2.into())), "det3_crate2_slot1_link9");
    }
}
