//! `netcdf_files`: frames as netCDF files of the classic format (areaDetector's NDFileNetCDF).
//!
//! In: uncompressed arrays of any dtype, up to 2 GiB each; all frames of a file have one shape and type. Out: nothing.
//! Variables are areaDetector's: `array_data` (frames first, then slowest dimension first), `uniqueId`, `timeStamp`,
//! `epicsTSSec`, `epicsTSNsec`, and `Attr_NAME` for each attribute of the first frame (numbers as double, texts of 256
//! bytes). The format has no unsigned types: unsigned elements keep their bits in the signed type of their size, and
//! the attribute `dataType` of the file has areaDetector's number of the true type; 64-bit integers become double.
//! Modes, folders, names and counts are the same as in every writer, see [`nd_file`](super::nd_file).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::netcdf_files::NetcdfFiles;
//!
//! let folder = std::env::temp_dir().join(format!("livetime-netcdf-{}", std::process::id()));
//! let path = folder.to_str().unwrap_or_default();
//! let params = [("path", path.into()), ("create_directory", (-1).into()), ("mode", "stream".into()), ("capture", true.into())];
//! let mut netcdf = Harness::new::<NetcdfFiles>(&params)?;
//! let image = netcdf.image::<u16>(&[1, 2], &[500, 600])?;
//! netcdf.feed(&image)?;
//! netcdf.set("capture", false)?;
//! assert!(std::fs::read(folder.join("frame_001.nc")).is_ok_and(|bytes| bytes.starts_with(b"CDF\x02")));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use livetime_engine::{Context, Counterpart, NodeError, NodeSpec, ParamEnum, Params, PortSpec};
use livetime_formats::netcdf::{Double, Ints, Kind, Layout as Contents, Text, Writer};
use livetime_frame::{AttributeValue, ColorMode, DType, Frame, Layout, with_dtype};

use super::nd_file::{EventTime, FileNode, FileWriter, Fit, NdFileParams, NewFile, WriteError};
use crate::error::Mismatch;
use crate::packed::packed;

/// Seconds from 1970 to 1990, where EPICS starts to count.
const EPICS_EPOCH_S: i64 = 631_152_000;
/// Bytes of a text attribute, as in areaDetector.
const TEXT_BYTES: usize = 256;

/// Format of the files; the choices of FileFormat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum NetcdfFormat {
    /// netCDF, classic.
    #[default]
    #[pv("netCDF")]
    Netcdf,
}

/// Parameters of `netcdf_files`.
#[derive(Params)]
pub struct NetcdfFilesParams {
    /// Format of the files.
    #[param(pv = "FileFormat")]
    pub file_format: NetcdfFormat,
    /// Folders, names, modes.
    #[param(flatten)]
    pub common: NdFileParams,
}

/// Writes frames as netCDF files.
pub type NetcdfFiles = FileNode<NetcdfWriter>;

/// Writes frames into a netCDF file.
pub struct NetcdfWriter {
    open: Option<Open>,
    /// The elements of an array with gaps.
    gathered: Vec<u8>,
    /// The packed frame in the byte order of the file.
    row: Vec<u8>,
}

struct Open {
    writer: Writer<BufWriter<File>>,
    shape: Vec<usize>,
    dtype: DType,
    color: ColorMode,
    attributes: Vec<(Arc<str>, bool)>,
}

impl FileWriter for NetcdfWriter {
    type Params = NetcdfFilesParams;

    const SPEC: NodeSpec =
        NodeSpec::sink("netcdf_files", "Writes frames as netCDF files.", &[PortSpec::array("in")]);
    const COUNTERPART: Counterpart = Counterpart::new("NDFileNetCDF", "netCDF");

    const TEMPLATE: &'static str = "%s%s_%3.3d.nc";
    const HOLDS_MANY: bool = true;

    fn common(params: &NetcdfFilesParams) -> &NdFileParams {
        &params.common
    }

    fn common_mut(params: &mut NetcdfFilesParams) -> &mut NdFileParams {
        &mut params.common
    }

    fn new(_params: &NetcdfFilesParams) -> Result<NetcdfWriter, NodeError> {
        Ok(NetcdfWriter { open: None, gathered: Vec::new(), row: Vec::new() })
    }

    fn takes(&mut self, frame: &Frame, _params: &NetcdfFilesParams) -> Result<Fit, WriteError> {
        let array = frame.array()?;
        let layout = array.layout();
        if layout.codec().is_some() || layout.is_empty() {
            return Err(Mismatch::new("an uncompressed array with elements", layout.to_string()).into());
        }
        match &self.open {
            Some(open) if !open.fits(layout) => {
                let (shape, dtype, color) = (&open.shape, open.dtype, open.color);
                let wanted = format!("frames of {shape:?} {dtype} {color}, as the file has them");
                Err(Mismatch::new(wanted, layout.to_string()).into())
            }
            _ => Ok(Fit::Yes),
        }
    }

