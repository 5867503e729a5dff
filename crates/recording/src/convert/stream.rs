//! One stream: its files one after another, datagrams in the order in which they lie there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_formats::file::{Head, ReadAt, RecordedFile, Stores, fill_at};
use livetime_formats::xtc1::{Configs, Datagram, DatagramHeader, Transition};
use livetime_formats::{Error, Result};

use super::job::{BLOCK, Job, LIMIT, Source};
use super::report::{Lost, Report};
use super::select::Selector;
use super::split::EventSplit;

/// Bytes of a read while datagrams are skipped: the next header. The system reads a page of 4 KiB anyway.
const PAGE: usize = 4 << 10;

/// Reads with large reads; skips unwanted datagrams.
pub(super) struct Stream<'a> {
    files: Vec<(PathBuf, RecordedFile, u64)>,
    selector: Selector<'a>,
    split: EventSplit,
    block: usize,
    configs: Arc<Configs>,
    /// Position of the file that is read, and of the next datagram in it.
    current: usize,
    offset: u64,
    /// Bytes from `offset` on that were read already.
    carry: Vec<u8>,
    is_skipping: bool,
    /// Bytes of the files before.
    passed: u64,
    lost: Vec<Lost>,
}

/// Why there is no datagram at some place.
enum Stop {
    /// Not all bytes of the datagram are in the buffer.
    NotRead,
    /// The file has no more, or it means nothing.
    Over,
}

