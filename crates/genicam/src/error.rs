//! Why a camera is absent, or refuses a request.

use std::fmt;
use std::sync::Arc;

use livetime_engine::Refusal;

/// Names under which the library lies on a machine; those without a version come with its development files.
pub(crate) const LIBRARIES: [&str; 3] = ["libaravis-0.8.so.0", "libaravis-0.8.so", "libaravis-0.8.0.dylib"];

/// Why a camera is absent, or refuses a request.
#[derive(Clone, Debug)]
pub enum CameraError {
    /// libaravis is not installed.
    NoLibrary,
    /// The installed libaravis is not the version that is needed.
    OtherLibrary(Arc<libloading::Error>),
    /// libaravis reports an error, in its own words.
    Aravis {
        /// The words.
        message: String,
    },
    /// No camera was found.
    NoCamera,
    /// The camera has no stream of images.
    NoStream,
    /// The value of a setting or feature is refused.
    Value(Refusal),
}

impl CameraError {
    /// Whether this error has the same reason as the one before.
    pub(crate) fn is_same(&self, before: Option<&CameraError>) -> bool {
        before.is_some_and(|before| before.to_string() == self.to_string())
    }
}

impl fmt::Display for CameraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CameraError::NoLibrary => write!(
                f,
                "wanted the camera library libaravis 0.8, found none of {}; on Debian and Ubuntu: apt-get install \
                 libaravis-0.8-0",
                LIBRARIES.join(", ")
            ),
            CameraError::OtherLibrary(error) => {
                write!(f, "libaravis lacks a function that is needed: {error}")
            }
            CameraError::Aravis { message } => f.write_str(message),
            CameraError::NoCamera => f.write_str("no camera was found"),
            CameraError::NoStream => f.write_str("wanted a stream, found none"),
            CameraError::Value(refusal) => refusal.fmt(f),
        }
    }
}

impl std::error::Error for CameraError {}

impl From<Refusal> for CameraError {
    fn from(refusal: Refusal) -> CameraError {
        CameraError::Value(refusal)
    }
}
