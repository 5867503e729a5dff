//! Events read ahead, given in their order.

use livetime_formats::Result;
use livetime_frame::{Allocator, FrameMut, Layout, PoolExhausted};

use crate::damage::Outcome;
use crate::read_ahead::{Loaded, Loader, events_in_batch, layout_of};
use crate::{Account, Condition, Detector, Fault, FaultKind, OnDamage, Picture, Reader, Recording, Wanted};

/// Where the memory of frames comes from: a pool, or a running graph.
pub trait Memory {
    /// Why there is none.
    type Error;

    /// Memory for an array; may wait for it.
    ///
    /// # Errors
    /// If there is none.
    fn array(&mut self, layout: Layout) -> std::result::Result<FrameMut, Self::Error>;

    /// As `array`, for an event that is read ahead, but never waits. Events under way hold memory until the caller takes
    /// them; if the caller waited here for this memory, the wait would never end.
    fn array_ahead(&mut self, layout: Layout) -> Option<FrameMut>;
}

impl Memory for Allocator {
    type Error = PoolExhausted;

    fn array(&mut self, layout: Layout) -> std::result::Result<FrameMut, PoolExhausted> {
        Allocator::array(self, layout)
    }

    fn array_ahead(&mut self, layout: Layout) -> Option<FrameMut> {
        Allocator::array(self, layout).ok()
    }
}

/// Why an event gave no frame.
#[derive(Debug)]
pub enum ReadError<E> {
    /// Something is wrong with the event.
    Fault(Fault),
    /// There is no memory for it.
    Memory(E),
}

/// Gives events in order as frames of one detector. Threads read and decompress ahead, straight into the memory of the
/// frames.
///
/// The common part of [`Frames`](crate::Frames) and the source `recording`; each of these decides itself which event is
/// next, and when.
pub struct Ordered {
    recording: Recording,
    wanted: Wanted,
    /// `None` as long as the run says nothing about its detectors.
    detector: Option<Detector>,
    /// How many threads read ahead, at most 256; 0: the thread that asks reads.
    pub threads: usize,
    /// The policy for damaged pictures.
    pub on_damage: OnDamage,
    /// Bytes of frames that the threads hand over at once; 0: each event alone.
    pub batch_bytes: usize,
    /// Events before this one are handed over alone: a thread has panicked at an unknown event of its batch, and single
    /// events show which.
    alone_until: usize,
    /// The event that is asked for next if it goes on as it did, and the one that is read ahead next.
    next: usize,
    ahead: usize,
    loader: Option<Loader>,
    reader: Reader,
    picture: Picture,
    /// The layout of the last frame.
    layout: Option<Layout>,
    /// Memory that was meant for an event without a picture.
    spare: Option<FrameMut>,
    account: Account,
    is_stopped: bool,
}

impl Ordered {
    /// Of the detector that is wanted. A run that is being written may name it later.
    ///
    /// # Errors
    /// As [`Recording::detector`].
    pub fn new(recording: Recording, wanted: Wanted) -> Result<Ordered> {
        // Refused now if the words can mean no detector, and not at the first event.
        let detector = recording.known_detector(&wanted)?;
        Ok(Ordered { detector, ..Ordered::unknown(recording, wanted) })
    }

    /// Of a detector that is known.
    pub fn of(recording: Recording, detector: &Detector) -> Ordered {
        let wanted = Wanted::from(detector);
        Ordered { detector: Some(detector.clone()), ..Ordered::unknown(recording, wanted) }
    }

    fn unknown(recording: Recording, wanted: Wanted) -> Ordered {
        Ordered {
            recording,
            wanted,
            detector: None,
            threads: 1,
            on_damage: OnDamage::default(),
            batch_bytes: 0,
            alone_until: 0,
            next: 0,
            ahead: 0,
            loader: None,
            reader: Reader::default(),
            picture: Picture::default(),
            layout: None,
            spare: None,
            account: Account::default(),
            is_stopped: false,
        }
    }

    /// The run.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Counts of the events so far by their condition.
    pub fn account(&self) -> Account {
        self.account
    }

