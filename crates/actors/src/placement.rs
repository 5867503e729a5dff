//! Where agents run.

use livetime_runtime::WaitStrategy;

/// The thread or threads that run an agent. Agents do not notice where they run.
///
/// (An actor framework says dispatcher.)
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// A thread of its own, with the agent's name.
    #[default]
    Own,
    /// The thread of this name, shared with all agents placed there.
    Group(String),
    /// The pool of this name: the first agent placed there sets the number of its threads and its order.
    Pool {
        /// Its name.
        name: String,
        /// How many threads.
        threads: usize,
        /// Which messages are handled one after the other.
        order: PoolOrder,
    },
}

/// How threads work that are made for agents, see [`GroupBuilder::threads`](super::GroupBuilder::threads).
///
/// ```
/// use livetime_actors::WaitStrategy;
/// use livetime_actors::{Placement, System, ThreadOptions};
///
/// let system = System::default();
/// let fast = ThreadOptions { wait: WaitStrategy::Spin, cpus: vec![0], batch: 8 };
/// system.group("readout").placement(Placement::group("fast")).threads(fast);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadOptions {
    /// How a thread waits for work.
    pub wait: WaitStrategy,
    /// The CPUs that it may run on; empty means all.
    pub cpus: Vec<usize>,
    /// The number of messages that an agent may handle before its thread turns to others: a larger number is
    /// faster, a smaller one fairer.
    pub batch: usize,
}

impl Default for ThreadOptions {
    /// Adaptive waiting, all CPUs, 64 messages.
    fn default() -> ThreadOptions {
        ThreadOptions { wait: WaitStrategy::Adaptive, cpus: Vec::new(), batch: 64 }
    }
}

/// Which messages a pool handles one after the other; others are handled at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PoolOrder {
    /// The messages of one agent.
    #[default]
    ByAgent,
    /// The messages of all agents of one group.
    ByGroup,
}

impl Placement {
    /// The thread of this name, shared.
    ///
    /// ```
    /// use livetime_actors::Placement;
    /// assert_eq!(Placement::group("preview"), Placement::Group("preview".into()));
    /// ```
    pub fn group(name: &str) -> Placement {
        Placement::Group(name.into())
    }

    /// A pool of this name with this number of threads, with order by agent.
    pub fn pool(name: &str, threads: usize) -> Placement {
        Placement::Pool { name: name.into(), threads, order: PoolOrder::ByAgent }
    }
}
