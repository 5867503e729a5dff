//! From the datagrams of all streams to events.

use super::cameras::is_past;
use super::{Event, EventBytes, FIRST_CAMERA_STREAM, Problem, Run, RunTransition};
use crate::file::Head;
use crate::run::{Apart, Entry, Group, Stream, groups};
use crate::xtc1::{Configs, Damage, Datagram, DatagramHeader, Transition, XtcHeader};
use crate::{Error, Result};

/// Transitions are read for their configurations; none is larger.
const TRANSITION_LIMIT: u64 = 256 << 20;

impl Run {
    /// Turns found datagrams into events and transitions, as far as nothing earlier can follow.
    pub(super) fn merge(&mut self) -> Result<()> {
        self.sort_camera_entries()?;
        let entries = self.streams.take_settled(self.settled_limit_ns());
        let is_same = |a: &DatagramHeader, b: &DatagramHeader| a.transition() == b.transition();
        // One stream has two pieces of an event only if one of them says that something is missing.
        let is_split = |h: &DatagramHeader| h.is_event() && h.root.damage.contains(Damage::DROPPED);
        for group in groups(entries, is_same, is_split, &mut self.counts.repeated) {
            if group.first.header.is_event() { self.add_event(&group) } else { self.add_transition(&group)? }
        }
        // While files grow, a camera's piece may still find its event.
        if !self.is_growing() {
            self.counts.camera_unmatched = self.cameras.unmatched();
        }
        Ok(())
    }

    /// Without event builders the events come from the cameras' streams.
    fn has_builders(&self) -> bool {
        self.streams.iter().any(|s| !is_camera(s))
    }

    /// Puts the events of cameras aside, and adds their configurations to the first ones in force.
    fn sort_camera_entries(&mut self) -> Result<()> {
        // Without builders the cameras' own events are all that there is.
        if !self.has_builders() {
            return Ok(());
        }
        let mut transitions = Vec::new();
        for stream in self.streams.iter_mut().filter(|s| is_camera(s)) {
            for entry in std::mem::take(&mut stream.pending) {
                if entry.header.is_event() {
                    self.cameras.add(stream.number, entry, &mut self.counts);
                } else {
                    transitions.push(entry);
                }
            }
        }
        transitions.iter().try_for_each(|entry| self.add_camera_config(entry))
    }

    fn add_camera_config(&mut self, entry: &Entry<DatagramHeader>) -> Result<()> {
        let header = entry.header;
        let at = self.pieces.len() as u32;
        self.pieces.push(entry.piece);
        self.camera_transitions.push(RunTransition {
            header,
            piece: entry.piece,
            copies: 1,
            pieces: at..at + 1,
        });
        let mut current = self.current_configs().clone();
        let bytes = self.read_config(entry)?;
        for datagram in datagrams(&bytes) {
            self.camera_configs.add(&datagram);
            current.add(&datagram);
        }
        self.configs.push(current);
        Ok(())
    }

    /// The time from which on something may still come, in files that are being written.
    fn settled_limit_ns(&self) -> Option<u64> {
        let has_builders = self.has_builders();
        let growing = self.streams.iter().filter(|s| !(s.is_over() || has_builders && is_camera(s)));
        // An event waits until its camera has passed its time.
        let waiting = if has_builders { self.first_waiting_ns() } else { None };
        growing.map(|s| s.newest_ns).chain(waiting).min()
    }

    /// The time of the first event for which a camera that is still being recorded may send a piece.
    fn first_waiting_ns(&self) -> Option<u64> {
        let growing: Vec<_> = self.streams.iter().filter(|s| is_camera(s) && !s.is_over()).collect();
        let events = self.streams.iter().flat_map(|s| &s.pending).filter(|e| e.header.is_event());
        let waits = |e: &&Entry<DatagramHeader>| {
            let (clock, fiducial) = (e.header.clock, e.header.stamp.fiducial());
            growing
                .iter()
                .any(|s| !is_past(s.newest_ns, clock) && !self.cameras.has(s.number, fiducial, clock))
        };
        // Without a growing camera no piece can come any more.
        if growing.is_empty() { None } else { events.filter(waits).map(|e| e.header.time_ns()).min() }
    }

