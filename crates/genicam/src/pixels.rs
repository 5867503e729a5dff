//! GenICam's pixel formats: the meaning of their numbers, and how their bytes become elements of a frame.

use livetime_engine::NodeError;
use livetime_frame::{ColorMode, DType};

/// How the values lie in the bytes that a camera sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Packing {
    /// As in a frame.
    Plain,
    /// Blue before red.
    Swapped,
    /// Ten bits each, the lowest bits first, without gaps (`10p`).
    Ten,
    /// Twelve bits each, the lowest bits first, without gaps (`12p`).
    Twelve,
    /// Two values in three bytes, GigE Vision's way: the low two bits of both are in the middle byte (`10Packed`).
    GigeTen,
    /// The same with the low four bits (`12Packed`).
    GigeTwelve,
}

/// A pixel format that can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PixelFormat {
    name: &'static str,
    number: u32,
    pub(crate) dtype: DType,
    pub(crate) color: ColorMode,
    /// areaDetector's number of the mosaic's pattern: 0 RGGB, 1 GBRG, 2 GRBG, 3 BGGR.
    pub(crate) bayer: Option<i64>,
    packing: Packing,
}

use DType::{I8, U8, U16};
use Packing::{GigeTen, GigeTwelve, Plain, Swapped, Ten, Twelve};

const fn mono(name: &'static str, number: u32, dtype: DType, packing: Packing) -> PixelFormat {
    PixelFormat { name, number, dtype, color: ColorMode::Mono, bayer: None, packing }
}

const fn bayer(name: &'static str, number: u32, pattern: i64, dtype: DType, packing: Packing) -> PixelFormat {
    PixelFormat { name, number, dtype, color: ColorMode::Bayer, bayer: Some(pattern), packing }
}

const fn rgb(name: &'static str, number: u32, color: ColorMode, packing: Packing) -> PixelFormat {
    PixelFormat { name, number, dtype: U8, color, bayer: None, packing }
}

/// The formats that can be taken, by the numbers of GenICam's Pixel Format Naming Convention.
const FORMATS: [PixelFormat; 49] = [
    mono("Mono8", 0x0108_0001, U8, Plain),
    mono("Mono8s", 0x0108_0002, I8, Plain),
    mono("Mono10", 0x0110_0003, U16, Plain),
    mono("Mono10Packed", 0x010c_0004, U16, GigeTen),
    mono("Mono10p", 0x010a_0046, U16, Ten),
    mono("Mono12", 0x0110_0005, U16, Plain),
    mono("Mono12Packed", 0x010c_0006, U16, GigeTwelve),
    mono("Mono12p", 0x010c_0047, U16, Twelve),
    mono("Mono14", 0x0110_0025, U16, Plain),
    mono("Mono16", 0x0110_0007, U16, Plain),
    bayer("BayerRG8", 0x0108_0009, 0, U8, Plain),
    bayer("BayerGB8", 0x0108_000a, 1, U8, Plain),
    bayer("BayerGR8", 0x0108_0008, 2, U8, Plain),
    bayer("BayerBG8", 0x0108_000b, 3, U8, Plain),
    bayer("BayerRG10", 0x0110_000d, 0, U16, Plain),
    bayer("BayerGB10", 0x0110_000e, 1, U16, Plain),
    bayer("BayerGR10", 0x0110_000c, 2, U16, Plain),
    bayer("BayerBG10", 0x0110_000f, 3, U16, Plain),
    bayer("BayerRG12", 0x0110_0011, 0, U16, Plain),
    bayer("BayerGB12", 0x0110_0012, 1, U16, Plain),
    bayer("BayerGR12", 0x0110_0010, 2, U16, Plain),
    bayer("BayerBG12", 0x0110_0013, 3, U16, Plain),
    bayer("BayerRG16", 0x0110_002f, 0, U16, Plain),
    bayer("BayerGB16", 0x0110_0030, 1, U16, Plain),
    bayer("BayerGR16", 0x0110_002e, 2, U16, Plain),
    bayer("BayerBG16", 0x0110_0031, 3, U16, Plain),
    bayer("BayerRG10p", 0x010a_0058, 0, U16, Ten),
    bayer("BayerGB10p", 0x010a_0054, 1, U16, Ten),
    bayer("BayerGR10p", 0x010a_0056, 2, U16, Ten),
    bayer("BayerBG10p", 0x010a_0052, 3, U16, Ten),
    bayer("BayerRG12p", 0x010c_0059, 0, U16, Twelve),
    bayer("BayerGB12p", 0x010c_0055, 1, U16, Twelve),
    bayer("BayerGR12p", 0x010c_0057, 2, U16, Twelve),
    bayer("BayerBG12p", 0x010c_0053, 3, U16, Twelve),
    bayer("BayerRG10Packed", 0x010c_0027, 0, U16, GigeTen),
    bayer("BayerGB10Packed", 0x010c_0028, 1, U16, GigeTen),
    bayer("BayerGR10Packed", 0x010c_0026, 2, U16, GigeTen),
    bayer("BayerBG10Packed", 0x010c_0029, 3, U16, GigeTen),
    bayer("BayerRG12Packed", 0x010c_002b, 0, U16, GigeTwelve),
    bayer("BayerGB12Packed", 0x010c_002c, 1, U16, GigeTwelve),
    bayer("BayerGR12Packed", 0x010c_002a, 2, U16, GigeTwelve),
    bayer("BayerBG12Packed", 0x010c_002d, 3, U16, GigeTwelve),
    // The same under numbers that some makers gave themselves before the convention.
    bayer("BayerRG12Packed", 0x810c_0002, 0, U16, GigeTwelve),
    bayer("BayerGB12Packed", 0x810c_0003, 1, U16, GigeTwelve),
    bayer("BayerGR12Packed", 0x810c_0001, 2, U16, GigeTwelve),
    bayer("BayerBG12Packed", 0x810c_0004, 3, U16, GigeTwelve),
    rgb("RGB8", 0x0218_0014, ColorMode::Rgb1, Plain),
    rgb("BGR8", 0x0218_0015, ColorMode::Rgb1, Swapped),
    rgb("RGB8_Planar", 0x0218_0021, ColorMode::Rgb3, Plain),
];

