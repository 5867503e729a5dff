//! A client of the state of a run, for programs that wait: `livetime top`, tests, measurements.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Error, Message, WebSocket};

pub use crate::client_error::{ClientError, ConnectFault};
use crate::history::MOST_ASKED;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Where a run is served, as its link says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// `host:port`.
    pub host: String,
    /// `/hosts/NAME` for the page of another host of a graph, through this one; else empty.
    pub path: String,
    /// A client that knows it may change the run, and read it from another machine.
    pub token: Option<String>,
}

impl Link {
    /// Reads `http://host:port/#t=TOKEN`, also with `/hosts/NAME/` of a graph over several hosts.
    ///
    /// ```
    /// use livetime_web::client::Link;
    ///
    /// let link = Link::new("http://127.0.0.1:8090/#t=abc")?;
    /// assert_eq!((&*link.host, link.token.as_deref()), ("127.0.0.1:8090", Some("abc")));
    /// assert_eq!(Link::new("daq7")?.host, "daq7:8090");
    /// assert_eq!(Link::new("http://daq7:8090/hosts/ana/#/live")?.path, "/hosts/ana");
    /// # Ok::<(), livetime_web::client::ClientError>(())
    /// ```
    ///
    /// # Errors
    /// The wanted form.
    pub fn new(text: &str) -> Result<Link, ClientError> {
        let wanted = || ClientError::Link { found: text.to_owned() };
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let (address, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let address = address.trim_end_matches('/');
        let (host, path) = address.find('/').map_or((address, ""), |slash| address.split_at(slash));
        let is_strange =
            |text: &str| text.contains(|c: char| c == '/' || c.is_whitespace() || c.is_control());
        let name = path.strip_prefix("/hosts/");
        let is_path = path.is_empty() || name.is_some_and(|name| !name.is_empty() && !is_strange(name));
        if host.is_empty() || is_strange(host) || !is_path {
            return Err(wanted());
        }
        // Only digits behind the last colon are a port: an IPv6 address in brackets has colons, too.
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let host = if has_port { host.to_owned() } else { format!("{host}:{}", livetime_control::web::PORT) };
        let token = fragment.strip_prefix("t=").filter(|token| !token.is_empty()).map(str::to_owned);
        Ok(Link { host, path: path.to_owned(), token })
    }
}

/// The state of a run, as it comes. Moments are acknowledged when they are taken.
pub struct State {
    socket: WebSocket<TcpStream>,
}

impl State {
    /// Connects to the server of a run.
    ///
    /// # Errors
    /// Why not, in a sentence.
    pub fn connect(link: &Link) -> Result<State, ClientError> {
        let failed = |found| ClientError::Connect { host: link.host.clone(), found };
        Self::connected(link).map_err(failed)
    }

    fn connected(link: &Link) -> Result<State, ConnectFault> {
        let addresses = link.host.to_socket_addrs()?;
        let mut stream = Err(io::Error::new(io::ErrorKind::NotFound, "no address"));
        for address in addresses {
            stream = TcpStream::connect_timeout(&address, CONNECT);
            if stream.is_ok() {
                break;
            }
        }
        let stream = stream?;
        stream.set_read_timeout(Some(CONNECT))?;
        let mut request = format!("ws://{}{}/api/v1/state", link.host, link.path).into_client_request()?;
        if let Some(token) = &link.token {
            let value = format!("Bearer {token}").parse().map_err(|_| ConnectFault::Token)?;
            request.headers_mut().insert("Authorization", value);
        }
        let (socket, _) = tungstenite::client(request, stream).map_err(|e| match e {
            tungstenite::HandshakeError::Failure(Error::Http(response)) => refusal(&response),
            tungstenite::HandshakeError::Failure(error) => error.into(),
            tungstenite::HandshakeError::Interrupted(_) => ConnectFault::Interrupted,
        })?;
        Ok(State { socket })
    }

    /// The next message; `None` when none came within `limit`.
    ///
    /// # Errors
    /// Why the connection has ended.
    pub fn next(&mut self, limit: Duration) -> Result<Option<Value>, ClientError> {
        let until = Instant::now() + limit;
        loop {
            // The system refuses a time limit of zero.
            let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            self.socket.get_ref().set_read_timeout(Some(left)).map_err(ClientError::System)?;
            match self.socket.read() {
                Ok(Message::Text(text)) => return self.taken(&text).map(Some),
                Ok(Message::Close(frame)) => {
                    return Err(ClientError::Closed(frame.map(|frame| frame.reason.to_string())));
                }
                Ok(_) => {}
                Err(Error::Io(e))
                    if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(error) => return Err(error.into()),
            }
            if Instant::now() >= until {
                return Ok(None);
            }
        }
    }

