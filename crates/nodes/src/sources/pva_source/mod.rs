//! `pva_source`: an NTNDArray channel of a pvAccess server as a detector (areaDetector's pvaDriver).
//!
//! Out: arrays as the server sends them, with its attributes and times. Large images stay where the client received
//! them, outside the run's memory bound; as many can be under way as queues hold. Compressed images are refused.
//! Nothing is known of the frames before they come.
//!
//! What was missed is counted exactly where the server numbers its images (`uniqueId`): numbers left out, because
//! the server or the network or this node was too slow, are frames that the source lost. `overruns` counts the updates
//! that a server says it merged; those images are in the gaps already. A server that begins to count anew is told of.
//! One that does not number at all is noticed by that, and its `overruns` count as lost, at least one each.
//!
//! The node waits for images itself, for a few ms at a time, and needs a thread of its own.

mod numbers;
#[cfg(test)]
mod tests;

use std::time::Duration;

use livetime_engine::{Context, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{Bytes, FrameMut, Layout};
use livetime_pva::client::{Client, ClientConfig, Event, Monitor, Update};
use livetime_pva::net::Variables;

use crate::ntndarray::{Names, layout_of, pixels_of};
use numbers::{Numbered, Numbers};

/// Parameters of `pva_source`.
#[derive(Params)]
pub struct PvaSourceParams {
    /// Name of the channel, as `13SIM1:Pva1:Image`.
    #[param(pv = "PvName")]
    pub channel: String,
    /// Whether images are taken.
    #[param(default = true, pv = "Acquire")]
    pub acquire: bool,
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
    /// Whether there is a server.
    #[param(readback, pv = "PvConnection")]
    pub connected: bool,
    /// Images so far.
    #[param(readback, pv = "ArrayCounter")]
    pub frames: u64,
    /// Images that were missed, as far as numbers say.
    #[param(readback)]
    pub missed: u64,
    /// Updates that a server merged into others because somebody was too slow.
    #[param(readback, pv = "OverrunCounter")]
    pub overruns: u64,
    /// How often the server began to count anew.
    #[param(readback)]
    pub restarted: u64,
}

/// An NTNDArray channel as a detector.
pub struct PvaSource {
    params: PvaSourceParams,
    client: Option<Client>,
    monitor: Option<Monitor>,
    numbers: Numbers,
    names: Names,
    /// The number of the next frame, should the one before not have come through.
    next: u64,
    /// What the last number of the server was taken as.
    server_number: Option<u64>,
}

/// How long the node waits for an image before it looks whether anybody wants something else of it.
const WAIT: Duration = Duration::from_millis(5);
/// When it looks again if there was none.
const PAUSE_NS: u64 = 10_000;

impl Node for PvaSource {
    type Params = PvaSourceParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "pva_source",
        kind: NodeKind::Source,
        summary: "The images of a pvAccess server (NTNDArray) as frames.",
        inputs: &[],
        outputs: &[PortSpec::array("out")],
        parallel: false,
    };

    fn new(params: PvaSourceParams) -> Result<PvaSource, NodeError> {
        Ok(PvaSource {
            params,
            client: None,
            monitor: None,
            numbers: Numbers::default(),
            names: Names::default(),
            next: 0,
            server_number: None,
        })
    }

    fn params(&mut self) -> &mut PvaSourceParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Unknown])
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.open()
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let Some(monitor) = self.monitor.as_mut().filter(|_| self.params.acquire) else {
            return Ok(Next::Idle);
        };
        match monitor.next(WAIT).map_err(NodeError::new)? {
            Some(Event::Update(update)) => {
                self.take(&update, ctx)?;
                return Ok(Next::Now);
            }
            Some(Event::Connected) => {
                self.params.connected = true;
                ctx.tell(format!("`{}` is there", self.params.channel));
            }
            Some(Event::Disconnected) => {
                self.params.connected = false;
                self.numbers.reconnect();
                ctx.tell_error(format!("`{}` is gone; it is searched again", self.params.channel));
            }
            Some(Event::Ended(result)) => return self.end(result, ctx),
            None => {}
        }
        Ok(Next::At(ctx.now_ns() + PAUSE_NS))
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "acquire" if self.params.acquire => self.open_channel(),
            "acquire" => {
                self.monitor = None;
                Ok(())
            }
            _ => self.open(),
        }
    }

    fn stop(&mut self) {
        (self.monitor, self.client, self.params.connected) = (None, None, false);
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
        self.numbers.reconnect();
        let monitor = client.channel(&self.params.channel).monitor(&request);
        self.monitor = Some(monitor.map_err(NodeError::new)?);
        Ok(())
    }

    fn end(&mut self, result: livetime_pva::client::Result<()>, ctx: &Context) -> Result<Next, NodeError> {
        self.monitor = None;
        match result {
            Ok(()) => {
                ctx.tell(format!("`{}` has ended", self.params.channel));
                Ok(Next::Finished)
            }
            Err(error) => Err(NodeError::new(format_args!("`{}`: {error}", self.params.channel))),
        }
    }

    /// Sends an image on, under a number that says how many were missed before it.
    fn take(&mut self, update: &Update, ctx: &mut Context) -> Result<(), NodeError> {
        let image = &update.value;
        if image.array("value").is_none() {
            // A server that has had no frame yet.
            return Ok(());
        }
        let is_merged = image.bit("value").is_some_and(|bit| holds(&update.overrun, bit));
        self.params.overruns += u64::from(is_merged);
        let id = image.i64("uniqueId").unwrap_or(0) as i32;
        let missed = match self.numbers.next(id) {
            Numbered::Again => return Ok(()),
            Numbered::New(number) => {
                let expected = self.server_number.map_or(number, |last| last + 1);
                self.server_number = Some(number);
                number - expected
            }
            Numbered::Restarted(number) => {
                self.server_number = Some(number);
                self.params.restarted += 1;
                u64::from(is_merged)
            }
        };
        self.params.missed += missed;
        // The engine counts numbers that are left out as lost.
        self.next += missed;
        let layout = layout_of(image)?;
        let mut frame = frame_of(layout, pixels_of(image)?.data(), ctx)?;
        let header = frame.header_mut();
        header.sequence = self.next;
        self.names.describe(image, header);
        self.next += 1;
        self.params.frames += 1;
        ctx.emit(frame)
    }
}

/// The pixels where they lie, if they may lie there; else a copy.
fn frame_of(layout: Layout, pixels: &Bytes, ctx: &mut Context) -> Result<FrameMut, NodeError> {
    if pixels.as_ptr().addr().is_multiple_of(layout.dtype().bytes()) {
        return ctx.adopt(layout, pixels.clone());
    }
    // The first image of a connection: where its pixels begin was not known when it was received.
    let mut frame = ctx.array(layout)?;
    frame.bytes_mut().copy_from_slice(pixels);
    Ok(frame)
}

fn holds(bits: &livetime_pva::wire::BitSet, bit: usize) -> bool {
    bits.contains(0) || bits.contains(bit)
}