impl PixelFormat {
    /// The format with this number.
    ///
    /// # Errors
    /// That it cannot be taken, and which can.
    pub(crate) fn of(number: u32) -> Result<PixelFormat, NodeError> {
        FORMATS.iter().find(|format| format.number == number).copied().ok_or_else(|| {
            NodeError::new(format_args!(
                "wanted a pixel format of Mono (8 to 16 bits), Bayer (8, 10, 12, 16 bits), RGB8 or BGR8, packed or \
                 not, found number {number:#010x}; set `pixel_format`"
            ))
        })
    }

    /// Bytes that a camera sends for `values` values.
    pub(crate) fn sent_bytes(&self, values: usize) -> usize {
        match self.packing {
            Plain | Swapped => values * self.dtype.bytes(),
            Ten => (values * 10).div_ceil(8),
            Twelve | GigeTen | GigeTwelve => (values * 12).div_ceil(8),
        }
    }

    /// Writes the bytes of a camera into a frame, which has the bytes of all values.
    ///
    /// # Errors
    /// When the camera sent too little.
    pub(crate) fn unpack(&self, sent: &[u8], to: &mut [u8]) -> Result<(), NodeError> {
        let wanted = self.sent_bytes(to.len() / self.dtype.bytes());
        let Some(sent) = sent.get(..wanted) else {
            return Err(NodeError::new(format_args!(
                "wanted {wanted} bytes of a picture in {}, found {}",
                self.name,
                sent.len()
            )));
        };
        match self.packing {
            // Cameras send the low byte first, as frames hold it; see the check below.
            Plain => to.copy_from_slice(sent),
            Swapped => swap(sent, to),
            Ten => ten(sent, to),
            Twelve => twelve(sent, to),
            GigeTen => gige(sent, to, 2),
            GigeTwelve => gige(sent, to, 4),
        }
        Ok(())
    }
}

// Frames are in the order of the machine, and values of more than one byte come with the low byte first.
const _: () = assert!(cfg!(target_endian = "little"));

fn swap(sent: &[u8], to: &mut [u8]) {
    for (to, sent) in to.chunks_exact_mut(3).zip(sent.chunks_exact(3)) {
        to.copy_from_slice(&[sent[2], sent[1], sent[0]]);
    }
}

/// Four values in five bytes.
fn ten(sent: &[u8], to: &mut [u8]) {
    for (to, sent) in to.chunks_mut(8).zip(sent.chunks(5)) {
        let mut bytes = [0; 8];
        bytes[..sent.len()].copy_from_slice(sent);
        let bits = u64::from_le_bytes(bytes);
        for (value, to) in (0..).zip(to.chunks_exact_mut(2)) {
            to.copy_from_slice(&((bits >> (10 * value)) as u16 & 0x3ff).to_le_bytes());
        }
    }
}

