//! CSPad: four quadrants of up to eight sections, each two ASICs of 185 x 194 pixels side by side.

use livetime_frame::DType;

use crate::fields::u32_at;
use crate::xtc1::configs::missing;
use crate::xtc1::panel::Panel;
use crate::xtc1::{Configs, Src, id};
use crate::{Error, Result};

/// Rows of a section, which are called columns in the detector's own words.
pub const SECTION_ROWS: usize = 185;
/// Columns of one ASIC; a section has two.
pub const ASIC_COLUMNS: usize = 194;

const HEADER: usize = 32;
const SECTION: [usize; 2] = [SECTION_ROWS, 2 * ASIC_COLUMNS];
const SECTION_BYTES: usize = SECTION_ROWS * 2 * ASIC_COLUMNS * 2;
/// Two words behind the pixels of a quadrant.
const TRAILER: usize = 4;

/// The parts of a CSPad's configuration that describe its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CspadConfig {
    /// Which ASICs are read.
    pub asic_mask: u32,
    /// Which quadrants are read.
    pub quad_mask: u32,
    /// Which sections are kept, eight bits for each quadrant; all in version 1.
    pub roi_mask: u32,
}

impl CspadConfig {
    /// Reads it from a configuration of that version.
    ///
    /// # Errors
    /// If the version is not known, or the configuration does not have the size that it must have.
    pub fn parse(version: u16, payload: &[u8]) -> Result<CspadConfig> {
        let (size, masks) = match version {
            1 => (287_804, 36),
            2 => (287_808, 36),
            3 => (287_844, 72),
            4 => (287_892, 72),
            5 => (287_928, 76),
            _ => return Err(Error::new("a CspadConfig of version 1 to 5", version.to_string())),
        };
        if payload.len() < size {
            let wanted = format!("{size} bytes of CspadConfig_v{version}");
            return Err(Error::new(wanted, payload.len().to_string()));
        }
        let roi_mask = if version == 1 { u32::MAX } else { u32_at(payload, masks + 8) };
        Ok(CspadConfig { asic_mask: u32_at(payload, masks), quad_mask: u32_at(payload, masks + 4), roi_mask })
    }

    /// How many quadrants an event has.
    pub fn quads(&self) -> u32 {
        (self.quad_mask & 15).count_ones()
    }

    /// Which sections of quadrant `quad` a panel of that version holds, one bit each.
    pub fn sections(&self, element_version: u16, quad: u32) -> u8 {
        match element_version {
            // Version 1 has no mask of sections: the mask of ASICs tells whether two or all eight are read.
            1 if self.asic_mask & 15 == 1 => 0b11,
            1 => 0xFF,
            _ => (self.roi_mask >> (8 * (quad & 3))) as u8,
        }
    }
}

/// The quadrants of an event, in the order in which they came; some may be missing.
pub(super) fn panels<'a>(
    version: u16,
    src: Src,
    payload: &'a [u8],
    configs: &Configs,
) -> Result<Vec<Panel<'a>>> {
    let Some((type_id, config)) = configs.find(src, id::CSPAD_CONFIG) else {
        return Err(missing("CspadConfig", src));
    };
    let config = CspadConfig::parse(type_id.version(), config)?;
    let mut panels = Vec::with_capacity(4);
    let mut at = 0;
    for _ in 0..config.quads() {
        // Quadrants may be missing at the end.
        if at == payload.len() {
            break;
        }
        let panel = quad(version, &payload[at..], &config).map_err(|e| e.at(at as u64))?;
        at += HEADER + panel.data.len();
        panels.push(panel);
    }
    if at != payload.len() {
        let wanted = format!("{} quadrants in {at} bytes", config.quads());
        return Err(Error::new(wanted, format!("{} bytes", payload.len())).at(at as u64));
    }
    Ok(panels)
}

fn quad<'a>(version: u16, bytes: &'a [u8], config: &CspadConfig) -> Result<Panel<'a>> {
    let number = u32_at(bytes, 4) >> 24 & 3;
    let sections = config.sections(version, number);
    let count = sections.count_ones() as usize;
    let size = HEADER + count * SECTION_BYTES + TRAILER;
    let Some(bytes) = bytes.get(..size) else {
        let wanted = format!("{size} bytes of quadrant {number} with {count} sections");
        return Err(Error::new(wanted, bytes.len().to_string()));
    };
    let panel = Panel::cut(bytes, HEADER, DType::U16, &[count, SECTION[0], SECTION[1]])?;
    Ok(Panel { number, sections, ..panel })
}

/// A CSPad 2x2: two sections, pixel by pixel in turn.
pub(super) fn pair(payload: &[u8]) -> Result<Panel<'_>> {
    Panel::cut(payload, HEADER, DType::U16, &[SECTION[0], SECTION[1], 2])
}
