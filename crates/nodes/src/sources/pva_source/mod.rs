//! `pva_source`: an NTNDArray channel of a pvAccess server as a detector (areaDetector's pvaDriver).
//!
//! Out: arrays as the server sends them, with its attributes and times. Large images stay in the memory into which the
//! client received them, outside the run's memory bound; as many can be under way as queues hold. Compressed images
//! stay compressed if `decompress` knows their codec, and are refused otherwise. The type and shape of the frames are
//! not known before they arrive. Frames keep the numbers of their server (`uniqueId`), so that the frames of a chain of
//! servers can be compared: as the frame's number, or, where that had to continue otherwise, as the attribute
//! `UniqueId`.
//!
//! Missed images are counted exactly where the server numbers its images (`uniqueId`): numbers left out, because the
//! server or the network or this node was too slow, are frames that the source lost. `overruns` counts the updates that
//! a server reports as merged; those images are in the gaps already. The log has a line when a server begins to count
//! again. A server without numbers is recognised by that, and its `overruns` count as lost, at least one each.
//!
//! When the connection breaks and comes back, the gap in the numbers is exact (`disconnected`) if the server is the same:
//! servers have an identity (GUID) that ends with their process. In all other cases, and when the run ends before the
//! server is back, it cannot be known what was sent meanwhile: the break counts once as `unknown`, and `unknown_since`
//! says since when. A server that closes its channel says that nothing more comes; as long as it is not back, nothing is
//! missing. Images from before the first one of the run belong to no account: `first_unique_id` says where this begins.
//! After the kill of an earlier run of the pipeline they do: that run had not closed its account ([`Interrupted`]).
//!
//! An acquisition (`acquire`) has as many images as `image_mode` and `num_images` set, and ends then. With `single` and
//! `multiple` it begins with the first image that comes after it has begun; with `continuous` with the image that the
//! server shows, unless that was taken already. Images between two acquisitions are not missed. Exposure and period are
//! set at the server: their parameters here are only kept, for clients that write them to every detector.
//!
//! The node waits for images itself, for a few ms at a time, and needs a thread of its own.

mod account;
mod breaks;
mod interrupted;
mod numbers;
#[cfg(test)]
mod tests;

use std::time::Duration;

use livetime_engine::{
    Context, Counterpart, Next, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, Teller,
};
use livetime_frame::AttributeValue;
use livetime_pva::client::{Client, ClientConfig, Event, Monitor, Update};
use livetime_pva::net::Variables;

use super::acquisition::{ACQUIRING, COMPLETE, DetectorState, ImageMode, STOPPED};
use crate::ntndarray::{Names, UNIQUE_ID, frame_of, layout_of, pixels_of};
use account::Account;
use breaks::{Missing, utc};
pub use interrupted::Interrupted;

/// Whether there is a server; the choices of pvaDriver's PvConnection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Connection {
    /// There is none.
    #[default]
    Down,
    /// There is one.
    Up,
}

