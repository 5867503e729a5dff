//! Analysis of recorded runs: by reducers, which are all of [`livetime_analysis`], and by a pipeline file.

pub use crate::graph_analysis::{GraphAnalysis, GraphFound, GraphOptions};
pub use livetime_analysis::*;
