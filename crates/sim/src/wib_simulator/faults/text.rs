//! The text of the parameter.

use livetime_engine::{NodeError, parse_quantity};

use super::{Fault, FaultKind};

/// The faults of a text: `drop 700; link 2 repeat 40+3`.
///
/// # Errors
/// [`NodeError`] with the invalid part.
pub(in super::super) fn parse(text: &str) -> Result<Vec<Fault>, NodeError> {
    let parts = text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| fault(part).ok_or_else(|| refuse(part))).collect()
}

fn refuse(part: &str) -> NodeError {
    NodeError::new(format_args!(
        "wanted a fault: drop A, repeat A, swap A, back A TICKS, stuck A, mm A, oos A, wib_errors A BITS, checksum A BLOCK, \
         capture A BLOCK BITS, fiber A, constant A CHIP VALUE with A a frame or frames as 200+10, or stall A TIME, skew TIME, \
         random RATE, each with `link N` before it or not; found `{part}`"
    ))
}

fn fault(part: &str) -> Option<Fault> {
    let mut words: Vec<&str> = part.split_whitespace().collect();
    let mut link = None;
    if words.first() == Some(&"link") {
        link = Some(words.get(1)?.parse().ok()?);
        words.drain(..2);
    }
    let (name, arguments) = words.split_first()?;
    // These two name no frames: they hold for the whole run.
    if let ("skew" | "random", [value]) = (*name, arguments) {
        let kind = match *name {
            "skew" => FaultKind::Skew { ns: time_ns(value)? },
            _ => FaultKind::Random { hz: rate(value)? },
        };
        return Some(Fault { link, first: 0, count: u64::MAX, kind });
    }
    let (frames, arguments) = arguments.split_first()?;
    let (first, count) = frames.split_once('+').unwrap_or((frames, "1"));
    let (first, count) = (first.parse().ok()?, count.parse().ok().filter(|n| *n > 0)?);
    let kind = kind(name, arguments)?;
    // A swap is of one frame with the next one.
    (kind != FaultKind::Swap || count == 1).then_some(Fault { link, first, count, kind })
}

fn kind(name: &str, arguments: &[&str]) -> Option<FaultKind> {
    Some(match (name, arguments) {
        ("drop", []) => FaultKind::Drop,
        ("repeat", []) => FaultKind::Repeat,
        ("swap", []) => FaultKind::Swap,
        ("back", [ticks]) => FaultKind::Back(ticks.parse().ok()?),
        ("stuck", []) => FaultKind::Stuck,
        ("mm", []) => FaultKind::Mm,
        ("oos", []) => FaultKind::Oos,
        ("wib_errors", [bits]) => FaultKind::WibErrors(bits.parse().ok()?),
        ("checksum", []) => FaultKind::Checksum(0),
        // A WIB1 frame has four blocks.
        ("checksum", [block]) => FaultKind::Checksum(below(block, 4)?),
        ("capture", [block, bits]) => {
            FaultKind::Capture { block: below(block, 4)?, bits: bits.parse().ok()? }
        }
        ("fiber", []) => FaultKind::Fiber,
        ("constant", [chip, value]) => {
            // 32 chips with eight channels each, and samples of 12 bits.
            FaultKind::Constant { chip: below(chip, 32)?, value: below(value, 4096)? as i16 }
        }
        ("stall", [time]) => FaultKind::Stall { ns: time_ns(time)? },
        _ => return None,
    })
}

fn below(text: &str, end: usize) -> Option<usize> {
    text.parse().ok().filter(|n| *n < end)
}

fn time_ns(text: &str) -> Option<u64> {
    let seconds = parse_quantity(text, Some("s")).filter(|s| (0.0..1e6).contains(s))?;
    Some((seconds * 1e9).round() as u64)
}

fn rate(text: &str) -> Option<f64> {
    parse_quantity(text, Some("Hz")).filter(|hz| (0.0..=1e6).contains(hz))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_its_words() {
        use FaultKind::*;
        let at = |link, first, count, kind| Fault { link, first, count, kind };
        let all = u64::MAX;
        for (text, expected) in [
            ("drop 700", at(None, 700, 1, Drop)),
            ("link 3 drop 900+1200", at(Some(3), 900, 1200, Drop)),
            ("repeat 40", at(None, 40, 1, Repeat)),
            ("swap 50", at(None, 50, 1, Swap)),
            ("back 60 1000", at(None, 60, 1, Back(1000))),
            ("stuck 60+20", at(None, 60, 20, Stuck)),
            ("mm 70", at(None, 70, 1, Mm)),
            ("oos 70", at(None, 70, 1, Oos)),
            ("wib_errors 80 3", at(None, 80, 1, WibErrors(3))),
            ("checksum 90", at(None, 90, 1, Checksum(0))),
            ("checksum 90 3", at(None, 90, 1, Checksum(3))),
            ("capture 90 2 1", at(None, 90, 1, Capture { block: 2, bits: 1 })),
            ("fiber 100", at(None, 100, 1, Fiber)),
            ("constant 200+1000 31 4095", at(None, 200, 1000, Constant { chip: 31, value: 4095 })),
            ("stall 300 10ms", at(None, 300, 1, Stall { ns: 10_000_000 })),
            ("link 2 skew 1ms", at(Some(2), 0, all, Skew { ns: 1_000_000 })),
            ("random 5", at(None, 0, all, Random { hz: 5.0 })),
        ] {
            assert_eq!(parse(text).unwrap(), [expected], "{text}");
        }
        assert_eq!(parse(" drop 1 ;; mm 2\nmm 3;").unwrap().len(), 3);
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for wrong in [
            "drop",
            "drop x",
            "drop 5+0",
            "drop 1 2",
            "link drop 5",
            "link 1",
            "swap 5+2",
            "checksum 5 4",
            "lose 7",
            "capture 5 4 1",
            "constant 5 32 0",
            "constant 5 0 4096",
            "skew soon",
            "random -1",
            "stall 5 -1s",
        ] {
            assert!(parse(wrong).unwrap_err().to_string().contains(&format!("found `{wrong}`")), "{wrong}");
        }
    }
}
