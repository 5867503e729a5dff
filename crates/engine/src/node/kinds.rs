//! The declaration of a node: kind, ports, and the streams that they accept.

use std::fmt;

use livetime_frame::{DType, Layout, PayloadKind};

/// The role of a node in the flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// No input.
    Source,
    /// Inputs and outputs.
    Process,
    /// No output.
    Sink,
}

impl NodeKind {
    /// `"source"`, `"process"` or `"sink"`.
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Source => "source",
            NodeKind::Process => "process",
            NodeKind::Sink => "sink",
        }
    }
}

/// Name, ports and abilities of a type of node.
#[derive(Clone, Copy, Debug)]
pub struct NodeSpec {
    /// Name in pipeline files, `snake_case`: sources and sinks are nouns, processes are verbs or field terms.
    pub name: &'static str,
    /// Source, process or sink.
    pub kind: NodeKind,
    /// One sentence.
    pub summary: &'static str,
    /// Inputs; an edge without a port name leads to the first one.
    pub inputs: &'static [PortSpec],
    /// Outputs; an edge without a port name comes from the first one.
    pub outputs: &'static [PortSpec],
    /// True when frames may be handled by several copies of the node at once: no state from frame to frame.
    pub parallel: bool,
}

impl NodeSpec {
    /// A source of one copy.
    pub const fn source(name: &'static str, summary: &'static str, outputs: &'static [PortSpec]) -> NodeSpec {
        NodeSpec { name, kind: NodeKind::Source, summary, inputs: &[], outputs, parallel: false }
    }

    /// A process of one copy.
    pub const fn process(
        name: &'static str,
        summary: &'static str,
        inputs: &'static [PortSpec],
        outputs: &'static [PortSpec],
    ) -> NodeSpec {
        NodeSpec { name, kind: NodeKind::Process, summary, inputs, outputs, parallel: false }
    }

    /// A sink of one copy.
    ///
    /// ```
    /// use livetime_engine::{NodeKind, NodeSpec, PortSpec};
    ///
    /// const SPEC: NodeSpec = NodeSpec::sink("brightest", "Keeps the brightest pixel.", &[PortSpec::array("in")]);
    /// assert!(SPEC.kind == NodeKind::Sink && SPEC.outputs.is_empty() && !SPEC.parallel);
    /// ```
    pub const fn sink(name: &'static str, summary: &'static str, inputs: &'static [PortSpec]) -> NodeSpec {
        NodeSpec { name, kind: NodeKind::Sink, summary, inputs, outputs: &[], parallel: false }
    }
}

/// One input or output.
#[derive(Clone, Copy, Debug)]
pub struct PortSpec {
    /// Name, unique among the node's inputs or outputs.
    pub name: &'static str,
    /// Which frames are accepted.
    pub accepts: Accepts,
}

impl PortSpec {
    /// A port for every frame.
    pub const fn any(name: &'static str) -> PortSpec {
        // Empty lists accept all, so a new kind of payload needs no change here.
        PortSpec { name, accepts: Accepts { kinds: &[], dtypes: &[], ndim: None } }
    }

    /// A port for payloads of these kinds.
    pub const fn of(name: &'static str, kinds: &'static [PayloadKind]) -> PortSpec {
        PortSpec { name, accepts: Accepts { kinds, dtypes: &[], ndim: None } }
    }

    /// A port for tables.
    pub const fn table(name: &'static str) -> PortSpec {
        PortSpec::of(name, &[PayloadKind::Table])
    }

    /// A port for bytes.
    pub const fn bytes(name: &'static str) -> PortSpec {
        PortSpec::of(name, &[PayloadKind::Bytes])
    }

    /// A port for values of a user's own type.
    pub const fn value(name: &'static str) -> PortSpec {
        PortSpec::of(name, &[PayloadKind::Any])
    }

