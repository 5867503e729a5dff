//! Where a value comes from.

use std::fmt;

use super::caller::Caller;

/// Where a value comes from that differs from the start of the run. A value without an origin is as the pipeline file, or
/// the command line, has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The settings file, into which a client had written it.
    Settings {
        /// Who, as [`by`] said it then; empty if that is not known.
        by: String,
        /// When, ns since 1970.
        at_ns: i64,
    },
    /// A write to this run.
    Write {
        /// Who.
        by: Caller,
        /// When, ns since 1970.
        at_ns: i64,
    },
}

impl Origin {
    /// The caller that wrote the value.
    pub fn by(&self) -> String {
        match self {
            Origin::Settings { by, .. } => by.clone(),
            Origin::Write { by: caller, .. } => by(caller),
        }
    }

    /// When it was written, ns since 1970.
    pub fn at_ns(&self) -> i64 {
        match self {
            Origin::Settings { at_ns, .. } | Origin::Write { at_ns, .. } => *at_ns,
        }
    }
}

impl fmt::Display for Origin {
    /// `settings`, or `PV by ada at 10.1.2.3:4000 (pvaccess)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Settings { .. } => f.write_str("settings"),
            Origin::Write { by: caller, .. } => f.write_str(&by(caller)),
        }
    }
}

/// A caller as settings name it: `PV by ada at 10.1.2.3:4000 (pvaccess)`, `page by ada at 10.1.2.3:50000`.
pub fn by(caller: &Caller) -> String {
    match (caller.face, caller.from) {
        ("web", Some(from)) if caller.user.is_empty() => format!("page by {from}{}", caller.by_door()),
        ("web", Some(from)) => format!("page by {} at {from}{}", caller.user, caller.by_door()),
        (_, Some(_)) => format!("PV by {caller}"),
        (_, None) => caller.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_says_who_by_which_face() {
        let caller = |face, user: &str, from: Option<&str>| Caller {
            face,
            user: user.into(),
            from: from.map(|from| from.parse().unwrap()),
            ..Caller::program()
        };
        let said = |caller| Origin::Write { by: caller, at_ns: 5 }.to_string();
        assert_eq!(
            said(caller("pvaccess", "ada", Some("10.1.2.3:4000"))),
            "PV by ada at 10.1.2.3:4000 (pvaccess)"
        );
        assert_eq!(
            said(caller("channel access", "", Some("10.1.2.3:4000"))),
            "PV by at 10.1.2.3:4000 (channel access)"
        );
        assert_eq!(said(caller("web", "ada", Some("10.1.2.3:4000"))), "page by ada at 10.1.2.3:4000");
        let through = Caller { door: Some("daq".into()), ..caller("web", "ada", Some("10.1.2.3:4000")) };
        assert_eq!(through.to_string(), "ada at 10.1.2.3:4000 by host daq (web)");
        assert_eq!(said(through), "page by ada at 10.1.2.3:4000 by host daq");
        assert_eq!(said(Caller::program()), "program");
        let restored = Origin::Settings { by: "ada".into(), at_ns: 7 };
        assert_eq!(
            (restored.to_string(), restored.by(), restored.at_ns()),
            ("settings".into(), "ada".into(), 7)
        );
    }
}