/// Two values in three bytes.
fn twelve(sent: &[u8], to: &mut [u8]) {
    pairs(sent, to, |a, b, c| {
        let (b, a, c) = (u16::from(b), u16::from(a), u16::from(c));
        (a | (b & 0xf) << 8, b >> 4 | c << 4)
    });
}

/// Two values in three bytes, with `low` low bits of both in the middle one.
fn gige(sent: &[u8], to: &mut [u8], low: u32) {
    let mask = (1 << low) - 1;
    pairs(sent, to, |a, b, c| {
        let (b, a, c) = (u16::from(b), u16::from(a), u16::from(c));
        (a << low | b & mask, c << low | (b >> 4) & mask)
    });
}

/// Two values out of each three bytes; the last value may be alone, in two bytes.
fn pairs(sent: &[u8], to: &mut [u8], split: impl Fn(u8, u8, u8) -> (u16, u16)) {
    let mut whole = to.chunks_exact_mut(4);
    for (to, sent) in (&mut whole).zip(sent.chunks_exact(3)) {
        let (first, second) = split(sent[0], sent[1], sent[2]);
        to[..2].copy_from_slice(&first.to_le_bytes());
        to[2..].copy_from_slice(&second.to_le_bytes());
    }
    if let (Some(last), [.., a, b]) = (whole.into_remainder().first_chunk_mut::<2>(), sent) {
        *last = split(*a, *b, 0).0.to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(name: &str, sent: &[u8], values: usize) -> Vec<u16> {
        let format = FORMATS.iter().find(|format| format.name == name).unwrap();
        let mut to = vec![0; values * 2];
        format.unpack(sent, &mut to).unwrap();
        to.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect()
    }

    /// Packs bit by bit, the lowest first.
    fn packed(values: &[u16], bits: usize) -> Vec<u8> {
        let mut bytes = vec![0; (values.len() * bits).div_ceil(8)];
        for (place, value) in values.iter().enumerate() {
            for bit in (0..bits).filter(|bit| value >> bit & 1 == 1) {
                bytes[(place * bits + bit) / 8] |= 1 << ((place * bits + bit) % 8);
            }
        }
        bytes
    }

    #[test]
    fn values_without_gaps_are_taken_apart_for_every_remainder() {
        for count in 0..13 {
            let values: Vec<u16> = (0..count).map(|i| (i * 331 + 5) % 1024).collect();
            assert_eq!(unpacked("Mono10p", &packed(&values, 10), values.len()), values);
            let values: Vec<u16> = (0..count).map(|i| (i * 1237 + 9) % 4096).collect();
            assert_eq!(unpacked("Mono12p", &packed(&values, 12), values.len()), values);
        }
    }

    #[test]
    fn gige_vision_keeps_low_bits_in_the_middle() {
        assert_eq!(unpacked("Mono12Packed", &[0xab, 0x3c, 0x12], 2), [0xabc, 0x123]);
        assert_eq!(unpacked("Mono12Packed", &[0xab, 0x3c, 0x12, 0xff, 0x01], 3), [0xabc, 0x123, 0xff1]);
        assert_eq!(unpacked("Mono10Packed", &[0xff, 0x12, 0x01], 2), [0x3fe, 0x005]);
    }

    #[test]
    fn colours_are_put_in_order() {
        let mut to = [0; 6];
        PixelFormat::of(0x0218_0015).unwrap().unpack(&[1, 2, 3, 4, 5, 6], &mut to).unwrap();
        assert_eq!(to, [3, 2, 1, 6, 5, 4]);
    }

    #[test]
    fn what_cannot_be_taken_is_refused_with_both_sides() {
        let error = PixelFormat::of(0x0210_001f).unwrap_err().to_string();
        assert!(error.contains("wanted") && error.contains("found number 0x0210001f"), "{error}");
        let short = PixelFormat::of(0x010c_0047).unwrap().unpack(&[0; 5], &mut [0; 8]).unwrap_err();
        assert_eq!(short.to_string(), "wanted 6 bytes of a picture in Mono12p, found 5");
    }

    #[test]
    fn numbers_are_unique_and_say_how_many_bits_are_sent() {
        for (place, format) in FORMATS.iter().enumerate() {
            assert!(FORMATS[..place].iter().all(|other| other.number != format.number), "{format:?}");
            let bits = (format.number >> 16 & 0xff) as usize;
            let samples = if format.color.is_rgb() { 3 } else { 1 };
            assert_eq!(format.sent_bytes(8 * samples), bits, "{format:?}");
        }
    }
}
