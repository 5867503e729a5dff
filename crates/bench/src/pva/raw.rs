//! Plain TCP with messages of the same sizes, through sockets with the same options as our server's and client's: the
//! speed of two simple programs on the same kernel. This is no limit: a program that reads and writes more cleverly is
//! faster.

use crate::Failed;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

/// The most bytes that a client may ask for in one answer.
const LARGEST: u64 = 1 << 30;

/// Answers at the address that is returned, until the process ends.
///
/// A client says once how long its requests and the answers are to be. A request length of 0 asks for answers
/// without end.
pub(super) fn listen() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    std::thread::Builder::new().name("raw".into()).spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    })?;
    Ok(address)
}

/// Ends with the connection, which the client closes.
fn answer(mut stream: TcpStream) -> io::Result<()> {
    livetime_pva::net::tune(&stream)?;
    let mut sizes = [[0; 8]; 2];
    for size in &mut sizes {
        stream.read_exact(size)?;
    }
    // A size from outside is bounded before memory is taken.
    let [request, reply] = sizes.map(|size| u64::from_le_bytes(size).min(LARGEST) as usize);
    let (mut request, reply) = (vec![0; request], vec![7; reply]);
    loop {
        stream.read_exact(&mut request)?;
        stream.write_all(&reply)?;
    }
}

/// A client of [`listen`].
pub(super) struct Raw {
    stream: TcpStream,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl Raw {
    pub(super) fn connect(server: SocketAddr, request: usize, reply: usize) -> Result<Raw, Failed> {
        Raw::try_connect(server, request, reply).map_err(|e| format!("plain TCP to {server}: {e}").into())
    }

    fn try_connect(server: SocketAddr, request: usize, reply: usize) -> io::Result<Raw> {
        let mut stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        stream.write_all(&(request as u64).to_le_bytes())?;
        stream.write_all(&(reply as u64).to_le_bytes())?;
        Ok(Raw { stream, request: vec![3; request], reply: vec![0; reply] })
    }

    /// One request and its answer.
    pub(super) fn round(&mut self) -> Result<(), Failed> {
        let done =
            self.stream.write_all(&self.request).and_then(|()| self.stream.read_exact(&mut self.reply));
        done.map_err(|e| format!("plain TCP: {e}").into())
    }
}
