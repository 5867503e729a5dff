//! A recorder: frames become a file, which gets its name when it is whole.

use livetime_engine::{Graph, NodeType};
use livetime_sim::SimDetector;

use crate::{Outcome, block, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    let detector = graph.add("detector", NodeType::of::<SimDetector>())?;
    graph.set(detector, "data_type", &"u16".into())?;
    let file = graph.add("file", livetime_nodes::find("hdf5_files")?)?;
    graph.connect("detector", "file", block())?;
    let texts = [("path", "out/ladder"), ("file_name", "run"), ("compression", "bslz4"), ("mode", "stream")];
    for (name, text) in texts {
        graph.set(file, name, &text.into())?;
    }
    graph.set(file, "create_directory", &(-2).into())?;
    graph.set(file, "capture", &true.into())?;
    run_to_the_end(&graph)
}
