//! The pictures of one detector in a run.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use livetime_formats::xtc1::data::{
    CspadConfig, Panel, PictureReader, Recorded, RecordedValue, picture_leaves,
};
use livetime_formats::xtc1::run::{Event, EventBytes, Run};
use livetime_formats::xtc1::{
    Configs, Damage, Datagram, FIDUCIAL_PERIOD, SourcePattern, Src, Transition, Xtc, id,
};
use livetime_frame::{AttributeValue, Flags};

use crate::ntndarray::Names;
use crate::sources::recording::{Picture, Recording, stack};

/// Events with pictures after which the detectors are known, if none is asked for by name.
const ENOUGH: usize = 8;
/// Events that are looked at for detectors at most.
const MOST_LOOKED_AT: usize = 1000;

/// One detector of a run.
pub(super) struct Detector {
    run: Run,
    /// Files were still being written when it was opened.
    was_growing: bool,
    wanted: Option<SourcePattern>,
    /// `None` as long as there is no event.
    src: Option<Src>,
}

/// Working memory of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    bytes: EventBytes,
    reader: PictureReader,
    names: Names,
    attributes: Vec<(Arc<str>, AttributeValue)>,
}

impl Detector {
    /// # Errors
    /// Text, if the name is none, or does not name exactly one of the run's detectors, which it then lists.
    pub(super) fn of(run: Run, name: &str) -> Result<Detector, String> {
        let wanted = if name.is_empty() { None } else { Some(name.parse().map_err(|e| format!("{e}"))?) };
        let mut detector = Detector { was_growing: run.is_growing(), run, wanted, src: None };
        detector.choose()?;
        Ok(detector)
    }

    fn choose(&mut self) -> Result<(), String> {
        if self.src.is_some() || self.run.events().is_empty() {
            return Ok(());
        }
        let found = self.detectors();
        let chosen: Vec<Src> = found.iter().copied().filter(|src| self.is_wanted(*src)).collect();
        match chosen[..] {
            [one] => {
                self.src = Some(one);
                Ok(())
            }
            [] => Err(format!("wanted the pictures of a detector, found {}", list(&found))),
            _ => Err(format!("wanted the name of one detector, found {}", list(&chosen))),
        }
    }

    fn is_wanted(&self, src: Src) -> bool {
        self.wanted.as_ref().is_none_or(|pattern| pattern.matches(src))
    }

    /// The detectors with pictures in the first events, up to one that is wanted by name.
    fn detectors(&self) -> Vec<Src> {
        let (mut found, mut bytes, mut with_pictures) = (Vec::<Src>::new(), EventBytes::default(), 0);
        for event in self.run.events().iter().take(MOST_LOOKED_AT) {
            // What cannot be read is said when it is its turn.
            if self.run.read(event, &mut bytes).is_err() {
                continue;
            }
            let before = found.len();
            let mut has_pictures = false;
            for leaf in bytes.pieces().flat_map(Datagram::parse).flat_map(|d| picture_leaves(&d)) {
                has_pictures = true;
                if found.iter().all(|src| !is_same(*src, leaf.header.src)) {
                    found.push(leaf.header.src);
                }
            }
            with_pictures += usize::from(has_pictures);
            let is_found = self.wanted.is_none() || found[before..].iter().any(|src| self.is_wanted(*src));
            if with_pictures >= ENOUGH && is_found {
                break;
            }
        }
        found
    }

    fn named(&self, event: &Event, number: usize) -> String {
        let piece = self.run.pieces(event).first();
        let path = piece.and_then(|piece| self.run.files().nth(piece.file as usize)).unwrap_or(Path::new(""));
        format!("{}: event {number} at {}", path.display(), event.clock)
    }
}

fn list(detectors: &[Src]) -> String {
    let mut text = if detectors.is_empty() { "none".into() } else { String::new() };
    for src in detectors {
        let comma = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}`{src}`");
    }
    text
}

/// A detector is known by its place and device; its process differs from file to file.
fn is_same(a: Src, b: Src) -> bool {
    a.phy == b.phy && a.level() == b.level()
}

impl Recording for Detector {
    type Scratch = Scratch;

    fn events(&self) -> usize {
        self.run.events().len()
    }

    fn event_time_ns(&self, event: usize) -> u64 {
        self.run.events().get(event).map_or(0, |e| e.clock.ns())
    }

