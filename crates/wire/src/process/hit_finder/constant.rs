//! Chips whose samples do not change: dead chips, or chips that send one value only.

use std::ops::Range;

/// Channels of a front-end chip. A chip dies as a whole.
pub(super) const CHIP: usize = 8;
/// Ticks without a change after which a chip is not believed any more. Noise changes one of its eight channels at almost every tick.
pub(super) const LEAST: i64 = 64;

/// Follows the chips of one link.
#[derive(Debug)]
pub(super) struct Constants {
    chips: Vec<Chip>,
    /// The last row of the rows before.
    last: Vec<i16>,
}

#[derive(Clone, Copy, Debug)]
struct Chip {
    /// First tick of the last samples, as long as they have been the same.
    since: i64,
    /// That is longer than [`LEAST`] ago.
    is_constant: bool,
    /// The last stretch of [`LEAST`] or more that has ended.
    ended: (i64, i64),
}

impl Constants {
    pub(super) fn new(channels: usize) -> Constants {
        let chip = Chip { since: i64::MAX, is_constant: false, ended: (0, 0) };
        // No sample has this value, so the first row always differs.
        Constants { chips: vec![chip; channels / CHIP], last: vec![i16::MIN; channels] }
    }

    /// Takes in rows of samples, at most [`LEAST`]; the first row is tick `first`. Whenever a chip ceases to be
    /// constant, `ended` gets its number and the constant ticks.
    pub(super) fn follow(&mut self, rows: &[i16], first: i64, mut ended: impl FnMut(usize, Range<i64>)) {
        let channels = self.last.len();
        let count = rows.len() / channels;
        for (number, chip) in self.chips.iter_mut().enumerate() {
            let at = |row: usize| rows[row * channels + number * CHIP..].first_chunk::<CHIP>();
            let last = self.last[number * CHIP..].first_chunk::<CHIP>();
            // The first row is compared with the last one of the call before.
            let is_new = |row: usize| at(row) != if row > 0 { at(row - 1) } else { last };
            // The first comparison of each search nearly always ends it.
            let (Some(end), Some(begin)) =
                ((0..count).find(|r| is_new(*r)), (0..count).rev().find(|r| is_new(*r)))
            else {
                chip.is_constant |= (first + count as i64).saturating_sub(chip.since) >= LEAST;
                continue;
            };
            let (end, begin) = (first + end as i64, first + begin as i64);
            // A constant stretch is reported when it ends, with its whole length.
            if end.saturating_sub(chip.since) >= LEAST {
                ended(number, chip.since..end);
                chip.ended = (chip.since, end);
            }
            (chip.since, chip.is_constant) = (begin, first + count as i64 - begin >= LEAST);
        }
        if let Some(row) = rows.chunks_exact(channels).next_back() {
            self.last.copy_from_slice(row);
        }
    }

    /// The rows from `tick` on are missing.
    pub(super) fn interrupt(&mut self, tick: i64, mut ended: impl FnMut(usize, Range<i64>)) {
        for (number, chip) in self.chips.iter_mut().enumerate() {
            if chip.is_constant {
                ended(number, chip.since..tick);
            }
            *chip = Chip { since: i64::MAX, is_constant: false, ended: (0, 0) };
        }
        self.last.fill(i16::MIN);
    }

    /// Whether the chip of a channel was constant at `tick`, as far as was known then: that does not depend on how the rows came.
    pub(super) fn was_constant(&self, channel: usize, tick: i64) -> bool {
        let Some(chip) = self.chips.get(channel / CHIP) else { return false };
        // The first ticks of a stretch are ordinary: a chip is believed until it has been constant for long enough.
        let is_in = |since: i64, end: i64| (since..end).contains(&tick) && tick + 1 - since >= LEAST;
        is_in(chip.since, i64::MAX) || is_in(chip.ended.0, chip.ended.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 channels of noise; the second chip is 0 in the ticks `constant`.
    fn rows(ticks: Range<i64>, constant: &[Range<i64>]) -> Vec<i16> {
        let value = |tick: i64, channel: i64| match channel {
            8.. if constant.iter().any(|c| c.contains(&tick)) => 0,
            _ => 900 + ((tick * 7 + channel * 3) % 5) as i16,
        };
        ticks.flat_map(|tick| (0..16).map(move |channel| value(tick, channel))).collect()
    }

    #[test]
    fn stretches_are_found_exactly_however_the_rows_come() {
        let constant = [200..300, 310..330, 400..464, 500..700];
        for step in [1, 5, 24, 64] {
            let (mut constants, mut found) = (Constants::new(16), Vec::new());
            let mut tick = 0;
            while tick < 600 {
                let end = (tick + step).min(600);
                constants.follow(&rows(tick..end, &constant), tick, |chip, ticks| found.push((chip, ticks)));
                tick = end;
            }
            // Twenty ticks are too few.
            let wanted = vec![(1, 200..300), (1, 400..464)];
            assert_eq!(found, wanted, "{step}");
            assert!(constants.was_constant(8, 599) && !constants.was_constant(7, 599));
            constants.interrupt(600, |chip, ticks| found.push((chip, ticks)));
            assert_eq!(found.last(), Some(&(1, 500..600)));
        }
    }
}
