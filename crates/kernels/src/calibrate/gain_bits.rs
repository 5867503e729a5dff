//! Where in the word of a pixel the gain stage is that it was read in.

use std::fmt;
use std::str::FromStr;

/// Bits of a pixel of 16 bits that tell its gain stage. The bits below them are its value; bits above them count for nothing.
///
/// As text `14:2`: the first bit and the number of bits, where the code is the number of the stage. `14:2=0,1,3`: the
/// codes of stages 0, 1 and 2; no stage has code 2. `jungfrau` is the same as this.
///
/// ```
/// use livetime_kernels::calibrate::GainBits;
///
/// let bits: GainBits = "jungfrau".parse()?;
/// assert_eq!(bits.to_string(), "14:2=0,1,3");
/// assert_eq!((bits.stages(), bits.stage(0xC007), bits.stage(0x8007), bits.value(0xC007)), (3, Some(2), None, 7));
/// assert!("15:2".parse::<GainBits>().is_err());
/// # Ok::<(), livetime_kernels::calibrate::GainBitsError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GainBits {
    first: u32,
    count: u32,
    /// The code of each stage.
    codes: Vec<u16>,
}

/// More bits than any detector has: up to 16 stages.
const MOST_BITS: u32 = 4;

impl GainBits {
    /// How many stages have a code, at least 1.
    pub fn stages(&self) -> usize {
        self.codes.len()
    }

    /// The stage that a pixel was in; `None` if no stage has its code.
    pub fn stage(&self, word: u16) -> Option<usize> {
        self.codes.iter().position(|code| *code == self.code(word))
    }

    /// The value of a pixel: the bits below the bits of the stage.
    #[inline(always)]
    pub fn value(&self, word: u16) -> u16 {
        word & ((1 << self.first) - 1)
    }

    #[inline(always)]
    pub(super) fn code(&self, word: u16) -> u16 {
        (word >> self.first) & ((1 << self.count) - 1)
    }

    pub(super) fn codes(&self) -> &[u16] {
        &self.codes
    }
}

/// A text that says no gain bits. It holds the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GainBitsError(pub String);

impl fmt::Display for GainBitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GainBitsError(text) = self;
        write!(
            f,
            "wanted gain bits as 14:2 (the first of 16 bits, and how many: 1 to {MOST_BITS}), 14:2=0,1,3 (with the \
                 codes of stages 0, 1 and 2) or jungfrau, found `{text}`"
        )
    }
}

impl std::error::Error for GainBitsError {}

impl FromStr for GainBits {
    type Err = GainBitsError;

    fn from_str(text: &str) -> Result<GainBits, GainBitsError> {
        let bits = if text == "jungfrau" { parse("14:2=0,1,3") } else { parse(text) };
        bits.ok_or_else(|| GainBitsError(text.into()))
    }
}

fn parse(text: &str) -> Option<GainBits> {
    let (place, codes) = text.split_once('=').map_or((text, None), |(place, codes)| (place, Some(codes)));
    let (first, count) = place.split_once(':')?;
    // From 1 on: a pixel has at least one bit for its value.
    let first: u32 = first.trim().parse().ok().filter(|first| (1..u16::BITS).contains(first))?;
    let count: u32 = count.trim().parse().ok().filter(|count| (1..=MOST_BITS).contains(count))?;
    if first + count > u16::BITS {
        return None;
    }
    let all = 0..1u16 << count;
    let codes: Vec<u16> = match codes {
        None => all.collect(),
        Some(codes) => {
            let number = |code: &str| code.trim().parse().ok().filter(|code| all.contains(code));
            codes.split(',').map(number).collect::<Option<_>>()?
        }
    };
    // Two stages with one code could not be told apart.
    let is_twice = (1..codes.len()).any(|at| codes[..at].contains(&codes[at]));
    (!is_twice).then_some(GainBits { first, count, codes })
}

/// With the codes, as it is parsed.
impl fmt::Display for GainBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes: Vec<String> = self.codes.iter().map(ToString::to_string).collect();
        write!(f, "{}:{}={}", self.first, self.count, codes.join(","))
    }
}