impl<'a> Stream<'a> {
    pub(super) fn open(
        stores: &Stores,
        paths: &[PathBuf],
        selector: Selector<'a>,
        split: EventSplit,
        block: usize,
    ) -> Result<Stream<'a>> {
        let files = paths.iter().map(|path| open(stores, path)).collect::<Result<_>>()?;
        Ok(Stream {
            files,
            selector,
            split,
            block: block.clamp(PAGE, BLOCK),
            configs: Arc::default(),
            current: 0,
            offset: 0,
            carry: Vec::new(),
            is_skipping: false,
            passed: 0,
            lost: Vec::new(),
        })
    }

    fn fill_from_file(&mut self, job: &mut Job) -> Result<()> {
        let mut filled = self.carry.len();
        job.room(filled).copy_from_slice(&self.carry);
        // While skipping, only the next header is wanted.
        let ahead = if self.is_skipping { PAGE } else { self.block };
        if filled < ahead {
            filled = self.read(job, filled, ahead)?;
        }
        let mut at = 0;
        while self.is_job_open(job) {
            match self.next(job, at, &mut filled)? {
                Ok(length) => at += length,
                Err(Stop::NotRead) => break,
                Err(Stop::Over) => return Ok(()),
            }
        }
        self.carry.clear();
        // A datagram that was skipped may end behind the bytes that were read.
        self.carry.extend_from_slice(job.input.get(at..filled).unwrap_or_default());
        self.offset += at as u64;
        Ok(())
    }

    /// Nothing follows a change of the configurations, or another file begins.
    fn is_job_open(&self, job: &Job) -> bool {
        Arc::ptr_eq(&job.configs, &self.configs)
    }

    /// Takes or skips the datagram at byte `at` of the input and returns its length.
    fn next(
        &mut self,
        job: &mut Job,
        at: usize,
        filled: &mut usize,
    ) -> Result<std::result::Result<usize, Stop>> {
        let place = self.offset + at as u64;
        let left = self.files[self.current].2 - place;
        let bytes = job.input.get(at..*filled).unwrap_or_default();
        let head = match DatagramHeader::parse(bytes) {
            Ok(head) => head,
            Err(_) if left == 0 => return Ok(self.over(None)),
            // The header may be cut by the end of the buffer, not by the end of the file.
            Err(_) if bytes.len() < DatagramHeader::LEN && left > bytes.len() as u64 => {
                return Ok(Err(Stop::NotRead));
            }
            Err(error) => return Ok(self.over(Some((place, left, error)))),
        };
        // The last datagram was cut: the rest of the file is lost, and said so.
        if head.length() > left {
            let error = Error::new(format!("a datagram of {} bytes", head.length()), left.to_string());
            return Ok(self.over(Some((place, left, error))));
        }
        let length = head.length() as usize;
        let is_read = length <= bytes.len();
        let is_wanted = self.selector.wants(&head);
        let begins_file = is_wanted && head.is_event() && self.split.is_due(self.selector.taken);
        // A job ends before a new file, and before a datagram that is not in the buffer.
        if !job.is_empty() && (begins_file || is_wanted && !is_read) {
            return Ok(Err(Stop::NotRead));
        }
        if is_wanted {
            if !is_read {
                check_limit(&head).map_err(|e| self.here(e, place))?;
                *filled = self.read(job, *filled, at + length)?;
            }
            job.starts_file |= begins_file;
            job.add(at..at + length);
        }
        // The next read is small only if this datagram was left unread.
        self.is_skipping = !is_wanted && !is_read;
        self.selector.pass(&head);
        if !head.is_event() {
            self.configure(job.input.get(at..(at + length).min(*filled)).unwrap_or_default());
        }
        Ok(Ok(length))
    }

    /// Reads on until `end` bytes are in the input, or the file ends; returns how many there are.
    fn read(&self, job: &mut Job, filled: usize, end: usize) -> Result<usize> {
        let (path, file, size) = &self.files[self.current];
        let place = self.offset + filled as u64;
        let end = end.min(filled + size.saturating_sub(place) as usize);
        let room = job.room(end);
        let count = fill_at(file, &mut room[filled..], place).map_err(|e| e.in_file(path))?;
        if filled + count < end {
            let error = Error::new("a file that does not shrink", "fewer bytes than a moment ago");
            return Err(self.here(error, place));
        }
        Ok(end)
    }

    fn configure(&mut self, transition: &[u8]) {
        let Ok(transition) = Datagram::parse(transition) else { return };
        // A transition without data configures nothing.
        if transition.leaves().next().is_none() {
            return;
        }
        let is_configure = transition.header.transition() == Transition::Configure;
        // Configure replaces everything before it; other transitions add to it.
        let mut configs = if is_configure { Configs::default() } else { (*self.configs).clone() };
        configs.add(&transition);
        self.configs = Arc::new(configs);
    }

    fn over(&mut self, lost: Option<(u64, u64, Error)>) -> std::result::Result<usize, Stop> {
        let (path, _, size) = &self.files[self.current];
        if let Some((offset, length, error)) = lost {
            self.lost.push(Lost { path: path.clone(), offset, length, reason: error.reason() });
        }
        self.passed += size;
        self.current += 1;
        self.offset = 0;
        self.carry.clear();
        self.is_skipping = false;
        Err(Stop::Over)
    }

    fn here(&self, error: Error, place: u64) -> Error {
        error.at(place).in_file(&self.files[self.current].0)
    }
}

impl Source for Stream<'_> {
    fn fill(&mut self, job: &mut Job) -> Result<bool> {
        job.begin(self.configs.clone());
        while job.is_empty() && self.current < self.files.len() {
            job.configs = self.configs.clone();
            self.fill_from_file(job)?;
        }
        job.progress = self.passed + self.offset;
        Ok(!job.is_empty())
    }

    fn account(&self, report: &mut Report) {
        report.events_left_out = self.selector.left_out();
        report.lost.clone_from(&self.lost);
    }
}

fn open(stores: &Stores, path: &Path) -> Result<(PathBuf, RecordedFile, u64)> {
    let file = stores.open(path)?;
    let size = file.size().map_err(|e| Error::io("the size of the file", e).in_file(path))?;
    Ok((path.to_owned(), file, size))
}

fn check_limit(head: &DatagramHeader) -> Result<()> {
    if head.length() <= LIMIT {
        return Ok(());
    }
    Err(Error::new(format!("a datagram of at most {LIMIT} bytes"), head.length().to_string()))
}
