//! Ctrl-C and signals to terminate: [`Interrupts`] for commands that run a graph, [`Interrupt`] for work that stops by itself.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use livetime_engine::{ABORT_LIMIT, Run, Starting, lock};

use crate::log::Level;
use crate::output::{Exit, Output};

/// From the second signal to the end of the process, whatever holds it up: the abort of the run, then the farewell of its faces and the
/// report. People who press Ctrl-C twice, and service managers, wait no longer.
const LAST: Duration = ABORT_LIMIT.saturating_add(Duration::from_millis(800));
/// How long the last words may take: a reader of stderr may not read.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Counts signals instead of dying from them. The second one leaves the process two seconds.
#[derive(Clone, Default)]
pub(crate) struct Interrupts(Arc<Shared>);

#[derive(Default)]
struct Shared {
    count: AtomicUsize,
    /// The run that is going on.
    run: Mutex<Weak<Run>>,
    starting: Starting,
}

impl Interrupts {
    /// Counts from now on.
    pub(crate) fn counted(output: &mut Output) -> Interrupts {
        let interrupts = Interrupts::default();
        let own = interrupts.clone();
        // The handler has a thread of its own, so it may wait.
        if let Err(e) = ctrlc::set_handler(move || own.take()) {
            let text = format_args!("Ctrl-C will end the program at once, without a report: {e}");
            output.tell(Level::Warn, text);
        }
        interrupts
    }

    /// How many there were.
    pub(crate) fn count(&self) -> usize {
        self.0.count.load(Ordering::Relaxed)
    }

    /// Where a run that starts says which node it is at.
    pub(crate) fn starting(&self) -> Starting {
        self.0.starting.clone()
    }

    /// The run whose nodes are named if they keep the process from ending.
    pub(crate) fn watch(&self, run: &Arc<Run>) {
        // A weak reference: a handler of signals must not keep the run.
        *lock(&self.0.run) = Arc::downgrade(run);
    }

    fn take(&self) {
        // Only the second signal starts the time limit.
        if self.0.count.fetch_add(1, Ordering::Relaxed) == 1 {
            let own = self.clone();
            // Further signals are still taken, and change nothing.
            let watching = std::thread::Builder::new().name("last".into()).spawn(move || own.end());
            if watching.is_err() {
                self.end();
            }
        }
    }

    /// Ends the process if it has not ended by itself.
    fn end(&self) {
        std::thread::sleep(LAST);
        let text =
            format!("livetime: {}: ended at once, and files are as complete as they are", self.reason());
        leave(Exit::Failed, text)
    }

    fn reason(&self) -> String {
        if let Some(node) = self.0.starting.node() {
            return format!("node `{node}` does not come back from its start");
        }
        let run = lock(&self.0.run).upgrade();
        let names = run.map_or_else(Vec::new, |run| run.not_returning());
        match names.is_empty() {
            true => "the end takes more than two seconds".into(),
            false => format!("node `{}` does not return", names.join("`, `")),
        }
    }
}

/// Ends the process with a line on stderr, as far as its reader reads.
pub(crate) fn leave(exit: Exit, text: String) -> ! {
    let words = std::thread::Builder::new().spawn(move || _ = writeln!(std::io::stderr(), "{text}"));
    if words.is_ok() {
        std::thread::sleep(LAST_WORDS);
    }
    std::process::exit(exit as i32)
}

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
