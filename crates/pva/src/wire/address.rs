//! Network addresses: always 16 bytes, always in network order.

use std::net::{IpAddr, Ipv6Addr};

use super::{Reader, Writer};
use crate::Result;

impl Reader<'_> {
    /// An address. "Any" comes as `::` or as `0.0.0.0`; ask `is_unspecified`.
    pub fn address(&mut self) -> Result<IpAddr> {
        let address = Ipv6Addr::from(self.array::<16>("an address")?);
        Ok(address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4))
    }
}

impl Writer {
    /// An address.
    pub fn address(&mut self, address: IpAddr) {
        let address = match address {
            IpAddr::V4(v4) => v4.to_ipv6_mapped(),
            IpAddr::V6(v6) => v6,
        };
        self.raw(&address.octets());
    }
}
