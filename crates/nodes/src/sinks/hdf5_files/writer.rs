//! One file after another.

use std::path::PathBuf;
use std::sync::Arc;

use livetime_engine::files::PipelineText;
use livetime_engine::{Context, Counterpart, FixedSetting, NodeError, NodeSpec, Params, PortSpec};
use livetime_formats::hdf5::{Part, Writer};
use livetime_frame::{Frame, Layout};

use super::super::nd_file::{EventTime, FileMode, FileWriter, Fit, NdFileParams, NewFile, WriteError};
use super::columns::Facts;
use super::crew::Packers;
use super::grid::Axes;
use super::layout::Layout as Tree;
use super::open::{Clock, Open};
use super::packing::{self, Packer, Packing};
use super::params::{Following, Hdf5FilesParams, OnChange};
use super::parts::Parts;
use super::rewind::Rewound;
use super::series::write_series;
use super::tree::{Origin, Places, Wanted, tree};
use crate::error::Mismatch;
use crate::ntndarray::number_of;

/// Where areaDetector aligns chunks.
const fn unaligned(pv: &'static str) -> FixedSetting {
    let (refused, doc) = ("wanted 0: chunks are not aligned", "Always 0: chunks are not aligned.");
    FixedSetting { pv, choices: &[], value: 0, refused, doc }
}

/// Writes frames into HDF5 files.
#[derive(Default)]
pub struct Hdf5Writer {
    pub(super) open: Option<Open>,
    /// The content of files, as `xml_file_name` defines it.
    tree: Option<Arc<Tree>>,
    /// The number of the frame before, in this capture.
    last: Option<u64>,
    pub(super) lost: u64,
    pub(super) rewound: Rewound,
    /// Frames of the last file, which could not be finished, that readers do not see.
    unseen: u64,
    /// The files of the capture.
    parts: Vec<(PathBuf, Part)>,
}

