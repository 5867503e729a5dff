//! Trigger primitives: hits with the time of the experiment's clock and the offline channel.

use super::Bytes;
use crate::Result;

/// A trigger primitive as used up to 2024, 56 bytes.
///
/// ```
/// use livetime_formats::trigger::PrimitiveV1;
/// let primitive = PrimitiveV1 { time_start: 1000, channel: 17, adc_peak: 99, ..PrimitiveV1::default() };
/// assert_eq!(PrimitiveV1::read(&primitive.bytes())?, primitive);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrimitiveV1 {
    /// First tick over the threshold, ticks of the clock.
    pub time_start: u64,
    /// Tick of the peak.
    pub time_peak: u64,
    /// Ticks of the clock, or samples in tpglibs of 2024.
    pub time_over_threshold: u64,
    /// Offline channel.
    pub channel: i32,
    /// Sum over the threshold.
    pub adc_integral: u32,
    /// Highest value.
    pub adc_peak: u16,
    /// Detector.
    pub detector: u16,
    /// 0 unknown, 1 TPC, 2 photon detector.
    pub kind: i32,
    /// 0 unknown, 1 simple threshold, 2 absolute running sum, 3 running sum.
    pub algorithm: i32,
    /// Bit 0: somehow bad.
    pub flag: u16,
}

impl PrimitiveV1 {
    /// Bytes of a primitive.
    pub const BYTES: usize = 56;
    const VERSION: u16 = 1;

    /// The primitive at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 56 bytes, or another version.
    pub fn read(bytes: &[u8]) -> Result<PrimitiveV1> {
        let b = Bytes::<{ Self::BYTES }>::read("a trigger primitive", bytes)?;
        b.expect("version", 0, Self::VERSION.into(), b.u16(0).into())?;
        Ok(PrimitiveV1 {
            time_start: b.u64(8),
            time_peak: b.u64(16),
            time_over_threshold: b.u64(24),
            channel: b.i32(32),
            adc_integral: b.u32(36),
            adc_peak: b.u16(40),
            detector: b.u16(42),
            kind: b.i32(44),
            algorithm: b.i32(48),
            flag: b.u16(52),
        })
    }

    /// As it lies in memory and files.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        Bytes::new()
            .put(0, Self::VERSION.to_le_bytes())
            .put(8, self.time_start.to_le_bytes())
            .put(16, self.time_peak.to_le_bytes())
            .put(24, self.time_over_threshold.to_le_bytes())
            .put(32, self.channel.to_le_bytes())
            .put(36, self.adc_integral.to_le_bytes())
            .put(40, self.adc_peak.to_le_bytes())
            .put(42, self.detector.to_le_bytes())
            .put(44, self.kind.to_le_bytes())
            .put(48, self.algorithm.to_le_bytes())
            .put(52, self.flag.to_le_bytes())
            .0
    }
}

/// A trigger primitive as used since 2025, 24 bytes.
///
/// ```
/// use livetime_formats::trigger::PrimitiveV2;
/// let primitive = PrimitiveV2 { time_start: 1000, channel: 0x12_3456, adc_peak: 99, ..PrimitiveV2::default() };
/// assert_eq!(PrimitiveV2::read(&primitive.bytes())?, primitive);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrimitiveV2 {
    /// First tick over the threshold, ticks of the clock.
    pub time_start: u64,
    /// Offline channel, 24 bits.
    pub channel: u32,
    /// Samples over the threshold.
    pub samples_over_threshold: u16,
    /// Samples from the start to the peak.
    pub samples_to_peak: u16,
    /// Sum over the threshold.
    pub adc_integral: u32,
    /// Highest value.
    pub adc_peak: u16,
    /// Detector.
    pub detector: u8,
    /// Bit 0: somehow bad.
    pub flag: u8,
}

impl PrimitiveV2 {
    /// Bytes of a primitive.
    pub const BYTES: usize = 24;
    /// A channel that is none.
    pub const NO_CHANNEL: u32 = 0xFF_FFFF;
    const VERSION: u8 = 2;

    /// The primitive at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 24 bytes, or another version.
    pub fn read(bytes: &[u8]) -> Result<PrimitiveV2> {
        let b = Bytes::<{ Self::BYTES }>::read("a trigger primitive", bytes)?;
        b.expect("version", 0, Self::VERSION.into(), b.0[0].into())?;
        Ok(PrimitiveV2 {
            time_start: b.u64(8),
            channel: b.u32(3) & Self::NO_CHANNEL,
            samples_over_threshold: b.u16(6),
            samples_to_peak: b.u16(16),
            adc_integral: b.u32(18),
            adc_peak: b.u16(22),
            detector: b.0[2],
            flag: b.0[1],
        })
    }

    /// As it lies in memory and files; of the channel the lower 24 bits.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        Bytes::new()
            .put(0, [Self::VERSION, self.flag, self.detector])
            .put(3, self.channel.to_le_bytes())
            .put(6, self.samples_over_threshold.to_le_bytes())
            .put(8, self.time_start.to_le_bytes())
            .put(16, self.samples_to_peak.to_le_bytes())
            .put(18, self.adc_integral.to_le_bytes())
            .put(22, self.adc_peak.to_le_bytes())
            .0
    }
}
