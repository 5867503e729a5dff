//! The sizes of chunks that hold parts of frames.

use livetime_engine::Params;

/// Elements of a frame in a chunk, along each of its axes, the fastest first; 0, or more than the frame has: all.
#[derive(Params)]
pub struct PartParams {
    /// Elements of a chunk along the fastest axis of a frame: columns, or colours of RGB1; 0: all. Without
    /// `chunk_size_auto`.
    #[param(pv = "NumColChunks")]
    pub chunk_columns: u32,
    /// Elements of a chunk along the second axis of a frame, counted from the fastest: rows; 0: all.
    #[param(pv = "NumRowChunks")]
    pub chunk_rows: u32,
    /// Elements of a chunk along the third axis of a frame, counted from the fastest; 0: all.
    #[param(pv = "ChunkSize2")]
    pub chunk_size_2: u32,
    /// Elements of a chunk along the fourth axis of a frame; 0: all.
    #[param(pv = "ChunkSize3")]
    pub chunk_size_3: u32,
    /// Elements of a chunk along the fifth axis of a frame; 0: all.
    #[param(pv = "ChunkSize4")]
    pub chunk_size_4: u32,
    /// Elements of a chunk along the sixth axis of a frame; 0: all.
    #[param(pv = "ChunkSize5")]
    pub chunk_size_5: u32,
    /// Elements of a chunk along the seventh axis of a frame; 0: all.
    #[param(pv = "ChunkSize6")]
    pub chunk_size_6: u32,
    /// Elements of a chunk along the eighth axis of a frame; 0: all.
    #[param(pv = "ChunkSize7")]
    pub chunk_size_7: u32,
    /// Elements of a chunk along the ninth axis of a frame; 0: all.
    #[param(pv = "ChunkSize8")]
    pub chunk_size_8: u32,
    /// Elements of a chunk along the tenth axis of a frame; 0: all.
    #[param(pv = "ChunkSize9")]
    pub chunk_size_9: u32,
}

impl PartParams {
    /// The fastest axis first.
    pub(super) fn sizes(&self) -> [u32; 10] {
        [
            self.chunk_columns,
            self.chunk_rows,
            self.chunk_size_2,
            self.chunk_size_3,
            self.chunk_size_4,
            self.chunk_size_5,
            self.chunk_size_6,
            self.chunk_size_7,
            self.chunk_size_8,
            self.chunk_size_9,
        ]
    }
}