/// Parameters of `pva_source`.
#[derive(Params)]
pub struct PvaSourceParams {
    /// Name of the channel, as `13SIM1:Pva1:Image`.
    #[param(pv = "PvName")]
    pub channel: String,
    /// Whether images are taken; a run starts with it, and it becomes false when all are taken.
    #[param(default = true, pv = "Acquire", role = Acquire)]
    pub acquire: bool,
    /// How many images an acquisition has.
    #[param(pv = "ImageMode")]
    pub image_mode: ImageMode,
    /// Images of an acquisition with image_mode `multiple`; 0 is as 1.
    #[param(default = 100, min = 0, pv = "NumImages", drv_info = "NIMAGES")]
    pub num_images: u64,
    /// Whether the source ends when all images are taken; if not, it waits for `acquire` to be written.
    #[param(default = true)]
    pub finish_when_done: bool,
    /// Without effect: the server of the images decides. Kept for clients that write it to every detector.
    #[param(default = 0.0, min = 0.0, max = 1e9, unit = "s", pv = "AcquireTime", drv_info = "ACQ_TIME")]
    pub time_as_written: f64,
    /// Without effect, as `time_as_written`.
    #[param(default = 0.0, min = 0.0, max = 1e9, unit = "s", pv = "AcquirePeriod", drv_info = "ACQ_PERIOD")]
    pub period_as_written: f64,
    /// Addresses to search at, as in EPICS_PVA_ADDR_LIST.
    pub addresses: String,
    /// Whether it is also searched in all networks of this machine.
    #[param(default = true)]
    pub auto_addresses: bool,
    /// Servers that are asked without a search, as in EPICS_PVA_NAME_SERVERS.
    pub name_servers: String,
    /// UDP port of searches.
    #[param(default = 5076, min = 1, max = 65535)]
    pub search_port: u32,
    /// Images that may wait at the server, and as many here.
    #[param(default = 20, min = 1, max = 1000)]
    pub queue: u32,
    /// What the detector is doing.
    #[param(readback, pv = "DetectorState", drv_info = "STATUS")]
    pub detector_state: DetectorState,
    /// The same in words.
    #[param(readback, pv = "StatusMessage")]
    pub status_message: String,
    /// Images of this acquisition.
    #[param(readback, pv = "NumImagesCounter", drv_info = "NIMAGES_COUNTER")]
    pub num_images_counter: u64,
    /// Whether there is a server; looked for while images are taken.
    #[param(readback, pv = "PvConnection")]
    pub connected: Connection,
    /// Images so far.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub frames: u64,
    /// Images that were missed, as far as numbers say.
    #[param(readback)]
    pub missed: u64,
    /// Updates that a server merged into others because somebody was too slow.
    #[param(readback, pv = "OverrunCounter")]
    pub overruns: u64,
    /// How often the server began to count again.
    #[param(readback)]
    pub restarted: u64,
    /// Since when images may be missing whose number is unknown, in UTC; empty if there are none.
    #[param(readback)]
    pub unknown_since: String,
    /// The number that the server gave the first image.
    #[param(readback)]
    pub first_unique_id: i64,
    /// The number that the server gave the last image.
    #[param(readback)]
    pub last_unique_id: i64,
}

/// An NTNDArray channel as a detector.
pub struct PvaSource {
    params: PvaSourceParams,
    client: Option<Client>,
    monitor: Option<Monitor>,
    account: Account,
    teller: Option<Teller>,
    names: Names,
    /// The number of the next frame, should the one before not have come through.
    next: Option<u64>,
    /// Whether the image that the server shows when it is asked is from before the acquisition.
    skips_shown: bool,
}

/// The node's wait for an image before it returns to the engine for other requests.
const WAIT: Duration = Duration::from_millis(5);
/// When it looks again if there was none.
const PAUSE_NS: u64 = 10_000;