    fn read(
        &self,
        number: usize,
        scratch: &mut Scratch,
        show: &mut dyn FnMut(&Picture<'_>) -> Result<(), String>,
    ) -> Result<bool, String> {
        let (Some(event), Some(src)) = (self.run.events().get(number), self.src) else { return Ok(false) };
        self.run.read(event, &mut scratch.bytes).map_err(|e| e.to_string())?;
        let failed = |e: &dyn std::fmt::Display| format!("{}: {src}: {e}", self.named(event, number));
        for piece in scratch.bytes.pieces() {
            let datagram = Datagram::parse(piece).map_err(|e| failed(&e))?;
            let leaf = picture_leaves(&datagram).find(|leaf| is_same(leaf.header.src, src));
            let Some(leaf) = leaf else {
                datagram.check().map_err(|e| failed(&e))?;
                continue;
            };
            let configs = self.run.configs(event);
            let mut panels = scratch.reader.panels(&leaf, configs).map_err(|e| failed(&e))?;
            panels.sort_by_key(|panel| panel.number);
            let mut damage = Damage(event.damage.0 | leaf.header.damage.0);
            if lacks_quadrants(&panels, &leaf, configs) {
                damage.0 |= Damage::DROPPED.0;
            }
            scratch.attributes.clear();
            let recorded =
                describe(event, damage, &datagram, src, &mut scratch.names, &mut scratch.attributes);
            let mut flags = recorded.map_err(|e| failed(&e))?;
            if !damage.is_none() {
                flags = flags.with(Flags::DAMAGED);
            }
            let shapes: Vec<&[usize]> = panels.iter().map(Panel::shape).collect();
            let Some(first) = panels.first() else { return Err(failed(&"wanted panels, found none")) };
            let layout = stack(first.dtype, first.color, &shapes).map_err(|e| failed(&e))?;
            let parts: Vec<&[u8]> = panels.iter().map(|panel| panel.pixels).collect();
            let (event_time_ns, attributes) = (event.clock.ns(), &scratch.attributes[..]);
            show(&Picture { layout, parts: &parts, event_time_ns, flags, attributes })?;
            return Ok(true);
        }
        if !event.damage.is_none() {
            let damage = event.damage;
            return Err(failed(&format_args!(
                "wanted a picture, found none in an event with damage: {damage}"
            )));
        }
        Ok(false)
    }

    fn refresh(&mut self) -> Result<(), String> {
        self.run.refresh().map_err(|e| e.to_string())?;
        self.choose()
    }

    fn may_grow(&self) -> bool {
        let ends = |t: &Transition| matches!(t, Transition::EndRun | Transition::Unconfigure);
        let has_ended = self.run.transitions().last().is_some_and(|t| ends(&t.header.transition()));
        // Between two chunks none may be growing for a moment.
        self.was_growing && (self.run.is_growing() || !has_ended)
    }
}

/// Whether a CSPad has fewer quadrants than its configuration says.
fn lacks_quadrants(panels: &[Panel<'_>], leaf: &Xtc<'_>, configs: &Configs) -> bool {
    if leaf.header.type_id.number() != id::CSPAD_ELEMENT {
        return false;
    }
    let config = configs.find(leaf.header.src, id::CSPAD_CONFIG);
    let config = config.and_then(|(type_id, payload)| CspadConfig::parse(type_id.version(), payload).ok());
    config.is_some_and(|config| (panels.len() as u32) < config.quads())
}

/// Collects attributes, those that were recorded with the frame among them; returns its conditions.
fn describe(
    event: &Event,
    damage: Damage,
    datagram: &Datagram<'_>,
    src: Src,
    names: &mut Names,
    attributes: &mut Vec<(Arc<str>, AttributeValue)>,
) -> livetime_formats::Result<Flags> {
    let fiducial = event.stamp.fiducial();
    if fiducial < FIDUCIAL_PERIOD {
        attributes.push((names.of("Fiducial"), AttributeValue::Uint(fiducial.into())));
    }
    if !damage.is_none() {
        attributes.push((names.of("Damage"), AttributeValue::Uint(damage.0.into())));
    }
    let is_recorded =
        |leaf: &Xtc<'_>| leaf.header.type_id.number() == id::RECORDED && is_same(leaf.header.src, src);
    let Some(leaf) = datagram.leaves().find(is_recorded) else { return Ok(Flags::default()) };
    let recorded = Recorded::parse(leaf.payload)?;
    attributes.push((names.of("RecordedSequence"), AttributeValue::Uint(recorded.sequence)));
    for attribute in recorded.attributes {
        let (name, value) = attribute?;
        let value = match value {
            RecordedValue::Int(v) => AttributeValue::Int(v),
            RecordedValue::Uint(v) => AttributeValue::Uint(v),
            RecordedValue::Float(v) => AttributeValue::Float(v),
            RecordedValue::Text(text) => AttributeValue::Text(names.of(text)),
        };
        attributes.push((names.of(name), value));
    }
    Ok(recorded.flags)
}