    /// The layout of the last frame.
    pub fn layout(&self) -> Option<Layout> {
        self.layout
    }

    /// Whether [`OnDamage::Stop`] has ended the reading.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Looks for events that were recorded meanwhile.
    ///
    /// # Errors
    /// As [`Recording::refresh`] and [`Recording::detector`].
    pub fn refresh(&mut self) -> Result<()> {
        self.recording.refresh()?;
        if self.detector.is_none() {
            self.detector = self.recording.known_detector(&self.wanted)?;
        }
        Ok(())
    }

    /// Reads `event` as a frame, with the next sequence number. The events behind it, up to `end`, are read ahead, so
    /// that asking for one event after the other is quick. `None`: it gives no frame, and the account says why.
    ///
    /// # Errors
    /// [`ReadError`]; the event is counted, and the one behind it may be read.
    pub fn read<M: Memory>(
        &mut self,
        event: usize,
        end: usize,
        memory: &mut M,
    ) -> std::result::Result<Option<FrameMut>, ReadError<M::Error>> {
        let loaded = match self.load(event, end, memory) {
            Err(ReadError::Fault(fault)) => Err(fault),
            Err(error) => {
                // Missing memory ends the caller's run with its own error, but the event is counted.
                self.account.add_fault(FaultKind::NoMemory);
                return Err(error);
            }
            Ok(loaded) => Ok(loaded),
        };
        let judged = loaded.and_then(|(frame, condition)| self.judge(frame, condition));
        match judged {
            Ok(frame) => Ok(frame),
            // An event without the detector is usual (detectors with another rate), and no error.
            Err(fault) if fault.kind == FaultKind::Missing => {
                self.account.add_fault(fault.kind);
                Ok(None)
            }
            Err(fault) => {
                self.account.add_fault(fault.kind);
                self.is_stopped |= self.on_damage == OnDamage::Stop;
                Err(ReadError::Fault(self.placed(fault, event)))
            }
        }
    }

    /// Counts a picture, and applies the policy for damage. Frames that are given are numbered from 1.
    fn judge(&mut self, mut frame: FrameMut, condition: Condition) -> Outcome<Option<FrameMut>> {
        self.account.add_picture(condition);
        // Counted before the policy: the account describes the data, not the policy.
        match self.on_damage {
            OnDamage::Skip if condition.is_damaged() => {
                self.account.skipped += 1;
                Ok(None)
            }
            OnDamage::Stop if condition.is_damaged() => {
                Err(Fault::new(FaultKind::Damaged, "wanted an undamaged picture, found one that is damaged"))
            }
            _ => {
                self.account.frames += 1;
                frame.header_mut().sequence = self.account.frames;
                Ok(Some(frame))
            }
        }
    }

    fn placed(&self, fault: Fault, event: usize) -> Fault {
        let place = self.recording.place(event);
        match &self.detector {
            Some(detector) => fault.at(event, format_args!("{place}: {detector}")),
            None => fault.at(event, place),
        }
    }

    /// From the threads if they have it.
    fn load<M: Memory>(
        &mut self,
        event: usize,
        end: usize,
        memory: &mut M,
    ) -> std::result::Result<(FrameMut, Condition), ReadError<M::Error>> {
        if event != self.next {
            // Events that were read ahead are no longer the next ones.
            self.loader = None;
        }
        self.next = event + 1;
        self.read_ahead(event, end, memory).map_err(ReadError::Fault)?;
        match self.loader.as_mut().and_then(Loader::take) {
            // Another layout needs other memory, which only this thread may wait for.
            None | Some(Ok(Loaded::OtherLayout)) => self.read_here(event, memory),
            Some(Ok(Loaded::Frame(frame, condition))) => Ok((frame, condition)),
            Some(Ok(Loaded::Nothing(fault, frame))) => {
                // The memory serves for the next event.
                self.spare = Some(frame);
                Err(ReadError::Fault(fault))
            }
            Some(Err(_)) if self.in_batch(event) > 1 => {
                // Its events are read again one by one: the panic then costs only the event that causes it.
                self.alone_until = event + self.in_batch(event);
                self.loader = None;
                self.load(event, end, memory)
            }
            Some(Err(panicked)) => {
                // With new threads, which begin behind this event.
                self.loader = None;
                Err(ReadError::Fault(Fault::new(FaultKind::Broken, panicked)))
            }
        }
    }

