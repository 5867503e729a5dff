//! Objects that are written: in parts, of which nobody sees any before all are there.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use livetime_formats::file::NewObject;
use object_store::path::Path;
use object_store::{MultipartUpload, PutMode, PutMultipartOptions, PutOptions};

use crate::client::{self, Client};
use crate::error::{Kind, ObjectError, Result};
use crate::known::Known;
use crate::requests::Requests;
use crate::settings::BLOCK;

/// Bytes of parts that are on their way at a time.
const UNDER_WAY: u64 = 4 * BLOCK;
/// After so many parts, parts become twice as large: a store takes at most 10,000.
const SAME_SIZE: u32 = 1000;
/// Parts become larger so often at most: objects have at most 1.5 TB then.
const MOST_STEPS: u32 = 5;
/// Parts that a store takes.
const MOST_PARTS: u32 = 10_000;

/// Where an object is written, and by which client.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) requests: Arc<Requests>,
    pub(crate) known: Arc<Mutex<Known>>,
    pub(crate) client: Client,
    pub(crate) path: Path,
    pub(crate) address: String,
}

impl Target {
    /// The next opening asks for the object anew.
    pub(crate) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).forget(&self.address);
    }

    /// Whether there is an object.
    pub(crate) fn is_taken(&self) -> Result<bool> {
        match self.size() {
            Ok(_) => Ok(true),
            Err(error) if error.kind == Kind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn size(&self) -> Result<u64> {
        let (client, path) = (self.client.clone(), self.path.clone());
        let wanted = "the size of an object";
        let meta = self.wait(wanted, async move { client::head(&*client, &path).await })?;
        Ok(meta.size)
    }

    /// Begins an upload in parts.
    fn begin(&self) -> Result<Box<dyn MultipartUpload>> {
        let (client, path) = (self.client.clone(), self.path.clone());
        let wanted = "to begin an object";
        self.wait(wanted, async move {
            let begun = client.put_multipart_opts(&path, PutMultipartOptions::default()).await;
            begun.map_err(|e| ObjectError::of(wanted, &e))
        })
    }

    /// Ends an upload without an object, and frees its parts.
    fn abort(&self, mut upload: Box<dyn MultipartUpload>) -> Result<()> {
        let wanted = "to take an unfinished object away";
        self.wait(wanted, async move { upload.abort().await.map_err(|e| ObjectError::of(wanted, &e)) })
    }

    /// Begins and ends an upload: a bucket that is not there, or may not be written to, shows before any work is done.
    pub(crate) fn check(&self) -> Result<()> {
        self.begin().and_then(|upload| self.abort(upload))
    }

    fn wait<T: Send + 'static>(
        &self,
        wanted: &'static str,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.requests.engine.wait(self.requests.settings.limit, wanted, work)
    }
}

/// An object that is being written. If it is dropped before its end, the store forgets its parts.
pub(crate) struct Upload {
    target: Target,
    replaces: bool,
    /// Bytes that are not sent yet.
    part: Vec<u8>,
    /// Parts that were sent, and bytes of the object.
    parts: u32,
    len: u64,
    /// Begun with the first part; a small object has none.
    begun: Option<Box<dyn MultipartUpload>>,
    under_way: VecDeque<Receiver<Result<()>>>,
    failed: Option<ObjectError>,
}

impl Upload {
    pub(crate) fn new(target: Target, replaces: bool) -> Upload {
        let (part, under_way) = (Vec::new(), VecDeque::new());
        Upload { target, replaces, part, parts: 0, len: 0, begun: None, under_way, failed: None }
    }

    /// Bytes of the next part.
    fn part_size(&self) -> usize {
        (BLOCK << (self.parts / SAME_SIZE).min(MOST_STEPS)) as usize
    }

