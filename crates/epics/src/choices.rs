//! The choices of areaDetector's records, and a test that ours are the same in the same order: clients write and read the
//! number of a choice, not its text.
//!
//! Facts of ADCore `ee039d2` (R3-15) and ADSimDetector `0ef1305`, read out of the databases: the place of a text in a record
//! is its number on the wire, whatever value the record gives to the driver.

use super::served_pv::ServedPv;
use super::table::{leaf, served_by};

/// Types of nodes; names of records, with a star if there is one with `_RBV`, too; choices in the order of their numbers.
#[rustfmt::skip]
const FACTS: &[(&str, &str, &str)] = &[
    // ADBase
    ("sim_detector", "ReverseX* ReverseY*", "No|Yes"),
    ("sim_detector pva_source", "FrameType*", "Normal|Background|FlatField|DblCorrelation"),
    ("sim_detector pva_source", "ImageMode*", "Single|Multiple|Continuous"),
    ("sim_detector pva_source", "TriggerMode*", "Internal|External"),
    ("sim_detector pva_source", "DetectorState_RBV", "Idle|Acquire|Readout|Correct|Saving|Aborting|Error|Waiting|Initializing|Disconnected|Aborted"),
    ("sim_detector pva_source", "ShutterMode", "None|EPICS PV|Detector output"),
    ("sim_detector pva_source", "ShutterMode_RBV", "None|EPICS PV|Camera output"),
    ("sim_detector pva_source", "ShutterControl*", "Close|Open"),
    ("sim_detector pva_source", "ShutterStatus_RBV ShutterControlEPICS ShutterStatusEPICS_RBV", "Closed|Open"),
    // NDArrayBase
    ("sim_detector pva_source", "Acquire", "Done|Acquire"),
    ("sim_detector pva_source", "Acquire_RBV AcquireBusy AcquireBusyCB", "Done|Acquiring"),
    ("sim_detector pva_source", "WaitForPlugins", "No|Yes"),
    ("sim_detector null", "BayerPattern_RBV", "RGGB|GBRG|GRBG|BGGR"),
    ("sim_detector null", "DataType*", "Int8|UInt8|Int16|UInt16|Int32|UInt32|Int64|UInt64|Float32|Float64"),
    ("null", "ColorMode*", "Mono|Bayer|RGB1|RGB2|RGB3|YUV444|YUV422|YUV421"),
    ("sim_detector null", "ArrayCallbacks*", "Disable|Enable"),
    ("sim_detector null", "NDAttributesStatus", "Attributes file OK|File not found|XML syntax error|Macro substitution error"),
    ("sim_detector null", "PreAllocBuffers", "Done|Allocate"),
    // NDAttribute
    ("attributes", "Reset", "Done Reset|Reset"),
    // NDCircularBuff
    ("circular_buffer", "Capture", "Done|Capture"),
    ("circular_buffer", "Capture_RBV", "Done|Capturing"),
    ("circular_buffer", "Trigger", "Done|Trigger"),
    ("circular_buffer", "Trigger_RBV", "Done|Triggered"),
    ("circular_buffer", "FlushOnSoftTrg*", "OnNewImage|Immediately"),
    // NDCodec
    ("compress decompress", "Mode*", "Compress|Decompress"),
    ("compress", "Compressor*", "None|JPEG|Zlib|Blosc|LZ4|LZ4HDF5|BSLZ4"),
    ("compress", "BloscCompressor*", "BloscLZ|LZ4|LZ4HC|SNAPPY|ZLIB|ZSTD"),
    ("compress", "BloscShuffle*", "None|Byte|Bit"),
    ("compress decompress", "CodecStatus", "Success|Warning|Error"),
    // NDColorConvert
    ("color_convert", "ColorModeOut*", "Mono|Bayer|RGB1|RGB2|RGB3|YUV444|YUV422|YUV421"),
    ("color_convert", "FalseColor*", "None|Rainbow|Iron"),
    // NDFFT
    ("fft", "FFTDirection*", "Time to freq.|Freq. to time"),
    ("fft", "FFTSuppressDC*", "Disable|Enable"),
    ("fft", "FFTResetAverage", "Done|Reset"),
    // NDFile
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "FilePathExists_RBV AutoIncrement* AutoSave* DeleteDriverFile* LazyOpen*", "No|Yes"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "WriteFile", "Done|Write"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "WriteFile_RBV", "Done|Writing"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "ReadFile", "Done|Read"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "ReadFile_RBV", "Done|Reading"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "FileWriteMode*", "Single|Capture|Stream"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "Capture", "Done|Capture"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "Capture_RBV", "Done|Capturing"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "FreeCapture", "Done|Free"),
    ("tiff_files jpeg_files png_files netcdf_files hdf5_files", "WriteStatus", "Write OK|Write error"),
    // NDFileHDF5
    ("hdf5_files", "FlushNow", "Done|Flush"),
    ("hdf5_files", "FileFormat", "HDF5|Invalid"),
    ("hdf5_files", "FileFormat_RBV", "HDF5|Undefined"),
    ("hdf5_files", "ChunkSizeAuto* StoreAttr* StorePerform* DimAttDatasets* XMLValid_RBV", "No|Yes"),
    ("hdf5_files", "Compression*", "None|N-bit|szip|zlib|Blosc|BSLZ4|LZ4|JPEG"),
    ("hdf5_files", "BloscShuffle*", "None|Byte|Bit"),
    ("hdf5_files", "BloscCompressor*", "BloscLZ|LZ4|LZ4HC|SNAPPY|ZLIB|ZSTD"),
    ("hdf5_files", "SWMRSupported_RBV", "Not Supported|Supported"),
    ("hdf5_files", "SWMRMode* PositionMode*", "Off|On"),
    ("hdf5_files", "SWMRActive_RBV", "Off|Active"),
    // NDFileJPEG
    ("jpeg_files", "FileFormat", "JPEG|Invalid"),
    ("jpeg_files", "FileFormat_RBV", "JPEG|Undefined"),
    // NDFileMagick
    ("png_files", "FileFormat*", "Use extension"),
    ("png_files", "BitDepth*", "1|8|16|32"),
    ("png_files", "CompressType*", "None|BZip|FAX|Group 4|JPEG|LZW|RLE|Zip"),
    // NDFileNetCDF
    ("netcdf_files", "FileFormat", "netCDF|Invalid"),
    ("netcdf_files", "FileFormat_RBV", "netCDF|Undefined"),
    // NDFileTIFF
    ("tiff_files", "FileFormat", "TIFF|Invalid"),
    ("tiff_files", "FileFormat_RBV", "TIFF|Undefined"),
    // NDOverlayN
    ("overlay", "Use*", "No|Yes"),
    ("overlay", "Shape*", "Cross|Rectangle|Ellipse|Text"),
    ("overlay", "DrawMode*", "Set|XOR"),
    ("overlay", "Font*", "6x13|6x13 Bold|9x15|9x15 Bold"),
    // NDPluginBase
    ("null statistics", "EnableCallbacks*", "Disable|Enable"),
    ("null statistics", "BlockingCallbacks*", "No|Yes"),
    ("null statistics", "SortMode*", "Unsorted|Sorted"),
    // NDPosPlugin
    ("positions", "FileValid_RBV", "No|Yes"),
    ("positions", "Running*", "Idle|Running"),
    ("positions", "Mode*", "Discard|Keep"),
    // NDProcess
    ("process", "DataTypeOut*", "Int8|UInt8|Int16|UInt16|Int32|UInt32|Int64|UInt64|Float32|Float64|Automatic"),
    ("process", "SaveBackground* SaveFlatField* ResetFilter* AutoResetFilter*", "No|Yes"),
    ("process", "EnableBackground* EnableFlatField* EnableOffsetScale* EnableLowClip* EnableHighClip* EnableFilter*", "Disable|Enable"),
    ("process", "ValidBackground_RBV ValidFlatField_RBV", "Invalid|Valid"),
    ("process", "AutoOffsetScale", "Done|Calculating"),
    ("process", "FilterCallbacks*", "Every array|Array N only"),
    ("process", "FilterType", "RecursiveAve|Average|Sum|Difference|RecursiveAveDiff|CopyToFilter"),
    // NDROI
    ("roi", "AutoSizeX* AutoSizeY* AutoSizeZ* ReverseX* ReverseY* ReverseZ*", "No|Yes"),
    ("roi", "EnableX* EnableY* EnableZ* EnableScale* CollapseDims*", "Disable|Enable"),
    ("roi", "DataTypeOut*", "Int8|UInt8|Int16|UInt16|Int32|UInt32|Int64|UInt64|Float32|Float64|Automatic"),
    // NDROIStat
    ("roi_statistics", "TSControl", "Erase/Start|Start|Stop|Read|Erase"),
    ("roi_statistics", "TSAcquiring", "Done|Acquiring"),
    // NDROIStatN
    ("roi_statistics", "Use*", "No|Yes"),
    // NDScatter
    ("scatter", "ScatterMethod*", "Round robin"),
    // NDStats
    ("statistics", "ComputeStatistics* ComputeCentroid* ComputeProfiles* ComputeHistogram*", "No|Yes"),
    // NDTimeSeries
    ("time_series", "TSAcquire", "Done|Acquire"),
    ("time_series", "TSAcquiring", "Done|Acquiring"),
    ("time_series", "TSRead", "Done|Read"),
    ("time_series", "TSAcquireMode*", "Fixed length|Circ. buffer"),
    // NDTransform
    ("transform", "Type", "None|Rot90|Rot180|Rot270|Mirror|Rot90Mirror|Rot180Mirror|Rot270Mirror"),
    // simDetector
    ("sim_detector", "ColorMode*", "Mono|RGB1|RGB2|RGB3"),
    ("sim_detector", "SimMode*", "LinearRamp|Peaks|Sine|Offset&Noise"),
    ("sim_detector", "XSineOperation* YSineOperation*", "Add|Multiply"),
];

