//! Setting a connection up and keeping it alive.

use super::Command;
use crate::Result;
use crate::data::{Dynamic, TypeCache};
use crate::wire::{Reader, Status, Writer};

/// How the server begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerValidation {
    /// The size of its receive buffer in bytes. Some clients send pieces of half of it.
    pub buffer: u32,
    /// How many cached types it has room for.
    pub registry: u16,
    /// The ways to say who one is, the best last.
    pub methods: Vec<String>,
}

impl ServerValidation {
    /// Reads the payload.
    pub fn decode(reader: &mut Reader<'_>) -> Result<ServerValidation> {
        let (buffer, registry) = (reader.u32()?, reader.u16()?);
        let count = reader.count(1)?;
        reader.charge(count * size_of::<String>())?;
        let methods = (0..count).map(|_| Ok(reader.str()?.into_owned())).collect::<Result<_>>()?;
        Ok(ServerValidation { buffer, registry, methods })
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(true, Command::ConnectionValidation as u8, |w| {
            w.u32(self.buffer);
            w.u16(self.registry);
            w.size(self.methods.len());
            self.methods.iter().for_each(|method| w.str(method));
        })
    }
}

/// How the client answers.
#[derive(Clone, PartialEq, Debug)]
pub struct ClientValidation {
    /// The size of its receive buffer in bytes.
    pub buffer: u32,
    /// How many cached types it has room for.
    pub registry: u16,
    /// Priority and other wishes; 0.
    pub qos: u16,
    /// The way it says who it is.
    pub method: String,
    /// The identity of the client.
    pub credentials: Option<Dynamic>,
}

impl ClientValidation {
    /// Reads the payload. Credentials may be missing.
    pub fn decode(reader: &mut Reader<'_>, cache: &mut TypeCache) -> Result<ClientValidation> {
        let (buffer, registry, qos) = (reader.u32()?, reader.u16()?, reader.u16()?);
        let method = reader.str()?.into_owned();
        let credentials = if reader.is_empty() { None } else { Dynamic::decode(reader, cache)? };
        Ok(ClientValidation { buffer, registry, qos, method, credentials })
    }

    /// Writes the message.
    pub fn encode(&self, writer: &mut Writer) -> Result<()> {
        writer.message(false, Command::ConnectionValidation as u8, |w| {
            w.u32(self.buffer);
            w.u16(self.registry);
            w.u16(self.qos);
            w.str(&self.method);
            match &self.credentials {
                Some(credentials) => credentials.encode(w),
                None => w.null(),
            }
        })
    }
}

/// Writes the end of the handshake.
pub fn validated(writer: &mut Writer, status: &Status) -> Result<()> {
    writer.message(true, Command::ConnectionValidated as u8, |w| status.encode(w))
}

/// Writes an echo, or the answer to one: the same `payload`.
pub fn echo(writer: &mut Writer, server: bool, payload: &[u8]) -> Result<()> {
    writer.message(server, Command::Echo as u8, |w| w.raw(payload))
}
