//! Reads files of trigger records, also while they are being written.

use std::fs::File;

use super::{INCOMPLETE, MOST_MISSING, MOST_REQUESTS, fragment_type, fragments_of};
use crate::file::{End, ReadAt, Window, read_exact_at};
use crate::trigger::{ComponentRequest, FragmentHeader, MissingFrom, TriggerRecordHeader};
use crate::{Error, Result};

/// A record as it lies in a file, without its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// Where it begins in the file.
    pub offset: u64,
    /// Bytes of all of it.
    pub len: u64,
    /// Its header.
    pub header: TriggerRecordHeader,
    /// The request.
    pub requests: Vec<ComponentRequest>,
    /// The fragments: one for each request, in the same order.
    pub fragments: Vec<StoredFragment>,
    /// The missing data.
    pub missing: Vec<MissingFrom>,
}

/// A fragment as it lies in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredFragment {
    /// Its header.
    pub header: FragmentHeader,
    /// Where its data begin in the file.
    pub offset: u64,
    /// Bytes of its data.
    pub len: u64,
}

/// Reads records one after another. Data are read only on request: a list of a file costs one small read per fragment.
#[derive(Debug)]
pub struct RecordReader<R = File> {
    window: Window<R>,
    end: End,
}

/// Why there is no record.
enum Stop {
    /// The file ends here, or inside the record.
    End,
    Broken(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Broken(error)
    }
}

impl<R: ReadAt> RecordReader<R> {
    /// Reads `source` from its beginning.
    pub fn new(source: R) -> RecordReader<R> {
        RecordReader { window: Window::new(source), end: End::Whole { offset: 0 } }
    }

    /// Reads `source` from a record on that is known to begin at `offset`.
    pub fn starting_at(source: R, offset: u64) -> RecordReader<R> {
        RecordReader { window: Window::new(source), end: End::Whole { offset } }
    }

    /// The next record that is whole; `None` when all are read, and then [`RecordReader::end`] says how the file ends.
    /// A further call reads records that were added since.
    ///
    /// # Errors
    /// If the operating system reports an error, or the next bytes are no record. The reader stays where it is.
    #[allow(clippy::should_implement_trait, reason = "an iterator would be over after an error")]
    pub fn next(&mut self) -> Result<Option<StoredRecord>> {
        let offset = self.end.offset();
        let size = self.window.source().size().map_err(|e| Error::io("the size of the file", e))?;
        // A file that was cut since the last read may end before the offset.
        let has = size.saturating_sub(offset);
        // Until the next record is read whole, the file counts as cut off here.
        self.end = if has == 0 { End::Whole { offset } } else { End::Partial { offset, has, wants: None } };
        if has == 0 {
            return Ok(None);
        }
        match self.read(offset, size) {
            Ok(record) => {
                self.end = End::Whole { offset: offset + record.len };
                Ok(Some(record))
            }
            Err(Stop::End) => Ok(None),
            Err(Stop::Broken(error)) => Err(error.at(offset)),
        }
    }

    /// How the file ends, as far as it was read.
    pub fn end(&self) -> End {
        self.end
    }

    /// Reads the data of a fragment into `payload`, in place of its former content.
    ///
    /// # Errors
    /// If the operating system reports an error, or the file has become shorter.
    pub fn payload(&self, fragment: &StoredFragment, payload: &mut Vec<u8>) -> Result<()> {
        payload.clear();
        let size = self.window.source().size().map_err(|e| Error::io("the size of the file", e))?;
        // The length is the file's claim, so it is checked before memory is taken.
        if fragment.offset.checked_add(fragment.len).is_none_or(|end| end > size) {
            return Err(Error::new(format!("{} bytes of data", fragment.len), "fewer").at(fragment.offset));
        }
        payload.resize(fragment.len as usize, 0);
        read_exact_at(self.window.source(), payload, fragment.offset)
    }

