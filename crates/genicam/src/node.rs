//! The node: takes images out of a camera's stream and sends them on as frames.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_engine::{Context, DynNode, Next, NodeError, ParamSpec, Params, Refusal, Value};
use livetime_frame::{AttributeValue, Flags, Layout};
use livetime_nodes::sources::{ACQUIRING, COMPLETE, DetectorState, STOPPED};

use crate::aravis::{Image, Stream};
use crate::clock::CameraClock;
use crate::control::{self, About, Ends, News, Order, Setup};
use crate::features::Feature;
use crate::numbers::Numbers;
use crate::params::{GenicamParams, TimeSource};
use crate::pixels::PixelFormat;

/// The node's wait for an image before it handles other messages, such as changes of parameters.
const WAIT: Duration = Duration::from_millis(5);
/// Time to the next check after a check without an image.
const PAUSE_NS: u64 = 10_000;
/// Time between two checks for news while no image is expected.
const IDLE_NS: u64 = 20_000_000;
/// Longest wait of a write for the camera, which answers within some ms unless the connection is about to be lost.
const ANSWER: Duration = Duration::from_secs(1);
/// Most messages from the control thread that wait for the node: more than all settings and features that are read in a
/// second.
const NEWS: usize = 256;

/// All parameters: the common ones of all cameras, then the features of this one.
pub(crate) struct AllParams {
    pub(crate) base: GenicamParams,
    pub(crate) features: Vec<Value>,
    pub(crate) specs: &'static [ParamSpec],
}

impl AllParams {
    fn base_len(&self) -> usize {
        self.specs.len() - self.features.len()
    }

    /// Sets the parameter or readback `name`, as the camera has it.
    fn show(&mut self, name: &str, value: &Value) {
        if let Some(index) = self.specs.iter().position(|spec| spec.name == name) {
            // The kinds of the values are right, because the declaration came from the same camera.
            let _ = self.set(index, value);
        }
    }
}

impl Params for AllParams {
    fn specs(&self) -> &'static [ParamSpec] {
        self.specs
    }

    fn get(&self, index: usize) -> Option<Value> {
        match index.checked_sub(self.base_len()) {
            Some(feature) => self.features.get(feature).cloned(),
            None => self.base.get(index),
        }
    }

    fn set(&mut self, index: usize, value: &Value) -> Result<(), Refusal> {
        match index.checked_sub(self.base_len()) {
            Some(feature) => {
                let place = self.features.get_mut(feature).ok_or_else(|| Refusal::unknown_index(index))?;
                place.clone_from(value);
                Ok(())
            }
            None => self.base.set(index, value),
        }
    }
}

/// A camera as a source.
pub(crate) struct Genicam {
    params: AllParams,
    features: Vec<Feature>,
    /// The values given for the camera, by name of parameter.
    given: BTreeMap<&'static str, Value>,
    control: Option<(Ends, JoinHandle<()>)>,
    stream: Option<Stream>,
    /// Whether `connected` was true before.
    was_there: bool,
    /// Number of the next frame.
    sequence: u64,
    numbers: Numbers,
    clock: CameraClock,
    /// Underruns of streams that are gone.
    underruns_before: u64,
    /// Layout of the frames that memory was taken for.
    layout: Option<Layout>,
    bayer_pattern: Arc<str>,
}

impl Genicam {
    pub(crate) fn new(
        params: AllParams,
        features: Vec<Feature>,
        given: BTreeMap<&'static str, Value>,
    ) -> Genicam {
        Genicam {
            params,
            features,
            given,
            control: None,
            stream: None,
            was_there: false,
            sequence: 1,
            numbers: Numbers::default(),
            clock: CameraClock::default(),
            underruns_before: 0,
            layout: None,
            bayer_pattern: "BayerPattern".into(),
        }
    }

    /// Starts the thread that looks for the camera.
    fn open(&mut self) -> Result<(), NodeError> {
        self.close();
        self.was_there = false;
        crate::aravis::version().map_err(NodeError::new)?;
        let (orders, their_orders) = channel();
        let (their_news, news) = sync_channel(NEWS);
        let setup = Setup {
            name: self.params.base.camera.clone(),
            buffers: self.params.base.buffers,
            packet_socket: self.params.base.packet_socket,
            acquire: self.params.base.acquire,
            given: self.given.clone(),
            features: self.features.clone(),
        };
        let thread = std::thread::Builder::new().name("genicam".into());
        let thread = thread.spawn(move || control::run(setup, &their_orders, their_news))?;
        self.control = Some((Ends { orders, news }, thread));
        self.set_state(DetectorState::Initializing, "Looking for the camera");
        Ok(())
    }

    /// Ends the control of the camera. Waits for that only when there is one that is to be stopped.
    fn close(&mut self) {
        self.end_stream();
        if let Some((ends, thread)) = self.control.take() {
            drop(ends);
            if self.params.base.connected {
                // A panic there was reported by the panic itself.
                let _ = thread.join();
            }
        }
        self.params.base.connected = false;
    }