    fn take(&mut self, bytes: &[u8]) -> Result<usize> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let count = bytes.len().min(self.part_size() - self.part.len());
        self.part.extend_from_slice(&bytes[..count]);
        self.len += count as u64;
        if self.part.len() == self.part_size() {
            self.send()?;
        }
        Ok(count)
    }

    /// Sends the part that is full, or the last one.
    fn send(&mut self) -> Result<()> {
        let sent = self.try_send();
        self.failed = sent.as_ref().err().cloned();
        sent
    }

    fn try_send(&mut self) -> Result<()> {
        if self.parts == MOST_PARTS {
            let wanted = format!("an object of at most {MOST_PARTS} parts");
            return Err(ObjectError::new(Kind::Unsupported, wanted, "a longer one"));
        }
        let size = self.part.len() as u64;
        while self.under_way.len() as u64 >= (UNDER_WAY / size.max(1)).max(1) {
            self.settle_one()?;
        }
        let mut upload = match self.begun.take() {
            Some(upload) => upload,
            None => self.target.begin()?,
        };
        let bytes = Bytes::from(std::mem::take(&mut self.part));
        let part = upload.put_part(bytes.into());
        self.begun = Some(upload);
        self.parts += 1;
        let (done, result) = sync_channel(1);
        let limit = self.target.requests.settings.limit;
        self.target.requests.engine.spawn(async move {
            let outcome = match tokio::time::timeout(limit, part).await {
                Ok(sent) => sent.map_err(|e| ObjectError::of("to write a part of an object", &e)),
                Err(_) => Err(ObjectError::timed_out("to write a part of an object", limit)),
            };
            // A writer that is gone wants no result.
            let _ = done.send(outcome);
        });
        self.under_way.push_back(result);
        Ok(())
    }

    /// Waits for the part that was sent first.
    fn settle_one(&mut self) -> Result<()> {
        let ended = |_| {
            let found = "the end of the thread for requests";
            Err(ObjectError::new(Kind::Failed, "to write a part of an object", found))
        };
        self.under_way.pop_front().map_or(Ok(()), |part| part.recv().unwrap_or_else(ended))
    }

    fn complete(&mut self) -> Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.begun.is_none() {
            self.put_whole()?;
        } else {
            if !self.part.is_empty() {
                self.send()?;
            }
            while !self.under_way.is_empty() {
                self.settle_one()?;
            }
            // Between this question and the end another program may write the object: a store has no better way for parts.
            if !self.replaces && self.target.is_taken()? {
                return Err(taken());
            }
            self.put_parts_together()?;
        }
        self.target.forget();
        let found = self.target.size()?;
        if found == self.len {
            return Ok(());
        }
        Err(ObjectError::new(
            Kind::Lie,
            format!("an object of {} bytes", self.len),
            format!("one of {found}"),
        ))
    }

    fn put_whole(&mut self) -> Result<()> {
        let bytes = Bytes::from(std::mem::take(&mut self.part));
        let mode = if self.replaces { PutMode::Overwrite } else { PutMode::Create };
        let (client, path) = (self.target.client.clone(), self.target.path.clone());
        let wanted = "to write an object";
        self.target.wait(wanted, async move {
            let options = PutOptions { mode, ..PutOptions::default() };
            client
                .put_opts(&path, bytes.into(), options)
                .await
                .map(drop)
                .map_err(|e| ObjectError::of(wanted, &e))
        })
    }

    fn put_parts_together(&mut self) -> Result<()> {
        let Some(mut upload) = self.begun.take() else { return Ok(()) };
        let wanted = "to put the parts of an object together";
        // The upload comes back, so that its parts can be freed.
        let (upload, outcome) = self.target.wait(wanted, async move {
            let outcome = upload.complete().await.map(drop).map_err(|e| ObjectError::of(wanted, &e));
            Ok((upload, outcome))
        })?;
        if outcome.is_err() {
            self.begun = Some(upload);
        }
        outcome
    }
}

pub(crate) fn taken() -> ObjectError {
    ObjectError::new(Kind::Exists, "an object that is not there yet", "one")
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.take(bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewObject for Upload {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.complete().map_err(io::Error::from)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Some(upload) = self.begun.take() else { return };
        // A part that comes behind the end of the upload would stay.
        while !self.under_way.is_empty() {
            let _ = self.settle_one();
        }
        if let Err(error) = self.target.abort(upload) {
            log::warn!("{}: parts of an unfinished object may be left: {error}", self.target.address);
        }
    }
}