/// Records that differ on purpose, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("FileFormat", "a writer has one format, and nothing to choose instead"),
    ("FileFormat_RBV", "a writer has one format, and nothing to choose instead"),
    (
        "ShutterMode_RBV",
        "upstream's readback says `Camera output` where its set-point says `Detector output`",
    ),
];

/// The served names for `Record*`: the record, and its readback.
fn names(record: &str) -> Vec<String> {
    match record.strip_suffix('*') {
        Some(name) => vec![name.to_owned(), format!("{name}_RBV")],
        None => vec![record.to_owned()],
    }
}

/// The difference between the choices of a served PV and areaDetector's, if any. More choices may follow
/// areaDetector's.
fn wrong(served: &ServedPv, theirs: &[&str]) -> Option<String> {
    let ours = served.about.shape.texts().unwrap_or_default();
    let is_other = DIFFERENT.iter().any(|(name, _)| *name == served.name);
    let is_right = ours.starts_with(theirs) != is_other;
    (!is_right).then(|| format!("{}: wanted {theirs:?}, found {ours:?}", served.name))
}

#[test]
fn choices_have_area_detectors_numbers() {
    let mut problems = Vec::new();
    for (nodes, records, choices) in FACTS {
        let theirs: Vec<&str> = choices.split('|').collect();
        for node in nodes.split(' ') {
            let node =
                livetime_control::config::find_type(&[livetime_nodes::ALL, livetime_sim::ALL].concat(), node)
                    .unwrap();
            let served = served_by(&node);
            for name in records.split(' ').flat_map(names) {
                let same: Vec<&ServedPv> =
                    served.iter().filter(|served| leaf(&served.name) == name).collect();
                if same.is_empty() {
                    problems.push(format!("{}: {name} is not served", node.spec.name));
                }
                let wrong = same.into_iter().filter_map(|served| wrong(served, &theirs));
                problems.extend(wrong.map(|problem| format!("{}: {problem}", node.spec.name)));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
