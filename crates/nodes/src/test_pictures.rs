//! A source of small pictures, for tests of sinks in graphs: pixel (x, y) of frame k, counted from 0, is x + y + k.

use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec, Stream, time_of_day_ns};
use livetime_frame::{ColorMode, DType, Layout};

#[derive(Params)]
pub(crate) struct PicturesParams {
    /// Frames; 0: no end.
    count: u64,
    /// Time from frame to frame.
    #[param(unit = "s")]
    period: f64,
    /// Columns.
    #[param(default = 16)]
    width: usize,
    /// Rows.
    #[param(default = 8)]
    height: usize,
}

pub(crate) struct Pictures {
    params: PicturesParams,
    sent: u64,
}

impl Node for Pictures {
    type Params = PicturesParams;
    const SPEC: NodeSpec =
        NodeSpec::source("pictures", "Small pictures.", &[PortSpec::array_of_dims("out", 2, 2)]);

    fn new(params: PicturesParams) -> Result<Pictures, NodeError> {
        Ok(Pictures { params, sent: 0 })
    }

    fn params(&mut self) -> &mut PicturesParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Array(self.layout()?)])
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let (width, k) = (self.params.width, self.sent as usize);
        let mut frame = ctx.array(self.layout()?)?;
        let pixels = frame.elements_mut::<u8>()?;
        (0..).zip(pixels).for_each(|(i, pixel)| *pixel = (i % width + i / width + k) as u8);
        self.sent += 1;
        let header = frame.header_mut();
        (header.sequence, header.event_time_ns) = (self.sent, time_of_day_ns());
        ctx.emit(frame)?;
        match self.params.period {
            _ if self.sent == self.params.count => Ok(Next::Finished),
            0.0 => Ok(Next::Now),
            period => Ok(Next::At(ctx.now_ns() + (period * 1e9) as u64)),
        }
    }
}

impl Pictures {
    fn layout(&self) -> Result<Layout, NodeError> {
        let shape = [self.params.height, self.params.width];
        Layout::packed(DType::U8, ColorMode::Mono, &shape).map_err(NodeError::new)
    }
}
