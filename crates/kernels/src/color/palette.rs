//! False colours: 256 colours for the 256 values of a byte.

/// Red, green and blue for each of the 256 values of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The fourth byte is 0: a colour is read as one word.
    pub(super) colors: [[u8; 4]; 256],
    /// The same, colour by colour.
    pub(super) planes: [[u8; 256]; 3],
}

impl Palette {
    /// Black, blue, cyan, yellow and red, joined by straight lines; 255 is white. The colours of
    /// areaDetector's `Rainbow`.
    ///
    /// ```
    /// use livetime_kernels::color::Palette;
    /// assert_eq!(Palette::RAINBOW.color(63), [0, 0, 255]);
    /// assert_eq!(Palette::RAINBOW.color(255), [255, 255, 255]);
    /// ```
    pub const RAINBOW: Palette = Palette::of(rainbow());

    /// Black, violet, orange and yellow, as of glowing iron; 255 is white. The colours of areaDetector's `Iron`.
    ///
    /// ```
    /// use livetime_kernels::color::Palette;
    /// assert_eq!(Palette::IRON.color(128), [192, 64, 64]);
    /// ```
    pub const IRON: Palette = Palette::of(iron());

    const fn of(colors: [[u8; 4]; 256]) -> Palette {
        let mut planes = [[0; 256]; 3];
        let mut i = 0;
        // A constant function may have no `for`.
        while i < 768 {
            planes[i % 3][i / 3] = colors[i / 3][i % 3];
            i += 1;
        }
        Palette { colors, planes }
    }

    /// Red, green and blue of `value`.
    pub const fn color(&self, value: u8) -> [u8; 3] {
        let [red, green, blue, _] = self.colors[value as usize];
        [red, green, blue]
    }
}

const fn rainbow() -> [[u8; 4]; 256] {
    let mut colors = [[255, 255, 255, 0]; 256];
    let mut i = 0;
    while i < 255 {
        // Red, green and blue in parts of 64.
        let (r, g, b) = match i {
            0..64 => (0, 0, i),
            64..128 => (0, i - 63, 64),
            128..192 => (i - 127, 64, 191 - i),
            _ => (64, 255 - i, 0),
        };
        // The line from black to blue has one step less than the others.
        let blue = if i < 64 { scaled(b, 63) } else { scaled(b, 64) };
        colors[i] = [scaled(r, 64), scaled(g, 64), blue, 0];
        i += 1;
    }
    colors
}

/// `part` of `whole` as a byte, rounded.
const fn scaled(part: usize, whole: usize) -> u8 {
    ((part * 255 * 2 + whole) / (2 * whole)) as u8
}

const fn iron() -> [[u8; 4]; 256] {
    let mut colors = [[255, 255, 255, 0]; 256];
    let mut i = 0;
    while i < 255 {
        let (r, g, b) = match i {
            0..72 => (i * 3 / 2, i / 2, i * 17 / 10),
            72..129 => (i * 3 / 2, i / 2, 192 - i),
            _ => (192, 64 + (i - 128) * 3 / 2, 64),
        };
        colors[i] = [r as u8, g as u8, b as u8, 0];
        i += 1;
    }
    colors
}
