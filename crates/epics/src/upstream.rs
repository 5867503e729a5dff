//! The PVs of areaDetector (ADCore `ee039d2`, R3-15; ADSimDetector `0ef1305`; NDDriverStdArrays `07a4ccf`), and why we lack
//! some of them.

/// Which names a PV has upstream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Has {
    /// `X`, to be written, and `X_RBV`.
    Both,
    /// `X_RBV` alone.
    Readback,
    /// `X` alone, to be written.
    Setpoint,
    /// `X` alone, to be read.
    Plain,
}

/// One of areaDetector's templates.
pub(super) struct Template {
    pub(super) name: &'static str,
    /// The type of node that has its records; `None`: every one.
    pub(super) node: Option<&'static str>,
}

impl Template {
    /// All suffixes.
    pub(super) fn suffixes(&self) -> Vec<(&'static str, Has)> {
        let lines = RECORDS.lines().map(str::split_whitespace);
        let ours = lines.filter_map(|mut words| (words.next() == Some(self.name)).then_some(words));
        ours.flat_map(|mut words| {
            let has = match words.next() {
                Some("both") => Has::Both,
                Some("readbacks") => Has::Readback,
                Some("setpoints") => Has::Setpoint,
                _ => Has::Plain,
            };
            words.map(move |name| (name, has))
        })
        .collect()
    }

    /// The whole names of all records.
    #[cfg(test)]
    pub(super) fn records(&self) -> Vec<String> {
        let names = self.suffixes().into_iter().map(|(suffix, has)| match has {
            Has::Both => vec![suffix.to_owned(), format!("{suffix}_RBV")],
            Has::Readback => vec![format!("{suffix}_RBV")],
            Has::Setpoint | Has::Plain => vec![suffix.to_owned()],
        });
        names.flatten().collect()
    }

    /// Name and node, for people.
    pub(super) fn title(&self) -> String {
        self.node
            .map_or_else(|| format!("{}: every node", self.name), |node| format!("{}: `{node}`", self.name))
    }
}

/// Templates, kinds and names, as `tools/adcore_records.py` prints them.
const RECORDS: &str = include_str!("adcore_records.txt");

const fn of(name: &'static str, node: &'static str) -> Template {
    Template { name, node: Some(node) }
}

pub(super) static TEMPLATES: &[Template] = &[
    Template { name: "NDArrayBase", node: None },
    of("ADBase", "sim_detector"),
    of("simDetector", "sim_detector"),
    of("NDDriverStdArrays", "array_source"),
    of("NDPluginBase", "null"),
    of("NDStats", "statistics"),
    of("NDROI", "roi"),
    of("NDProcess", "process"),
    of("NDTransform", "transform"),
    of("NDCodec", "compress"),
    of("NDCodec", "decompress"),
    of("NDStdArrays", "image"),
    of("NDPva", "pva_image"),
    of("NDColorConvert", "color_convert"),
    of("NDBadPixel", "bad_pixels"),
    of("NDOverlay", "overlay"),
    of("NDOverlayN", "overlay"),
    of("NDPosPlugin", "positions"),
    of("NDScatter", "scatter"),
    of("NDGatherN", "gather"),
    of("NDCircularBuff", "circular_buffer"),
    of("NDTimeSeries", "time_series"),
    of("NDTimeSeriesN", "time_series"),
    of("NDROIStat", "roi_statistics"),
    of("NDROIStatN", "roi_statistics"),
    of("NDAttribute", "attributes"),
    of("NDAttributeN", "attributes"),
    of("NDAttrPlot", "attribute_plot"),
    of("NDAttrPlotAttr", "attribute_plot"),
    of("NDAttrPlotData", "attribute_plot"),
    of("NDFFT", "fft"),
    of("NDFile", "tiff_files"),
    of("NDFileHDF5", "hdf5_files"),
    of("NDFileTIFF", "tiff_files"),
    of("NDFileJPEG", "jpeg_files"),
    of("NDFileMagick", "png_files"),
    of("NDFileNetCDF", "netcdf_files"),
    of("NDFileNexus", "hdf5_files"),
    of("CCDMultiTrack", "sim_detector"),
    of("ADPrefixes", "sim_detector"),
];

const GLUE: &str = "joins records inside an IOC; clients do not use it";
const TIME_SERIES: &str = "served under this name where a `time_series` is connected to the output `values`";
const NEXUS: &str = "layouts of HDF5 with the names of NeXus (`XMLFileName`) have another XML than templates of NDFileNexus, \
                     whose removal upstream discusses (ADCore #591)";
const TRACKS: &str = "tracks of CCDs by Andor, Princeton Instruments and Photometrics: no node drives one";

/// Why a PV is not served, or not to be written.
pub(super) static REASONS: &[(&str, &str)] = &[
    (
        "NDimensions Dimensions ArraySize0 ArraySize1 ArraySize2 ArraySize3 ArraySize4 ArraySize5 ArraySize6 ArraySize7 \
         ArraySize8 ArraySize9 Dim0SA Dim1SA Dim2SA Dim3SA Dim4SA Dim5SA Dim6SA Dim7SA Dim8SA Dim9SA",
        "frames have the size that they have",
    ),
    ("DataType ColorMode", "to be written only where the detector chooses it"),
    (
        "BayerPattern",
        "frames carry it as an attribute; `color_convert` has a parameter for those that do not",
    ),
    ("SetAcquireBusy ClearAcquireBusy ShutterFanout ShutterOpenEPICS ShutterCloseEPICS", GLUE),
    ("AsynIO MaxArrayRate_COUT QueueFreeLow QueueUseHIGH QueueUseHIHI SortFreeLow", GLUE),
    ("NumThreads", "threads are placed by the pipeline file, before the run"),
    ("SortMode", "copies of a node always keep the order"),
    ("TSArrayValue", TIME_SERIES),
    (
        "TSMinValue TSMinX TSMinY TSMaxValue TSMaxX TSMaxY TSMeanValue TSSigma TSTotal TSNet TSCentroidTotal \
         TSCentroidX TSCentroidY TSSigmaX TSSigmaY TSSigmaXY TSSkewX TSSkewY TSKurtosisX TSKurtosisY TSEccentricity \
         TSOrientation TSTimestamp",
        TIME_SERIES,
    ),
    ("Mode", "`compress` and `decompress` are two types of nodes"),
    ("TemplateFilePath TemplateFileName FileTemplateValid", NEXUS),
    ("CCDMultiTrackStart CCDMultiTrackEnd CCDMultiTrackBin", TRACKS),
    ("ChannelPrefixes", "`Run:Instances_RBV` has the instances of the run, and no other server's"),
];

/// Why `suffix` is not served, or not to be written.
pub(super) fn reason(suffix: &str) -> Option<&'static str> {
    let has = |names: &str| names.split_whitespace().any(|n| n == suffix);
    REASONS.iter().find(|(names, _)| has(names)).map(|(_, reason)| *reason)
}
