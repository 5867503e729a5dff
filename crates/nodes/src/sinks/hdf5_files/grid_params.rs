//! Further axes of a file, and where frames go in them: the names of NDFileHDF5.

use livetime_engine::Params;

/// Most axes that a file can have before a frame's own axes, as in areaDetector.
pub(super) const MOST_AXES: usize = 10;

/// Further axes of a file: the axis N counts frames at one point of a scan; X, Y and the others are the scan's axes,
/// each slower than the one before.
#[derive(Params)]
pub struct GridParams {
    /// Axes of a scan; 0 to have the axis of the frames alone. The capture then has as many frames as there are places.
    #[param(max = 9, pv = "NumExtraDims")]
    pub extra_dims: u32,
    /// Size of the axis N: frames at one point.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSizeN")]
    pub extra_dim_size_n: u32,
    /// Size of the axis X.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSizeX")]
    pub extra_dim_size_x: u32,
    /// Size of the axis Y.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSizeY")]
    pub extra_dim_size_y: u32,
    /// Size of the axis 3.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSize3")]
    pub extra_dim_size_3: u32,
    /// Size of the axis 4.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSize4")]
    pub extra_dim_size_4: u32,
    /// Size of the axis 5.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSize5")]
    pub extra_dim_size_5: u32,
    /// Size of the axis 6.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSize6")]
    pub extra_dim_size_6: u32,
    /// Size of the axis 7.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSize7")]
    pub extra_dim_size_7: u32,
    /// Size of the axis 8.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSize8")]
    pub extra_dim_size_8: u32,
    /// Size of the axis 9.
    #[param(default = 1, min = 1, max = 4_194_304, pv = "ExtraDimSize9")]
    pub extra_dim_size_9: u32,
    /// What the axis N is.
    #[param(readback, default = "frame number n", pv = "ExtraDimNameN")]
    pub extra_dim_name_n: String,
    /// What the axis X is.
    #[param(readback, default = "scan dimension X", pv = "ExtraDimNameX")]
    pub extra_dim_name_x: String,
    /// What the axis Y is.
    #[param(readback, default = "scan dimension Y", pv = "ExtraDimNameY")]
    pub extra_dim_name_y: String,
    /// What the axis 3 is.
    #[param(readback, default = "scan dimension 3", pv = "ExtraDimName3")]
    pub extra_dim_name_3: String,
    /// What the axis 4 is.
    #[param(readback, default = "scan dimension 4", pv = "ExtraDimName4")]
    pub extra_dim_name_4: String,
    /// What the axis 5 is.
    #[param(readback, default = "scan dimension 5", pv = "ExtraDimName5")]
    pub extra_dim_name_5: String,
    /// What the axis 6 is.
    #[param(readback, default = "scan dimension 6", pv = "ExtraDimName6")]
    pub extra_dim_name_6: String,
    /// What the axis 7 is.
    #[param(readback, default = "scan dimension 7", pv = "ExtraDimName7")]
    pub extra_dim_name_7: String,
    /// What the axis 8 is.
    #[param(readback, default = "scan dimension 8", pv = "ExtraDimName8")]
    pub extra_dim_name_8: String,
    /// What the axis 9 is.
    #[param(readback, default = "scan dimension 9", pv = "ExtraDimName9")]
    pub extra_dim_name_9: String,
    /// Places of a chunk along the axis X; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunkX")]
    pub extra_dim_chunk_x: u32,
    /// Places of a chunk along the axis Y; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunkY")]
    pub extra_dim_chunk_y: u32,
    /// Places of a chunk along the axis 3; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunk3")]
    pub extra_dim_chunk_3: u32,
    /// Places of a chunk along the axis 4; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunk4")]
    pub extra_dim_chunk_4: u32,
    /// Places of a chunk along the axis 5; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunk5")]
    pub extra_dim_chunk_5: u32,
    /// Places of a chunk along the axis 6; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunk6")]
    pub extra_dim_chunk_6: u32,
    /// Places of a chunk along the axis 7; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunk7")]
    pub extra_dim_chunk_7: u32,
    /// Places of a chunk along the axis 8; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunk8")]
    pub extra_dim_chunk_8: u32,
    /// Places of a chunk along the axis 9; 0 is 1. Along N these are `frames_per_chunk`.
    #[param(max = 65_536, pv = "ExtraDimChunk9")]
    pub extra_dim_chunk_9: u32,
    /// Whether attributes of the frames say where in the axes they go.
    #[param(pv = "PositionMode", words = ["Off", "On"])]
    pub position_mode: bool,
    /// The attribute with the place along the axis N, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDimN")]
    pub position_name_n: String,
    /// The attribute with the place along the axis X, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDimX")]
    pub position_name_x: String,
    /// The attribute with the place along the axis Y, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDimY")]
    pub position_name_y: String,
    /// The attribute with the place along the axis 3, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDim3")]
    pub position_name_3: String,
    /// The attribute with the place along the axis 4, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDim4")]
    pub position_name_4: String,
    /// The attribute with the place along the axis 5, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDim5")]
    pub position_name_5: String,
    /// The attribute with the place along the axis 6, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDim6")]
    pub position_name_6: String,
    /// The attribute with the place along the axis 7, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDim7")]
    pub position_name_7: String,
    /// The attribute with the place along the axis 8, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDim8")]
    pub position_name_8: String,
    /// The attribute with the place along the axis 9, counted from 0. Empty: always 0.
    #[param(pv = "PosNameDim9")]
    pub position_name_9: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis N alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDimN")]
    pub position_index_n: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis X alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDimX")]
    pub position_index_x: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis Y alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDimY")]
    pub position_index_y: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis 3 alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDim3")]
    pub position_index_3: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis 4 alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDim4")]
    pub position_index_4: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis 5 alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDim5")]
    pub position_index_5: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis 6 alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDim6")]
    pub position_index_6: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis 7 alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDim7")]
    pub position_index_7: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis 8 alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDim8")]
    pub position_index_8: String,
    /// The attribute that is the same for all places along the other axes: its data set has the axis 9 alone, if
    /// `dim_attributes`.
    #[param(pv = "PosIndexDim9")]
    pub position_index_9: String,
    /// Whether the data sets of attributes have the axes of the scan, too.
    #[param(pv = "DimAttDatasets")]
    pub dim_attributes: bool,
    /// Pixels of places to which no frame came.
    #[param(pv = "FillValue")]
    pub fill_value: f64,
    /// Frames whose attributes name no place in the file. They are lost.
    #[param(readback)]
    pub wrong_positions: u64,
    /// Frames that came to a place where there was one already, and replaced it.
    #[param(readback)]
    pub positions_again: u64,
}

