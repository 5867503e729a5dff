//! Writes every complete datagram of a broken file to a new one, and reports the losses.

use std::fs::File;
use std::path::Path;

use super::{Found, Lost, Recovery};
use crate::file::{Head, Raw};
use crate::xtc1::{DatagramHeader, Writer};
use crate::{Error, Result};

/// Small datagrams are written together up to this number of bytes.
const BLOCK: usize = 1 << 20;
/// Regions that are remembered one by one. A file may be broken anywhere.
const MOST_REGIONS: usize = 10_000;

/// The report of saving a file.
#[derive(Clone, Default, Debug)]
pub struct Saved {
    /// Bytes of the broken file.
    pub input_bytes: u64,
    /// Bytes saved.
    pub bytes: u64,
    /// Datagrams saved.
    pub datagrams: u64,
    /// Events among them.
    pub events: u64,
    /// Datagrams among them that are complete but broken inside; they are saved as they are.
    pub unsound: u64,
    /// The first of them: its place, and its fault.
    pub first_unsound: Option<(u64, String)>,
    /// Bytes lost.
    pub lost_bytes: u64,
    /// How many regions were lost.
    pub lost_regions: u64,
    /// The first 10,000 of them.
    pub regions: Vec<LostRegion>,
}

/// A region of a file that belongs to no complete datagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostRegion {
    /// Where it begins, its length, and why there is no datagram.
    pub lost: Lost,
    /// Events saved before it.
    pub events_before: u64,
    /// The datagram before it.
    pub before: Option<Neighbour>,
    /// The datagram behind it.
    pub behind: Option<Neighbour>,
}

/// A datagram beside a lost region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbour {
    /// Where it begins in the broken file.
    pub offset: u64,
    /// Its header.
    pub header: DatagramHeader,
}

impl Saved {
    /// Whether the file was whole.
    pub fn is_complete(&self) -> bool {
        self.lost_regions == 0
    }
}

/// Saves every complete datagram of `input` in the new file `output`, byte for byte and in their order. Where there is none, no
/// file is made.
///
/// `watch` is called several times with the number of bytes done; it stops the work by returning false.
///
/// ```
/// use livetime_formats::xtc1::recover::save;
/// use livetime_formats::xtc1::{Builder, DatagramHeader};
///
/// let folder = tempfile::tempdir().unwrap();
/// let [broken, saved] = ["broken.xtc", "saved.xtc"].map(|name| folder.path().join(name));
/// let mut bytes = Vec::new();
/// Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3)).finish()?;
/// std::fs::write(&broken, [&bytes[..], &[1; 30]].concat()).unwrap();
///
/// let report = save(&broken, &saved, |_| true)?;
/// assert_eq!((report.events, report.lost_bytes), (1, 30));
/// assert_eq!((report.regions[0].lost.offset, report.regions[0].events_before), (40, 1));
/// assert_eq!(std::fs::read(&saved).unwrap(), bytes);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If `output` is there already, or the operating system reports an error. The written part is removed then.
pub fn save(input: &Path, output: &Path, mut watch: impl FnMut(u64) -> bool) -> Result<Saved> {
    let file = File::open(input).map_err(|e| Error::io("to open the file", e).in_file(input))?;
    let size = file.metadata().map_err(|e| Error::io("the size of the file", e).in_file(input))?.len();
    // The file gets its name only when it is finished.
    let mut target = Target { writer: Writer::make(output)?, waiting: Vec::new() };
    let mut saved = Saved { input_bytes: size, ..Saved::default() };
    let mut recovery = Recovery::new(&file);
    let mut before = None;
    while let Some(found) = recovery.next().map_err(|e| e.in_file(input))? {
        let done = match found {
            Found::Datagram(raw) => saved.add(&raw, &mut before, &mut target)?,
            Found::Unsound(raw, error) => {
                saved.unsound += 1;
                saved.first_unsound.get_or_insert_with(|| (raw.offset, error.to_string()));
                saved.add(&raw, &mut before, &mut target)?
            }
            Found::Lost(lost) => saved.lose(lost, before),
        };
        if !watch(done) {
            return Err(Error::new("the work to come to its end", "that it was stopped"));
        }
    }
    // A file without a datagram would be no recording, so none is made.
    if saved.datagrams > 0 {
        target.finish()?;
    }
    Ok(saved)
}

impl Saved {
    /// Returns where it continues.
    fn add(
        &mut self,
        raw: &Raw<'_, DatagramHeader>,
        before: &mut Option<Neighbour>,
        target: &mut Target,
    ) -> Result<u64> {
        let neighbour = Neighbour { offset: raw.offset, header: raw.head };
        // The region may be far before, if other regions were not remembered.
        let waits = |region: &&mut LostRegion| region.lost.offset + region.lost.length == raw.offset;
        if let Some(region) = self.regions.last_mut().filter(waits) {
            region.behind = Some(neighbour);
        }
        *before = Some(neighbour);
        self.datagrams += 1;
        self.events += u64::from(raw.head.is_event());
        self.bytes += raw.bytes.len() as u64;
        target.write(raw.bytes)?;
        Ok(raw.offset + raw.bytes.len() as u64)
    }

    fn lose(&mut self, lost: Lost, before: Option<Neighbour>) -> u64 {
        let end = lost.offset + lost.length;
        self.lost_bytes += lost.length;
        self.lost_regions += 1;
        // The others are counted and not described.
        if self.regions.len() < MOST_REGIONS {
            self.regions.push(LostRegion { lost, events_before: self.events, before, behind: None });
        }
        end
    }
}

/// The new file.
struct Target {
    writer: Writer,
    waiting: Vec<u8>,
}

impl Target {
    fn write(&mut self, datagram: &[u8]) -> Result<()> {
        if self.waiting.len() + datagram.len() > BLOCK {
            self.flush()?;
        }
        // A large datagram would only be copied.
        if datagram.len() > BLOCK {
            return self.writer.write(datagram).map(drop);
        }
        self.waiting.extend_from_slice(datagram);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.write(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.writer.finish()
    }
}