impl Node for PvaSource {
    type Params = PvaSourceParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "pva_source",
        "The images of a pvAccess server (NTNDArray) as frames.",
        &[PortSpec::array("out")],
    );

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("pvaDriver", "cam").or(&["NDPvaDriver"]).with_arguments(&["channel"]));

    fn new(params: PvaSourceParams) -> Result<PvaSource, NodeError> {
        Ok(PvaSource {
            params,
            client: None,
            monitor: None,
            account: Account::default(),
            teller: None,
            names: Names::default(),
            next: None,
            skips_shown: false,
        })
    }

    fn params(&mut self) -> &mut PvaSourceParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.teller = Some(ctx.teller());
        if self.params.acquire {
            self.begin();
        }
        self.open()?;
        if let Some(since) = ctx.service::<Interrupted>().take(ctx.name()).filter(|_| self.params.acquire) {
            self.account.begin_broken(since);
            self.show_unknown();
        }
        Ok(())
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let Some(monitor) = self.monitor.as_mut().filter(|_| self.params.acquire) else {
            return Ok(Next::Idle);
        };
        match monitor.next(WAIT).map_err(NodeError::new)? {
            Some(Event::Update(update)) => {
                self.take(&update, ctx)?;
                let is_done =
                    self.params.image_mode.is_done(self.params.num_images_counter, self.params.num_images);
                return Ok(if is_done { self.complete() } else { Next::Now });
            }
            Some(Event::Connected { server }) => {
                self.account.connect(server);
                self.params.connected = Connection::Up;
                self.params.detector_state = DetectorState::Acquire;
                ctx.tell(format!("`{}` is there", self.params.channel));
            }
            Some(Event::Disconnected { is_closed }) => {
                self.lose_connection(is_closed);
                ctx.tell_error(format!("`{}` is gone; it is searched again", self.params.channel));
            }
            Some(Event::Ended(result)) => return self.end(result, ctx),
            None => {}
        }
        Ok(Next::At(ctx.now_ns() + PAUSE_NS))
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "acquire" if self.params.acquire && self.monitor.is_none() => {
                self.begin();
                self.open_channel()
            }
            "acquire" => {
                self.halt();
                Ok(())
            }
            "image_mode" | "num_images" | "finish_when_done" | "time_as_written" | "period_as_written" => {
                Ok(())
            }
            _ => self.open(),
        }
    }

    fn stop(&mut self) {
        self.close_channel();
        self.client = None;
    }
}

impl PvaSource {
    fn open(&mut self) -> Result<(), NodeError> {
        self.stop();
        if self.params.channel.is_empty() {
            return Err(NodeError::new("`channel`: wanted the name of a channel, found nothing"));
        }
        let variables = Variables::from_iter([
            ("EPICS_PVA_ADDR_LIST", &*self.params.addresses),
            ("EPICS_PVA_AUTO_ADDR_LIST", if self.params.auto_addresses { "YES" } else { "NO" }),
            ("EPICS_PVA_NAME_SERVERS", &*self.params.name_servers),
            ("EPICS_PVA_BROADCAST_PORT", &*self.params.search_port.to_string()),
        ]);
        let config = ClientConfig::from_variables(&variables).map_err(NodeError::new)?;
        self.client = Some(Client::new(config).map_err(NodeError::new)?);
        self.open_channel()
    }

    fn open_channel(&mut self) -> Result<(), NodeError> {
        let Some(client) = self.client.as_ref().filter(|_| self.params.acquire) else { return Ok(()) };
        let request = format!("record[queueSize={}]field()", self.params.queue);
        self.account.open();
        let monitor = client.channel(&self.params.channel).monitor(&request);
        self.monitor = Some(monitor.map_err(NodeError::new)?);
        Ok(())
    }

    fn lose_connection(&mut self, is_closed: bool) {
        // A subscription that had not begun again has missed nothing more.
        if std::mem::take(&mut self.params.connected) == Connection::Up {
            self.account.disconnect(is_closed);
            self.show_unknown();
        }
        self.params.detector_state = DetectorState::Disconnected;
        self.account.open();
    }

    fn show_unknown(&mut self) {
        self.params.unknown_since = self.account.unknown_since().map(utc).unwrap_or_default();
    }

    fn close_channel(&mut self) {
        self.give_up_break();
        (self.monitor, self.params.connected) = (None, Connection::Down);
    }

    /// A break whose end the subscription does not live to see.
    fn give_up_break(&mut self) {
        let (Some(since), Some(monitor), Some(teller)) =
            (self.account.give_up(), &self.monitor, &self.teller)
        else {
            return;
        };
        let channel = monitor.channel().name();
        let text = format!("`{channel}` did not come back: what it sent since {} is unknown", utc(since));
        teller.unknown(since, text);
        self.show_unknown();
    }

