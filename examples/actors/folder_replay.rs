//! Plays the pictures of a folder back, one every 20 ms: a camera without hardware.
//! `cargo run --example folder_replay [FOLDER]`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use livetime_actors::{Agent, AgentError, Chain, Channel, Context, Publisher, System, Timer};

/// The bytes of a file, shared by all who look at them.
type Picture = Arc<[u8]>;

struct Replay {
    files: Vec<PathBuf>,
    next: usize,
    images: Publisher<Picture>,
    tick: Channel<()>,
    timer: Option<Timer>,
}

impl Agent for Replay {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        ctx.on(&self.tick, Self::step);
        self.timer = Some(ctx.every(Duration::from_millis(20), &self.tick, ()));
        Ok(())
    }
}

impl Replay {
    fn step(&mut self, _: (), ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let file = &self.files[self.next % self.files.len()];
        let bytes = std::fs::read(file).map_err(|e| AgentError::new(format!("{}: {e}", file.display())))?;
        ctx.publish(&mut self.images, bytes.into());
        self.next += 1;
        Ok(())
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, AgentError> {
    let entries =
        std::fs::read_dir(folder).map_err(|e| AgentError::new(format!("{}: {e}", folder.display())))?;
    let mut files: Vec<PathBuf> =
        entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_file()).collect();
    files.sort();
    match files.is_empty() {
        true => Err(AgentError::new(format!("wanted files in {}, found none", folder.display()))),
        false => Ok(files),
    }
}

fn main() -> Result<(), AgentError> {
    let folder =
        std::env::args().nth(1).unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/src").to_owned());
    let system = System::default();
    let (images, tick) = (system.channel::<Picture>("images")?, system.channel("tick")?);
    let seen = Chain::new(4);
    seen.subscribe(&images);
    let (files, publisher) = (files(Path::new(&folder))?, images.publisher());
    let replay = Replay { files, next: 0, images: publisher, tick, timer: None };
    system.group("replay").add("replay", replay).start()?;
    for _ in 0..5 {
        let picture =
            seen.receive(Duration::from_secs(5)).ok_or_else(|| AgentError::new("no picture in 5 s"))?;
        println!("a picture of {} bytes", picture.len());
    }
    Ok(())
}
