//! The pictures in leaves.

use livetime_frame::DType;

use super::{array, cspad};
use crate::fields::u32_at;
use crate::xtc1::configs::missing;
use crate::xtc1::panel::Panel;
use crate::xtc1::{Configs, Src, TypeId, id};
use crate::{Error, Result};

/// Whether leaves of that type hold pictures which [`panels`] finds.
pub fn holds_panels(type_id: TypeId) -> bool {
    matches!(
        (type_id.number(), type_id.version()),
        (id::FRAME | id::PNCCD_FRAME | id::CSPAD2X2_ELEMENT | id::ARRAY, 1)
            | (id::CSPAD_ELEMENT | id::TIMEPIX_DATA, 1..=2)
    )
}

/// The panels of a leaf that `src` sent, in the order in which they lie in `payload`; together they are all of it.
///
/// ```
/// use livetime_formats::xtc1::{Configs, Src, TypeId, data::panels, id};
///
/// let words = [3u32, 2, 12, 0].map(u32::to_le_bytes).concat();
/// let payload = [&words[..], &[7; 12]].concat();
/// let opal = Src::detector(24, 0, 3, 1);
/// let frame = panels(TypeId::new(id::FRAME, 1), opal, &payload, &Configs::default())?;
/// assert_eq!((frame[0].shape(), frame[0].pixels), (&[2, 3][..], &[7; 12][..]));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If leaves of this type hold no pictures, if the sender's configuration is missing, or if the sizes contradict the
/// configuration. Such a leaf must be carried on as it is.
pub fn panels<'a>(type_id: TypeId, src: Src, payload: &'a [u8], configs: &Configs) -> Result<Vec<Panel<'a>>> {
    match (type_id.number(), type_id.version()) {
        (id::CSPAD_ELEMENT, version @ 1..=2) => cspad::panels(version, src, payload, configs),
        (id::CSPAD2X2_ELEMENT, 1) => cspad::pair(payload).map(|e| vec![e]),
        (id::FRAME, 1) => frame(payload).map(|e| vec![e]),
        (id::PNCCD_FRAME, 1) => pnccd(src, payload, configs),
        (id::TIMEPIX_DATA, 1) => Panel::cut(payload, 8, DType::U16, &[512, 512]).map(|e| vec![e]),
        (id::ARRAY, 1) => array::panel(payload).map(|e| vec![e]),
        (id::TIMEPIX_DATA, 2) => timepix(payload).map(|e| vec![e]),
        _ => Err(Error::new("a type of leaf that holds pictures", type_id.to_string())),
    }
}

/// A camera's picture: width, height, bits per pixel, and an offset that was subtracted; then the pixels.
fn frame(payload: &[u8]) -> Result<Panel<'_>> {
    let [width, height, depth] = [0, 4, 8].map(|at| u32_at(payload, at) as usize);
    let dtype = match depth.div_ceil(8) {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => return Err(Error::new("1 to 16 or 25 to 32 bits per pixel", depth.to_string()).at(8)),
    };
    Panel::cut(payload, 16, dtype, &[height, width])
}

/// Four links, each with a header; their size is in the configuration.
fn pnccd<'a>(src: Src, payload: &'a [u8], configs: &Configs) -> Result<Vec<Panel<'a>>> {
    const HEADER: usize = 16;
    const SIDE: usize = 512;
    let Some((_, config)) = configs.find(src, id::PNCCD_CONFIG).filter(|(_, c)| c.len() >= 8) else {
        return Err(missing("pnCCDconfig", src));
    };
    let (links, size) = (u32_at(config, 0) as usize, u32_at(config, 4) as usize);
    if size <= HEADER || size % 2 != 0 || links.checked_mul(size) != Some(payload.len()) {
        let wanted = format!("{links} links of {size} bytes");
        return Err(Error::new(wanted, format!("{} bytes", payload.len())));
    }
    let pixels = (size - HEADER) / 2;
    let shape = if pixels == SIDE * SIDE { &[SIDE, SIDE][..] } else { &[pixels] };
    let links = payload.chunks_exact(size).zip(0..);
    links.map(|(l, number)| Ok(Panel { number, ..Panel::cut(l, HEADER, DType::U16, shape)? })).collect()
}

/// Version 2 says its size.
fn timepix(payload: &[u8]) -> Result<Panel<'_>> {
    let word = u32_at(payload, 0);
    let (width, height) = (word & 0xFFFF, word >> 16);
    Panel::cut(payload, 12, DType::U16, &[height as usize, width as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by fuzzing.
    #[test]
    fn a_picture_without_pixels_has_a_header_too() {
        let frame = |payload: &[u8]| {
            panels(TypeId::new(id::FRAME, 1), Src::NONE, payload, &Configs::default()).is_ok()
        };
        let empty = [0u32, 0, 12, 0].map(u32::to_le_bytes).concat();
        assert!(frame(&empty) && !frame(&empty[..14]));
    }
}
