//! The state that the agents of a strand share: the queues between them, which agent runs next, and which
//! strands they must wake.

use std::collections::VecDeque;
use std::sync::Arc;

use livetime_runtime::sync::{Ordering, fence};

use super::account::AgentAccount;
use super::any_agent::AnyAgent;
use super::core::Core;
use super::keyed::Key;
use super::outbox::Outbox;
use super::strand::{Host, MANY, OWN_BITS, StrandHandle};

/// Messages that a handler sends to other threads before these are notified; for the rest they are notified
/// when it returns.
const TELL_AFTER: u32 = 16;
/// The number of strands whose handles are cached.
const PEERS: usize = 8;

/// The number that no agent has.
const NOBODY: u32 = u32::MAX;

/// Flags of an agent. The agent is in the queue of agents to run.
const SCHEDULED: u8 = 1;
/// The agent waits for room in an input that it sent to.
const HELD: u8 = 2;
/// Others have named an input of the agent since it ran.
const NAMED: u8 = 4;

/// The part of a strand that a handler may touch.
pub(crate) struct Local {
    pub(crate) core: Arc<Core>,
    pub(crate) handle: Arc<StrandHandle>,
    /// Opens the parts that only this strand uses.
    pub(crate) key: Key,
    /// The agents to which the inputs belong, by the number of the input; [`NOBODY`] for an agent that has ended.
    inputs: Vec<u32>,
    free_inputs: Vec<u32>,
    /// By the number of the agent.
    flags: Vec<u8>,
    free_agents: Vec<u32>,
    /// Agents that have messages, in the order of their turns.
    pub(crate) run: VecDeque<u32>,
    /// The input that the last message from another strand came to.
    hot: Option<Hot>,
    peers: Vec<Peer>,
    untold: u32,
    /// How often other strands were notified of messages.
    pub(crate) told: u64,
    pub(crate) outbox: Outbox,
    /// Messages that other threads of the pool handle now.
    pub(crate) in_flight: usize,
    /// The agent whose handler runs now.
    pub(crate) running: u32,
    pub(crate) newborn: Vec<(u32, Box<dyn AnyAgent>)>,
    pub(crate) ending: Vec<u32>,
    /// Agents were born or are ending.
    pub(crate) has_changes: bool,
    /// The last reading of the clock.
    pub(crate) now_ns: u64,
    /// Some agent needs to know the time in every turn.
    pub(crate) needs_clock: bool,
    /// The type that was named last, and its name.
    type_name: (&'static str, Arc<str>),
    /// Where agents without a name are counted, together.
    pub(crate) unnamed: Arc<AgentAccount>,
}

/// The input that the waiting thread polls directly, which costs one cache-line transfer less than being
/// notified of its messages.
struct Hot {
    input: Arc<dyn HasRing>,
    slot: u32,
    is_on: bool,
}

/// An input that other strands put messages into.
pub(crate) trait HasRing: Send + Sync {
    /// True when one waits.
    fn has_remote(&self) -> bool;
}

struct Peer {
    handle: Arc<StrandHandle>,
    bits: u64,
}

impl Local {
    pub(crate) fn new(core: Arc<Core>, handle: Arc<StrandHandle>) -> Local {
        let unnamed = Arc::new(AgentAccount::new(format!("{}/unnamed", handle.name), core.clock.now_ns()));
        core.accounts.add(unnamed.clone());
        Local {
            now_ns: core.clock.now_ns(),
            core,
            handle,
            key: Key::new(),
            inputs: Vec::new(),
            free_inputs: Vec::new(),
            flags: Vec::new(),
            free_agents: Vec::new(),
            run: VecDeque::new(),
            hot: None,
            peers: Vec::new(),
            untold: 0,
            told: 0,
            outbox: Outbox::default(),
            in_flight: 0,
            running: 0,
            newborn: Vec::new(),
            ending: Vec::new(),
            has_changes: false,
            needs_clock: false,
            type_name: ("", "".into()),
            unnamed,
        }
    }

    /// Reads the clock.
    #[inline]
    pub(crate) fn read_clock(&mut self) -> u64 {
        self.now_ns = self.core.clock.now_ns();
        self.now_ns
    }

    /// The name of a type of agents: agents of one type are mostly spawned in a row.
    pub(crate) fn name_of<A>(&mut self) -> Arc<str> {
        let name = std::any::type_name::<A>();
        if !std::ptr::eq(self.type_name.0, name) {
            self.type_name = (name, name.into());
        }
        self.type_name.1.clone()
    }

    // ---- Numbers ----

    pub(crate) fn new_agent(&mut self) -> u32 {
        self.free_agents.pop().unwrap_or_else(|| {
            self.flags.push(0);
            (self.flags.len() - 1) as u32
        })
    }

    pub(crate) fn free_agent(&mut self, number: u32) {
        // An entry in the run queue may still name it; `next_to_run` then finds no agent, or a new one without a
        // message, and either is harmless.
        self.flags[number as usize] = 0;
        self.outbox.forget(number);
        self.free_agents.push(number);
    }

    /// The number of a new input.
    pub(crate) fn new_input(&mut self, agent: u32) -> u32 {
        match self.free_inputs.pop() {
            Some(number) => {
                self.inputs[number as usize] = agent;
                number
            }
            None => {
                self.inputs.push(agent);
                (self.inputs.len() - 1) as u32
            }
        }
    }

    pub(crate) fn free_input(&mut self, number: u32) {
        self.inputs[number as usize] = NOBODY;
        self.hot = self.hot.take().filter(|hot| hot.slot != number);
        self.free_inputs.push(number);
    }

    // ---- Turns ----

