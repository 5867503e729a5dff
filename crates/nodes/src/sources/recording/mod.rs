//! `recording`: a recorded run as frames.
//!
//! Out: arrays of one detector, packed, numbered from 1. Event time is the event's. Attribute `Damage` where there is
//! any.
//!
//! | format | array |
//! |---|---|
//! | LCLS-I (XTC) | a picture as it is; the quadrants of a CSPad or the links of a pnCCD in the order of their numbers with an axis before their own; what `xtc_recorder` wrote as it was, with its attributes and `RecordedSequence`. `Fiducial` where it is valid, `EventDamage` where the event has damage |
//! | LCLS-II (XTC2) | one field of one detector; of several segments these in the order of their numbers with an axis before their own |
//! | HDF5 | a data set whose first axis counts events, of files of `hdf5_files`, areaDetector, odin, DECTRIS detectors or h5py; with the attributes of the frames and `RecordedSequence` where areaDetector's columns are there |
//! | raw frames (wire readout) | 1024 ticks of a link, a row for each channel; `ClockTicks` is the time of the first |
//! | trigger records (wire readout) | the frames of a link in the window of a record, in the same way |
//!
//! `file` is one file of the run, which stands for all its streams and chunks beside it whose names end alike (an HDF5
//! file names the files that belong to it), or a pattern with `*` and `?`, or one file in each of several lines. An address
//! (`s3://bucket/key`, `https://host/path`) is read if the program hands over the service [`livetime_recording::Stores`]. The
//! format is recognised from the first file. `detector` is a name or a pattern; in LCLS-II `algorithm` and `field`
//! choose too, an empty choice may be anything, and of several fields a picture is preferred to lists of numbers. A
//! name that does not mean one detector is refused with a list of the detectors.
//!
//! Events come in the order of time. An event without the detector gives no frame and is counted (`missing`); an event
//! that cannot be read, or is damaged and without the detector, is an error that names it (`failures`). A picture that
//! is damaged or incomplete is counted (`damaged`), and `damage` is the policy: it is sent with a mark (`keep`), left
//! out (`skip`), or ends the source with an error (`stop`). The judgement is made by
//! [`livetime_recording::Recording::read`], which all readers of a run share. A place in the files that cannot be read,
//! as behind a cut or beside the picture in an event, is a loss of the source (`problems`), with its reason in the log:
//! a run with one ends with exit code 3.
//!
//! With `select` only events are sent for which an expression is true (`docs/select-correct.md`). The small data of all events are read
//! when the source starts; events that are not wanted, and events that lack a value that would decide, are counted
//! (`not_selected`,
//! `without_value`) and are no loss. An expression that selects no event at all, like a range of events that the run does not have, keeps
//! the source from starting. The node's own thread reads the others.
//!
//! Events are read and decompressed ahead by threads of the node's own, straight into the memory of the frames. They may be sent
//! as fast as possible, or as they were recorded. A run that is still being written can be followed: up to EndRun or
//! Unconfigure, when its last file has its final name. After a writer's death the source waits until the run is
//! stopped.
//!
//! A program that has already opened the run hands it over as a service of the graph ([`livetime_recording::OpenRun`]),
//! so that its files are not scanned again.
//!
//! `xtc` and `xtc2` are older names of this source.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, id};
//! use livetime_nodes::sources::recording::Recording;
//!
//! let path = std::env::temp_dir().join(format!("e2-r{:04}-s00-c00.xtc", std::process::id()));
//! let words = [3u32, 2, 8, 0].map(u32::to_le_bytes).concat();
//! let mut bytes = Vec::new();
//! let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
//! let leaf = XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1")?, TypeId::new(id::FRAME, 1));
//! builder.leaf(leaf, &[&words, &[1, 2, 3, 4, 5, 6]])?;
//! builder.finish()?;
//! std::fs::write(&path, bytes)?;
//!
//! let mut source = Harness::new::<Recording>(&[("file", path.to_str().unwrap_or_default().into())])?;
//! let frame = source.run_source(1)?.remove(0);
//! assert_eq!(frame.array()?.rows::<u8>()?.last(), Some(&[4, 5, 6][..]));
//! assert_eq!(frame.header().event_time_ns, 1_000_000_000);
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod playback;
mod player;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod xtc1_tests;
#[cfg(test)]
mod xtc2_tests;

use std::borrow::Cow;
use std::ops::Range;

use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_formats::file::shown;
use livetime_recording::select::{Expression, Selected};
use livetime_recording::{OpenRun, Stores, Wanted, address, parse_range};

pub use livetime_engine::files::Timing;
pub use playback::{Damage, Playback};
use player::Player;

/// The parameters that mean another run or detector.
const OPENS_AGAIN: [&str; 6] = ["file", "detector", "algorithm", "field", "events", "select"];