    fn begin(&mut self) {
        self.params.num_images_counter = 0;
        self.params.detector_state = DetectorState::Acquire;
        self.params.status_message = ACQUIRING.into();
        self.account.begin();
        self.skips_shown = self.params.image_mode != ImageMode::Continuous;
    }

    /// Acquisition was stopped before its end, unless it continues.
    fn halt(&mut self) {
        if self.params.acquire || self.monitor.is_none() {
            return;
        }
        self.close_channel();
        self.params.detector_state = self.params.image_mode.when_stopped();
        self.params.status_message = STOPPED.into();
    }

    /// All images of an acquisition are taken.
    fn complete(&mut self) -> Next {
        self.close_channel();
        self.params.acquire = false;
        self.params.detector_state = DetectorState::Idle;
        self.params.status_message = COMPLETE.into();
        if self.params.finish_when_done { Next::Finished } else { Next::Idle }
    }

    fn end(&mut self, result: livetime_pva::client::Result<()>, ctx: &Context) -> Result<Next, NodeError> {
        self.close_channel();
        self.params.detector_state = DetectorState::Disconnected;
        match result {
            Ok(()) => {
                ctx.tell(format!("`{}` has ended", self.params.channel));
                Ok(Next::Finished)
            }
            Err(error) => Err(NodeError::new(format_args!("`{}`: {error}", self.params.channel))),
        }
    }

    /// A break is over; says what is unknown since then.
    fn resume(&mut self, after: Option<(Missing, i64)>, ctx: &mut Context) {
        if let Some((Missing::Unknown, since)) = after {
            let channel = &self.params.channel;
            let text = format!("`{channel}` is back: what it sent since {} is unknown", utc(since));
            ctx.unknown(since, text);
        }
        self.show_unknown();
    }

    /// Sends an image on, under a number that says how many were missed before it.
    fn take(&mut self, update: &Update, ctx: &mut Context) -> Result<(), NodeError> {
        let image = &update.value;
        let is_shown = std::mem::take(&mut self.skips_shown);
        if image.array("value").is_none() {
            // A server that has had no frame yet.
            let after = self.account.empty();
            self.resume(after, ctx);
            return Ok(());
        }
        let is_merged = image.bit("value").is_some_and(|bit| holds(&update.overrun, bit));
        self.params.overruns += u64::from(is_merged);
        let id = image.i64("uniqueId").unwrap_or(0) as i32;
        let heard = self.account.image(id, is_merged, is_shown);
        if heard.after.is_some() {
            self.resume(heard.after, ctx);
        }
        let Some(missed) = heard.missed else { return Ok(()) };
        self.params.restarted += u64::from(heard.is_restarted);
        if missed > 0 && heard.after.is_some_and(|(missing, _)| missing == Missing::Counted) {
            ctx.lost_while_disconnected(missed);
            ctx.tell_error(format!("`{}` has sent {missed} images while it was away", self.params.channel));
        }
        self.params.missed += missed;
        // Frames are numbered as their server numbers them. The engine counts numbers that are left out as lost.
        let number = self.next.map_or(u64::from(id as u32), |next| next + missed);
        self.next = Some(number);
        let layout = layout_of(image)?;
        let mut frame = frame_of(layout, pixels_of(image)?.data(), ctx)?;
        let header = frame.header_mut();
        header.sequence = number;
        self.names.describe(image, header);
        // After a pause or a new beginning the numbers of the server are others.
        if number as u32 != id as u32 {
            header.attributes.set(&self.names.of(UNIQUE_ID), AttributeValue::Int(id.into()));
        }
        self.next = Some(number + 1);
        if self.params.frames == 0 {
            self.params.first_unique_id = id.into();
        }
        self.params.last_unique_id = id.into();
        self.params.frames += 1;
        self.params.num_images_counter += 1;
        ctx.emit(frame)
    }
}

fn holds(bits: &livetime_pva::wire::BitSet, bit: usize) -> bool {
    bits.contains(0) || bits.contains(bit)
}