    fn read(&mut self, offset: u64, size: u64) -> std::result::Result<StoredRecord, Stop> {
        let head = self.get(offset, TriggerRecordHeader::BYTES)?;
        let header = TriggerRecordHeader::read(head).map_err(|e| e.moved_by(offset))?;
        // The number is bounded before the requests are read.
        if header.requested > MOST_REQUESTS {
            let wanted = format!("at most {MOST_REQUESTS} requests");
            return Err(Error::new(wanted, header.requested.to_string()).at(offset + 24).into());
        }
        let len = TriggerRecordHeader::BYTES + header.requested as usize * ComponentRequest::BYTES;
        let requests = header.requests(self.get(offset, len)?).map_err(|e| e.moved_by(offset))?;
        let mut record = StoredRecord {
            offset,
            len: len as u64,
            header,
            requests,
            fragments: Vec::new(),
            missing: Vec::new(),
        };
        // The list of missing data is one fragment more, if there is any.
        for number in 0..fragments_of(&header) {
            let fragment = self.fragment(offset + record.len, size, &header)?;
            record.len += fragment.header.size;
            match record.requests.get(number as usize) {
                Some(request) => {
                    check_source(request, &fragment)?;
                    record.fragments.push(fragment);
                }
                None => record.missing = self.missing(&fragment)?,
            }
        }
        Ok(record)
    }

    fn fragment(
        &mut self,
        at: u64,
        size: u64,
        of: &TriggerRecordHeader,
    ) -> std::result::Result<StoredFragment, Stop> {
        let head = self.get(at, FragmentHeader::BYTES)?;
        let header = FragmentHeader::read(head).map_err(|e| e.moved_by(at))?;
        // A wrong place would read the fragment of another record.
        if header.trigger_number != of.trigger_number {
            let wanted = format!("a fragment of trigger {}", of.trigger_number);
            return Err(Error::new(wanted, header.trigger_number.to_string()).at(at + 16).into());
        }
        // A file that is being written may end in a fragment.
        if header.size > size.saturating_sub(at) {
            return Err(Stop::End);
        }
        let head = FragmentHeader::BYTES as u64;
        Ok(StoredFragment { header, offset: at + head, len: header.size - head })
    }

    fn missing(&mut self, list: &StoredFragment) -> std::result::Result<Vec<MissingFrom>, Stop> {
        let at = list.offset;
        if list.header.kind != fragment_type::MISSING {
            let wanted = format!("the list of what is missing, type {:#x}", fragment_type::MISSING);
            return Err(Error::new(wanted, format!("{:#x}", list.header.kind)).at(at).into());
        }
        let entries = list.len / MissingFrom::BYTES as u64;
        if !list.len.is_multiple_of(MissingFrom::BYTES as u64) || entries > MOST_MISSING as u64 {
            let wanted = format!("at most {MOST_MISSING} entries of {} bytes", MissingFrom::BYTES);
            return Err(Error::new(wanted, format!("{} bytes", list.len)).at(at).into());
        }
        let bytes = self.get(at, list.len as usize)?;
        let entries = bytes.chunks_exact(MissingFrom::BYTES).map(MissingFrom::read);
        Ok(entries.collect::<Result<_>>().map_err(|e| e.moved_by(at))?)
    }

    /// The `count` bytes at `at`, unless the file ends before.
    fn get(&mut self, at: u64, count: usize) -> std::result::Result<&[u8], Stop> {
        let size = self.window.source().size().map_err(|e| Error::io("the size of the file", e))?;
        if at.checked_add(count as u64).is_none_or(|end| end > size) {
            return Err(Stop::End);
        }
        let bytes = self.window.get(at, count)?;
        // The file may have been cut between the two questions.
        if bytes.len() < count { Err(Stop::End) } else { Ok(bytes) }
    }
}

impl StoredRecord {
    /// Whether the header says that data are missing.
    pub fn is_incomplete(&self) -> bool {
        self.header.error_bits & INCOMPLETE != 0
    }
}

fn check_source(request: &ComponentRequest, fragment: &StoredFragment) -> Result<()> {
    if request.source == fragment.header.source {
        return Ok(());
    }
    let (wanted, found) =
        (format!("a fragment from {:?}", request.source), format!("{:?}", fragment.header.source));
    Err(Error::new(wanted, found).at(fragment.offset))
}
