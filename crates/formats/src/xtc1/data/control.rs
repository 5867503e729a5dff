//! The settings of a scan at each of its steps (ControlConfig, versions 1 to 3).

use crate::fields::Fields;
use crate::xtc1::{TypeId, id};
use crate::{Error, Result};

const NAME: usize = 32;
const LABEL: usize = 64;
/// The index of a process variable that is no array.
const NO_ARRAY: u32 = u32::MAX;

/// The settings, monitored values and labels of a scan at a step.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Control {
    /// The settings.
    pub controls: Vec<PvControl>,
    /// The values that had to be within limits.
    pub monitors: Vec<PvMonitor>,
    /// The labels.
    pub labels: Vec<PvLabel>,
}

/// A process variable and the value it was set to.
#[derive(Clone, PartialEq, Debug)]
pub struct PvControl {
    /// Its name.
    pub name: String,
    /// Which element, if it is an array.
    pub index: Option<u32>,
    /// The value.
    pub value: f64,
}

/// A process variable and the limits within which it had to be.
#[derive(Clone, PartialEq, Debug)]
pub struct PvMonitor {
    /// Its name.
    pub name: String,
    /// Which element, if it is an array.
    pub index: Option<u32>,
    /// The lowest and the highest value allowed.
    pub limits: (f64, f64),
}

/// A name and a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PvLabel {
    /// The name.
    pub name: String,
    /// The text.
    pub value: String,
}

impl Control {
    /// Reads the payload of a ControlConfig leaf.
    ///
    /// ```
    /// use livetime_formats::xtc1::{TypeId, data::control::Control, id};
    ///
    /// // No limits of the step; one control, no monitors.
    /// let mut payload = [0u32, 0, 0, 0, 1, 0].map(u32::to_le_bytes).concat();
    /// payload.extend([&b"LAS:DELAY"[..], &[0; 23]].concat());
    /// payload.extend(u32::MAX.to_le_bytes());
    /// payload.extend(2.5f64.to_le_bytes());
    /// let control = Control::parse(TypeId::new(id::CONTROL_CONFIG, 1), &payload)?;
    /// assert_eq!((control.controls[0].name.as_str(), control.controls[0].value), ("LAS:DELAY", 2.5));
    /// # Ok::<(), livetime_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is of another type or version, or there are fewer bytes than it says.
    pub fn parse(type_id: TypeId, payload: &[u8]) -> Result<Control> {
        let has_labels = match (type_id.number(), type_id.version()) {
            (id::CONTROL_CONFIG, 1) => false,
            (id::CONTROL_CONFIG, 2 | 3) => true,
            _ => return Err(Error::new("ControlConfig of version 1 to 3", type_id.to_string())),
        };
        let mut fields = Fields::new(payload);
        // Which limit a step has, a reserved word, and its longest duration.
        fields.take(16)?;
        let (controls, monitors) = (fields.u32()?, fields.u32()?);
        let labels = if has_labels { fields.u32()? } else { 0 };
        // A count is a claim: nothing is allocated for it before its bytes are there.
        Ok(Control {
            controls: (0..controls).map(|_| control(&mut fields)).collect::<Result<_>>()?,
            monitors: (0..monitors).map(|_| monitor(&mut fields)).collect::<Result<_>>()?,
            labels: (0..labels).map(|_| label(&mut fields)).collect::<Result<_>>()?,
        })
    }
}

fn control(fields: &mut Fields<'_>) -> Result<PvControl> {
    Ok(PvControl { name: fields.text(NAME)?, index: index(fields)?, value: fields.f64()? })
}

fn monitor(fields: &mut Fields<'_>) -> Result<PvMonitor> {
    let (name, index) = (fields.text(NAME)?, index(fields)?);
    Ok(PvMonitor { name, index, limits: (fields.f64()?, fields.f64()?) })
}

fn label(fields: &mut Fields<'_>) -> Result<PvLabel> {
    Ok(PvLabel { name: fields.text(NAME)?, value: fields.text(LABEL)? })
}

fn index(fields: &mut Fields<'_>) -> Result<Option<u32>> {
    Ok(Some(fields.u32()?).filter(|index| *index != NO_ARRAY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<const N: usize>(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(N, 0);
        bytes
    }

    #[test]
    fn labels_come_behind_monitors_and_every_count_is_checked() {
        let mut payload = [0u32, 0, 0, 0, 1, 1, 1].map(u32::to_le_bytes).concat();
        payload
            .extend([text::<32>("A"), 3u32.to_le_bytes().to_vec(), 1.5f64.to_le_bytes().to_vec()].concat());
        payload.extend([text::<32>("B"), u32::MAX.to_le_bytes().to_vec()].concat());
        payload.extend([-1.0f64, 1.0].map(f64::to_le_bytes).concat());
        payload.extend([text::<32>("sample"), text::<64>("lysozyme")].concat());
        let type_id = TypeId::new(id::CONTROL_CONFIG, 2);
        let control = Control::parse(type_id, &payload).unwrap();
        assert_eq!(control.controls, [PvControl { name: "A".into(), index: Some(3), value: 1.5 }]);
        assert_eq!(control.monitors, [PvMonitor { name: "B".into(), index: None, limits: (-1.0, 1.0) }]);
        assert_eq!(control.labels, [PvLabel { name: "sample".into(), value: "lysozyme".into() }]);
        assert!(Control::parse(type_id, &payload[..payload.len() - 1]).is_err());
        payload[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(Control::parse(type_id, &payload).is_err());
        assert!(Control::parse(TypeId::new(id::EPICS, 1), &payload).is_err());
    }
}
