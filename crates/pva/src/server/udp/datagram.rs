//! Receiving a datagram together with the address it was sent to.

use std::io;
use std::net::{IpAddr, SocketAddr};

use mio::net::UdpSocket;

/// A datagram came: its length, from where, and to which addresses if the system says so.
pub(super) struct Received {
    pub(super) len: usize,
    pub(super) source: SocketAddr,
    pub(super) destination: Option<Destination>,
}

/// Where a datagram was sent to.
#[derive(Clone, Copy)]
pub(super) struct Destination {
    /// What it says: an address of this machine, a broadcast or a multicast address.
    pub(super) header: IpAddr,
    /// The address of this machine that belongs to it.
    pub(super) local: IpAddr,
}

/// Has the system say where datagrams were sent to, if it can.
#[cfg(target_os = "linux")]
pub(super) fn prepare(socket: &socket2::Socket) -> io::Result<()> {
    use nix::sys::socket::{setsockopt, sockopt::Ipv4PacketInfo};
    Ok(setsockopt(socket, Ipv4PacketInfo, &true)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn prepare(_socket: &socket2::Socket) -> io::Result<()> {
    Ok(())
}

/// Receives one datagram.
#[cfg(target_os = "linux")]
pub(super) fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Received> {
    use std::net::Ipv4Addr;
    use std::os::fd::AsRawFd;

    use nix::libc::in_pktinfo;
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg};

    let mut space = nix::cmsg_space!(in_pktinfo);
    let mut buffers = [io::IoSliceMut::new(buffer)];
    let descriptor = socket.as_raw_fd();
    let message = recvmsg::<SockaddrIn>(descriptor, &mut buffers, Some(&mut space), MsgFlags::empty())?;
    let source = message.address.ok_or_else(|| io::Error::other("a datagram from nowhere"))?;
    let destination = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::Ipv4PacketInfo(info) => {
            let address = |raw: u32| IpAddr::from(Ipv4Addr::from_bits(u32::from_be(raw)));
            Some(Destination {
                header: address(info.ipi_addr.s_addr),
                local: address(info.ipi_spec_dst.s_addr),
            })
        }
        _ => None,
    });
    Ok(Received { len: message.bytes, source: SocketAddr::V4(source.into()), destination })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Received> {
    let (len, source) = socket.recv_from(buffer)?;
    Ok(Received { len, source, destination: None })
}
