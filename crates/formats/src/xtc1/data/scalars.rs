//! Named numbers: intensity monitors and data of the beam line.

use crate::fields::Fields;
use crate::xtc1::{TypeId, id};
use crate::{Error, Result};

/// A number with its name and unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scalar {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty if it has none or the unit is unknown.
    pub unit: &'static str,
    /// The number.
    pub value: f64,
}

/// How a number lies in the file.
#[derive(Clone, Copy)]
enum NumberType {
    U16,
    U32,
    U64,
    F32,
    F64,
}
use NumberType::{F32, F64, U16, U32, U64};

/// Name, unit, type of numbers that follow each other without gaps.
type Layout = [(&'static str, &'static str, NumberType)];

/// All versions: each one added numbers at the end.
const EBEAM: &Layout = &[
    ("damage_mask", "", U32),
    ("charge", "nC", F64),
    ("l3_energy", "MeV", F64),
    ("ltu_position_x", "mm", F64),
    ("ltu_position_y", "mm", F64),
    ("ltu_angle_x", "mrad", F64),
    ("ltu_angle_y", "mrad", F64),
    ("peak_current_bc2", "A", F64),
    ("energy_bc2", "mm", F64),
    ("peak_current_bc1", "A", F64),
    ("energy_bc1", "mm", F64),
    ("undulator_position_x", "mm", F64),
    ("undulator_position_y", "mm", F64),
    ("undulator_angle_x", "mrad", F64),
    ("undulator_angle_y", "mrad", F64),
    ("xtcav_amplitude", "MV", F64),
    ("xtcav_phase", "deg", F64),
    ("dump_charge", "electrons", F64),
    ("photon_energy", "eV", F64),
    ("ltu_250", "mm", F64),
    ("ltu_450", "mm", F64),
];
/// How many of them there are in version 0, 1, ...
const EBEAM_COUNTS: [usize; 8] = [7, 8, 9, 11, 15, 18, 21, 21];

const GAS_DETECTOR: &Layout = &[
    ("f_11_energy", "mJ", F64),
    ("f_12_energy", "mJ", F64),
    ("f_21_energy", "mJ", F64),
    ("f_22_energy", "mJ", F64),
    ("f_63_energy", "mJ", F64),
    ("f_64_energy", "mJ", F64),
];

const PHASE_CAVITY: &Layout =
    &[("fit_time_1", "ps", F64), ("fit_time_2", "ps", F64), ("charge_1", "pC", F64), ("charge_2", "pC", F64)];

const IPIMB: &Layout = &[
    ("trigger_counter", "", U64),
    ("config_0", "", U16),
    ("config_1", "", U16),
    ("config_2", "", U16),
    ("channel_0", "counts", U16),
    ("channel_1", "counts", U16),
    ("channel_2", "counts", U16),
    ("channel_3", "counts", U16),
    ("channel_0_ps", "counts", U16),
    ("channel_1_ps", "counts", U16),
    ("channel_2_ps", "counts", U16),
    ("channel_3_ps", "counts", U16),
];
const IPIMB_V1_COUNT: usize = 8;

const IPM_FEX: &Layout = &[
    ("channel_0", "", F32),
    ("channel_1", "", F32),
    ("channel_2", "", F32),
    ("channel_3", "", F32),
    ("sum", "", F32),
    ("position_x", "", F32),
    ("position_y", "", F32),
];

const DIODE_FEX: &Layout = &[("value", "", F32)];

const GMD_V1: &Layout = &[
    ("energy_per_pulse", "mJ", F64),
    ("energy_average", "mJ", F64),
    ("corrected_sum_per_pulse", "counts", F64),
    ("background_per_sample", "counts", F64),
    ("relative_energy_per_pulse", "", F64),
];
const GMD_V2: &Layout = &[
    ("energy_per_pulse", "mJ", F64),
    ("energy_average", "mJ", F64),
    ("sum_all_peaks_filtered_background", "", F64),
    ("raw_average_background", "counts", F64),
    ("relative_energy_per_pulse", "", F64),
    ("sum_all_peaks_raw_background", "", F64),
];

const BEAM_MONITOR: &Layout =
    &[("total_intensity", "J", F64), ("position_x", "m", F64), ("position_y", "m", F64)];

/// The numbers in the payload of a leaf: EBeam (versions 0 to 7), FEEGasDetEnergy (0, 1), PhaseCavity (0), GMD (1, 2), IpimbData
/// (1, 2), IpmFex, DiodeFex, SharedIpimb (its IpimbData), BeamMonitor (without its channels).
///
/// ```
/// use livetime_formats::xtc1::{TypeId, data::scalars, id};
///
/// let payload = [1.5f64, 2.5, 0.0, 0.0].map(f64::to_le_bytes).concat();
/// let cavity = scalars(TypeId::new(id::PHASE_CAVITY, 0), &payload)?;
/// assert_eq!((cavity[1].name, cavity[1].unit, cavity[1].value), ("fit_time_2", "ps", 2.5));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If the layout of that type and version is not known here, or there are fewer bytes.
pub fn scalars(type_id: TypeId, payload: &[u8]) -> Result<Vec<Scalar>> {
    let Some(layout) = layout(type_id) else {
        return Err(Error::new("a type of leaf that holds named numbers", type_id.to_string()));
    };
    let mut fields = Fields::new(payload);
    let scalar = |(name, unit, kind): &(&'static str, &'static str, NumberType)| {
        let value = match kind {
            U16 => f64::from(fields.u16()?),
            U32 => f64::from(fields.u32()?),
            U64 => fields.u64()? as f64,
            F32 => f64::from(fields.f32()?),
            F64 => fields.f64()?,
        };
        Ok(Scalar { name, unit, value })
    };
    layout.iter().map(scalar).collect()
}

fn layout(type_id: TypeId) -> Option<&'static Layout> {
    Some(match (type_id.number(), type_id.version()) {
        (id::EBEAM, version) => &EBEAM[..*EBEAM_COUNTS.get(usize::from(version))?],
        (id::GAS_DETECTOR_ENERGY, 0) => &GAS_DETECTOR[..4],
        (id::GAS_DETECTOR_ENERGY, 1) => GAS_DETECTOR,
        (id::PHASE_CAVITY, 0) => PHASE_CAVITY,
        (id::IPIMB_DATA, 1) | (id::SHARED_IPIMB, 0) => &IPIMB[..IPIMB_V1_COUNT],
        (id::IPIMB_DATA, 2) | (id::SHARED_IPIMB, 1) => IPIMB,
        (id::IPM_FEX, 1) => IPM_FEX,
        (id::DIODE_FEX, 1) => DIODE_FEX,
        (id::GMD, 1) => GMD_V1,
        (id::GMD, 2) => GMD_V2,
        (id::BEAM_MONITOR, 1) => BEAM_MONITOR,
        _ => return None,
    })
}
