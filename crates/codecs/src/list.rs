//! The list of all codecs.

use crate::CodecType;

/// All codecs. The codecs of frames come in the order of the choices that clients know by their numbers, areaDetector's
/// first, so that a new one goes to the end. `cargo xtask new-codec` adds one.
pub const ALL: &[CodecType] = &[
    crate::zlib::TYPE,
    crate::blosc::TYPE,
    crate::lz4::TYPE,
    crate::lz4hdf5::TYPE,
    crate::bslz4::TYPE,
    crate::bslz4::BARE,
    crate::blockpack::TYPE,
    #[cfg(feature = "zstd")]
    crate::zstd::TYPE,
    crate::hist16::TYPE,
    crate::histn::TYPE,
    crate::bzip2::TYPE,
    crate::lzf::TYPE,
    crate::blosc2::TYPE,
];

impl CodecType {
    /// The entry with this name.
    ///
    /// ```
    /// use livetime_codecs::CodecType;
    /// let filter = CodecType::named("bslz4").and_then(|codec| codec.filter);
    /// assert_eq!(filter.map(|filter| filter.number), Some(32008));
    /// assert!(CodecType::named("zip").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static CodecType> {
        ALL.iter().find(|codec| codec.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Levels, Settings};

    #[test]
    fn names_and_numbers_mean_one_codec() {
        let unique = |mut all: Vec<String>| {
            let count = all.len();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), count, "{all:?}");
        };
        unique(ALL.iter().map(|codec| codec.name.to_owned()).collect());
        unique(ALL.iter().filter_map(|codec| Some(codec.in_frames?.name.to_owned())).collect());
        unique(ALL.iter().filter_map(|codec| Some(codec.in_frames?.choice.to_lowercase())).collect());
        unique(ALL.iter().filter_map(|codec| Some(codec.filter?.choice?.to_owned())).collect());
        unique(ALL.iter().filter_map(|codec| Some(codec.reader?.number.to_string())).collect());
        let is_file_name = |codec: &&CodecType| codec.filter.is_some_and(|filter| filter.head.is_none());
        unique(
            ALL.iter().filter(is_file_name).filter_map(|codec| Some(codec.filter?.name.to_owned())).collect(),
        );
    }

    #[test]
    fn entries_agree_with_themselves() {
        for codec in ALL {
            assert!(codec.is_written() || codec.reader.is_some(), "{}", codec.name);
            assert!(
                codec.is_written() || (codec.in_frames.is_none() && codec.filter.is_none()),
                "{}",
                codec.name
            );
            assert!(!codec.summary.is_empty(), "{}", codec.name);
            if let Some(filter) = codec.filter {
                let is_read = ALL.iter().any(|other| other.reader.is_some_and(|r| r.number == filter.number));
                assert!(is_read, "{}: files that are written are read", codec.name);
            }
            if let Some(Levels { least, usual, most }) = codec.levels {
                assert!(least <= usual && usual <= most, "{}", codec.name);
            }
        }
    }

    #[test]
    fn a_codec_that_is_only_read_is_not_made() {
        let error = CodecType::named("lzf").unwrap().make(&Settings::USUAL).err().unwrap();
        assert_eq!(
            error.to_string(),
            "lzf: wanted a codec that is written here, found one that is only read"
        );
    }
}
