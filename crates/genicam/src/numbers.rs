//! Which frames are missing, by the numbers that a camera gives them.

/// The highest number of a frame in GigE Vision 1, whose numbers have 16 bits and continue with 1, because 0 is no
/// number.
const LAST_OF_16_BITS: u64 = 0xffff;

/// Follows the numbers of one acquisition.
#[derive(Default)]
pub(crate) struct Numbers {
    last: Option<u64>,
}

impl Numbers {
    /// How many frames are missing before the one with this number.
    pub(crate) fn missing_before(&mut self, number: u64) -> u64 {
        match self.last.replace(number) {
            Some(last) if number > last => number - last - 1,
            Some(last) if last <= LAST_OF_16_BITS && last - number > LAST_OF_16_BITS / 2 => {
                // 0 is not used.
                LAST_OF_16_BITS - last + number.saturating_sub(1)
            }
            // The first one, or the camera began to count again.
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_counted_across_the_end_of_16_bits() {
        let mut numbers = Numbers::default();
        let all = [7, 8, 11, 65_534, 65_535, 1, 2, 65_535, 3, 1, 2, 70_000, 70_001, 1];
        let missing: Vec<u64> = all.map(|number| numbers.missing_before(number)).into();
        assert_eq!(missing, [0, 0, 2, 65_522, 0, 0, 0, 65_532, 2, 0, 0, 69_997, 0, 0]);
    }
}
