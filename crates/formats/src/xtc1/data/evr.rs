//! Event codes, from the event receiver.

use crate::Result;
use crate::fields::Fields;

/// An event code and when it came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FifoEvent {
    /// Number of the pulse.
    pub fiducial: u32,
    /// Ticks of 119 MHz.
    pub ticks: u32,
    /// The code, 0 to 255.
    pub code: u32,
}

/// The event codes in the payload of an EvrData, versions 3 and 4.
///
/// ```
/// use livetime_formats::xtc1::data::evr;
///
/// let payload = [1u32, 512, 40, 140].map(u32::to_le_bytes).concat();
/// assert_eq!(evr::events(&payload)?[0].code, 140);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If there are fewer than it says.
pub fn events(payload: &[u8]) -> Result<Vec<FifoEvent>> {
    let mut fields = Fields::new(payload);
    let count = fields.u32()? as usize;
    let mut words = Fields::new(fields.take(count.saturating_mul(12))?);
    let event = |_| Ok(FifoEvent { fiducial: words.u32()?, ticks: words.u32()?, code: words.u32()? });
    (0..count).map(event).collect()
}
