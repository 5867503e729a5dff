//! `positions`: puts the positions of a scan onto frames as attributes (areaDetector's NDPosPlugin).
//!
//! In: frames of any kind. Out: the same payload, without a copy, with one attribute of type `f64` for each dimension
//! of the position; only while `running`. A frame that comes while the node is idle, or whose number came before, is
//! not sent on, and is counted (`ignored`, `duplicate`). After the last position the node becomes idle.
//!
//! Positions are XML, in a file or as text (`file_name`); each write appends positions to the existing ones:
//!
//! ```xml
//! <pos_layout>
//!   <dimensions><dimension name="x"/><dimension name="y"/></dimensions>
//!   <positions><position x="0" y="0.5"/><position x="1" y="0.5"/></positions>
//! </pos_layout>
//! ```
//!
//! The frame's number, or the attribute `id_name`, selects its position: the first position belongs to the number
//! `id_start`, each further one to a number that is larger by `id_difference`. The positions of absent numbers are left
//! out, too (`missing`). With `mode: discard` positions are used up; with `keep` they stay for another round (`reset`).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_frame::AttributeValue;
//! use livetime_nodes::process::positions::Positions;
//!
//! let text = r#"<pos_layout><dimension name="x"/><position x="1.5"/><position x="2"/></pos_layout>"#;
//! let mut node = Harness::new::<Positions>(&[("file_name", text.into()), ("running", true.into())])?;
//! let picture = node.image::<u8>(&[1, 1], &[0])?;
//! let out = node.feed(&picture)?;
//! assert_eq!(out[0].header().attributes.get("x"), Some(&AttributeValue::Float(1.5)));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod layout;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt::Write;

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, Stream};
use livetime_frame::{AttributeValue, Frame};

use layout::Position;

/// The fate of a used position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum PositionMode {
    /// It is removed.
    #[default]
    Discard,
    /// It stays for another round.
    Keep,
}

/// Parameters of `positions`.
#[derive(Params)]
pub struct PositionsParams {
    /// Path of the XML file with positions, or the XML text itself, which contains `<pos_layout`. They are appended to
    /// those that are there.
    #[param(pv = "Filename")]
    pub file_name: String,
    /// Whether the last file or text could be read.
    #[param(readback, pv = "FileValid")]
    pub file_valid: bool,
    /// Whether positions are put onto frames. Writing it makes `id_start` the next number.
    #[param(pv = "Running", words = ["Idle", "Running"])]
    pub running: bool,
    /// Written true: the next position is the first one again.
    #[param(pv = "Reset", role = Once, words = ["Done Reset", "Reset"])]
    pub reset: bool,
    /// Written true: all positions are removed.
    #[param(pv = "Delete", form = Setpoint)]
    pub delete: bool,
    /// What becomes of a position that was used. Writing it makes the first position the next one.
    #[param(pv = "Mode")]
    pub mode: PositionMode,
    /// Positions that are there.
    #[param(readback, pv = "Qty")]
    pub quantity: u64,
    /// Of these, the ones that were used in this round.
    #[param(readback, pv = "Index")]
    pub index: u64,
    /// The last position that was put onto a frame.
    #[param(readback, pv = "Position")]
    pub position: String,
    /// Positions left out because the frames with their numbers did not come.
    #[param(pv = "Missing")]
    pub missing: u64,
    /// Frames left out because a frame with their number or a later one came before.
    #[param(pv = "Duplicate")]
    pub duplicate: u64,
    /// The number that the next frame should have.
    #[param(readback, pv = "ExpectedID")]
    pub expected_id: i64,
    /// The attribute with the number of a frame; empty for the number that its source gave it.
    #[param(pv = "IDName")]
    pub id_name: String,
    /// The number of the first frame.
    #[param(pv = "IDStart")]
    pub id_start: i64,
    /// By how much the number of a frame is larger than that of the one before.
    #[param(default = 1, min = 1, max = 2_147_483_647, pv = "IDDifference")]
    pub id_difference: i64,
    /// Frames that came while the node was idle.
    #[param(readback)]
    pub ignored: u64,
}

/// Puts positions onto frames.
pub struct Positions {
    params: PositionsParams,
    positions: VecDeque<Position>,
}

impl Positions {
    /// Appends the positions of `file_name`.
    fn load(&mut self) -> Result<(), NodeError> {
        if self.params.file_name.is_empty() {
            return Ok(());
        }
        let read = layout::read(&self.params.file_name, self.positions.len());
        // The readback is set before the error ends the call: a client sees it either way.
        self.params.file_valid = read.is_ok();
        self.positions.extend(read.map_err(|e| e.of_param("file_name"))?);
        self.params.quantity = self.positions.len() as u64;
        Ok(())
    }

    fn rewind(&mut self) {
        (self.params.index, self.params.position) = (0, String::new());
    }

