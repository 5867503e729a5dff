//! The settings of a finder.

/// Bits of the samples that a [`HitFinder`](super::HitFinder) takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleBits {
    /// 0 to 4095 counts: WIB1.
    Twelve,
    /// 0 to 16383 counts: WIB2, WIBEth.
    Fourteen,
}

impl SampleBits {
    /// By which a sample is shifted down, so that the filter's output fits 16 bits.
    pub(super) fn shift(self) -> u32 {
        match self {
            SampleBits::Twelve => 0,
            SampleBits::Fourteen => 2,
        }
    }

    /// The filter's output in units of 2^−bits counts.
    pub(super) fn fraction(self) -> u32 {
        3 - self.shift()
    }
}

/// The settings of a [`HitFinder`](super::HitFinder). The numbers per plane are in the order of the planes: 0 and 1 induction,
/// 2 collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinderSetup {
    /// Bits of the samples.
    pub bits: SampleBits,
    /// Threshold per plane, in standard deviations of the filtered noise of the channel, 0.5 to 10.
    pub threshold: [f32; 3],
    /// Least threshold, counts: keeps channels quiet that have no noise.
    pub floor: i16,
    /// Planes whose pulses swing to both sides: there the absolute value of the filtered signal is searched,
    /// and both lobes of a pulse are one hit.
    pub bipolar: [bool; 3],
}

impl FinderSetup {
    /// For samples of `bits`: Six standard deviations on every plane, which is less than one false hit per channel and
    /// second in white noise and in noise with a correlation of 0.6 between neighbouring ticks.
    pub fn new(bits: SampleBits) -> FinderSetup {
        FinderSetup { bits, threshold: [6.0; 3], floor: 4 << bits.shift(), bipolar: [false; 3] }
    }
}
