//! Arguments of `livetime pv`.

use std::time::Duration;

use clap::Args;

use super::text::Clock;
use crate::args::duration;

#[derive(Args, Debug)]
pub(super) struct Common {
    /// The time to wait for each answer, for example 5s, 200ms.
    #[arg(short = 'w', long = "timeout", value_parser = duration, default_value = "5s")]
    pub(super) timeout: Duration,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(super) json: bool,
    /// Use Channel Access instead of pvAccess.
    #[arg(long)]
    pub(super) ca: bool,
}

#[derive(Args, Debug)]
pub(super) struct Asked {
    #[command(flatten)]
    pub(super) common: Common,
    /// Fields and options of the request, for example field(value,alarm)record[process=true].
    #[arg(short = 'r', long = "request", default_value = "", conflicts_with = "ca")]
    pub(super) request: String,
    /// With --ca: characters are one text. Names that end with `$` mean that anyway.
    #[arg(short = 'S', long = "long-text", requires = "ca")]
    pub(super) long_text: bool,
    /// Print times in UTC instead of local time; JSON has them in UTC always.
    #[arg(long)]
    pub(super) utc: bool,
}

impl Asked {
    pub(super) fn clock(&self) -> Clock {
        if self.utc { Clock::Utc } else { Clock::Local }
    }
}

#[derive(Args, Debug)]
pub(super) struct GetArgs {
    #[command(flatten)]
    pub(super) asked: Asked,
    /// Names of process variables.
    #[arg(required = true)]
    pub(super) names: Vec<String>,
}

#[derive(Args, Debug)]
pub(super) struct PutArgs {
    #[command(flatten)]
    pub(super) asked: Asked,
    /// Name of the process variable.
    pub(super) name: String,
    /// The value: a number, a text or a choice; several values for an array; or FIELD=VALUE. Put `--` before
    /// a text that begins with a dash.
    #[arg(required = true, allow_negative_numbers = true)]
    pub(super) values: Vec<String>,
}

#[derive(Args, Debug)]
pub(super) struct MonitorArgs {
    #[command(flatten)]
    pub(super) asked: Asked,
    /// Names of process variables.
    #[arg(required = true)]
    pub(super) names: Vec<String>,
    /// End after this many updates in all.
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) count: Option<u64>,
    /// With --ca: changes to print, some of v (value), l (value for archives), a (alarm), p (units, limits, choices).
    #[arg(short = 'm', long, default_value = "va", requires = "ca")]
    pub(super) mask: String,
}

#[derive(Args, Debug)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Names of process variables.
    #[arg(required = true)]
    pub(super) names: Vec<String>,
}

#[derive(Args, Debug)]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// A server, as host or host:port.
    pub(super) server: Option<String>,
    /// Information about the server, instead of its process variables.
    #[arg(short = 'i', long, requires = "server")]
    pub(super) info: bool,
}