    fn order(&self, order: Order) {
        if let Some((ends, _)) = &self.control {
            // A control thread that is gone has sent its last news, which the node reads next.
            let _ = ends.orders.send(order);
        }
    }

    fn set_state(&mut self, state: DetectorState, message: &str) {
        self.params.base.detector_state = state;
        message.clone_into(&mut self.params.base.status_message);
    }

    fn name(&self) -> &str {
        match &*self.params.base.camera {
            "" => "the first camera that is found",
            name => name,
        }
    }

    fn read_news(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        while let Some(news) = self.control.as_ref().and_then(|(ends, _)| ends.news.try_recv().ok()) {
            match news {
                News::Connected(about) => self.connect(about, ctx),
                News::Absent(why) => {
                    self.set_state(DetectorState::Disconnected, &why.to_string());
                    ctx.tell_error(format!(
                        "wanted camera `{}`, found: {why}; it is looked for",
                        self.name()
                    ));
                }
                News::Lost => self.lose(ctx)?,
                News::Stream(stream) => self.take_stream(stream, ctx)?,
                News::Refused(why) => ctx.tell_error(why),
                News::Value(name, value) => self.params.show(name, &value),
            }
        }
        Ok(())
    }

    fn connect(&mut self, about: About, ctx: &Context) {
        let base = &mut self.params.base;
        ctx.tell(format!("camera {} {} {} is there", about.manufacturer, about.model, about.serial_number));
        base.reconnects += u64::from(self.was_there);
        self.was_there = true;
        (base.manufacturer, base.model, base.serial_number) =
            (about.manufacturer, about.model, about.serial_number);
        base.connected = true;
        self.set_state(DetectorState::Idle, "Connected");
    }

    fn lose(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.params.base.connected = false;
        self.set_state(DetectorState::Disconnected, "The camera is gone");
        ctx.tell_error(format!("camera `{}` is gone; it is looked for", self.name()));
        let drained = self.drain_stream(ctx);
        self.end_stream();
        drained
    }

    fn take_stream(&mut self, stream: Stream, ctx: &mut Context) -> Result<(), NodeError> {
        let drained = self.drain_stream(ctx);
        self.end_stream();
        (self.numbers, self.clock) = (Numbers::default(), CameraClock::default());
        if self.params.base.acquire {
            self.stream = Some(stream);
            self.set_state(DetectorState::Acquire, ACQUIRING);
        } else {
            self.order(Order::Return(stream));
        }
        drained
    }

    /// Images from before the camera was gone or was set are sent on.
    fn drain_stream(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(stream) = self.stream.take() else { return Ok(()) };
        let mut result = Ok(());
        while !self.is_done()
            && let Some(image) = stream.next(Duration::ZERO)
        {
            result = result.and(self.take(&image, ctx));
        }
        self.stream = Some(stream);
        result
    }

