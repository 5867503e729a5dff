//! Objects of stores that are being written.

use std::io::{self, Write};

/// An object that is being written. It is dropped before its end to leave nothing behind.
pub trait NewObject: Write + Send {
    /// Gives the object its address, whole.
    ///
    /// # Errors
    /// Why the store has not taken it; then there is nothing of it.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