    fn add_event(&mut self, group: &Group<DatagramHeader>) {
        let header = group.first.header;
        let mut damage = Damage::default();
        let mut is_trimmed = true;
        let first = self.pieces.len() as u32;
        for entry in group.entries() {
            damage.0 |= entry.header.root.damage.0;
            is_trimmed &= entry.header.env.is_trimmed();
            self.pieces.push(entry.piece);
        }
        for entry in self.cameras.take(header.stamp.fiducial(), header.clock, &mut self.counts) {
            damage.0 |= entry.header.root.damage.0;
            self.pieces.push(entry.piece);
        }
        // An event before its predecessor shows that a stream was not in order.
        self.counts.late += u64::from(header.clock < self.newest);
        self.newest = self.newest.max(header.clock);
        self.events.push(Event {
            clock: header.clock,
            stamp: header.stamp,
            env: header.env,
            damage,
            is_trimmed,
            step: self.step,
            // A run has at least one set of configurations from the start.
            configs: self.configs.len() as u32 - 1,
            pieces: first..self.pieces.len() as u32,
        });
    }

    fn add_transition(&mut self, group: &Group<DatagramHeader>) -> Result<()> {
        let first = group.first;
        if first.header.transition() == Transition::BeginCalibCycle {
            self.step = Some(self.step.map_or(0, |s| s + 1));
        }
        self.update_configs(group)?;
        let (copies, at) = (group.len() as u32, self.pieces.len() as u32);
        self.pieces.extend(group.entries().map(|entry| entry.piece));
        let pieces = at..at + copies;
        self.transitions.push(RunTransition { header: first.header, piece: first.piece, copies, pieces });
        Ok(())
    }

    fn current_configs(&self) -> &Configs {
        &self.configs[self.configs.len() - 1]
    }

    /// A Configure stands for all that was configured before; other transitions add to it.
    fn update_configs(&mut self, group: &Group<DatagramHeader>) -> Result<()> {
        let is_configure = group.first.header.transition() == Transition::Configure;
        let mut configs =
            // Cameras are configured in streams of their own, so their configurations stay.
            if is_configure { self.camera_configs.clone() } else { self.current_configs().clone() };
        let mut extents = Vec::new();
        for entry in group.entries() {
            let extent = entry.header.root.extent;
            // The recorders of one run get copies of the same transition.
            // An extent of 40 is an empty transition: a header with one empty container.
            if extent > 40 && !extents.contains(&extent) {
                extents.push(extent);
                datagrams(&self.read_config(entry)?).for_each(|datagram| configs.add(&datagram));
            } else if extent > XtcHeader::LEN as u32 {
                // Its content is of no use, but may be broken.
                self.read_config(entry)?;
            }
        }
        // An unchanged set is shared, so that a run of many steps costs no memory.
        if (is_configure || !extents.is_empty()) && !configs.share(self.current_configs()) {
            self.configs.push(configs);
        }
        Ok(())
    }

    /// Reads a transition; nothing of one that is too large, which is a problem.
    fn read_config(&mut self, entry: &Entry<DatagramHeader>) -> Result<EventBytes> {
        let mut bytes = EventBytes::default();
        // The length is the file's claim.
        if entry.piece.length > TRANSITION_LIMIT {
            let wanted = format!("a transition of at most {TRANSITION_LIMIT} bytes");
            let error = Error::new(wanted, entry.piece.length.to_string()).at(entry.piece.offset);
            let path = self.files.path(&entry.piece).to_owned();
            self.problems.push(Problem { path, error });
            return Ok(bytes);
        }
        self.files.read::<DatagramHeader>(&entry.piece, &mut bytes, &mut Apart::default())?;
        if let Some(error) = datagrams(&bytes).find_map(|datagram| datagram.check().err()) {
            let (path, error) =
                (self.files.path(&entry.piece).to_owned(), error.moved_by(entry.piece.offset));
            self.problems.push(Problem { path, error });
        }
        Ok(bytes)
    }
}

/// A stream without a number is no camera's.
fn is_camera(stream: &Stream<DatagramHeader>) -> bool {
    // Numbers of cameras begin here, and a stream without a number has one above 16 bits.
    (FIRST_CAMERA_STREAM..1 << 16).contains(&stream.number)
}

fn datagrams(bytes: &EventBytes) -> impl Iterator<Item = Datagram<'_>> {
    bytes.pieces().flat_map(Datagram::parse)
}