    /// Ending a stream waits for its thread, which is left to the thread of the camera.
    fn end_stream(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.underruns_before += stream.counts().underruns;
            self.params.base.underruns = self.underruns_before;
            self.order(Order::Return(stream));
        }
    }

    fn is_done(&self) -> bool {
        let base = &self.params.base;
        base.image_mode.is_done(base.num_images_counter, base.num_images)
    }

    fn begin(&mut self) {
        self.params.base.num_images_counter = 0;
        self.order(Order::Acquire(true));
    }

    /// Acquisition was stopped before its end.
    fn halt(&mut self) {
        self.order(Order::Acquire(false));
        if self.stream.is_some() {
            self.end_stream();
            self.set_state(self.params.base.image_mode.when_stopped(), STOPPED);
        }
    }

    /// All frames of an acquisition are taken.
    fn complete(&mut self, now_ns: u64) -> Next {
        self.params.base.acquire = false;
        self.order(Order::Acquire(false));
        self.end_stream();
        self.set_state(DetectorState::Idle, COMPLETE);
        // The camera's values are read back meanwhile, too.
        if self.params.base.finish_when_done { Next::Finished } else { Next::At(now_ns + IDLE_NS) }
    }

    fn take(&mut self, image: &Image<'_>, ctx: &mut Context) -> Result<(), NodeError> {
        let number = image.number();
        let missing = self.numbers.missing_before(number);
        if missing > 0 {
            self.params.base.missing_frames += missing;
            ctx.tell_error(format!("{missing} frames are missing before the camera's frame {number}"));
            // Not by leaving out numbers: these would count only with the next frame, which may never come.
            ctx.lost_at_source(missing);
        }
        if let Err(why) = image.check() {
            self.params.base.incomplete_frames += 1;
            ctx.unreadable(1, format!("wanted the camera's frame {number} whole, found: {why}"));
            return Ok(());
        }
        self.emit(image, ctx)
    }

    fn emit(&mut self, image: &Image<'_>, ctx: &mut Context) -> Result<(), NodeError> {
        if !image.is_picture() {
            return Err(NodeError::new("wanted a picture, found another kind of data"));
        }
        let format = PixelFormat::of(image.pixel_format())?;
        let layout = self.layout(image, &format)?;
        if self.layout != Some(layout) {
            self.layout = Some(layout);
            ctx.preallocate_for_queues(layout.span());
        }
        let mut frame = ctx.array(layout)?;
        format.unpack(image.bytes(), frame.bytes_mut())?;
        let header = frame.header_mut();
        header.sequence = self.sequence;
        let (camera_ns, arrival_ns) = (image.camera_ns(), image.arrival_ns());
        match self.params.base.time_source {
            TimeSource::Camera if camera_ns != 0 => {
                header.event_time_ns = self.clock.event_time_ns(camera_ns, arrival_ns);
            }
            _ => {
                header.event_time_ns = i64::try_from(arrival_ns).unwrap_or(0);
                header.flags = header.flags.with(Flags::ARRIVAL_TIME);
            }
        }
        if let Some(pattern) = format.bayer {
            header.attributes.set(&self.bayer_pattern, AttributeValue::Int(pattern));
        }
        let base = &mut self.params.base;
        base.array_counter += 1;
        base.num_images_counter += 1;
        (base.array_size_x, base.array_size_y, base.array_size) =
            (layout.width(), layout.height(), layout.span());
        self.sequence += 1;
        ctx.emit(frame)
    }

    fn layout(&self, image: &Image<'_>, format: &PixelFormat) -> Result<Layout, NodeError> {
        let [x, y, width, height] = image.region();
        let layout = Layout::packed(format.dtype, format.color, &format.color.shape(width, height))?;
        let values = layout.len();
        if width == 0 || height == 0 || format.sent_bytes(values) > image.bytes().len() {
            return Err(NodeError::new(format_args!(
                "wanted a picture of {} bytes, found {width} x {height} pixels in {}",
                image.bytes().len(),
                format.sent_bytes(values)
            )));
        }
        let bin = |bin: i64| usize::try_from(bin).unwrap_or(1).max(1);
        let (bin_x, bin_y) = (bin(self.params.base.bin_x), bin(self.params.base.bin_y));
        let axes = layout.axes();
        let origin = (0..layout.dims().len()).map(|axis| match Some(axis) {
            axis if axis == axes.x => (x * bin_x, bin_x, false),
            axis if axis == axes.y => (y * bin_y, bin_y, false),
            _ => (0, 1, false),
        });
        Ok(layout.with_origin(origin))
    }

    /// Has the camera set, and waits for its answer for a moment.
    fn write(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let (Some(spec), Some(value)) = (self.params.specs.get(index), self.params.get(index)) else {
            return Ok(());
        };
        let is_command = value == Value::Bool(true)
            && (spec.name == "trigger_software"
                || self.features.iter().any(|f| f.spec.name == spec.name && f.is_command()));
        if is_command {
            self.params.set(index, &Value::Bool(false))?;
        }
        let (answer, answered) = sync_channel(1);
        self.order(Order::Write { name: spec.name, value: value.clone(), answer });
        if !self.params.base.connected {
            if is_command {
                return Err(NodeError::new("wanted a camera that is there, found none").of_param(spec.name));
            }
            self.given.insert(spec.name, value);
            return Ok(());
        }
        let answer = answered.recv_timeout(ANSWER);
        self.read_news(ctx)?;
        match answer {
            Ok(Ok(())) if is_command => Ok(()),
            Ok(Ok(())) => {
                self.given.insert(spec.name, value);
                Ok(())
            }
            Ok(Err(why)) => Err(NodeError::new(why).of_param(spec.name)),
            Err(_) => Err(NodeError::new(format_args!(
                "wanted an answer of the camera within {} s, found none",
                ANSWER.as_secs()
            ))),
        }
    }
}

impl DynNode for Genicam {
    fn params(&mut self) -> &mut dyn Params {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.open()
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        self.read_news(ctx)?;
        let Some(stream) = self.stream.take().filter(|_| self.params.base.acquire) else {
            return Ok(Next::At(ctx.now_ns() + IDLE_NS));
        };
        let image = stream.next(WAIT);
        let taken = image.as_ref().map(|image| self.take(image, ctx));
        drop(image);
        self.params.base.underruns = self.underruns_before + stream.counts().underruns;
        self.stream = Some(stream);
        match taken {
            Some(result) => {
                result.map(|()| if self.is_done() { self.complete(ctx.now_ns()) } else { Next::Now })
            }
            None => Ok(Next::At(ctx.now_ns() + PAUSE_NS)),
        }
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs.get(index).map_or("", |spec| spec.name) {
            "acquire" if self.params.base.acquire && self.stream.is_none() => {
                self.begin();
                Ok(())
            }
            "acquire" if self.params.base.acquire => Ok(()),
            "acquire" => {
                self.halt();
                Ok(())
            }
            "image_mode" | "num_images" | "finish_when_done" | "time_source" => Ok(()),
            "camera" | "buffers" | "packet_socket" => self.open(),
            _ => self.write(index, ctx),
        }
    }

    fn stop(&mut self) {
        self.close();
    }
}
