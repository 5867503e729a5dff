//! The causes of errors.

use std::sync::Arc;

/// The cause of an error, kept as a value. Two causes are equal when they are the same value.
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

    /// `message: cause: cause of the cause`, without causes whose text is part of the text before.
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
