//! The stream of a camera's images: a ring of buffers that libaravis fills on a thread of its own.

use std::ffi::c_int;
use std::ptr;
use std::time::Duration;

use super::functions::{Functions, Object};

/// Images of a camera that acquires.
pub(crate) struct Stream {
    functions: &'static Functions,
    object: Object,
    /// The size of each buffer, in bytes.
    pub(crate) payload: usize,
}

// SAFETY: the queues of a stream are made for two threads, the one that fills buffers and the one that takes them;
// `Stream` is not `Sync`, so only one thread takes them.
unsafe impl Send for Stream {}

/// The counts of a stream since its begin.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Images, whole or not, that arrived while no buffer was free.
    pub(crate) underruns: u64,
}

impl Stream {
    /// Takes over the reference to `object`, and gives it `buffers` of `payload` bytes.
    pub(super) fn new(functions: &'static Functions, object: Object, payload: usize, buffers: u32) -> Stream {
        for _ in 0..buffers {
            // SAFETY: the stream takes over the new buffer.
            unsafe {
                (functions.arv_stream_push_buffer)(object, (functions.arv_buffer_new_allocate)(payload))
            };
        }
        Stream { functions, object, payload }
    }

    /// The next image, or its failure; waits at most this long.
    pub(crate) fn next(&self, wait: Duration) -> Option<Image<'_>> {
        let wait_us = u64::try_from(wait.as_micros()).unwrap_or(u64::MAX);
        // SAFETY: the stream is alive; the buffer that comes is ours until it is given back.
        let buffer = unsafe { (self.functions.arv_stream_timeout_pop_buffer)(self.object, wait_us) };
        (!buffer.is_null()).then(|| Image { stream: self, buffer })
    }

    /// Counts of the stream since it was created.
    pub(crate) fn counts(&self) -> Counts {
        let (mut completed, mut failures, mut counts) = (0, 0, Counts::default());
        // SAFETY: the stream is alive and the three places are valid.
        unsafe {
            (self.functions.arv_stream_get_statistics)(
                self.object,
                &mut completed,
                &mut failures,
                &mut counts.underruns,
            )
        };
        counts
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the reference is ours; no image is left, because each borrows the stream.
        unsafe { (self.functions.g_object_unref)(self.object) };
    }
}

/// One buffer from a stream. Dropping it puts the buffer back into the ring.
pub(crate) struct Image<'a> {
    stream: &'a Stream,
    buffer: Object,
}

/// The status of a buffer (`ArvBufferStatus`).
const STATUS: [&str; 8] = [
    "complete",
    "empty",
    "a packet did not come in time",
    "packets are missing",
    "a packet had a wrong number",
    "it is larger than announced",
    "it was still being filled",
    "it was cut off",
];

impl Image<'_> {
    /// Checks that the image arrived completely.
    ///
    /// # Errors
    /// The fault of the image, in words.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        // SAFETY: the buffer is alive.
        match unsafe { (self.stream.functions.arv_buffer_get_status)(self.buffer) } {
            0 => Ok(()),
            status => {
                let known = usize::try_from(status).ok().and_then(|status| STATUS.get(status));
                Err(known.copied().unwrap_or("its state is not known"))
            }
        }
    }

    /// The number that the camera gave it.
    pub(crate) fn number(&self) -> u64 {
        // SAFETY: the buffer is alive.
        unsafe { (self.stream.functions.arv_buffer_get_frame_id)(self.buffer) }
    }

    /// When it was taken, ns on the camera's clock; 0 when the camera does not say.
    pub(crate) fn camera_ns(&self) -> u64 {
        // SAFETY: the buffer is alive.
        unsafe { (self.stream.functions.arv_buffer_get_timestamp)(self.buffer) }
    }

    /// When its first packet came, ns since 1970 on the clock of this machine.
    pub(crate) fn arrival_ns(&self) -> u64 {
        // SAFETY: the buffer is alive.
        unsafe { (self.stream.functions.arv_buffer_get_system_timestamp)(self.buffer) }
    }

    /// Whether it holds a picture, possibly with other data behind it.
    pub(crate) fn is_picture(&self) -> bool {
        // SAFETY: the buffer is alive. 1 is an image, 4 and 5 an image with chunks behind it.
        let payload = unsafe { (self.stream.functions.arv_buffer_get_payload_type)(self.buffer) };
        matches!(payload, 1 | 4 | 5)
    }

    /// Number of the pixel format (GenICam's PFNC).
    pub(crate) fn pixel_format(&self) -> u32 {
        // SAFETY: the buffer is alive and holds a picture.
        unsafe { (self.stream.functions.arv_buffer_get_image_pixel_format)(self.buffer) }
    }

    /// First column, first row, width and height on the sensor, as the camera says.
    pub(crate) fn region(&self) -> [usize; 4] {
        let mut found: [c_int; 4] = [0; 4];
        let [x, y, width, height] = &mut found;
        // SAFETY: the buffer is alive and holds a picture; the four places are valid.
        unsafe { (self.stream.functions.arv_buffer_get_image_region)(self.buffer, x, y, width, height) };
        found.map(|value| usize::try_from(value).unwrap_or(0))
    }

    /// The bytes of the image.
    pub(crate) fn bytes(&self) -> &[u8] {
        let mut len = 0;
        let data: *const u8 =
            // SAFETY: the buffer is alive, and the library does not write to it before it is given back.
            unsafe { (self.stream.functions.arv_buffer_get_data)(self.buffer, ptr::from_mut(&mut len)) }
                .cast();
        if data.is_null() {
            return &[];
        }
        // SAFETY: the buffer owns memory of its payload's size and says how much of it was received. A size beyond
        // the memory would be a fault of the library, which the limit makes harmless.
        unsafe { std::slice::from_raw_parts(data, len.min(self.stream.payload)) }
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        // SAFETY: the buffer is ours, and the stream takes it over.
        unsafe { (self.stream.functions.arv_stream_push_buffer)(self.stream.object, self.buffer) };
    }
}
