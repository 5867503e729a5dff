//! `array_source`: frames that clients write (areaDetector's NDDriverStdArrays).
//!
//! Out: arrays. Over pvAccess the node has two PVs to be written: `Image` takes an NTNDArray, which becomes a frame as it is, with its
//! attributes, times and codec; its pixels are not copied if they were received where elements of their type may lie. `ArrayIn` takes numbers, which
//! become a frame of the shape `dimensions` (the fastest first), the type `data_type` and the colours `color_mode`, limited to
//! the range of the type.
//!
//! With p4p:
//!
//! ```python
//! context = p4p.client.thread.Context("pva", nt=False)
//! context.put("13SIM1:cam1:Image", p4p.nt.NTNDArray().wrap(picture), get=False)
//! ```
//!
//! A put ends when its frame was sent, or with the reason why there is none: a client that waits for it loses nothing and is as fast as the
//! graph. Puts that come while others wait are refused when the [`Inbox`] is full. Frames are numbered from 0; a number that the client
//! gave (`uniqueId`) is the attribute `UniqueId` if it differs.
//!
//! With `append_mode` a frame grows: each write to `ArrayIn` goes on at `next_element`, and only `new_array` begins again, with all
//! elements `fill_value`. Then the frame is sent after each write (`callback_mode: on_update`), when it is complete
//! (`on_complete`, by writing `array_complete`), or when it is asked for (`on_command`, by writing `do_callbacks`).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sources::array_source::{ArraySource, Inbox, Written};
//!
//! let dims = livetime_engine::Value::List(vec![2.0, 1.0]);
//! let mut node = Harness::new::<ArraySource>(&[("dimensions", dims), ("data_type", "u16".into())])?;
//! let inbox = Inbox::new(8, 1 << 20);
//! node.node::<ArraySource>().unwrap().attach(inbox.clone());
//! inbox.leave(Written::Elements(vec![7.0, 70_000.0].into()), Box::new(|answer| assert_eq!(answer, Ok(()))));
//! let frames = node.run_source(1)?;
//! assert_eq!(frames[0].array()?.elements::<u16>()?, [7, 65_535]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod growing;
mod inbox;
#[cfg(test)]
mod tests;

use std::time::Duration;

use livetime_engine::{
    Acts, Context, Counterpart, Next, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, Record,
    time_of_day_ns,
};
use livetime_frame::{AttributeValue, ColorMode, DType, FrameMut, Layout, MAX_DIMS};
use livetime_pva::data::{Array, Value};

use super::acquisition::{ACQUIRING, COMPLETE, DetectorState, ImageMode, STOPPED};
use super::pixels::{Color, DataType};
use crate::ntndarray::{Names, UNIQUE_ID, frame_of, layout_of, pixels_of};
use growing::Growing;
pub use inbox::{Answer, Inbox, Written};

/// When a frame that grows is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum CallbackMode {
    /// After each write.
    #[pv("On update")]
    OnUpdate,
    /// When it is complete.
    #[default]
    #[pv("On complete")]
    OnComplete,
    /// When `do_callbacks` is written.
    #[pv("On command")]
    OnCommand,
}

