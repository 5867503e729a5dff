//! The kinds of messages.

/// The minor version of the protocol that we speak; the major one is 4.
pub const MINOR: u16 = 13;

/// The port of servers, for searches and for connections.
pub const SERVER_PORT: u16 = 5064;

/// The port of repeaters, to which servers send their beacons.
pub const REPEATER_PORT: u16 = 5065;

/// The kind of a message. Numbers are the protocol's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u16)]
pub enum Command {
    /// Version of the sender and priority of the connection.
    Version = 0,
    /// Begins a monitor; an update of one.
    EventAdd = 1,
    /// Ends a monitor.
    EventCancel = 2,
    /// A get of old clients, whose answer carries no status.
    Read = 3,
    /// A put without an answer.
    Write = 4,
    /// Asks for the server of a channel; its answer.
    Search = 6,
    /// The client wants no updates for now.
    EventsOff = 8,
    /// The client wants updates again.
    EventsOn = 9,
    /// Answered when all reads before it are.
    ReadSync = 10,
    /// A request failed.
    Error = 11,
    /// Closes a channel.
    ClearChannel = 12,
    /// A server is there, sent again and again.
    Beacon = 13,
    /// A search found no channel.
    NotFound = 14,
    /// A get.
    ReadNotify = 15,
    /// A repeater has registered a client.
    RepeaterConfirm = 17,
    /// Opens a channel.
    CreateChannel = 18,
    /// A put whose answer comes when it is done.
    WriteNotify = 19,
    /// The user of the client.
    ClientName = 20,
    /// The host of the client.
    HostName = 21,
    /// The rights of the client at a channel.
    AccessRights = 22,
    /// Answered by the same.
    Echo = 23,
    /// A client wants beacons of a repeater.
    RepeaterRegister = 24,
    /// The channel cannot be opened.
    CreateFailed = 26,
    /// The server has closed a channel.
    ServerDisconnected = 27,
}

impl Command {
    /// The kind with this number; `None` for obsolete and unknown ones.
    pub fn from_number(number: u16) -> Option<Command> {
        BY_NUMBER.get(usize::from(number)).copied().flatten()
    }
}

/// Every message is looked up here.
const BY_NUMBER: [Option<Command>; 28] = {
    let (mut found, mut at) = ([None; 28], 0);
    while at < ALL.len() {
        found[ALL[at] as usize] = Some(ALL[at]);
        at += 1;
    }
    found
};

const ALL: [Command; 24] = [
    Command::Version,
    Command::EventAdd,
    Command::EventCancel,
    Command::Read,
    Command::Write,
    Command::Search,
    Command::EventsOff,
    Command::EventsOn,
    Command::ReadSync,
    Command::Error,
    Command::ClearChannel,
    Command::Beacon,
    Command::NotFound,
    Command::ReadNotify,
    Command::RepeaterConfirm,
    Command::CreateChannel,
    Command::WriteNotify,
    Command::ClientName,
    Command::HostName,
    Command::AccessRights,
    Command::Echo,
    Command::RepeaterRegister,
    Command::CreateFailed,
    Command::ServerDisconnected,
];