    /// Gives threads the events from `event` on, as many as they can hold.
    fn read_ahead<M: Memory>(&mut self, event: usize, end: usize, memory: &mut M) -> Outcome {
        // Without a known layout no memory can be taken ahead; the first event is read here.
        let (Some(layout), Some(detector)) = (self.layout, &self.detector) else { return Ok(()) };
        if self.threads == 0 {
            // Threads that were started before still hand over their events, in order.
            return Ok(());
        }
        if self.loader.is_none() {
            let loader = Loader::start(&self.recording, detector, self.threads);
            self.loader = Some(loader.map_err(|why| {
                Fault::new(FaultKind::Unreadable, format!("wanted a thread that reads ahead, found: {why}"))
            })?);
        }
        let Some(loader) = &mut self.loader else { return Ok(()) };
        // After a jump the threads begin at this event.
        if loader.is_empty() {
            self.ahead = event;
        }
        while self.ahead < end && loader.has_room() {
            let most = in_batch(self.ahead, self.alone_until, self.batch_bytes, layout);
            let events = self.ahead..end.min(self.ahead + most);
            let frame = |event| Some((event, memory_of(layout, &mut self.spare, memory)?));
            // The batch ends where the pool has no more memory; the caller frees some later.
            let batch: Vec<(usize, FrameMut)> = events.map_while(frame).collect();
            if batch.is_empty() {
                break;
            }
            self.ahead += batch.len();
            loader.give(batch);
        }
        Ok(())
    }

    /// How many events were given to a thread together, beginning with this one, at most.
    fn in_batch(&self, event: usize) -> usize {
        self.layout.map_or(1, |layout| in_batch(event, self.alone_until, self.batch_bytes, layout))
    }

    /// Reads the event on this thread, into memory of the layout that it turns out to have.
    fn read_here<M: Memory>(
        &mut self,
        event: usize,
        memory: &mut M,
    ) -> std::result::Result<(FrameMut, Condition), ReadError<M::Error>> {
        let Some(detector) = &self.detector else {
            return Err(ReadError::Fault(Fault::new(FaultKind::Missing, "wanted a detector, found none")));
        };
        let (reader, picture) = (&mut self.reader, &mut self.picture);
        match self.layout.and_then(|layout| memory_of(layout, &mut self.spare, memory)) {
            Some(mut frame) => {
                match self.recording.read_frame(detector, event, reader, picture, &mut frame) {
                    Ok(true) => return Ok((frame, picture.condition())),
                    Ok(false) => {}
                    Err(fault) => {
                        self.spare = Some(frame);
                        return Err(ReadError::Fault(fault));
                    }
                }
            }
            // Read without a frame first, because the layout is unknown.
            None => self.recording.read(detector, event, reader, picture).map_err(ReadError::Fault)?,
        }
        let layout = picture.layout().map_err(ReadError::Fault)?;
        let mut array = memory.array(layout);
        if array.is_err() && self.loader.take().is_some() {
            // Dropping the events that were read ahead has freed their memory; they are read again later.
            array = memory.array(layout);
        }
        let mut frame = array.map_err(ReadError::Memory)?;
        picture.fill(&mut frame);
        // The layout is kept as the guess of the next event's layout.
        self.layout = Some(layout);
        Ok((frame, picture.condition()))
    }
}

fn in_batch(event: usize, alone_until: usize, batch_bytes: usize, layout: Layout) -> usize {
    if event < alone_until { 1 } else { events_in_batch(batch_bytes, layout.span()) }
}

/// Memory for an event that will have this layout if it is as the one before; never waits.
fn memory_of<M: Memory>(layout: Layout, spare: &mut Option<FrameMut>, memory: &mut M) -> Option<FrameMut> {
    let spare = spare.take().filter(|frame| layout_of(frame) == Some(layout));
    spare.or_else(|| memory.array_ahead(layout))
}