    /// A port for arrays of any dtype and dimension.
    pub const fn array(name: &'static str) -> PortSpec {
        PortSpec { name, accepts: Accepts { kinds: &[PayloadKind::Array], dtypes: &[], ndim: None } }
    }

    /// A port for arrays of `min` to `max` dimensions.
    pub const fn array_of_dims(name: &'static str, min: usize, max: usize) -> PortSpec {
        PortSpec {
            name,
            accepts: Accepts { kinds: &[PayloadKind::Array], dtypes: &[], ndim: Some((min, max)) },
        }
    }
}

/// Which frames a port accepts; an empty list means all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accepts {
    /// Payload kinds.
    pub kinds: &'static [PayloadKind],
    /// Element types of arrays.
    pub dtypes: &'static [DType],
    /// Fewest and most dimensions of arrays.
    pub ndim: Option<(usize, usize)>,
}

/// Frames that a port does not accept: `wanted array of u8, found bytes`.
#[derive(Clone, PartialEq, Debug)]
pub struct NotAccepted {
    /// The frames that it accepts.
    pub wanted: Accepts,
    /// The frames that come. Boxed: a layout is too large for the way back of every check.
    pub found: Box<Stream>,
}

impl fmt::Display for NotAccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}, found {}", self.wanted, self.found)
    }
}

impl std::error::Error for NotAccepted {}

impl Accepts {
    /// Whether `stream` may pass.
    ///
    /// # Errors
    /// [`NotAccepted`] with both.
    pub fn check(&self, stream: &Stream) -> Result<(), NotAccepted> {
        let fits = match stream {
            // A stream that is not known before the run is checked frame by frame in the run.
            Stream::Unknown => true,
            Stream::Other(kind) => self.takes_kind(*kind),
            Stream::Array(layout) => self.takes_kind(PayloadKind::Array) && self.takes_array(layout),
        };
        if fits { Ok(()) } else { Err(NotAccepted { wanted: *self, found: Box::new(*stream) }) }
    }

    fn takes_kind(&self, kind: PayloadKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    fn takes_array(&self, layout: &Layout) -> bool {
        let ndim = layout.dims().len();
        (self.dtypes.is_empty() || self.dtypes.contains(&layout.dtype()))
            && self.ndim.is_none_or(|(min, max)| (min..=max).contains(&ndim))
    }
}

impl fmt::Display for Accepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kinds {
            [] => write!(f, "any frame")?,
            kinds => write!(f, "{}", kinds.iter().map(|k| k.name()).collect::<Vec<_>>().join(" or "))?,
        }
        if !self.dtypes.is_empty() {
            write!(f, " of {}", self.dtypes.iter().map(|d| d.name()).collect::<Vec<_>>().join(" or "))?;
        }
        match self.ndim {
            Some((min, max)) if min == max => write!(f, " of {min} dimensions"),
            Some((min, max)) => write!(f, " of {min} to {max} dimensions"),
            None => Ok(()),
        }
    }
}

/// A description of the frames of a stream, known before a run.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(clippy::large_enum_variant, reason = "made once per edge, before a run")]
pub enum Stream {
    /// Nothing.
    Unknown,
    /// Arrays of this layout.
    Array(Layout),
    /// Payloads of another kind.
    Other(PayloadKind),
}

/// Bytes of frames that a node keeps at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kept {
    /// In the memory of the run, whose bound they count against.
    pub of_run: u64,
    /// In memory of the node's own, beside that bound.
    pub own: u64,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stream::Unknown => f.write_str("frames of unknown kind"),
            Stream::Array(layout) => write!(f, "array {layout}"),
            Stream::Other(kind) => kind.fmt(f),
        }
    }
}