impl GridParams {
    /// Sizes of the axes, N first.
    pub(super) fn sizes(&self) -> [u32; MOST_AXES] {
        [
            self.extra_dim_size_n,
            self.extra_dim_size_x,
            self.extra_dim_size_y,
            self.extra_dim_size_3,
            self.extra_dim_size_4,
            self.extra_dim_size_5,
            self.extra_dim_size_6,
            self.extra_dim_size_7,
            self.extra_dim_size_8,
            self.extra_dim_size_9,
        ]
    }

    /// Places of a chunk along each axis, `frames` along N.
    pub(super) fn chunks(&self, frames: u32) -> [u32; MOST_AXES] {
        [
            frames,
            self.extra_dim_chunk_x,
            self.extra_dim_chunk_y,
            self.extra_dim_chunk_3,
            self.extra_dim_chunk_4,
            self.extra_dim_chunk_5,
            self.extra_dim_chunk_6,
            self.extra_dim_chunk_7,
            self.extra_dim_chunk_8,
            self.extra_dim_chunk_9,
        ]
    }

    /// The attributes with the places, N first.
    pub(super) fn position_names(&self) -> [&str; MOST_AXES] {
        [
            &self.position_name_n,
            &self.position_name_x,
            &self.position_name_y,
            &self.position_name_3,
            &self.position_name_4,
            &self.position_name_5,
            &self.position_name_6,
            &self.position_name_7,
            &self.position_name_8,
            &self.position_name_9,
        ]
    }

    /// The attributes with an axis of their own, N first.
    pub(super) fn index_names(&self) -> [&str; MOST_AXES] {
        [
            &self.position_index_n,
            &self.position_index_x,
            &self.position_index_y,
            &self.position_index_3,
            &self.position_index_4,
            &self.position_index_5,
            &self.position_index_6,
            &self.position_index_7,
            &self.position_index_8,
            &self.position_index_9,
        ]
    }

    /// Frames that have a place.
    pub(super) fn places(&self) -> u64 {
        let sizes = self.sizes();
        sizes[..=self.axes()].iter().fold(1u64, |all, size| all.saturating_mul(u64::from(*size)))
    }

    /// The number of the slowest axis.
    fn axes(&self) -> usize {
        (self.extra_dims as usize).min(MOST_AXES - 1)
    }
}
