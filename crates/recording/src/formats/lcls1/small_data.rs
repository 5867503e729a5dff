//! Event codes, beam-line data, process variables and scans of LCLS-I.

use std::collections::HashMap;

use livetime_formats::Result;
use livetime_formats::xtc1::data::control::Control;
use livetime_formats::xtc1::data::epics::{Pv, Values};
use livetime_formats::xtc1::data::{evr, scalars};
use livetime_formats::xtc1::run::{EventBytes, Run};
use livetime_formats::xtc1::{Configs, Datagram, Transition, Xtc, id};
use livetime_frame::AttributeValue;

use crate::SmallValue;

/// The names of process variables, by sender and number, from the times on at which they were configured.
#[derive(Default, Debug)]
pub(super) struct PvNames(Vec<Configured>);

#[derive(Debug)]
struct Configured {
    since_ns: u64,
    names: HashMap<(u32, i16), String>,
}

impl PvNames {
    /// Reads the configurations of a run. One that cannot be read names nothing.
    pub(super) fn of(run: &Run) -> PvNames {
        let mut bytes = EventBytes::default();
        let is_configure =
            |t: &&livetime_formats::xtc1::run::RunTransition| t.header.transition() == Transition::Configure;
        let configured = run.transitions().iter().filter(is_configure).filter_map(|transition| {
            // An unreadable Configure costs only the names of its process variables.
            run.read_transition(transition, &mut bytes).ok()?;
            let pvs = bytes.pieces().flat_map(Datagram::parse).flat_map(pvs);
            let names = pvs.filter_map(|(src, pv)| Some(((src, pv.id), pv.name?)));
            Some(Configured { since_ns: transition.header.clock.ns(), names: names.collect() })
        });
        PvNames(configured.collect())
    }

    fn find(&self, time_ns: u64, src: u32, id: i16) -> Option<&str> {
        // Names are sent with each Configure, and the latest one before the event holds.
        let configured = self.0.iter().rev().find(|configured| configured.since_ns <= time_ns)?;
        configured.names.get(&(src, id)).map(String::as_str)
    }
}

fn pvs(datagram: Datagram<'_>) -> Vec<(u32, Pv)> {
    let leaves = datagram.leaves().filter(|leaf| leaf.header.type_id.number() == id::EPICS);
    leaves.filter_map(|leaf| Some((leaf.header.src.phy, Pv::parse(leaf.payload).ok()?))).collect()
}

/// Whether a leaf holds small data that are understood here.
fn is_small(leaf: &Xtc<'_>) -> bool {
    !leaf.header.type_id.is_compressed()
        && matches!(
            leaf.header.type_id.number(),
            id::EVR_DATA
                | id::EPICS
                | id::EBEAM
                | id::GAS_DETECTOR_ENERGY
                | id::PHASE_CAVITY
                | id::IPIMB_DATA
                | id::SHARED_IPIMB
                | id::IPM_FEX
                | id::DIODE_FEX
                | id::GMD
                | id::BEAM_MONITOR
        )
}

/// The small data in the pieces of an event.
///
/// # Errors
/// If a piece is no datagram.
pub(super) fn of_event(bytes: &EventBytes, time_ns: u64, names: &PvNames) -> Result<Vec<SmallValue>> {
    let mut found = Vec::new();
    for datagram in bytes.pieces().map(Datagram::parse) {
        for leaf in datagram?.leaves().filter(is_small) {
            let read = of_leaf(&leaf, time_ns, names);
            found.extend(
                // A broken value is shown by its type and without numbers, so that a reader sees that something was
                // there.
                read.unwrap_or_else(|_| vec![value(&leaf, leaf.header.type_id.to_string(), "", Vec::new())]),
            );
        }
    }
    Ok(found)
}

fn of_leaf(leaf: &Xtc<'_>, time_ns: u64, names: &PvNames) -> Result<Vec<SmallValue>> {
    Ok(match leaf.header.type_id.number() {
        id::EVR_DATA => {
            let codes = evr::events(leaf.payload)?.into_iter().map(|e| AttributeValue::Uint(e.code.into()));
            vec![value(leaf, "event codes", "", codes.collect())]
        }
        id::EPICS => {
            let pv = Pv::parse(leaf.payload)?;
            // Only a Configure carries names; events carry numbers of process variables.
            let name = pv.name.as_deref().or_else(|| names.find(time_ns, leaf.header.src.phy, pv.id));
            let name = name.map_or_else(|| format!("process variable {}", pv.id), str::to_owned);
            vec![value(leaf, name, "", values_of(pv.values))]
        }
        _ => {
            let scalars = scalars(leaf.header.type_id, leaf.payload)?.into_iter();
            scalars.map(|s| value(leaf, s.name, s.unit, vec![AttributeValue::Float(s.value)])).collect()
        }
    })
}

/// The configuration as small data: values set by scans, initial values of process variables, and the other
/// configurations by their type.
pub(super) fn of_configs(configs: &Configs, transitions: &EventBytes) -> Vec<SmallValue> {
    let mut found = Vec::new();
    for (src, type_id, payload) in configs.iter() {
        let new =
            |name: String, values| SmallValue { source: src.to_string(), name, unit: "", values, damage: 0 };
        match Control::parse(type_id, payload) {
            Ok(control) => {
                let set = control.controls.into_iter();
                found.extend(
                    set.map(|pv| new(indexed(pv.name, pv.index), vec![AttributeValue::Float(pv.value)])),
                );
                let noted = control.labels.into_iter();
                found.extend(noted.map(|l| new(l.name, vec![AttributeValue::Text(l.value.into())])));
            }
            Err(_) => found.push(new(type_id.to_string(), Vec::new())),
        }
    }
    for leaf in transitions.pieces().flat_map(Datagram::parse).flat_map(|d| d.leaves().collect::<Vec<_>>()) {
        if leaf.header.type_id.number() == id::EPICS
            && let Ok(Pv { name: Some(name), values, .. }) = Pv::parse(leaf.payload)
        {
            found.push(value(&leaf, name, "", values_of(values)));
        }
    }
    found
}

fn indexed(name: String, index: Option<u32>) -> String {
    index.map_or(name.clone(), |index| format!("{name}[{index}]"))
}

fn values_of(values: Values) -> Vec<AttributeValue> {
    match values {
        Values::Numbers(numbers) => numbers.into_iter().map(AttributeValue::Float).collect(),
        Values::Texts(texts) => texts.into_iter().map(|text| AttributeValue::Text(text.into())).collect(),
    }
}

fn value(
    leaf: &Xtc<'_>,
    name: impl Into<String>,
    unit: &'static str,
    values: Vec<AttributeValue>,
) -> SmallValue {
    let source = leaf.header.src.to_string();
    SmallValue { source, name: name.into(), unit, values, damage: leaf.header.damage.0 }
}
