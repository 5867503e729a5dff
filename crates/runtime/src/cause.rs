//! What lies behind an error.

use std::sync::Arc;

/// The error that lies behind another one, kept as a value. Two are equal when they are the same value.
#[derive(Clone, Debug)]
pub struct Cause(Arc<dyn std::error::Error + Send + Sync>);

impl Cause {
    /// Keeps `error`.
    pub fn new(error: Arc<dyn std::error::Error + Send + Sync>) -> Cause {
        Cause(error)
    }

    /// The error, to be read or to be cast to its own type.
    pub fn error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        &*self.0
    }

    /// `message: cause: cause of the cause`; what a text says already is not said again.
    pub fn behind(&self, message: &str) -> String {
        let mut text = message.to_owned();
        let mut next: Option<&dyn std::error::Error> = Some(self.error());
        while let Some(error) = next {
            let cause = error.to_string();
            if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
            next = error.source();
        }
        text
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cause {}