/// Parameters of `array_source`.
#[derive(Params)]
pub struct ArraySourceParams {
    /// Whether what clients write becomes frames; a run starts with it, and it becomes false when all are taken.
    #[param(default = true, pv = "Acquire", role = Acquire)]
    pub acquire: bool,
    /// How many frames an acquisition has.
    #[param(pv = "ImageMode")]
    pub image_mode: ImageMode,
    /// Frames of an acquisition with image_mode `multiple`; 0 is as 1.
    #[param(default = 100, min = 0, pv = "NumImages", drv_info = "NIMAGES")]
    pub num_images: u64,
    /// Whether the source ends when all frames are taken; if not, it waits for `acquire` to be written.
    pub finish_when_done: bool,
    /// Sizes of frames from `ArrayIn`, the fastest first.
    #[param(default = vec![256.0, 256.0], pv = "Dimensions")]
    pub dimensions: Vec<f64>,
    /// Element type of frames from `ArrayIn`.
    #[param(pv = "DataType")]
    pub data_type: DataType,
    /// Colours of frames from `ArrayIn`.
    #[param(pv = "ColorMode")]
    pub color_mode: Color,
    /// Whether a write to `ArrayIn` adds to the frame before.
    #[param(pv = "AppendMode", words = ["Disable", "Enable"])]
    pub append_mode: bool,
    /// When a frame that grows is sent.
    #[param(pv = "CallbackMode")]
    pub callback_mode: CallbackMode,
    /// Written true: a frame that grows begins again.
    #[param(pv = "NewArray", role = Once, form = Setpoint, words = ["Done", "Set"])]
    pub new_array: bool,
    /// Written true: a frame that grows is complete.
    #[param(pv = "ArrayComplete", role = Once, form = Setpoint, words = ["Done", "Set"])]
    pub array_complete: bool,
    /// Written true: the frame is sent as it is.
    #[param(pv = "DoCallbacks", role = Once, form = Setpoint, words = ["Done", "Set"])]
    pub do_callbacks: bool,
    /// The element to which the next write to `ArrayIn` goes.
    #[param(min = 0, max = 2_147_483_647, pv = "NextElement")]
    pub next_element: usize,
    /// Elements from one that is written to the next.
    #[param(default = 1, min = 1, max = 2_147_483_647, pv = "Stride")]
    pub stride: usize,
    /// The elements that were not written.
    #[param(pv = "FillValue")]
    pub fill_value: f64,
    /// Elements of the frame that grows.
    #[param(readback, pv = "NumElements")]
    pub num_elements: usize,
    /// What the detector is doing.
    #[param(readback, pv = "DetectorState", drv_info = "STATUS")]
    pub detector_state: DetectorState,
    /// The same in words.
    #[param(readback, pv = "StatusMessage")]
    pub status_message: String,
    /// Frames of this acquisition.
    #[param(readback, pv = "NumImagesCounter", drv_info = "NIMAGES_COUNTER")]
    pub num_images_counter: u64,
    /// Frames so far.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub frames: u64,
    /// Writes that were refused so far.
    #[param(readback)]
    pub refused: u64,
}

/// Frames that clients write.
pub struct ArraySource {
    params: ArraySourceParams,
    inbox: Option<Inbox>,
    names: Names,
    growing: Option<Growing>,
    /// `array_complete` or `do_callbacks` was written.
    sends: Option<Ends>,
    /// The number of the next frame.
    next: u64,
}

/// The effect of a sent frame on the acquisition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The frame counts as an image.
    Image,
    /// The frame shows a part of an image.
    Nothing,
}

/// How long the node waits for a write before it returns to the engine for other requests.
const WAIT: Duration = Duration::from_millis(5);
/// Time to the next check after a check without a write, and while the source has no inbox.
const PAUSE_NS: u64 = 10_000;
const UNATTACHED_NS: u64 = 10_000_000;

impl ArraySource {
    /// Makes frames of the writes at `inbox` from now on.
    pub fn attach(&mut self, inbox: Inbox) {
        self.inbox = Some(inbox);
    }

    fn begin(&mut self) {
        self.params.num_images_counter = 0;
        self.params.detector_state = DetectorState::Acquire;
        self.params.status_message = ACQUIRING.into();
    }