    /// A message from another strand came to this input: the next one may well do so too.
    #[inline]
    pub(crate) fn heat(&mut self, slot: u32, input: &Arc<impl HasRing + 'static>) {
        match &mut self.hot {
            Some(hot) if hot.slot == slot => hot.is_on = true,
            _ if slot < OWN_BITS && matches!(self.handle.host, Host::Thread { .. }) => {
                self.hot = Some(Hot { input: input.clone(), slot, is_on: true });
            }
            _ => {}
        }
    }

    /// Stops polling an input directly. Before a strand sleeps it must have cleared all announcements,
    /// because a sender that finds the bit of its input set does not wake the strand.
    pub(crate) fn cool(&mut self) {
        self.hot.iter_mut().for_each(|hot| hot.is_on = false);
    }

    /// True when there is something to do that the strand has not seen.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        match &self.hot {
            Some(hot) if hot.is_on => self.handle.has_work_beside(bit_of(hot.slot)) || hot.input.has_remote(),
            _ => self.handle.has_work(),
        }
    }

    /// The announcements to the strand, as bits. Messages of the input that is polled directly are not
    /// announced: its agent is scheduled at once.
    #[inline]
    pub(crate) fn take_told(&mut self) -> u64 {
        match &self.hot {
            Some(hot) if hot.is_on && !self.handle.has_work_beside(bit_of(hot.slot)) => {
                if hot.input.has_remote() {
                    let slot = hot.slot;
                    self.handle.set_busy();
                    self.schedule_input(slot);
                }
                0
            }
            _ => self.handle.take_ready(),
        }
    }

    #[inline]
    pub(crate) fn schedule(&mut self, agent: u32) {
        let flags = &mut self.flags[agent as usize];
        if *flags & SCHEDULED == 0 {
            *flags |= SCHEDULED;
            self.run.push_back(agent);
        }
    }

    #[inline]
    pub(crate) fn schedule_input(&mut self, slot: u32) {
        if let Some(agent) = self.inputs.get(slot as usize).filter(|agent| **agent != NOBODY) {
            self.schedule(*agent);
        }
    }

    /// As [`schedule_input`](Local::schedule_input), for an input that was named.
    pub(crate) fn schedule_named(&mut self, slot: u32) {
        if let Some(agent) = self.inputs.get(slot as usize).filter(|agent| **agent != NOBODY) {
            let agent = *agent;
            self.flags[agent as usize] |= NAMED;
            self.schedule(agent);
        }
    }

    /// True when an input of the agent was announced and the agent has not checked it since.
    pub(crate) fn is_named(&self, agent: u32) -> bool {
        self.flags[agent as usize] & NAMED != 0
    }

    /// True once after an input of the agent was named.
    #[inline]
    pub(crate) fn take_named(&mut self, agent: u32) -> bool {
        let flags = &mut self.flags[agent as usize];
        let was_named = *flags & NAMED != 0;
        *flags &= !NAMED;
        was_named
    }

    /// Takes the agent whose turn it is; one that waits for room is passed over, and scheduled again when there is.
    #[inline]
    pub(crate) fn next_to_run(&mut self) -> Option<u32> {
        loop {
            let agent = self.run.pop_front()?;
            let flags = &mut self.flags[agent as usize];
            *flags &= !SCHEDULED;
            if *flags & HELD == 0 {
                return Some(agent);
            }
        }
    }

    /// True when the agent must not handle another message before its stored messages are delivered.
    #[inline]
    pub(crate) fn is_held(&self, agent: u32) -> bool {
        self.flags[agent as usize] & HELD != 0
    }

    pub(crate) fn hold(&mut self, agent: u32) {
        // Its messages stay queued: a thread that checked them now would check them again and again.
        self.cool();
        self.flags[agent as usize] |= HELD;
    }

    /// Sends the messages that waited for room, as far as there is room.
    pub(crate) fn send_parked(&mut self) {
        let mut outbox = std::mem::take(&mut self.outbox);
        outbox.retry(self);
        // A message that a binding could not pass on is stored behind the messages that already wait.
        outbox.append(std::mem::take(&mut self.outbox));
        self.outbox = outbox;
        for agent in 0..self.flags.len() as u32 {
            if self.is_held(agent) && !self.outbox.holds(agent) {
                self.flags[agent as usize] &= !HELD;
                self.schedule(agent);
            }
        }
        self.tell_peers();
    }

    // ---- Others ----

    /// Remembers that a message was put into an input of another strand, to notify that strand when the
    /// handler returns.
    #[inline]
    pub(crate) fn touch(&mut self, strand: &Arc<StrandHandle>, bits: u64) {
        match self.peers.iter_mut().find(|p| Arc::ptr_eq(&p.handle, strand)) {
            Some(peer) => peer.bits |= bits,
            None => self.meet(strand.clone(), bits),
        }
        self.untold += 1;
        if self.untold >= TELL_AFTER {
            self.tell_peers();
        }
    }

    #[cold]
    fn meet(&mut self, handle: Arc<StrandHandle>, bits: u64) {
        if self.peers.len() >= PEERS {
            self.tell_peers();
            self.peers.clear();
        }
        self.peers.push(Peer { handle, bits });
    }

    /// Wakes the strands that messages were sent to.
    #[inline(always)]
    pub(crate) fn tell_peers(&mut self) {
        if self.untold > 0 {
            self.tell_now();
        }
    }

    fn tell_now(&mut self) {
        self.untold = 0;
        self.told += 1;
        // One fence for all strands: the messages are visible before their announcements.
        fence(Ordering::SeqCst);
        for peer in self.peers.iter_mut().filter(|p| p.bits != 0) {
            peer.handle.tell(std::mem::take(&mut peer.bits));
        }
    }
}

/// The bit of input number `slot`.
pub(crate) fn bit_of(slot: u32) -> u64 {
    if slot < OWN_BITS { 1 << slot } else { MANY }
}
