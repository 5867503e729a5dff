//! How writing to files fares.

use livetime_engine::ParamEnum;

/// How the last write fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum WriteStatus {
    /// It was written.
    #[default]
    #[pv("Write OK")]
    Ok,
    /// It was not.
    #[pv("Write error")]
    Error,
}
