//! How servers are asked.

use std::fmt;
use std::time::Duration;

/// Bytes of a range that is read ahead, and of a part that is written.
pub(crate) const BLOCK: u64 = 8 << 20;
/// Bytes of a range that a reader asks for which jumps: heads of datagrams, parts of an HDF5 file's tree.
pub(crate) const PAGE: u64 = 64 << 10;
/// Requests of one reader at a time.
pub(crate) const IN_FLIGHT: usize = 16;

/// How servers are asked. The crate reads no variable of the environment: a program gives them.
#[derive(Clone)]
pub struct Settings {
    /// The variables with credentials, region and endpoint, as `AWS_ACCESS_KEY_ID`.
    variables: Vec<(String, String)>,
    /// Most memory for bytes that were read ahead or may be read again.
    pub cache_bytes: u64,
    /// The time after which a request and its repetitions count as failed.
    pub limit: Duration,
    /// The time after which a request counts as failed if nothing comes.
    pub stall: Duration,
    /// How often a request is sent at most.
    pub tries: usize,
}

impl Settings {
    /// With the variables of an environment whose names begin with `AWS_`.
    ///
    /// ```
    /// use livetime_objects::Settings;
    ///
    /// let settings = Settings::of([("AWS_SECRET_ACCESS_KEY".into(), "secret".into()), ("HOME".into(), "/".into())]);
    /// assert!(!format!("{settings:?}").contains("secret\""));
    /// ```
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Settings {
        let variables = variables.into_iter().filter(|(name, _)| name.starts_with("AWS_")).collect();
        Settings {
            variables,
            cache_bytes: 512 << 20,
            limit: Duration::from_secs(120),
            stall: Duration::from_secs(30),
            tries: 4,
        }
    }

    /// Names and values of the variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Without the values of the variables: one is a secret.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.variables().map(|(name, _)| name).collect();
        let Settings { cache_bytes, limit, stall, tries, .. } = self;
        write!(f, "Settings({names:?}, {cache_bytes} bytes, {limit:?}, {stall:?}, {tries} tries)")
    }
}
