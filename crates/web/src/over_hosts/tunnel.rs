//! The WebSocket of another host, byte by byte.

use std::io;
use std::time::Duration;

use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};
use tokio::time::timeout;

use super::ask::Held;

/// Both sides send a sign of life every 15 s.
const SILENCE: Duration = Duration::from_secs(60);
const WRITING: Duration = Duration::from_secs(30);
/// Read at once.
const READ: usize = 8 << 10;

/// Carries bytes both ways until a side ends, or is silent for long.
pub(super) async fn tunnel(client: OnUpgrade, host: OnUpgrade, held: Held) {
    let both = timeout(WRITING, async { (client.await, host.await) }).await;
    if let Ok((Ok(client), Ok(host))) = both {
        let (from_client, to_client) = split(TokioIo::new(client));
        let (from_host, to_host) = split(TokioIo::new(host));
        tokio::select! {
            _ = carry(from_client, to_host) => {}
            _ = carry(from_host, to_client) => {}
        }
    }
    drop(held);
}

type Read = tokio::io::ReadHalf<TokioIo<Upgraded>>;
type Write = tokio::io::WriteHalf<TokioIo<Upgraded>>;

async fn carry(mut from: Read, mut to: Write) -> io::Result<()> {
    let mut bytes = vec![0; READ];
    loop {
        let read = timeout(SILENCE, from.read(&mut bytes)).await.map_err(io::Error::other)??;
        if read == 0 {
            return timeout(WRITING, to.shutdown()).await.map_err(io::Error::other)?;
        }
        let part = bytes.get(..read).unwrap_or_default();
        timeout(WRITING, write(&mut to, part)).await.map_err(io::Error::other)??;
    }
}

async fn write(to: &mut Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes).await?;
    to.flush().await
}
