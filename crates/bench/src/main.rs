//! The program `livetime-bench`: runs a measurement of Livetime itself and prints its record.

use std::alloc::System;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use livetime_bench::hits_score::{Refusal, hits_score};
use livetime_bench::{Allocations, Failed, merge_parts, send_over_links, serve, serve_picture};
use livetime_control::report::Exit;
use livetime_control::report::pretty::pretty;
use livetime_measure::Session;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

mod cli;

use cli::{Cli, Judgement, What};

/// Counted, so that a benchmark can show that a running graph allocates nothing.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let (done, json) = match (&cli.score, cli.what) {
        (Some(Judgement::HitsScore(args)), _) => (hits_score(args, &mut log), args.json),
        (None, what) => (measure(&cli, what).map_err(Refusal::from), cli.json),
    };
    let done = done.and_then(|text| Ok(print(&text)?));
    done.map_or_else(|refusal| refused(&refusal, json), |()| Exit::Ok).into()
}

/// Runs the benchmark. Returns the record as text.
fn measure(cli: &Cli, what: Option<What>) -> Result<String, Failed> {
    let benchmark = match what {
        Some(What::Benchmark(benchmark)) => benchmark,
        Some(What::CaPeer) => {
            return serve_picture(&cli.settings(), &mut io::stdout()).map(|()| String::new());
        }
        Some(What::LinkPeer) => return send_over_links().map(|()| String::new()),
        Some(What::MergePeer) => return merge_parts(&mut io::stdout()).map(|()| String::new()),
        _ => return serve(&cli.settings(), &mut io::stdout()).map(|()| String::new()),
    };
    let session = Session::begin();
    let found = benchmark.run(&cli.settings(), allocations, &mut log);
    let found = found.map_err(|why| format!("{}: {why}", benchmark.name()))?;
    let found = session.finish(benchmark.name(), cli.quick, found);
    found.warning.iter().for_each(|warning| log(warning));
    Ok(if cli.json { pretty(&found.json) } else { found.table } + "\n")
}

fn allocations() -> Allocations {
    let all = ALLOCATOR.stats();
    let bytes = all.bytes_allocated.saturating_sub(all.bytes_deallocated);
    Allocations { count: all.allocations + all.reallocations, bytes }
}

/// Writes a line for people. Its error is ignored, because stderr itself has failed.
fn log(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes data. A reader that has enough, as `head`, is no failure.
fn print(text: &str) -> Result<(), Failed> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to stdout: {error}").into())
        }
        _ => Ok(()),
    }
}

/// Says why nothing was measured, on stdout too if that has JSON.
fn refused(refusal: &Refusal, json: bool) -> Exit {
    let (exit, why) = (refusal.exit, refusal.why.to_string());
    log(&format!("livetime-bench: {why}"));
    if json {
        let is_usage = exit == Exit::Usage;
        let told = json!({
            "ok": false,
            "exit_code": exit as u8,
            "exit_reason": if is_usage { "refused" } else { "failed" },
            "errors": [{ "code": if is_usage { "usage" } else { "failed" }, "message": why }],
        });
        // The failure was printed already; a failure of this print has no place to be reported.
        let _ = print(&format!("{}\n", pretty(&told)));
    }
    exit
}
