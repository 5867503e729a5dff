//! Arguments that several commands have.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::config::{ALL_HOSTS, Setting, positive_quantity};

/// The pipeline and its parameters.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct PipelineArgs {
    /// Pipeline file; without one, a simulated camera with eleven plugins.
    pub(crate) file: Option<PathBuf>,
    /// Set a parameter before the start, for example detector.acquire_period=2ms; may be repeated.
    #[arg(long = "set", value_name = "NODE.PARAM=VALUE")]
    pub(crate) settings: Vec<Setting>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Run the command inside Python, so that the file may name nodes of Python as `module:name`. The variable LIVETIME_PYTHON
    /// names the interpreter, which must have the package livetime. Without the variable the interpreter is the one whose
    /// package brought this program, else python3.
    #[arg(long, requires = "file")]
    pub(crate) python: bool,
    /// Take the nodes of this host alone, of a pipeline file with `hosts`; `all`: the nodes of every host, in one process.
    #[arg(long, value_name = "NAME", requires = "file")]
    pub(crate) host: Option<String>,
}

impl PipelineArgs {
    /// The host whose nodes alone are meant.
    pub(crate) fn host_part(&self) -> Option<&str> {
        self.host.as_deref().filter(|host| *host != ALL_HOSTS)
    }
}

/// Where the settings of a run are kept.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct KeptArgs {
    /// Keep changed parameters in FILE, and start with them; by default in the file beside the pipeline file that is called like it,
    /// with the ending .settings.json.
    #[arg(long = "settings", id = "settings_file", value_name = "FILE", conflicts_with = "no_settings")]
    pub(crate) file: Option<PathBuf>,
    /// Start as the pipeline file says, and keep no changed parameters.
    #[arg(long, id = "no_settings")]
    pub(crate) no_settings: bool,
}

/// A time with its unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    // A hundred years. Much longer times would overflow the arithmetic.
    let seconds = positive_quantity(text, "s").filter(|s| *s < 3.2e9);
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("wanted a time above 0 with its unit, as 10s, 200ms or 10m, found `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(duration("5 min"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        for wrong in ["", "0", "-1s", "soon", "inf", "nan", "1e300"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
