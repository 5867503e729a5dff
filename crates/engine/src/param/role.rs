//! The meaning of a parameter to the faces of a run.

/// A meaning of a parameter that faces act by: they start a source, wait for the end of a capture, or show a count,
/// without knowing the name of the parameter.
///
/// | role | type | meaning |
/// |---|---|---|
/// | `Acquire` | bool | a source sends frames while it is true |
/// | `Frames` | readback, int | the node's own count of its frames, shown instead of the engine's |
/// | `Capture` | bool | a sink or a buffer takes frames while it is true; work as below |
/// | `Captured` | readback, int | frames of the capture; 0 when it begins |
/// | `CaptureSize` | int | the number of frames at which a capture ends; 0 for no end |
/// | `Work` | bool | written true, it asks for work, and the node sets it back to false when that is done |
/// | `Once` | bool | written true, it asks for something that is done at once or with the next frame, and is false then |
/// | `Folder` | text | the folder that a sink writes its files to; empty for none |
/// | `File` | text | the file that a sink writes; empty for none |
/// | `LastFile` | readback, text | the file that a sink wrote, or writes, last |
/// | `WriteMode` | choice | `single` if each frame becomes a file |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A source sends frames while it is true.
    Acquire,
    /// The node's own count of its frames.
    Frames,
    /// Frames are taken while it is true.
    Capture,
    /// Frames of the capture.
    Captured,
    /// The number of frames at which a capture ends; 0 for no end.
    CaptureSize,
    /// Asks for work, and is set back when it is done.
    Work,
    /// Asks for something that is done at once or with the next frame.
    Once,
    /// The folder that a node writes its files to; empty for none.
    Folder,
    /// The file that a node writes; empty for none.
    File,
    /// The name of the file that a node wrote last.
    LastFile,
    /// Whether a file takes one frame or several.
    WriteMode,
}

impl Role {
    /// Whether the node sets the parameter back to false after the work that true starts.
    pub fn is_work(self) -> bool {
        matches!(self, Role::Capture | Role::Work)
    }

    /// Whether true starts something: no setting of a run keeps such a parameter, because each start would do it again.
    pub fn is_action(self) -> bool {
        matches!(self, Role::Acquire | Role::Once) || self.is_work()
    }
}