    /// The layout of frames from `ArrayIn`.
    fn layout(&self) -> Result<Layout, NodeError> {
        let refuse = || {
            let found = &self.params.dimensions;
            let limits = format!("`dimensions`: wanted 1 to {MAX_DIMS} whole numbers of at least 1");
            NodeError::new(format_args!("{limits}, found {found:?}")).of_param("dimensions")
        };
        // areaDetector's list has ten places; places behind the last dimension are 0.
        let sizes = &self.params.dimensions;
        let used = sizes.len() - sizes.iter().rev().take_while(|v| **v == 0.0).count();
        let whole =
            // A size is a float, because areaDetector's list is a waveform; a fraction is a client's mistake.
            |v: &f64| (*v >= 1.0 && *v <= f64::from(u32::MAX) && v.fract() == 0.0).then_some(*v as usize);
        let shape: Option<Vec<usize>> = sizes[..used].iter().rev().map(whole).collect();
        let dtype = DType::ALL[self.params.data_type.index()];
        let color = match self.params.color_mode {
            Color::Mono => ColorMode::Mono,
            Color::Rgb1 => ColorMode::Rgb1,
            Color::Rgb2 => ColorMode::Rgb2,
            Color::Rgb3 => ColorMode::Rgb3,
        };
        let shape = shape.filter(|s| !s.is_empty() && s.len() <= MAX_DIMS).ok_or_else(refuse)?;
        Ok(Layout::packed(dtype, color, &shape)?)
    }

    /// A frame of an image that a client has written.
    fn image(&mut self, image: &Value, ctx: &mut Context) -> Result<FrameMut, NodeError> {
        // The layout is the client's, and it is checked against the pixels before memory is taken.
        let mut frame = frame_of(layout_of(image)?, pixels_of(image)?.data(), ctx)?;
        self.names.describe(image, frame.header_mut());
        let id = image.i64("uniqueId").unwrap_or(0);
        // The number of the frame is the source's own; the client's number stays as an attribute where they
        // differ.
        if id != 0 && id != self.next as i64 {
            frame.header_mut().attributes.set(&self.names.of(UNIQUE_ID), AttributeValue::Int(id));
        }
        Ok(frame)
    }

    /// Takes elements in; returns whether a frame is to be sent, and what the frame ends.
    fn elements(&mut self, elements: &Array, ctx: &Context) -> Result<Option<Ends>, NodeError> {
        let p = &mut self.params;
        // The first write begins a frame, also in the mode that appends.
        let appends = p.append_mode && !p.new_array && self.growing.is_some();
        if !appends {
            let layout = self.layout()?;
            let p = &mut self.params;
            // The client chooses the sizes, so a frame larger than the pool is refused before it is
            // allocated.
            let most_bytes = ctx.pool_statistics().limit_bytes;
            self.growing = Some(Growing::new(layout, p.fill_value, most_bytes, self.growing.take())?);
            p.num_elements = layout.len();
            // Without appending, each write begins at the first element.
            if !p.append_mode || p.new_array {
                p.next_element = 0;
            }
            p.new_array = false;
        }
        let (p, Some(growing)) = (&mut self.params, &mut self.growing) else { return Ok(None) };
        p.next_element = growing.write(elements, p.next_element, p.stride);
        Ok(match (p.append_mode, p.callback_mode) {
            // The frame stays until the command comes.
            (false, CallbackMode::OnCommand) => None,
            (false, _) => Some(Ends::Image),
            // A frame that is sent while it grows is not an image of the acquisition.
            (true, CallbackMode::OnUpdate) => Some(Ends::Nothing),
            (true, _) => None,
        })
    }

    /// Sends the frame that grows as it is.
    fn send_growing(&mut self, ends: Ends, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(growing) = &self.growing else { return Ok(()) };
        let frame = growing.frame(ctx)?;
        self.send(frame, ends, ctx)
    }

    fn send(&mut self, mut frame: FrameMut, ends: Ends, ctx: &mut Context) -> Result<(), NodeError> {
        let header = frame.header_mut();
        header.sequence = self.next;
        // A client need not give a time.
        if header.event_time_ns == 0 {
            header.event_time_ns = time_of_day_ns();
        }
        ctx.emit(frame)?;
        // The number grows only when the frame was sent: a refused write leaves no gap.
        self.next += 1;
        self.params.frames += 1;
        self.params.num_images_counter += u64::from(ends == Ends::Image);
        Ok(())
    }

