//! Pictures: `image1:ArrayData` and `Pva1:Image`.
//!
//! Frames on their way to clients occupy memory that the run lacks, so their memory is bounded: an image is sent from
//! the frame's own memory, and when slow clients keep too many images, all but the newest are released before another
//! one is shown ([`SharedPv::relieve`]). Frames that wait to be shown are meanwhile replaced by newer ones. No node's
//! thread does any of this.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use livetime_control::model::Waker;
use livetime_engine::{Graph, Plan, Report, Run, time_of_day_ns};
use livetime_frame::{DType, Frame};
use livetime_nodes::ntndarray::{ImageWriter, Loans, kind_of, pixels};
use livetime_nodes::process::image::Image;
use livetime_nodes::sinks::pva_image::{Handover, PvaImage};
use livetime_pva::data::{ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::server::{Limits, PvMap, SharedPv};
use livetime_pva::wire::BitSet;

use super::array_in::{Given, Intake};
use super::error::ServeError;
use super::picture_pvs::{ARRAY_SOURCE, EVERY, IMAGE, NEWEST, PV_NAME, PVA_IMAGE, served};
use super::point::time_of;

/// Frames that wait for one PV to be shown. Newer ones replace the oldest beyond it.
const WAITING: usize = 8;

/// Divisor of the memory for frames: all pictures on their way to clients take at most an eighth of it, and pictures
/// that wait to be shown another eighth.
pub(super) const SHARE: usize = 8;

/// Time until the next check whether clients have released images, while frames wait for room.
const RELIEF: Duration = Duration::from_millis(5);

/// How long clients may take for the last pictures of a run. A client that reads has them at once; the end of a run does
/// not wait for one that has stopped.
const LAST_PICTURES: Duration = Duration::from_millis(500);

/// The largest picture that a client may write: more than any detector makes. A longer one is refused with the reason.
const LARGEST_PUT: usize = 256 << 20;

/// The server's limits for a graph with a node that takes pictures from clients: a message may have a picture and a MiB
/// for its description, and a second message may wait beside the one that is being received.
pub(super) fn limits(usual: Limits, graph: &Graph) -> Limits {
    if !graph.nodes().iter().any(|node| node.node_type.spec.name == ARRAY_SOURCE) {
        return usual;
    }
    let message = usual.message.max(LARGEST_PUT + (1 << 20));
    Limits {
        message,
        memory_per_connection: usual.memory_per_connection.saturating_add(2 * message),
        memory_per_host: usual.memory_per_host.saturating_add(2 * message),
        memory: usual.memory.saturating_add(2 * message),
        ..usual
    }
}

/// Bytes of each node's pictures that may be under way.
fn room(graph: &Graph) -> usize {
    let count = graph.nodes().iter().filter(|n| !served(n.node_type.spec.name).is_empty()).count();
    graph.memory_bytes / SHARE / count.max(1)
}

/// The nodes that hold pictures, and where these are shown.
pub(super) struct Pictures {
    newest: Vec<Newest>,
    streams: Vec<PictureStream>,
    intakes: Vec<Intake>,
}

/// The newest picture of an `image`, as an array of numbers.
struct Newest {
    number: usize,
    room: Room,
    kind: ScalarType,
    /// The answer that the node still owes.
    asked: Option<Receiver<Option<Option<Frame>>>>,
    /// The node was waited for once: a node that hangs does not delay every update.
    is_late: bool,
    /// The shown frame.
    shown: Option<Frame>,
}

/// Every picture of a `pva_image`.
struct PictureStream {
    number: usize,
    handover: Handover,
    given: Given,
}

/// Shows the frames that a `pva_image` hands over.
pub(super) struct Screen {
    name: String,
    handover: Handover,
    room: Room,
    writer: ImageWriter,
}

/// How much a PV of pictures may keep.
struct Room {
    pv: SharedPv,
    loans: Loans,
    bytes: usize,
}

impl Room {
    /// Whether another picture may be shown; if not, clients are made to let go.
    fn has(&self, bytes: usize) -> bool {
        let has =
            // Two images always fit: the shown one, and the next that replaces it.
            |room: &Room| room.loans.images() < 2 || room.loans.bytes().saturating_add(bytes) <= room.bytes;
        // The check comes first, because releasing costs a copy for each slow client.
        if !has(self) {
            self.pv.relieve();
        }
        has(self)
    }
}

impl Pictures {
    pub(super) fn new(
        graph: &Graph,
        plan: &Plan,
        instances: &[String],
        prefix: &str,
        map: &PvMap,
        bell: &Arc<Waker>,
    ) -> Result<(Pictures, Vec<Screen>), ServeError> {
        let bytes = room(graph);
        let intakes = Intake::all(graph, instances, prefix, map, bytes)?;
        let mut pictures = Pictures { newest: Vec::new(), streams: Vec::new(), intakes };
        let mut screens = Vec::new();
        for (number, (decl, instance)) in graph.nodes().iter().zip(instances).enumerate() {
            match decl.node_type.spec.name {
                IMAGE => {
                    let kind = kind_of(input_dtype(graph, plan, number));
                    let pv = SharedPv::new(array_value(kind)?);
                    map.add(format!("{prefix}{instance}:{}", NEWEST.name), pv.clone());
                    let room = Room { pv, loans: Loans::default(), bytes };
                    pictures.newest.push(Newest {
                        number,
                        room,
                        kind,
                        asked: None,
                        is_late: false,
                        shown: None,
                    });
                }
                PVA_IMAGE => {
                    let pv = SharedPv::new(Value::new(&nt::ndarray()));
                    let name = format!("{prefix}{instance}:{}", EVERY.name);
                    let text = text_value(&name)?;
                    map.add(format!("{prefix}{instance}:{}", PV_NAME.name), SharedPv::new(text));
                    map.add(&*name, pv.clone());
                    let bell = bell.clone();
                    let handover = Handover::new(WAITING, bytes, move || bell.ring());
                    let writer = ImageWriter::new().map_err(ServeError::Pictures)?;
                    let room = Room { pv, loans: writer.loans().clone(), bytes };
                    screens.push(Screen { name, handover: handover.clone(), room, writer });
                    pictures.streams.push(PictureStream { number, handover, given: Given::default() });
                }
                _ => {}
            }
        }
        Ok((pictures, screens))
    }

    /// Asks all nodes for their newest frames, without waiting.
    pub(super) fn ask(&mut self, run: &Run) {
        self.newest.iter_mut().for_each(|newest| newest.ask(run));
    }

    /// Shows the frames that arrive until `deadline`, and gives the services to nodes that were built anew.
    pub(super) fn show(&mut self, run: &Run, report: &Report, deadline: Instant) {
        self.newest.iter_mut().for_each(|newest| newest.show_answer(deadline));
        for stream in &mut self.streams {
            stream.attach(run, report.nodes.get(stream.number).map_or(0, |n| n.restarts));
        }
        self.intakes.iter_mut().for_each(|intake| intake.attach(run, report));
    }
}

impl Newest {
    fn ask(&mut self, run: &Run) {
        // A node that has not answered is not asked again.
        if self.asked.is_none() {
            self.is_late = false;
            self.asked = run.visit_later(self.number, |node: &mut Image| node.newest()).ok();
        }
    }

    fn show_answer(&mut self, deadline: Instant) {
        let Some(asked) = &self.asked else { return };
        let limit = deadline.saturating_duration_since(Instant::now());
        // The first answer is waited for, later ones are not: see `is_late`.
        let limit = if std::mem::replace(&mut self.is_late, true) { Duration::ZERO } else { limit };
        let answer = asked.recv_timeout(limit);
        if matches!(answer, Err(RecvTimeoutError::Timeout)) {
            return;
        }
        self.asked = None;
        let Ok(Some(Some(frame))) = answer else { return };
        // A frame that is shown already is no update.
        if self.shown.as_ref().is_some_and(|shown| shown.is_same(&frame)) {
            return;
        }
        // The PV counts the memory of the shown frame from now on.
        self.shown = None;
        if self.room.has(frame.bytes().len()) {
            // A frame that is no array, or too large for a message, is not shown.
            let _ = self.show(&frame);
            self.shown = Some(frame);
        }
    }

    fn show(&mut self, frame: &Frame) -> livetime_pva::Result<()> {
        let Ok(array) = frame.array() else { return Ok(()) };
        let elements = pixels(frame, array, &self.room.loans)?;
        let pv = &self.room.pv;
        if elements.kind() != self.kind {
            // Another element type is another PV type: clients must open the channel again.
            self.kind = elements.kind();
            pv.replace(array_value(self.kind)?);
        }
        pv.update(|value| {
            value.set_bit(1, elements)?;
            nt::set_time(value, "timeStamp", time_of(frame.header().event_time_ns))
        })
    }
}

impl PictureStream {
    fn attach(&mut self, run: &Run, restarts: u64) {
        let (number, handover) = (self.number, &self.handover);
        self.given.renew(restarts, || {
            let handover = handover.clone();
            run.visit_later(number, move |node: &mut PvaImage| node.attach(handover)).ok()
        });
    }
}

/// Shows frames as they are handed over until the end, and then the waiting ones; then none of `pvs` has pictures.
pub(super) fn show_all(mut screens: Vec<Screen>, pvs: &PvMap, bell: &Waker) {
    let mut has_more = false;
    loop {
        let is_ended = bell.is_ended();
        if !is_ended {
            bell.wait(if has_more { RELIEF } else { Duration::from_secs(1) });
        }
        has_more = screens.iter_mut().fold(false, |more, screen| screen.show_all() | more);
        if is_ended {
            let until = Instant::now() + LAST_PICTURES;
            return screens.iter_mut().for_each(|screen| screen.end(pvs, until));
        }
    }
}

impl Screen {
    /// Shows waiting frames, as long as there is room. Returns whether more are waiting.
    fn show_all(&mut self) -> bool {
        self.handover.note_unsent(self.room.pv.unsent().into());
        // A limit per turn gives the other screens their turn, however fast frames come.
        for _ in 0..WAITING {
            if self.handover.is_empty() {
                return false;
            }
            // The mean size of images on their way stands for the next one.
            if !self.room.has(self.room.loans.bytes() / self.room.loans.images().max(1)) {
                return true;
            }
            let Some(frame) = self.handover.take() else { return false };
            // A frame that is no array never comes here; a frame that no message can hold is missed by the clients.
            if let Ok(image) = self.writer.write(&frame) {
                let _ = self.room.pv.post(image, &BitSet::from_iter([0]));
            }
            // The PV holds its own reference; a second one here would hold the memory back.
            self.writer.release();
        }
        !self.handover.is_empty()
    }

    /// The run is over. Clients with all pictures are told so; the others see their connection end.
    fn end(&mut self, pvs: &PvMap, until: Instant) {
        while self.show_all() && Instant::now() < until {
            std::thread::sleep(RELIEF);
        }
        // First, so that a client that is told does not find it again.
        pvs.remove(&self.name);
        if self.handover.is_empty() {
            self.room.pv.end(until.saturating_duration_since(Instant::now()));
        }
    }
}

/// The elements that a node will get, as far as that is known before the run.
fn input_dtype(graph: &Graph, plan: &Plan, node: usize) -> DType {
    let edge = graph.edges().iter().find(|e| e.to.0 == node);
    let stream = edge.and_then(|e| plan.streams.get(e.from.0)?.get(e.from.1));
    stream.and_then(|s| s.layout()).map_or(DType::U8, |l| l.dtype())
}

fn array_value(kind: ScalarType) -> livetime_pva::Result<Value> {
    let mut value = Value::new(&nt::scalar_array(kind));
    value.set("display.description", NEWEST.doc)?;
    nt::set_time(&mut value, "timeStamp", time_of(time_of_day_ns()))?;
    Ok(value)
}

fn text_value(text: &str) -> livetime_pva::Result<Value> {
    let mut value = Value::new(&nt::scalar(ScalarType::Str));
    value.set("value", text)?;
    nt::set_time(&mut value, "timeStamp", time_of(time_of_day_ns()))?;
    Ok(value)
}
