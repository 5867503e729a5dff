//! Ctrl-C and signals to terminate, for work that comes to its end by itself.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::output::Exit;

/// How often the program was asked to end.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static HANDLER: OnceLock<()> = OnceLock::new();

/// From now on the first signal does not end the program: the work asks [`Interrupt::is_wanted`], stops, and takes away what it has not
/// finished. The second signal ends the program at once.
#[derive(Clone, Copy)]
pub(crate) struct Interrupt(());

impl Interrupt {
    /// Begins to count. Where the system has no handler for signals, they end the program as before.
    pub(crate) fn watch() -> Interrupt {
        HANDLER.get_or_init(|| {
            let _ = ctrlc::set_handler(|| {
                if COUNT.fetch_add(1, Ordering::Relaxed) > 0 {
                    std::process::exit(Exit::Failed as i32);
                }
            });
        });
        Interrupt(())
    }

    /// Whether the work shall stop.
    pub(crate) fn is_wanted(self) -> bool {
        COUNT.load(Ordering::Relaxed) > 0
    }
}
