//! Goes through a recorded run: what is in it, the mean of each picture, and what became of all events.
//!
//! ```sh
//! cargo run --release --package livetime-recording --example recorded_run -- run.xtc [detector]
//! ```

#![allow(clippy::print_stdout, reason = "a program prints")]

use livetime_frame::with_dtype;
use livetime_recording::{OnDamage, Options, Reader, Recording};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("wanted a file of a recorded run")?;
    let wanted = arguments.next().unwrap_or_default();

    let recording = Recording::find(&file, None)?;
    println!("{} events, {} files", recording.events(), recording.files().len());
    for detector in recording.detectors()? {
        let layout = recording.layout(&detector).map_or("no picture".into(), |layout| layout.to_string());
        println!("{detector}: {layout}");
    }

    let detector = recording.detector(wanted.as_str())?;
    let options = Options { on_damage: OnDamage::Skip, threads: 2, ..Options::default() };
    let (mut frames, mut reader) = (recording.frames(&detector, options), Reader::default());
    for event in frames.by_ref() {
        match event {
            Ok(event) => {
                let array = event.frame.array()?;
                let mean = with_dtype!(array.layout().dtype(), T => {
                    array.elements::<T>()?.iter().map(|v| *v as f64).sum::<f64>() / array.layout().len() as f64
                });
                let small = recording.small_data(event.event, &mut reader)?;
                println!("event {}: mean {mean:.2}, {} small values", event.event, small.len());
            }
            // An event that cannot be read, or the place where a file breaks off.
            Err(fault) => println!("{}: {fault}", fault.kind),
        }
    }
    let account = frames.account();
    println!(
        "{} whole, {} damaged and left out, {} missing",
        account.whole, account.skipped, account.missing
    );
    println!("{} that cannot be shown", account.failures());
    Ok(())
}
