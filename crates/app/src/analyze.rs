//! Analysis of recorded runs: by reducers, which are all of [`livetime_analysis`], and by a pipeline file.

pub use livetime_analysis::*;
pub use livetime_control::recorded::{
    GraphAnalysis, GraphFound, GraphOptions, PipelineAccount, PipelineReducer, RecordedError, ReducedOptions,
    first_picture,
};
