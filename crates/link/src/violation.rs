//! What a peer did that no honest peer does.

use std::fmt;

/// A message that is refused: the connection must be closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A message that this end never gets, or not now.
    Unexpected {
        /// The message that was wanted.
        wanted: &'static str,
        /// The message that came.
        found: &'static str,
    },
    /// The peer serves another cut.
    Cut {
        /// Name of our cut.
        wanted: String,
        /// Name of the peer's.
        found: String,
    },
    /// The peer runs another pipeline file.
    Pipeline {
        /// The first bytes of our hash.
        wanted: u32,
        /// The first bytes of the peer's.
        found: u32,
    },
    /// A number of the peer contradicts this end.
    Number {
        /// Name of the number.
        name: &'static str,
        /// The least value that fits.
        least: u64,
        /// The largest value that fits.
        most: u64,
        /// The value that came.
        found: u64,
    },
    /// A count of losses has shrunk.
    Shrunk,
}

impl Violation {
    /// An error, if `found` is not in `least..=most`.
    pub(crate) fn check(name: &'static str, found: u64, least: u64, most: u64) -> Result<(), Violation> {
        if (least..=most).contains(&found) {
            return Ok(());
        }
        Err(Violation::Number { name, least, most, found })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Unexpected { wanted, found } => {
                write!(f, "peer of a link: wanted {wanted}, found {found}")
            }
            Violation::Cut { wanted, found } => {
                write!(f, "peer of a link: wanted the cut `{wanted}`, found `{found}`")
            }
            Violation::Pipeline { wanted, found } => write!(
                f,
                "peer of a link: wanted the pipeline file with hash {wanted:08x}…, found {found:08x}…; \
                 give every host the same file"
            ),
            Violation::Number { name, least, most, found } if least == most => {
                write!(f, "peer of a link: wanted {name} {least}, found {found}")
            }
            Violation::Number { name, least, most, found } => {
                write!(f, "peer of a link: wanted {name} from {least} to {most}, found {found}")
            }
            Violation::Shrunk => {
                write!(f, "peer of a link: wanted losses that only grow, found a smaller count")
            }
        }
    }
}

impl std::error::Error for Violation {}
