//! How far the end of a cut has come.

/// How far the end has come.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ending {
    /// More frames may come.
    No,
    /// No more frames come, and the receiver is told so, again after each heartbeat until it answers.
    Finish { is_told: bool },
    /// The run of this end was aborted, and the receiver is told so.
    Abort { why: String, is_told: bool },
    /// The receiver's run was aborted; its final standing has not come yet.
    PeerAborted,
    /// The account is final.
    Ended,
}

/// What the end wants to send.
pub(super) enum Due {
    Nothing,
    Abort(String),
    /// Frames, and a finish behind them.
    Data,
}

impl Ending {
    pub(super) fn is_open(&self) -> bool {
        *self == Ending::No
    }

    /// A receiver over a new connection must be told again.
    pub(super) fn greet(&mut self) {
        if let Ending::Finish { is_told } | Ending::Abort { is_told, .. } = self {
            *is_told = false;
        }
    }

    pub(super) fn message(&mut self, is_silent: bool) -> Due {
        match self {
            Ending::No | Ending::Finish { .. } => Due::Data,
            Ending::Abort { why, is_told } if !*is_told || is_silent => {
                *is_told = true;
                Due::Abort(why.clone())
            }
            Ending::Abort { .. } | Ending::PeerAborted | Ending::Ended => Due::Nothing,
        }
    }

    /// True when the finish is to be sent now.
    pub(super) fn finish_due(&mut self, is_silent: bool) -> bool {
        let Ending::Finish { is_told } = self else { return false };
        !std::mem::replace(is_told, true) || is_silent
    }
}