    fn id(&self, frame: &Frame) -> Result<i64, NodeError> {
        let name = &*self.params.id_name;
        if name.is_empty() {
            return Ok(frame.header().sequence as i64);
        }
        match frame.header().attributes.get(name) {
            Some(AttributeValue::Int(v)) => Ok(*v),
            // A number beyond the range is later than any expected one, and the largest number keeps that
            // order.
            Some(AttributeValue::Uint(v)) => Ok(i64::try_from(*v).unwrap_or(i64::MAX)),
            Some(AttributeValue::Float(v)) if v.is_finite() => Ok(*v as i64),
            other => {
                let found = other.map_or_else(|| "none".into(), ToString::to_string);
                Err(NodeError::new(format_args!("wanted a number in the attribute `{name}`, found {found}")))
            }
        }
    }

    /// The place of the next position; `None` when all were used.
    fn next(&self) -> Option<usize> {
        let place = match self.params.mode {
            // Used positions are removed in this mode, so the next one is always the first.
            PositionMode::Discard => 0,
            PositionMode::Keep => self.params.index as usize,
        };
        (place < self.positions.len()).then_some(place)
    }

    /// Moves on by `count` positions. The caller has checked that the list has that many.
    fn pass(&mut self, count: usize) {
        match self.params.mode {
            PositionMode::Discard => _ = self.positions.drain(..count),
            PositionMode::Keep => self.params.index += count as u64,
        }
        self.params.quantity = self.positions.len() as u64;
        // The step is a client's number, so the sums saturate.
        let numbers = self.params.id_difference.saturating_mul(count as i64);
        self.params.expected_id = self.params.expected_id.saturating_add(numbers);
    }

    /// Leaves out the positions of the numbers before `id`.
    fn skip_to(&mut self, id: i64) {
        // As i128: numbers of clients may be anything, and the difference must not overflow.
        // A step of 0 or less would never reach the frame's number.
        let step = i128::from(self.params.id_difference.max(1));
        let gap = i128::from(id) - i128::from(self.params.expected_id);
        // The quotient is rounded up: a number between two positions belongs to the later one.
        let wanted = usize::try_from((gap + step - 1) / step).unwrap_or(usize::MAX);
        let left = self.next().map_or(0, |place| self.positions.len() - place);
        self.pass(wanted.min(left));
        self.params.missing += wanted.min(left) as u64;
    }
}

impl Node for Positions {
    type Params = PositionsParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "positions",
        "Puts the positions of a scan onto frames as attributes.",
        &[PortSpec::any("in")],
        &[PortSpec::any("out")],
    );

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("NDPositionPlugin", "Pos").or(&["NDPosPlugin", "NDPluginPos"]));

    fn new(params: PositionsParams) -> Result<Positions, NodeError> {
        Ok(Positions { params, positions: VecDeque::new() })
    }

    fn params(&mut self) -> &mut PositionsParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![inputs.first().copied().unwrap_or(Stream::Unknown)])
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        // A node that runs again must not use positions of the run before.
        self.positions.clear();
        self.params.expected_id = self.params.id_start;
        self.load()
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        // `file_name` is loaded again on every write, also of the same text: clients append positions so.
        match self.params.name(index) {
            "file_name" => return self.load(),
            "running" => self.params.expected_id = self.params.id_start,
            "mode" => self.params.index = 0,
            "reset" if self.params.reset => self.rewind(),
            "delete" if self.params.delete => {
                self.rewind();
                self.positions.clear();
                self.params.quantity = 0;
            }
            _ => {}
        }
        (self.params.reset, self.params.delete) = (false, false);
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        // After the last position the node is idle, as if a client had stopped it.
        if !self.params.running || self.next().is_none() {
            self.params.running = false;
            self.params.ignored += 1;
            return Ok(());
        }
        let id = self.id(frame)?;
        // The number came already, or its position was passed: another use would shift all later frames.
        if id < self.params.expected_id {
            self.params.duplicate += 1;
            return Ok(());
        }
        self.skip_to(id);
        // The gap was longer than the list, so no position is left for this frame.
        let Some(place) = self.next() else {
            self.params.running = false;
            self.params.ignored += 1;
            return Ok(());
        };
        // Only header and attributes are new; the payload is shared.
        let mut output = ctx.relabel(frame)?;
        output.inherit(frame);
        self.params.position.clear();
        for (name, value) in self.positions[place].values() {
            output.header_mut().attributes.set(name, AttributeValue::Float(value));
            let separator = if self.params.position.is_empty() { '[' } else { ',' };
            let _ = write!(self.params.position, "{separator}{name}={value}");
        }
        self.params.position.push(']');
        self.pass(1);
        // In the mode that discards, an empty list ends the scan at once; in the other one the next frame
        // finds it.
        self.params.running = self.params.mode == PositionMode::Keep || !self.positions.is_empty();
        ctx.emit(output)
    }
}
