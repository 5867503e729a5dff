//! libaravis, made safe: cameras, their features, and the streams of their images.
//!
//! The library is loaded when the first camera is wanted. A [`Camera`] belongs to one thread at a time, because its
//! description is not made for several; its [`Stream`] may be read by another thread. All texts are copied.

mod camera;
mod functions;
mod stream;

use crate::error::CameraError;
pub(crate) use camera::{Access, Camera, Kind, Node};
pub(crate) use stream::{Image, Stream};

/// Version of libaravis, as `0.8.26`.
///
/// # Errors
/// [`CameraError`] with the package to install, if the library is missing.
pub fn version() -> Result<String, CameraError> {
    let f = functions::functions()?;
    // SAFETY: these three take nothing and only return a number.
    let parts =
        unsafe { [(f.arv_get_major_version)(), (f.arv_get_minor_version)(), (f.arv_get_micro_version)()] };
    Ok(parts.map(|part| part.to_string()).join("."))
}