    fn open(
        &mut self,
        file: &NewFile,
        first: &Frame,
        _params: &mut NetcdfFilesParams,
        _ctx: &mut Context,
    ) -> Result<(), WriteError> {
        let array = first.array()?;
        let layout = array.layout();
        let attributes: Vec<_> =
            first.header().attributes.iter().map(|a| (a.name.clone(), is_text(&a.value))).collect();
        let contents = contents(layout, &attributes)?;
        let out = BufWriter::with_capacity(1 << 16, file.file()?);
        let writer = contents.create(out)?;
        let (shape, dtype, color) = (layout.shape().collect(), layout.dtype(), layout.color());
        self.open = Some(Open { writer, shape, dtype, color, attributes });
        Ok(())
    }

    fn write(
        &mut self,
        frame: &Frame,
        _params: &mut NetcdfFilesParams,
        ctx: &mut Context,
    ) -> Result<(), WriteError> {
        let open = self.open.as_mut().ok_or(WriteError::NotOpen)?;
        let array = frame.array()?;
        big_endian(open.dtype, packed(&array, &mut self.gathered), &mut self.row);
        // The times of the file count from 1990, as in EPICS.
        let since_ns = EventTime::of(frame.header(), ctx).ns.saturating_sub(EPICS_EPOCH_S * 1_000_000_000);
        let seconds = u32::try_from(since_ns.div_euclid(1_000_000_000)).unwrap_or(0);
        let times = (since_ns as f64 / 1e9, seconds, since_ns.rem_euclid(1_000_000_000) as u32);
        let own = [
            (frame.header().sequence as u32).to_be_bytes().to_vec(),
            times.0.to_be_bytes().to_vec(),
            times.1.to_be_bytes().to_vec(),
            times.2.to_be_bytes().to_vec(),
        ];
        let value = |(name, is_text): &(Arc<str>, bool)| cell(frame.header().attributes.get(name), *is_text);
        // A netCDF file has the attributes of its first frame, so each later frame gives a value for just these.
        let attributes: Vec<Vec<u8>> = open.attributes.iter().map(value).collect();
        let rows =
            own.iter().map(Vec::as_slice).chain([&self.row[..]]).chain(attributes.iter().map(Vec::as_slice));
        Ok(open.writer.record(&rows.collect::<Vec<_>>())?)
    }

    fn flush(&mut self, _params: &mut NetcdfFilesParams) -> Result<(), WriteError> {
        Ok(self.open.as_mut().map_or(Ok(()), |open| open.writer.commit())?)
    }

    fn close(&mut self, _params: &mut NetcdfFilesParams) -> Result<(), WriteError> {
        Ok(self.open.take().map_or(Ok(()), |open| open.writer.finish())?)
    }
}

impl Open {
    fn fits(&self, layout: &Layout) -> bool {
        (self.dtype, self.color) == (layout.dtype(), layout.color())
            && layout.shape().eq(self.shape.iter().copied())
    }
}

fn is_text(value: &AttributeValue) -> bool {
    matches!(value, AttributeValue::Text(_))
}

/// Dimensions, attributes and variables as areaDetector has them.
fn contents(layout: &Layout, attributes: &[(Arc<str>, bool)]) -> Result<Contents, Mismatch> {
    let names: Vec<String> = (0..layout.dims().len()).map(|i| format!("dim{i}")).collect();
    // The classic format of netCDF has sizes of 32 bits.
    let refuse = |_| Mismatch::new("32-bit sizes", layout.to_string());
    let sizes = layout.shape().map(|size| u32::try_from(size).map_err(refuse));
    let sizes = sizes.collect::<Result<Vec<u32>, Mismatch>>()?;
    let mut dimensions = vec![("numArrays", 0)];
    dimensions.extend(names.iter().map(String::as_str).zip(sizes.iter().copied()));
    let text_dimension = dimensions.len() as u32;
    dimensions.push(("attrStringSize", TEXT_BYTES as u32));
    let mut contents = Contents::new(&dimensions);
    // areaDetector lists dimensions with the fastest first.
    let of = |f: fn(&livetime_frame::Dim) -> i32| Ints(layout.dims().iter().rev().map(f).collect());
    let dtype = DType::ALL.iter().position(|dtype| *dtype == layout.dtype()).unwrap_or(0);
    contents.attribute("dataType", Ints(vec![dtype as i32]));
    contents.attribute("NDNetCDFFileVersion", Double(3.1));
    contents.attribute("numArrayDims", Ints(vec![layout.dims().len() as i32]));
    contents.attribute("dimSize", of(|dim| dim.size as i32));
    contents.attribute("dimOffset", of(|dim| dim.offset as i32));
    contents.attribute("dimBinning", of(|dim| dim.binning as i32));
    contents.attribute("dimReverse", of(|dim| i32::from(dim.reverse)));
    for (name, is_text) in attributes {
        let dtype = if *is_text { "String" } else { "Float64" };
        contents.attribute(&format!("Attr_{name}_DataType"), Text(dtype.into()));
    }
    let own = [
        ("uniqueId", Kind::Int),
        ("timeStamp", Kind::Double),
        ("epicsTSSec", Kind::Int),
        ("epicsTSNsec", Kind::Int),
    ];
    own.iter().for_each(|(name, kind)| contents.variable(name, *kind, &[0]));
    contents.variable("array_data", kind_of(layout.dtype()), &(0..text_dimension).collect::<Vec<_>>());
    for (name, is_text) in attributes {
        let (kind, dimensions) =
            if *is_text { (Kind::Char, &[0, text_dimension][..]) } else { (Kind::Double, &[0][..]) };
        contents.variable(&format!("Attr_{name}"), kind, dimensions);
    }
    Ok(contents)
}