impl FileWriter for Hdf5Writer {
    type Params = Hdf5FilesParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "hdf5_files",
        "Writes frames into HDF5 files that others may read meanwhile.",
        &[PortSpec::array("in")],
    );
    const COUNTERPART: Counterpart = Counterpart::new("NDFileHDF5 ver1.10", "HDF")
        .or(&["NDFileHDF5"])
        .with_settings(&[unaligned("BoundaryAlign"), unaligned("BoundaryThreshold")]);

    const TEMPLATE: &'static str = "%s%s_%3.3d.h5";
    const HOLDS_MANY: bool = true;

    fn common(params: &Hdf5FilesParams) -> &NdFileParams {
        &params.common
    }

    fn common_mut(params: &mut Hdf5FilesParams) -> &mut NdFileParams {
        &mut params.common
    }

    fn new(params: &Hdf5FilesParams) -> Result<Hdf5Writer, NodeError> {
        packing::check(params)?;
        let tree = Tree::read(&params.xml_file_name).map_err(NodeError::new)?;
        Ok(Hdf5Writer { tree: Some(Arc::new(tree)), ..Hdf5Writer::default() })
    }

    fn takes(&mut self, frame: &Frame, p: &Hdf5FilesParams) -> Result<Fit, WriteError> {
        let array = frame.array()?;
        let layout = array.layout();
        let can_be = || -> Result<(), WriteError> {
            // Refusals come here, before a file is opened for the frame.
            Packing::of(layout, p)?;
            Parts::of(layout, p)?;
            Ok(())
        };
        let Some(open) = &self.open else { return can_be().map(|()| Fit::Yes) };
        let is_full = p.frames_per_file != 0 && open.counts.iter().sum::<u64>() >= p.frames_per_file;
        if open.fits(layout) {
            return Ok(if is_full { Fit::NewFile } else { Fit::Yes });
        }
        match p.on_change {
            OnChange::NewFile => can_be().map(|()| Fit::NewFile),
            OnChange::Refuse => {
                let wanted = format!("frames of {} as the first of the file", open.layout);
                Err(Mismatch::new(wanted, layout.to_string()).into())
            }
        }
    }

    fn wants(&mut self, frame: &Frame, p: &mut Hdf5FilesParams, ctx: &mut Context) -> bool {
        let is_wanted = !self.rewound.leaves_out(frame.header(), p, ctx);
        if !is_wanted {
            // A frame left out on purpose is no gap for the next one.
            self.missing_before(frame.header().sequence, ctx);
            p.num_lost = self.lost + self.open.as_ref().map_or(0, |open| open.failed);
            p.num_rewound += 1;
            ctx.taken_back(1);
        }
        is_wanted
    }

    fn open(
        &mut self,
        file: &NewFile,
        first: &Frame,
        p: &mut Hdf5FilesParams,
        ctx: &mut Context,
    ) -> Result<(), WriteError> {
        let array = first.array()?;
        let packing = Packing::of(array.layout(), p)?;
        let axes = axes_of(array.layout(), &packing, p)?;
        let parts = Parts::of(array.layout(), p)?;
        let how = How { packing: &packing, parts: parts.as_ref(), axes: axes.as_ref() };
        let (written, places) = self.fill(file, first, &how, p, ctx)?;
        let now_ns = ctx.now_ns();
        let packers = packers(&written, array.layout(), &how, p)?;
        self.open = Some(Open {
            file: written,
            rows: places.rows(),
            collected: places.pixels.iter().map(|_| Vec::new()).collect(),
            layout: *array.layout(),
            packing,
            parts,
            // In a grid the axes define the chunks, and each frame is written at its place.
            chunk: if axes.is_some() { 1 } else { u64::from(p.frames_per_chunk.max(1)) },
            axes,
            frames: 0,
            counts: vec![0; places.pixels.len()],
            targets: Vec::new(),
            taken_back: 0,
            shown: 0,
            flushed_ns: now_ns,
            has_timer: false,
            is_unflushed: false,
            clock: Clock { first_ns: now_ns, last_ns: now_ns, bytes: 0 },
            path: file.path().to_owned(),
            packer: Packer::default(),
            packers,
            failed: 0,
            now_ns,
            places,
        });
        (p.swmr_active, p.flushes) = (Following::Active, 0);
        Ok(())
    }

    fn write(&mut self, frame: &Frame, p: &mut Hdf5FilesParams, ctx: &mut Context) -> Result<(), WriteError> {
        // The gap is counted before the frame is written: a failure here is no part of it.
        let missing = self.missing_before(frame.header().sequence, ctx);
        let Some(open) = &mut self.open else { return Err(Mismatch::new("an open file", "none").into()) };
        // Delays are learnt from frames that came in order, before any rewind.
        self.rewound.see(frame.header());
        let written = open.take(frame, missing, p, ctx);
        self.lost += u64::from(written.is_err());
        p.num_lost = self.lost + open.failed;
        written?;
        open.flush_if_due(self.lost, p, ctx);
        Ok(())
    }

    fn missed(&mut self, frame: &Frame, p: &mut Hdf5FilesParams, ctx: &mut Context) {
        self.missing_before(frame.header().sequence, ctx);
        self.lost += 1;
        p.num_lost = self.lost + self.open.as_ref().map_or(0, |open| open.failed);
    }

    fn flush(&mut self, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        let lost = self.lost;
        self.open.as_mut().map_or(Ok(()), |open| open.flush(lost, p))
    }

    fn close(&mut self, p: &mut Hdf5FilesParams) -> Result<(), WriteError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        p.swmr_active = Following::Off;
        let finished = open.finish(self.lost, p);
        self.lost += open.failed;
        if let Err(why) = finished {
            // The end may have failed after some frames were shown: only the others are unseen.
            self.unseen = open.frames - open.shown;
            self.lost += self.unseen;
            p.num_lost = self.lost;
            return Err(why);
        }
        p.num_lost = self.lost;
        self.add_part(open, p)
    }

    fn unseen(&mut self) -> u64 {
        std::mem::take(&mut self.unseen)
    }

    fn begin(&mut self, p: &mut Hdf5FilesParams, _ctx: &mut Context) -> Result<(), NodeError> {
        // The file with the layout may have changed.
        self.read_layout(p)?;
        begin_grid(p).map_err(NodeError::new)?;
        (self.last, self.lost, p.num_lost) = (None, 0, 0);
        (self.rewound, p.num_rewound) = (Rewound::default(), 0);
        self.parts.clear();
        Ok(())
    }

    fn changed(&mut self, name: &str, p: &mut Hdf5FilesParams, ctx: &mut Context) -> Result<(), NodeError> {
        match name {
            "flush_now" => {
                p.flush_now = false;
                FileWriter::flush(self, p).map_err(NodeError::new)
            }
            "rewind" => self.rewind(p, ctx).map_err(NodeError::new),
            "xml_file_name" => self.read_layout(p),
            grid if grid == "extra_dims" || grid.starts_with("extra_dim_size_") => {
                show_places(p);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn timer(&mut self, p: &mut Hdf5FilesParams, ctx: &mut Context) -> Result<(), NodeError> {
        let lost = self.lost;
        let Some(open) = &mut self.open else { return Ok(()) };
        open.timer(lost, p, ctx).map_err(NodeError::new)
    }
}

impl Hdf5Writer {
    /// Reads the layout of the next files.
    fn read_layout(&mut self, p: &mut Hdf5FilesParams) -> Result<(), NodeError> {
        let read = Tree::read(&p.xml_file_name);
        p.xml_valid = read.is_ok();
        p.xml_error = read.as_ref().err().map(ToString::to_string).unwrap_or_default();
        match read {
            Ok(tree) => {
                self.tree = Some(Arc::new(tree));
                Ok(())
            }
            Err(why) => {
                // A broken layout must not fall back to the old one in silence: the next capture is refused.
                self.tree = None;
                Err(NodeError::new(why))
            }
        }
    }

    /// Writes the tree of a new file, with the properties of the first frame.
    fn fill(
        &self,
        file: &NewFile,
        first: &Frame,
        how: &How<'_>,
        p: &Hdf5FilesParams,
        ctx: &Context,
    ) -> Result<(Writer, Places), WriteError> {
        let array = first.array()?;
        let parameters = described(p);
        let pipeline = ctx.service::<PipelineText>();
        let origin = Origin {
            node: ctx.name(),
            pipeline: &pipeline.0,
            parameters: &parameters,
            notes: &ctx.service(),
        };
        let header = first.header();
        let facts = Facts {
            header,
            number: number_of(header),
            time: EventTime::of(header, ctx),
            color: array.layout().color(),
            missing: 0,
        };
        let layout = self.tree.clone().ok_or_else(|| Mismatch::new("a layout", "none that can be used"))?;
        let (tree, places, problems) = tree(&Wanted {
            layout: &layout,
            shape: array.layout(),
            packing: how.packing,
            parts: how.parts,
            axes: how.axes,
            params: p,
            origin,
            first: &facts,
        });
        for problem in problems {
            ctx.tell_error(format!("`{}`: {problem}", file.path().display()));
        }
        let written = Writer::begin(file.file()?, file.written(), &tree)?;
        Ok((written, places))
    }

    /// Frames that are missing before number `sequence` and should be there.
    pub(super) fn missing_before(&mut self, sequence: u64, ctx: &Context) -> u64 {
        // The first frame of a capture defines the begin of the numbers.
        let first = self.last.replace(sequence).map_or(sequence, |last| last.saturating_add(1));
        if first >= sequence {
            return 0;
        }
        let missing = sequence - first - ctx.left_out(first..=sequence - 1);
        self.lost += missing;
        missing
    }

    /// Records the content of a finished file, and writes the file that shows all of them.
    fn add_part(&mut self, open: Open, p: &Hdf5FilesParams) -> Result<(), WriteError> {
        // A series of one file needs no file that shows them all.
        if p.frames_per_file == 0 || open.frames == 0 {
            return Ok(());
        }
        let name = open.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let part = Part { file: name, data_set: open.default_path(), rows: open.default_rows() };
        self.parts.push((open.path.clone(), part));
        write_series(&self.parts, &open.layout).map_err(WriteError::OtherFile)
    }
}

/// How the frames of a file are written.
struct How<'a> {
    packing: &'a Packing,
    parts: Option<&'a Parts>,
    axes: Option<&'a Axes>,
}

/// The threads that pack and write frames, if `threads` is not 0. A thread writes into a file with a chunk for each
/// frame; into a grid the node itself writes.
fn packers(
    file: &Writer,
    layout: &Layout,
    how: &How<'_>,
    p: &Hdf5FilesParams,
) -> Result<Option<Packers>, WriteError> {
    let How { packing, parts, axes } = *how;
    // Parts of frames are collected over several frames, which threads cannot share.
    if parts.is_some() {
        return Ok(None);
    }
    let bytes = (layout.len() * layout.dtype().bytes()) as u64;
    let hand = match axes {
        // In a growing data set of single frames the threads write too; the node only enters the index.
        None if p.frames_per_chunk <= 1 => Some(file.hand()),
        // In a grid threads compress, but the node writes, because a place may be written twice.
        Some(_) if packing.is_here() => None,
        _ => return Ok(None),
    };
    let start = |workers| Packers::start(workers, packing, hand, bytes);
    (p.workers > 0).then(|| start(p.workers)).transpose()
}

/// The axes of a file for frames of `layout`.
fn axes_of(layout: &Layout, packing: &Packing, p: &Hdf5FilesParams) -> Result<Option<Axes>, Mismatch> {
    // Compressed frames are stored unchanged, so a chunk can hold only one.
    if p.frames_per_chunk > 1 && layout.codec().is_some() {
        let wanted = "frames_per_chunk 1 for frames that come compressed";
        return Err(Mismatch::new(wanted, p.frames_per_chunk.to_string()));
    }
    let axes = match p.common.mode {
        FileMode::Single => None,
        _ => Axes::of(&p.grid, p.frames_per_chunk)?,
    };
    if packing.filter.is_some() && axes.as_ref().is_some_and(|axes| axes.chunk.iter().any(|n| *n > 1)) {
        return Err(Mismatch::new("chunks of one frame for frames that are compressed", "larger ones"));
    }
    Ok(axes)
}

/// Shows the number of frames of a scan to clients as soon as they set its axes.
fn show_places(p: &mut Hdf5FilesParams) {
    if p.grid.extra_dims > 0 {
        p.common.num_capture = p.grid.places();
    }
}

/// A capture into the axes of a scan has no more frames than these have places, unless the frames name their place.
fn begin_grid(p: &mut Hdf5FilesParams) -> Result<(), Mismatch> {
    let Some(axes) = Axes::of(&p.grid, p.frames_per_chunk)? else { return Ok(()) };
    if p.frames_per_file != 0 {
        return Err(Mismatch::new("`frames_per_file` 0 with the axes of a scan", "another"));
    }
    (p.grid.wrong_positions, p.grid.positions_again) = (0, 0);
    let count = p.common.num_capture;
    // With positions in the attributes, a scan may return to points, and its length is not known.
    if !axes.is_by_position() && (count == 0 || count > p.grid.places()) {
        p.common.num_capture = p.grid.places();
    }
    Ok(())
}

/// The parameters as lines of text.
fn described(p: &Hdf5FilesParams) -> String {
    let specs = p.specs().iter().enumerate().filter(|(_, spec)| !spec.readback);
    let line = |(index, spec): (usize, &livetime_engine::ParamSpec)| {
        p.get(index).map(|value| format!("{}: {value}\n", spec.name)).unwrap_or_default()
    };
    specs.map(line).collect()
}
