//! Programs that tests start.

use std::io;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::{HANG, test_name};

/// A command that runs the test `name` of the module `module_path!()` in a process of its own, in which files over a limit fail
/// instead of ending it.
///
/// # Errors
/// When the system does not tell the path of the test program.
pub fn test_process(module_path: &str, name: &str) -> io::Result<Command> {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" --exact --include-ignored --nocapture \"$1\""]);
    command.arg(std::env::current_exe()?).arg(test_name(module_path, name)).stdout(Stdio::null());
    Ok(command)
}

/// Runs a program to its end and takes what it prints. One that hangs is killed after [`HANG`].
///
/// # Errors
/// When the program cannot be started or waited for.
pub fn run_to_end(command: &mut Command) -> io::Result<Output> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let end = Instant::now() + HANG;
    while child.try_wait()?.is_none() {
        if Instant::now() > end {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output()
}