    fn taken(&mut self, text: &str) -> Result<Value, ClientError> {
        let message: Value = serde_json::from_str(text).map_err(ClientError::Json)?;
        if message["kind"] == "moment" {
            // The last one comes from a server that may have gone; its answer is still to be read.
            let _ = self.say(&json!({ "kind": "seen", "version": message["version"] }));
        }
        Ok(message)
    }

    /// Sends a message, such as `{"kind": "watch", "nodes": ["ROI1"]}`.
    ///
    /// # Errors
    /// Why the connection has ended.
    pub fn say(&mut self, message: &Value) -> Result<(), ClientError> {
        Ok(self.socket.send(Message::text(message.to_string()))?)
    }
}

/// Series over time, as `GET /api/v1/history?of=…` answers them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Columns {
    /// One moment per 10 s, instead of all.
    pub is_coarse: bool,
    /// Milliseconds since 1970.
    pub times_ms: Vec<f64>,
    /// The values of each series at those times; NaN where they are not known.
    pub series: Vec<Vec<f32>>,
}

impl Columns {
    /// Reads the body of an answer.
    ///
    /// ```
    /// use livetime_web::client::Columns;
    ///
    /// let words = [1u32, 2, 0, 1].map(u32::to_le_bytes).concat();
    /// let found = Columns::read(&words)?;
    /// assert!(found.is_coarse && found.times_ms.is_empty() && found.series.len() == 2);
    /// assert!(Columns::read(&words[..15]).is_err());
    /// # Ok::<(), livetime_web::client::ClientError>(())
    /// ```
    ///
    /// # Errors
    /// When it is of another version, or shorter or longer than its header says.
    pub fn read(bytes: &[u8]) -> Result<Columns, ClientError> {
        let refused = |wanted, found: String| Err(ClientError::History { wanted, found });
        let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let head = [word(0), word(4), word(8), word(12)];
        let [Some(version), Some(series), Some(rows), Some(step)] = head else {
            return refused("a history's header of 16 bytes".into(), bytes.len().to_string());
        };
        if version != 1 || step > 1 {
            let found = format!("version {version}, step {step}");
            return refused("a history of version 1, step 0 or 1".into(), found);
        }
        // Products of 32-bit numbers fit into 128 bits.
        let wanted = 16 + u128::from(rows) * (8 + 4 * u128::from(series));
        // Series without rows take no room: their number needs a bound of its own.
        if wanted != bytes.len() as u128 || series as usize > MOST_ASKED {
            let of = format!("{series} series (at most {MOST_ASKED}) and {rows} rows");
            return refused(format!("{wanted} bytes of {of}"), bytes.len().to_string());
        }
        let (times, values) = bytes[16..].split_at(8 * rows as usize);
        let (times, _) = times.as_chunks::<8>();
        let (values, _) = values.as_chunks::<4>();
        let column = |number: usize| values.iter().skip(number * rows as usize).take(rows as usize);
        Ok(Columns {
            is_coarse: step == 1,
            times_ms: times.iter().map(|time| f64::from_le_bytes(*time)).collect(),
            series: (0..series as usize)
                .map(|number| column(number).map(|value| f32::from_le_bytes(*value)).collect())
                .collect(),
        })
    }
}

/// The refusal of a server.
fn refusal(response: &tungstenite::http::Response<Option<Vec<u8>>>) -> ConnectFault {
    let body: Option<Value> = response.body().as_ref().and_then(|body| serde_json::from_slice(body).ok());
    let message = body.as_ref().and_then(|body| body["error"]["message"].as_str());
    ConnectFault::Refused(response.status(), message.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_that_is_cut_or_lies_is_refused() {
        let whole = include_bytes!("../../../web/golden/history.bin");
        assert_eq!(Columns::read(whole).unwrap().series.len(), 3);
        for length in 0..whole.len() {
            assert!(Columns::read(&whole[..length]).is_err(), "{length}");
        }
        assert!(Columns::read(&[&whole[..], &[0]].concat()).is_err());
        for (place, word) in [(0, 2), (4, u32::MAX), (8, u32::MAX), (12, 2)] {
            let mut other = whole.to_vec();
            other[place..place + 4].copy_from_slice(&word.to_le_bytes());
            assert!(Columns::read(&other).is_err(), "{place}");
        }
        let many = [1, 1_000_000_000, 0, 0].map(u32::to_le_bytes).concat();
        assert!(Columns::read(&many).is_err());
    }
}
