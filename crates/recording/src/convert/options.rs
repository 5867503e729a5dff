//! How files are converted.

use livetime_codecs::BlockpackTier;
use livetime_formats::file::Stores;
use livetime_formats::xtc1::compressed::Engine;
use livetime_runtime::MemoryLimit;

use super::dark::ReferenceSource;
use super::select::Selection;
use super::split::Split;

/// How to convert.
#[derive(Clone, Debug)]
pub struct Options {
    /// How pictures are compressed: [`Engine::NONE`] decompresses all that is compressed, `None` leaves everything as it is.
    pub codec: Option<Engine>,
    /// How dense blockpack packs.
    pub tier: BlockpackTier,
    /// The reference that blockpack subtracts.
    pub reference: ReferenceSource,
    /// The selected events.
    pub selection: Selection,
    /// Into which files.
    pub split: Split,
    /// Number of threads; 0 counts as 1.
    pub workers: usize,
    /// The memory that the work may take.
    pub memory: MemoryLimit,
    /// Where addresses are read and written.
    pub stores: Stores,
}

impl Default for Options {
    /// Copies everything, with all cores, and half of the memory that is free.
    fn default() -> Options {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            codec: None,
            tier: BlockpackTier::Fast,
            reference: ReferenceSource::None,
            selection: Selection::default(),
            split: Split::Not,
            workers,
            memory: MemoryLimit::half_of_free(),
            stores: Stores::default(),
        }
    }
}
