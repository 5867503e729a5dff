//! The settings and readbacks of a replay.

use livetime_engine::{Context, Next, NodeError, ParamEnum, Params};
use livetime_recording::OnDamage;

use super::Timing;
use super::player::{Player, Settings};

/// The policy for pictures that are damaged or incomplete: [`OnDamage`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Damage {
    /// They are left out, and counted.
    Skip,
    /// They are sent, and say that they are damaged.
    #[default]
    Keep,
    /// The first one is an error, and ends the source.
    Stop,
}

impl From<Damage> for OnDamage {
    fn from(damage: Damage) -> OnDamage {
        match damage {
            Damage::Skip => OnDamage::Skip,
            Damage::Keep => OnDamage::Keep,
            Damage::Stop => OnDamage::Stop,
        }
    }
}

/// The settings and readbacks of a replay.
#[derive(Params)]
pub struct Playback {
    /// A file of the run, or a pattern with `*` and `?` for its files, or lines with a file in each.
    #[param(pv = "FilePath")]
    pub file: String,
    /// Which events are sent, as `100..200`, `100..` or `..200`, counted from 0; empty means all.
    pub events: String,
    /// Which of these, as `evr(140) and ebeam.charge > 0.1`: the expressions of `livetime analyze --select`; empty means all.
    pub select: String,
    /// When events are sent.
    pub timing: Timing,
    /// How many times faster than recorded, with timing `recorded`.
    #[param(default = 1.0, min = 1e-6, max = 1e6)]
    pub speed: f64,
    /// How often the events are sent; 0 means without end.
    #[param(default = 1)]
    pub loops: u64,
    /// Whether files that are still being written are followed until their run has ended.
    pub follow: bool,
    /// Threads that read ahead; 0 means that the node's own thread reads when a frame is due.
    #[param(default = 1, max = 64)]
    pub threads: usize,
    /// What becomes of pictures that are damaged or not all there.
    pub damage: Damage,
    /// Events found.
    #[param(readback)]
    pub num_events: usize,
    /// Frames since the start of the run; the sequence number of the last one.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub array_counter: u64,
    /// Events without the detector.
    #[param(readback)]
    pub missing: u64,
    /// Events that `select` does not want, and those that lack a value that would decide: none of them is a loss.
    #[param(readback)]
    pub not_selected: u64,
    /// Of these, events that lack a value.
    #[param(readback)]
    pub without_value: u64,
    /// Events that could not be read.
    #[param(readback)]
    pub failures: u64,
    /// Pictures of which data are missing or wrong, sent or not.
    #[param(readback)]
    pub damaged: u64,
    /// Places in the files that cannot be read; each is a loss.
    #[param(readback)]
    pub problems: usize,
}

impl Playback {
    /// The contract of [`livetime_engine::Node::produce`].
    ///
    /// # Errors
    /// As [`Player::produce`].
    pub(super) fn produce(
        &mut self,
        player: &mut Option<Player>,
        ctx: &mut Context,
    ) -> Result<Next, NodeError> {
        let Some(player) = player else { return Ok(Next::Finished) };
        let next = player.produce(&self.settings(), ctx);
        let account = player.account();
        (self.array_counter, self.missing) = (account.frames, account.missing);
        (self.failures, self.damaged) = (account.failures(), account.not_whole());
        (self.num_events, self.problems) = (player.events(), player.entered());
        (self.not_selected, self.without_value) = player.not_selected();
        next
    }

    fn settings(&self) -> Settings {
        let Playback { timing, speed, loops, follow, threads, .. } = *self;
        Settings { timing, speed, loops, follow, threads, on_damage: self.damage.into() }
    }
}
