//! Why a start-up script does not become a pipeline.

use std::path::PathBuf;
use std::{error, fmt};

/// Why a script does not become a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImportError {
    /// The script cannot be read.
    Unreadable {
        /// The script.
        file: PathBuf,
        /// The reason of the system.
        reason: String,
    },
    /// No line of it, or of the scripts that it includes, makes a driver or a plugin.
    Empty {
        /// The script.
        file: PathBuf,
        /// Included files that were not found.
        missing: Vec<String>,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Unreadable { file, reason } => write!(f, "{}: {reason}", file.display()),
            ImportError::Empty { file, missing } => {
                write!(
                    f,
                    "{}: wanted a script that makes drivers or plugins of areaDetector, as NDStatsConfigure(...), \
                     found none",
                    file.display()
                )?;
                missing.iter().try_for_each(|missing| write!(f, "; {missing}"))
            }
        }
    }
}

impl error::Error for ImportError {}
