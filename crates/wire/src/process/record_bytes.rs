//! `record_bytes`: records of triggers as bytes, for a `record_builder` on another host.
//!
//! In: a [`TriggerRecord`] in each frame, as `readout_buffer` sends them. Out: bytes, one record in each frame, as `trigger_records` writes it
//! to files (`docs/formats/trigger-records.md`). A [`TriggerRecord`] holds references and stays on its host; its bytes go over a link. The
//! data are copied once. The plane of hits is not in that form.

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_formats::trigger::record_parts;
use livetime_frame::{Frame, FrameMut, PayloadKind};

use crate::encode::Encoder;
use crate::{TriggerRecord, inherit_times};

/// Parameters of `record_bytes`.
#[derive(Params)]
pub struct RecordBytesParams {
    /// Number of the run.
    #[param(default = 1)]
    pub run: u32,
    /// Number of the detector: 3 for wire readout of horizontal drift, 10 and 11 for vertical drift, bottom and top.
    #[param(default = 3, min = 0, max = 65535)]
    pub detector: u32,
    /// Hits with a channel that a trigger primitive cannot hold: sent without one.
    #[param(readback, count)]
    pub channels_lost: u64,
}

/// Makes bytes of records.
pub struct RecordBytes {
    params: RecordBytesParams,
    encoder: Encoder,
    memory: Vec<u8>,
}

impl Node for RecordBytes {
    type Params = RecordBytesParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "record_bytes",
        "Makes bytes of records of triggers, so that they can go to another host.",
        &[PortSpec::value("in")],
        &[PortSpec::bytes("out")],
    );

    fn new(params: RecordBytesParams) -> Result<RecordBytes, NodeError> {
        Ok(RecordBytes { params, encoder: Encoder::default(), memory: Vec::new() })
    }

    fn params(&mut self) -> &mut RecordBytesParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Other(PayloadKind::Bytes)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let record: &TriggerRecord = frame.value()?;
        self.params.channels_lost += self.encoder.hits(record)?;
        let whose = (self.params.run, self.params.detector as u16);
        let memory = &mut self.memory;
        let made = self.encoder.write(record, whose, |header, fragments| {
            let parts = record_parts(header, fragments, memory)?;
            Ok(ctx.bytes(parts.iter().map(|part| part.len()).sum()).map(|frame| filled(frame, &parts)))
        });
        let mut bytes = made.map_err(NodeError::new)??;
        inherit_times(&mut bytes, frame);
        ctx.emit(bytes)
    }
}

fn filled(mut frame: FrameMut, parts: &[&[u8]]) -> FrameMut {
    let mut to = frame.bytes_mut();
    for part in parts {
        let (own, rest) = to.split_at_mut(part.len());
        own.copy_from_slice(part);
        to = rest;
    }
    frame
}
