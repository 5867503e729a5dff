//! The parameters of `overlay`.

use livetime_engine::{ParamEnum, Params};

/// Shapes of a node.
pub(super) const COUNT: usize = 8;

/// The shape, in the order of areaDetector's record: clients write the number of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Shape {
    /// A horizontal and a vertical bar.
    #[default]
    Cross,
    /// The frame of a rectangle.
    Rectangle,
    /// The outline of an ellipse.
    Ellipse,
    /// A text.
    Text,
}

/// How a pixel is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum DrawMode {
    /// It becomes the colour.
    #[default]
    Set,
    /// Its bits are inverted where those of the colour are set.
    #[pv("XOR")]
    Xor,
}

/// Letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Font {
    /// 6 x 13 pixels.
    #[default]
    #[pv("6x13")]
    Small,
    /// 6 x 13 pixels, bold.
    #[pv("6x13 Bold")]
    SmallBold,
    /// 9 x 15 pixels.
    #[pv("9x15")]
    Large,
    /// 9 x 15 pixels, bold.
    #[pv("9x15 Bold")]
    LargeBold,
}

/// Parameters of one shape. Positions may lie outside the picture.
#[derive(Params)]
pub struct ShapeParams {
    /// A name for people.
    #[param(pv = "Name")]
    pub name: String,
    /// Whether the shape is drawn.
    #[param(pv = "Use")]
    pub used: bool,
    /// First column.
    #[param(min = -1_000_000, max = 1_000_000, unit = "px", pv = "PositionX", link)]
    pub position_x: i64,
    /// First row.
    #[param(min = -1_000_000, max = 1_000_000, unit = "px", pv = "PositionY", link)]
    pub position_y: i64,
    /// Column of the centre.
    #[param(min = -1_000_000, max = 1_000_000, unit = "px", pv = "CenterX", link)]
    pub center_x: i64,
    /// Row of the centre.
    #[param(min = -1_000_000, max = 1_000_000, unit = "px", pv = "CenterY", link)]
    pub center_y: i64,
    /// Columns.
    #[param(default = 1, min = 0, max = 1_000_000, unit = "px", pv = "SizeX", link)]
    pub size_x: i64,
    /// Rows.
    #[param(default = 1, min = 0, max = 1_000_000, unit = "px", pv = "SizeY", link)]
    pub size_y: i64,
    /// Width of vertical lines, and of the ring of an ellipse.
    #[param(min = 0, max = 1_000_000, unit = "px", pv = "WidthX", link)]
    pub width_x: i64,
    /// Width of horizontal lines.
    #[param(min = 0, max = 1_000_000, unit = "px", pv = "WidthY", link)]
    pub width_y: i64,
    /// What is drawn.
    #[param(pv = "Shape")]
    pub shape: Shape,
    /// How pixels are changed.
    #[param(pv = "DrawMode")]
    pub draw_mode: DrawMode,
    /// Red of the colour.
    #[param(min = -2_147_483_648.0, max = 2_147_483_647, pv = "Red")]
    pub red: i64,
    /// Green of the colour, and the value in pictures without colours.
    #[param(default = 255, min = -2_147_483_648.0, max = 2_147_483_647, pv = "Green")]
    pub green: i64,
    /// Blue of the colour.
    #[param(min = -2_147_483_648.0, max = 2_147_483_647, pv = "Blue")]
    pub blue: i64,
    /// The text that is drawn.
    #[param(pv = "DisplayText")]
    pub display_text: String,
    /// How the time of the frame is written behind the text, as in strftime; empty for no time.
    #[param(default = "%Y-%m-%d %H:%M:%S.%03f", pv = "TimeStampFormat")]
    pub time_stamp_format: String,
    /// The letters of the text.
    #[param(pv = "Font")]
    pub font: Font,
}

/// Parameters of `overlay`.
#[derive(Params)]
pub struct OverlayParams {
    /// Time zone of time stamps, as `Europe/Zurich` or `UTC`; empty for that of this machine.
    pub time_zone: String,
    /// Width of the latest picture.
    #[param(readback, unit = "px", pv = "MaxSizeX")]
    pub max_size_x: usize,
    /// Height of the latest picture.
    #[param(readback, unit = "px", pv = "MaxSizeY")]
    pub max_size_y: usize,
    /// The shapes, drawn in this order.
    #[param(group = "overlay")]
    pub overlays: [ShapeParams; COUNT],
}