fn kind_of(dtype: DType) -> Kind {
    match dtype {
        DType::I8 | DType::U8 => Kind::Byte,
        DType::I16 | DType::U16 => Kind::Short,
        DType::I32 | DType::U32 => Kind::Int,
        DType::F32 => Kind::Float,
        // The classic format has no integers of 64 bits, so such pixels become doubles, as in NDFileNetCDF.
        DType::I64 | DType::U64 | DType::F64 => Kind::Double,
    }
}

/// The elements in `bytes` in the order of the file.
fn big_endian(dtype: DType, bytes: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.reserve(bytes.len());
    with_dtype!(dtype, T => {
        for element in bytes.chunks_exact(size_of::<T>()) {
            let element = T::from_ne_bytes(element.try_into().unwrap_or_default());
            match dtype {
                DType::I64 | DType::U64 => out.extend((element as f64).to_be_bytes()),
                _ => out.extend(element.to_be_bytes()),
            }
        }
    });
}

/// An attribute as a row of its variable; an absent attribute is NaN, or empty.
fn cell(value: Option<&AttributeValue>, is_text: bool) -> Vec<u8> {
    if is_text {
        let mut text = value.map(ToString::to_string).unwrap_or_default();
        // The cut is between two characters: readers refuse half of one.
        text.truncate(text.floor_char_boundary(TEXT_BYTES));
        let mut bytes = text.into_bytes();
        bytes.resize(TEXT_BYTES, 0);
        return bytes;
    }
    let number = match value {
        Some(AttributeValue::Int(value)) => *value as f64,
        Some(AttributeValue::Uint(value)) => *value as f64,
        Some(AttributeValue::Float(value)) => *value,
        // A frame without the attribute leaves no gap in a column, so a value that is no number stands there.
        Some(AttributeValue::Text(_)) | None => f64::NAN,
    };
    number.to_be_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    #[test]
    fn a_text_that_is_too_long_ends_with_a_whole_character() {
        let text = AttributeValue::Text(format!("{}ü", "x".repeat(TEXT_BYTES - 1)).into());
        let bytes = cell(Some(&text), true);
        assert_eq!((bytes.len(), bytes[TEXT_BYTES - 2], bytes[TEXT_BYTES - 1]), (TEXT_BYTES, b'x', 0));
    }

    #[test]
    fn frames_become_records_and_another_shape_is_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().to_str().unwrap();
        let params = [("path", path.into()), ("mode", "stream".into()), ("num_capture", 3.into())];
        let mut harness = Harness::new::<NetcdfFiles>(&params).unwrap();
        harness.set("capture", true).unwrap();
        for number in 0..3u16 {
            let image = harness.image::<u16>(&[2, 3], &[number, 1, 2, 3, 4, 500]).unwrap();
            harness.feed(&image).unwrap();
            let other = harness.image::<u8>(&[2, 3], &[0; 6]).unwrap();
            let refused = harness.feed(&other).err().map(|e| e.to_string());
            assert!(
                number == 2 || refused.is_some_and(|e| e.contains("[2, 3] u16 mono") && e.contains("2x3 u8"))
            );
        }
        assert_eq!((harness.number_of("num_captured"), harness.number_of("write_errors")), (3.0, 2.0));
        let bytes = std::fs::read(folder.path().join("frame_001.nc")).unwrap();
        assert_eq!(&bytes[..8], b"CDF\x02\0\0\0\x03");
        // The pixels are the last 12 bytes of each record.
        for (number, record) in bytes[bytes.len() - 3 * 32..].chunks(32).enumerate() {
            assert_eq!(&record[20..], [0, number as u8, 0, 1, 0, 2, 0, 3, 0, 4, 1, 244]);
        }
    }

    #[test]
    fn keeps_the_contract() {
        let folder = tempfile::TempDir::new().unwrap();
        assert_compliant::<NetcdfFiles>(&[("path", folder.path().to_str().unwrap().into())]);
    }
}
