//! The files of a run that is being recorded: one stream for each input, in chunks.

use std::path::{Path, PathBuf};

use livetime_formats::file::FileName;
use livetime_formats::xtc1::{DatagramHeader, Transition, Writer};
use livetime_formats::{Error, Result};

/// What comes before the events, and what behind them.
const BEGIN: [Transition; 4] =
    [Transition::Configure, Transition::BeginRun, Transition::BeginCalibCycle, Transition::Enable];
const END: [Transition; 4] =
    [Transition::Disable, Transition::EndCalibCycle, Transition::EndRun, Transition::Unconfigure];
/// What stands for a fiducial where there is none.
const NO_FIDUCIAL: u32 = 0x1_FFFF;

/// A run that is being recorded.
pub(super) struct Files {
    /// Names up to the number of the stream.
    stem: String,
    run: u32,
    chunk_bytes: u64,
    streams: Vec<Stream>,
}

#[derive(Default)]
struct Stream {
    writer: Option<Writer>,
    chunk: u32,
    /// Transitions were written before the events.
    has_begun: bool,
    /// Latest time of an event.
    newest_ns: u64,
}

impl Files {
    /// Creates the first file of the first stream; those of others come with their first datagrams.
    ///
    /// # Errors
    /// If names with `stem` are not those of a run, a file of that name is there already, or the system refuses.
    pub(super) fn create(stem: &str, streams: usize, chunk_bytes: u64) -> Result<Files> {
        let name = FileName::parse(&path(stem, 0, 0));
        let run =
            name.ok_or_else(|| Error::new("a template for names as `e1-r0001`", format!("`{stem}`")))?.run;
        let streams = (0..streams).map(|_| Stream::default()).collect();
        let mut files = Files { stem: stem.into(), run, chunk_bytes, streams };
        files.open(0)?;
        Ok(files)
    }

    /// Whether there is a file of the run `stem`.
    pub(super) fn is_taken(stem: &str) -> bool {
        let first = path(stem, 0, 0);
        first.exists() || first.with_extension("xtc.inprogress").exists()
    }

    /// The file that stream `stream` is written to now.
    pub(super) fn path_of(&self, stream: usize) -> Option<&Path> {
        self.streams.get(stream)?.writer.as_ref().map(Writer::written_path)
    }

    fn open(&mut self, stream: usize) -> Result<()> {
        let at = &mut self.streams[stream];
        if at.writer.is_none() {
            at.writer = Some(Writer::create(&path(&self.stem, stream, at.chunk))?);
        }
        Ok(())
    }

    /// Appends an event of time `time_ns` to a stream. After an error the next one is tried anew, at the place of this one.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn write(&mut self, stream: usize, time_ns: u64, datagram: &[u8]) -> Result<()> {
        self.open(stream)?;
        self.go_on(stream, datagram.len() as u64)?;
        let (run, at) = (self.run, &mut self.streams[stream]);
        let Some(writer) = &mut at.writer else { return Ok(()) };
        writer.repair()?;
        if !at.has_begun {
            let first_ns = time_ns.saturating_sub(BEGIN.len() as u64);
            writer.write(&transitions(BEGIN, first_ns, run))?;
            at.has_begun = true;
        }
        writer.write(datagram)?;
        at.newest_ns = at.newest_ns.max(time_ns);
        Ok(())
    }

    /// Goes on in the next chunk when this one is full. The next one is there before this one has its final name, so that
    /// whoever follows the run sees that it has not ended.
    fn go_on(&mut self, stream: usize, more: u64) -> Result<()> {
        let at = &mut self.streams[stream];
        let len = at.writer.as_ref().map_or(0, Writer::len);
        if !at.has_begun || len + more <= self.chunk_bytes {
            return Ok(());
        }
        let next = Writer::create(&path(&self.stem, stream, at.chunk + 1))?;
        at.chunk += 1;
        finish(at.writer.replace(next))
    }

    /// Ends the run: transitions, and final names.
    ///
    /// # Errors
    /// The first that comes up; all files are finished as far as possible.
    pub(super) fn finish(self) -> Result<()> {
        let run = self.run;
        let mut outcome = Ok(());
        for mut stream in self.streams {
            let mut end = Ok(());
            if let Some(writer) = stream.writer.as_mut().filter(|_| stream.has_begun) {
                end = writer.repair().and_then(|()| {
                    writer.write(&transitions(END, stream.newest_ns.saturating_add(1), run)).map(drop)
                });
                // A file without its end is a file all the same, if half a transition is cut off.
                let _ = writer.repair();
            }
            outcome = outcome.and(end).and(finish(stream.writer));
        }
        outcome
    }
}

fn finish(writer: Option<Writer>) -> Result<()> {
    writer.map_or(Ok(()), Writer::finish)
}

fn path(stem: &str, stream: usize, chunk: u32) -> PathBuf {
    format!("{stem}-s{stream:02}-c{chunk:02}.xtc").into()
}

/// One after the other, a ns apart.
fn transitions(all: [Transition; 4], first_ns: u64, run: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (transition, ns) in all.into_iter().zip(first_ns..) {
        let mut header = DatagramHeader::new(transition, ns, NO_FIDUCIAL);
        if transition == Transition::BeginRun {
            header.env.0 = run;
        }
        bytes.extend_from_slice(&header.to_bytes());
    }
    bytes
}
