//! The program `livetime` with the standard nodes.

use std::alloc::System;
use std::process::ExitCode;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counted, so that a benchmark can show that a running graph allocates nothing.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    livetime::main(&livetime::standard_nodes(), || {
        let all = ALLOCATOR.stats();
        let bytes = all.bytes_allocated.saturating_sub(all.bytes_deallocated);
        livetime::Allocations { count: all.allocations + all.reallocations, bytes }
    })
}
