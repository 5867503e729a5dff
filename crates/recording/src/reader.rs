//! The memory of a thread that reads events.

use std::any::Any;
use std::sync::Arc;

use livetime_formats::xtc1::run::EventBytes;

use crate::guess::Guess;

/// The working memory of a thread that reads events. Keep it for the next event.
#[derive(Default)]
pub struct Reader {
    pub(crate) bytes: EventBytes,
    pub(crate) names: Names,
    pub(crate) guess: Guess,
    pub(crate) kept: Kept,
}

/// The working memory of a format from event to event: a decoder, a block of a column, frames as they were read.
pub(crate) struct Kept(Box<dyn Any + Send>);

/// Of no format yet.
impl Default for Kept {
    fn default() -> Kept {
        Kept(Box::new(()))
    }
}

impl Kept {
    /// The format's own; a new one if another format has read before.
    #[expect(
        clippy::expect_used,
        reason = "the line before has made a box of any other type one of this type"
    )]
    pub(crate) fn of<T: Default + Send + 'static>(&mut self) -> &mut T {
        if !self.0.is::<T>() {
            self.0 = Box::new(T::default());
        }
        self.0.downcast_mut().expect("a box of this type")
    }
}

/// Names that are kept for reuse. Files have far fewer; further names, as in a hostile file, are made anew each time.
const MOST_NAMES: usize = 256;

/// Names and texts of attributes that come again and again, shared between frames.
#[derive(Default)]
pub(crate) struct Names(Vec<Arc<str>>);

impl Names {
    pub(crate) fn of(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.iter().find(|known| &***known == name) {
            return known.clone();
        }
        let new: Arc<str> = name.into();
        if self.0.len() < MOST_NAMES {
            self.0.push(new.clone());
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_finds_its_own_again_and_not_that_of_another() {
        let mut kept = Kept::default();
        *kept.of::<u32>() = 7;
        assert_eq!(*kept.of::<u32>(), 7);
        assert_eq!(*kept.of::<String>(), "");
        assert_eq!(*kept.of::<u32>(), 0);
    }
}
