//! Puts the commit into the program, for the records of its benchmarks.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=../../.git/HEAD");
    println!("cargo::rerun-if-changed=../../.git/index");
    let git = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output();
    let commit = match git {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    };
    println!("cargo::rustc-env=LIVETIME_COMMIT={commit}");
}
