//! A real Kafka broker.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{repository, skip};

/// A broker that `tools/kafka.sh` starts on loopback, with its data in a temporary folder. It ends with this process.
#[derive(Debug)]
pub struct Broker {
    folder: PathBuf,
    address: String,
    password: Option<String>,
}

impl Broker {
    /// Starts a broker; `name` tells those of one process apart. `None` is a skip on record: a Java or Maven is missing.
    pub fn start(name: &str) -> Option<Broker> {
        Broker::start_as(name, None)
    }

    /// The same, with a second listener ([`Broker::secured`]) for the user `livetime` with this password.
    pub fn start_with_password(name: &str, password: &str) -> Option<Broker> {
        Broker::start_as(name, Some(password.to_owned()))
    }

    fn start_as(name: &str, password: Option<String>) -> Option<Broker> {
        let folder = std::env::temp_dir().join(format!("livetime-kafka-{}-{name}", std::process::id()));
        let mut broker = Broker { folder, address: String::new(), password };
        match broker.run("start") {
            Ok(address) => broker.address = address,
            Err(why) => {
                skip("peer/kafka", &format!("tools/kafka.sh: {why}"));
                return None;
            }
        }
        Some(broker)
    }

    /// Where it listens, `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Where it listens for users with a password, `host:port`.
    pub fn secured(&self) -> String {
        let port = std::fs::read_to_string(self.folder.join("port.sasl")).unwrap_or_default();
        format!("127.0.0.1:{}", port.trim())
    }

    /// Sends a signal, as `-STOP`. `-KILL` is a crash; [`Broker::start_again`] brings the broker back with its data.
    ///
    /// # Panics
    /// When there is no such process.
    pub fn signal(&self, signal: &str) {
        let pid = std::fs::read_to_string(self.folder.join("pid")).unwrap_or_default();
        let sent = Command::new("kill").args([signal, pid.trim()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill {signal} {pid}");
    }

    /// Starts the broker again after a crash, at the same address.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&self) {
        let started = self.run("start");
        assert_eq!(started.as_deref(), Ok(self.address()));
    }

    fn run(&self, what: &str) -> Result<String, String> {
        let mut command = Command::new("bash");
        command.arg(repository().join("tools/kafka.sh")).arg(what).arg(&self.folder);
        command.env("KAFKA_WITH", std::process::id().to_string()).stdin(Stdio::null());
        self.password.iter().for_each(|password| _ = command.env("KAFKA_PASSWORD", password));
        let output = command.output().map_err(|e| e.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        Err(text(&output.stderr).lines().last().unwrap_or("no reason given").to_owned())
    }
}

impl Drop for Broker {
    /// A broker that does not end is ended with this process.
    fn drop(&mut self) {
        _ = self.run("stop");
    }
}