/// Parameters of `recording`.
#[derive(Params)]
pub struct RecordingParams {
    /// Which detector, as `CxiDs1-0|Cspad-0`, `Cspad-0` or `*|Opal1000-*` (LCLS-I), `jungfrau` or `epixquad.raw.raw` (LCLS-II),
    /// `/entry/data/data` or `data` (HDF5), `crate5_slot2_fiber1` or `fiber1` (wire readout); empty means the only one.
    pub detector: String,
    /// Which algorithm made the values, as `raw` (LCLS-II); empty means the only one.
    pub algorithm: String,
    /// Which field, as `raw` (LCLS-II); empty means the only one.
    pub field: String,
    /// What is played, and how.
    #[param(flatten)]
    pub playback: Playback,
}

/// A recorded run as a detector.
pub struct Recording {
    params: RecordingParams,
    player: Option<Player>,
    /// The value of `file` when it was opened last.
    opened: String,
}

impl Recording {
    /// Looks for the files and starts at the first event.
    fn open(&mut self, ctx: &Context) -> Result<(), NodeError> {
        let RecordingParams { detector, algorithm, field, playback } = &self.params;
        let wanted =
            Wanted { detector: detector.clone(), algorithm: algorithm.clone(), field: field.clone() };
        let Playback { file, events, follow, .. } = playback;
        // The losses in these files have been entered before if the same files are opened again.
        let is_same = std::mem::replace(&mut self.opened, file.clone()) == *file;
        let entered = self.player.take().map_or(0, |player| player.entered());
        let entered = if is_same { entered } else { 0 };
        let events = parse_range(events).map_err(NodeError::new)?;
        let run = match ctx.service::<OpenRun>().find(file) {
            Some(run) => run,
            None => find(file, ctx)?,
        };
        if run.is_growing() && !*follow {
            ctx.tell(
                "the run is still being written; what comes from now on is not sent (`follow` is false)",
            );
        }
        run.check_range(&events).map_err(|why| NodeError::new(format!("events: {why}")))?;
        let selected = select(playback, &run, events.clone())?;
        let player = Player::new(run, wanted, events).map_err(NodeError::new)?;
        self.player = Some(player.with_entered(entered).with_selected(selected));
        Ok(())
    }
}

/// Opens the run, also in a store if the program has one.
fn find(file: &str, ctx: &Context) -> Result<livetime_recording::Recording, NodeError> {
    // Every face shows a parameter, so that no signature may stand in it.
    if file.split('\n').any(|line| matches!(shown(line.as_ref()), Cow::Owned(_))) {
        let found = "one with a query (`?`), which may be a signature that every face would show";
        return Err(NodeError::new(format!("file: wanted an address without a query, found {found}")));
    }
    livetime_recording::Recording::find_from(&ctx.service::<Stores>(), file, None).map_err(NodeError::new)
}

/// Judges the events that are wanted, all before the first is sent.
fn select(
    playback: &Playback,
    run: &livetime_recording::Recording,
    events: Range<usize>,
) -> Result<Option<Selected>, NodeError> {
    let text = playback.select.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if playback.follow && run.may_grow() {
        let found = "both, and the run is still being written";
        return Err(NodeError::new(format!("wanted `select` or `follow`, found {found}")));
    }
    let expression: Expression = text.parse().map_err(NodeError::new)?;
    let selected = run.select(&expression, events, playback.threads.max(1));
    selected.and_then(Selected::with_some).map(Some).map_err(NodeError::new)
}

impl Node for Recording {
    type Params = RecordingParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "recording",
        "A recorded run (XTC of LCLS-I or LCLS-II, HDF5, raw frames or trigger records) as frames of one detector.",
        &[PortSpec::array("out")],
    );

    const IS_STORED: bool = true;
    const LIVE_IF: Option<&'static str> = Some("follow");

    fn new(params: RecordingParams) -> Result<Recording, NodeError> {
        Ok(Recording { params, player: None, opened: String::new() })
    }

    fn params(&mut self) -> &mut RecordingParams {
        &mut self.params
    }

    fn look(&self) -> Result<(), NodeError> {
        let file = &self.params.playback.file;
        // A server is asked when the run starts.
        if file.split('\n').any(|line| address(line.as_ref()).is_some()) {
            return Ok(());
        }
        livetime_recording::Recording::files_named(file).map(drop).map_err(NodeError::new)
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.open(ctx)
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        self.params.playback.produce(&mut self.player, ctx)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let name = self.params.name(index);
        if OPENS_AGAIN.contains(&name) { self.open(ctx) } else { Ok(()) }
    }

    fn stop(&mut self) {
        self.player = None;
    }
}