    /// Makes a frame of a client's write.
    fn take(&mut self, written: &Written, ctx: &mut Context) -> Result<(), NodeError> {
        // A refusal tells the client; a write that vanished would look like a success.
        if !self.params.acquire {
            return Err(NodeError::new(
                "wanted `Acquire` to be 1, found 0: nothing that is written becomes a frame",
            ));
        }
        match written {
            Written::Image(image) => {
                let frame = self.image(image, ctx)?;
                self.send(frame, Ends::Image, ctx)
            }
            Written::Elements(elements) => match self.elements(elements, ctx)? {
                Some(ends) => self.send_growing(ends, ctx),
                None => Ok(()),
            },
        }
    }

    /// The next step after a call: the end of an acquisition whose frames are all taken.
    fn after(&mut self) -> Next {
        let p = &mut self.params;
        // Stopping by hand has set `acquire` to false already, and then nothing ends here.
        if !p.acquire || !p.image_mode.is_done(p.num_images_counter, p.num_images) {
            return Next::Now;
        }
        p.acquire = false;
        p.detector_state = DetectorState::Idle;
        p.status_message = COMPLETE.into();
        if p.finish_when_done { Next::Finished } else { Next::Now }
    }
}

impl Node for ArraySource {
    type Params = ArraySourceParams;

    const SPEC: NodeSpec =
        NodeSpec::source("array_source", "Frames that clients write.", &[PortSpec::array("out")]);

    const COUNTERPART: Option<Counterpart> = Some(
        Counterpart::new("NDDriverStdArrays", "cam")
            .with_records(&[Record::new("DoCallbacksScan", Acts::Sets("DoCallbacks", 1))]),
    );

    fn new(params: ArraySourceParams) -> Result<ArraySource, NodeError> {
        let names = Names::default();
        let node = ArraySource { params, inbox: None, names, growing: None, sends: None, next: 0 };
        // Sizes that no frame can have are refused when the pipeline starts, not with the first write.
        node.layout()?;
        Ok(node)
    }

    fn params(&mut self) -> &mut ArraySourceParams {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        if self.params.acquire {
            self.begin();
        }
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        // A command comes before further writes: the client gave it after the earlier ones.
        if let Some(ends) = self.sends.take() {
            self.send_growing(ends, ctx)?;
            return Ok(self.after());
        }
        // A pipeline that runs without a server has no inbox.
        let Some(inbox) = &self.inbox else { return Ok(Next::At(ctx.now_ns() + UNATTACHED_NS)) };
        let Some((written, answer)) = inbox.take(WAIT) else { return Ok(Next::At(ctx.now_ns() + PAUSE_NS)) };
        let result = self.take(&written, ctx);
        self.params.refused += u64::from(result.is_err());
        // A refused write is the client's error, not a frame that the source lost.
        answer(result);
        Ok(self.after())
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "acquire" if self.params.acquire => self.begin(),
            "acquire" => {
                self.params.detector_state = self.params.image_mode.when_stopped();
                self.params.status_message = STOPPED.into();
            }
            // The sizes are only checked; they are used with the next frame.
            "dimensions" | "data_type" | "color_mode" => _ = self.layout()?,
            "new_array" if self.params.new_array => self.params.next_element = 0,
            "array_complete" if std::mem::take(&mut self.params.array_complete) => {
                // With this mode only the command sends.
                let is_sent = self.params.callback_mode != CallbackMode::OnCommand;
                self.sends = (self.params.append_mode && is_sent).then_some(Ends::Image);
            }
            "do_callbacks" if std::mem::take(&mut self.params.do_callbacks) => {
                self.sends = Some(Ends::Nothing)
            }
            _ => {}
        }
        Ok(())
    }
}
