//! The callers that act on a run.

use std::fmt;
use std::net::SocketAddr;

/// The origin of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// Through which face: `pvaccess`, `web`, `program`.
    pub face: &'static str,
    /// The name of the caller; empty if it gave none.
    pub user: String,
    /// From where; `None` for this program itself, which may do everything.
    pub from: Option<SocketAddr>,
    /// Whether that is this machine, at whichever of its addresses.
    pub is_local: bool,
    /// Whether they have shown the secret of this run, or their face has a rule of its own for them: such a caller may act from
    /// anywhere.
    pub has_token: bool,
    /// The host of the graph through whose page they come, where that is another one.
    pub door: Option<String>,
}

impl Caller {
    /// This program itself.
    pub fn program() -> Caller {
        Caller {
            face: "program",
            user: String::new(),
            from: None,
            is_local: true,
            has_token: false,
            door: None,
        }
    }
}

impl Caller {
    /// A PV that a parameter follows.
    pub fn link() -> Caller {
        Caller { face: LINK, ..Caller::program() }
    }

    /// The settings of the run.
    pub(super) fn settings() -> Caller {
        Caller { face: SETTINGS, ..Caller::program() }
    }

    /// ` by host detector`, or nothing.
    pub(super) fn by_door(&self) -> String {
        self.door.as_ref().map(|door| format!(" by host {door}")).unwrap_or_default()
    }

    /// Whether a person or a program of theirs asks for each single value: such a value has its caller as origin.
    pub(super) fn is_origin(&self) -> bool {
        self.face != LINK && self.face != SETTINGS
    }
}

/// The face of parameters that follow PVs.
pub(super) const LINK: &str = "link";
/// The face of values that settings restore.
const SETTINGS: &str = "settings";

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = if self.user.is_empty() { String::new() } else { format!("{} ", self.user) };
        match self.from {
            Some(from) => write!(f, "{user}at {from}{} ({})", self.by_door(), self.face),
            None => write!(f, "{user}{}", self.face),
        }
    }
}