/// The names of a type of nodes in areaDetector. Clients choose their classes by them, and people look for nodes by them.
///
/// ```
/// use livetime_engine::Counterpart;
///
/// const PLOT: Counterpart = Counterpart::new("NDAttrPlot", "AttrPlot").or(&["NDPluginAttrPlot"]);
/// assert!(PLOT.names().eq(["NDAttrPlot", "NDPluginAttrPlot"]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counterpart {
    /// Its plugin or driver, as the PV `PluginType_RBV` has it: `NDPluginStats`.
    pub plugin: &'static str,
    /// The name of its instances, in front of their number: `Stats`.
    pub stem: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// The PVs of the time series of its numbers, in the order of the numbers of its second output: a time series behind
    /// that output has areaDetector's names at this node.
    pub series: &'static [&'static str],
    /// Settings of areaDetector's that have one value here.
    pub settings: &'static [FixedSetting],
    /// The parameters whose values follow the name of the port in the command that makes a driver: `simDetectorConfig`.
    pub arguments: &'static [&'static str],
    /// Its records that are no parameters here.
    pub records: &'static [Record],
}

/// A record of areaDetector's that is no parameter here: clients that connect to all names find it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Suffix of its PV; `#:` in front stands for the number of each member of a group.
    pub pv: &'static str,
    /// The value that it shows, and the effect of a write.
    pub acts: Acts,
}

/// The value that a [`Record`] shows, and the effect of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acts {
    /// The PV of this suffix, under another name.
    As(&'static str),
    /// Writing anything sets the parameter of this suffix to the choice of this number.
    Sets(&'static str, u8),
    /// A written number is kept, and the PV is there with `_RBV`, too. Choices, if there are any; the first number; why it
    /// has no effect.
    Keeps(&'static [&'static str], i32, &'static str),
    /// A written text is kept.
    KeepsText(&'static str),
    /// It joins records inside an IOC, and is always 0.
    Joins,
}

impl Record {
    /// A record of this name.
    pub const fn new(pv: &'static str, acts: Acts) -> Record {
        Record { pv, acts }
    }
}

/// A setting of areaDetector's that has one value here: its name is there, so that screens show it, and writing another
/// value is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FixedSetting {
    /// Suffix of its PV, which is there with `_RBV`, too.
    pub pv: &'static str,
    /// The choices; empty: it is a number.
    pub choices: &'static [&'static str],
    /// Its value, or the number of its choice.
    pub value: u8,
    /// The reason for refusing another value, with the values that are wanted.
    pub refused: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}

impl Counterpart {
    /// The counterpart of one areaDetector plugin or driver.
    pub const fn new(plugin: &'static str, stem: &'static str) -> Counterpart {
        Counterpart { plugin, stem, aliases: &[], series: &[], settings: &[], arguments: &[], records: &[] }
    }

    /// The same with other names.
    #[must_use]
    pub const fn or(self, aliases: &'static [&'static str]) -> Counterpart {
        Counterpart { aliases, ..self }
    }

    /// The same with PVs for the time series of its numbers.
    #[must_use]
    pub const fn with_series(self, series: &'static [&'static str]) -> Counterpart {
        Counterpart { series, ..self }
    }

    /// The same with settings that have one value.
    #[must_use]
    pub const fn with_settings(self, settings: &'static [FixedSetting]) -> Counterpart {
        Counterpart { settings, ..self }
    }

    /// The same with the parameters that the command of a start-up script gives it, behind the name of the port.
    #[must_use]
    pub const fn with_arguments(self, arguments: &'static [&'static str]) -> Counterpart {
        Counterpart { arguments, ..self }
    }

    /// The same with records that are no parameters.
    #[must_use]
    pub const fn with_records(self, records: &'static [Record]) -> Counterpart {
        Counterpart { records, ..self }
    }

    /// All its names, the name of the plugin first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.plugin).chain(self.aliases.iter().copied())
    }
}

impl Stream {
    /// The layout of the arrays, if all are known to have the same.
    pub fn layout(&self) -> Option<&Layout> {
        match self {
            Stream::Array(layout) => Some(layout),
            _ => None,
        }
    }
}
