//! The servers in the network, and their PVs.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::directory::{Server, hex};
use super::lock::lock;
use super::{Client, Pending, Result};
use crate::data::{Dynamic, ScalarType, Type, Value};
use crate::nt;

impl fmt::Display for Server {
    /// As `pvlist` prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guid = hex(&self.guid).to_uppercase();
        write!(f, "GUID 0x{guid} version 2: tcp@[ {} ]", self.address)
    }
}

impl Client {
    /// All servers that answer within `time`. Blocks so long.
    pub fn servers(&self, time: Duration) -> Vec<Server> {
        let found = Arc::new(Mutex::new(Vec::new()));
        // Datagrams get lost, so each search is sent three times.
        let rounds = 3;
        for _ in 0..rounds {
            let mut directory = lock(&self.shared().directory);
            if !directory.listeners.iter().any(|listener| Arc::ptr_eq(listener, &found)) {
                directory.listeners.push(Arc::clone(&found));
            }
            directory.ping = true;
            drop(directory);
            self.shared().wake();
            std::thread::sleep(time / rounds);
        }
        let mut found = std::mem::take(&mut *lock(&found));
        found.sort_by_key(|server| server.address);
        found
    }

    /// The names of the channels that a server has. Not every server knows them all.
    pub fn names(&self, server: SocketAddr) -> Result<Pending<Vec<String>>> {
        let request = query("channels")?;
        Ok(self.channel_at(server, "server").rpc(request).map(|answer| {
            let value = answer?;
            let names = value.as_value()?.get("value")?.as_strings()?;
            Some(names.to_vec())
        }))
    }

    /// A server's description of itself: a structure of texts.
    pub fn server_info(&self, server: SocketAddr) -> Result<Pending<Value>> {
        let request = query("info")?;
        Ok(self.channel_at(server, "server").rpc(request).map(|answer| answer?.into_value().ok()))
    }
}

fn query(op: &str) -> Result<Dynamic> {
    let ty = nt::uri(&[("op", Type::Scalar(ScalarType::Str))])?;
    let mut value = Value::new(&ty);
    value.set("scheme", "pva")?;
    value.set("path", "server")?;
    value.set("query.op", op)?;
    Ok(value.into())
}
