//! Analyses of recorded runs: simulated and real ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod camera;
mod common;

mod corrections;
mod detectors;
mod frames;
mod gain;
mod lcls2;
mod memory;
mod parts;
mod recorded;
mod stops;
mod strips;
mod waveforms;

use camera::*;
use common::*;
use livetime_analysis::*;
