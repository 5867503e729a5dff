//! The numbers of messages and the bits of sub-commands.

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// The kind of an application message.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Command {
            $($(#[$doc])* $name = $code,)*
        }

        impl Command {
            /// The command of `code`; unknown ones are to be skipped.
            pub fn from_code(code: u8) -> Option<Command> {
                match code {
                    $($code => Some(Command::$name),)*
                    _ => None,
                }
            }
        }
    };
}

commands! {
    /// A server is there.
    Beacon = 0x00,
    /// The handshake of a connection.
    ConnectionValidation = 0x01,
    /// Are you still there?
    Echo = 0x02,
    /// Asks which server has these channels.
    Search = 0x03,
    /// I have.
    SearchResponse = 0x04,
    /// More authentication; unused.
    AuthNz = 0x05,
    /// The rights on a channel.
    AclChange = 0x06,
    /// Opens a channel.
    CreateChannel = 0x07,
    /// Closes a channel.
    DestroyChannel = 0x08,
    /// The end of the handshake.
    ConnectionValidated = 0x09,
    /// Reads a value.
    Get = 0x0A,
    /// Writes a value.
    Put = 0x0B,
    /// Writes a value and reads one.
    PutGet = 0x0C,
    /// Follows a value.
    Monitor = 0x0D,
    /// Reads or writes part of an array.
    Array = 0x0E,
    /// Ends an operation.
    DestroyRequest = 0x0F,
    /// Makes a record process.
    Process = 0x10,
    /// Asks for a type.
    GetField = 0x11,
    /// A text for people.
    Message = 0x12,
    /// Calls a procedure.
    Rpc = 0x14,
    /// Stops the present work of an operation.
    CancelRequest = 0x15,
    /// Where a forwarded search came from.
    OriginTag = 0x16,
}

impl Command {
    /// Whether it is an operation with an initialisation and a sub-command.
    pub fn is_operation(self) -> bool {
        use Command::{Array, Get, Monitor, Process, Put, PutGet, Rpc};
        matches!(self, Get | Put | PutGet | Monitor | Array | Process | Rpc)
    }
}

/// The kind of a control message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Control {
    /// Unused.
    SetMarker = 0,
    /// Unused.
    AckMarker = 1,
    /// The server says which byte order holds.
    SetByteOrder = 2,
    /// Unused.
    EchoRequest = 3,
    /// Unused.
    EchoResponse = 4,
}

/// Bits of sub-commands. An answer repeats them; but the answer to `MONITOR | INIT | PIPELINE` has `INIT`.
pub mod sub {
    /// Run once more.
    pub const EXECUTE: u8 = 0x00;
    /// Stop a monitor.
    pub const STOP: u8 = 0x04;
    /// Initialise the request.
    pub const INIT: u8 = 0x08;
    /// Destroy the request when done; in an update: it is the last.
    pub const DESTROY: u8 = 0x10;
    /// Read back.
    pub const GET: u8 = 0x40;
    /// Start a monitor.
    pub const START: u8 = 0x44;
    /// MONITOR: with a window, or more of it. PUT_GET: read the value that was put. ARRAY: set the length.
    pub const PIPELINE: u8 = 0x80;
}
