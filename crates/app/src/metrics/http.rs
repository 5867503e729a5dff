//! What is answered to a request, without sockets.

use std::net::IpAddr;

use super::text::Format;

/// Requests are at most this long.
pub(super) const LONGEST_REQUEST: usize = 8 << 10;

/// What a client wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// The metrics; without a body if only their header is asked for.
    Metrics { format: Format, with_body: bool },
    /// Anything else, with the answer to it.
    Other(&'static str, &'static str),
}

const BAD: Request = Request::Other("400 Bad Request", "wanted a request of HTTP/1.0 or HTTP/1.1\n");
const TOO_LONG: Request = Request::Other("431 Request Header Fields Too Large", "wanted a shorter request\n");
const WRONG_HOST: Request = Request::Other(
    "421 Misdirected Request",
    "wanted a name or an address of this machine in `Host`; others are allowed with --metrics-host NAME\n",
);
const NOT_FOUND: Request = Request::Other("404 Not Found", "there is only /metrics\n");
const NOT_ALLOWED: Request = Request::Other("405 Method Not Allowed", "wanted GET or HEAD\n");

/// The request that begins with these bytes; `None` while it is not complete.
pub(super) fn request(bytes: &[u8], hosts: &Hosts) -> Option<Request> {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n");
    match end {
        None if bytes.len() >= LONGEST_REQUEST => Some(TOO_LONG),
        None => None,
        Some(end) if end + 4 > LONGEST_REQUEST => Some(TOO_LONG),
        Some(end) => Some(std::str::from_utf8(&bytes[..end]).map_or(BAD, |head| parsed(head, hosts))),
    }
}

/// The names that clients may use for this machine.
///
/// The author of a web page can choose a name that resolves to this machine; a browser would then let the
/// page read the metrics (DNS rebinding). Such a name is none of these.
#[derive(Clone, Default, Debug)]
pub(super) struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// The name of this machine, with and without its domain, and those of `more`.
    pub(super) fn new(own: Option<&str>, more: &[String]) -> Hosts {
        let mut names = vec!["localhost".to_owned()];
        if let Some(name) = own {
            names.push(name.to_ascii_lowercase());
            names.extend(name.split('.').next().map(str::to_ascii_lowercase));
        }
        names.extend(more.iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase()));
        Hosts { names }
    }

    /// Whether `host`, as a client writes it, is this machine: an address, or one of the names.
    fn has(&self, host: &str) -> bool {
        let name = without_port(host.trim());
        let is_address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        is_address || self.names.contains(&name) || self.names.iter().any(|own| own == "*")
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.chars().all(|c| c.is_ascii_digit()) => {
            // Of an IPv6 address without brackets everything is address.
            if name.contains(':') && !name.ends_with(']') { host } else { name }
        }
        _ => host,
    }
}

/// Every `Host` must be ours. A client that sends none, as HTTP/1.0 allows, is not a browser.
fn is_for_us<'a>(mut headers: impl Iterator<Item = &'a str>, hosts: &Hosts) -> bool {
    headers.all(|line| match line.split_once(':') {
        Some((name, host)) if name.trim().eq_ignore_ascii_case("host") => hosts.has(host),
        _ => true,
    })
}

fn parsed(head: &str, hosts: &Hosts) -> Request {
    if !is_for_us(head.split("\r\n").skip(1), hosts) {
        return WRONG_HOST;
    }
    let mut lines = head.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, "HTTP/1.0" | "HTTP/1.1"] = words[..] else { return BAD };
    let path = target.split('?').next().unwrap_or_default();
    match (method, path) {
        ("GET" | "HEAD", "/metrics") => {
            Request::Metrics { format: wanted_format(lines), with_body: method == "GET" }
        }
        ("GET" | "HEAD", _) => NOT_FOUND,
        _ => NOT_ALLOWED,
    }
}

/// OpenMetrics if the client names it among what it accepts.
fn wanted_format<'a>(headers: impl Iterator<Item = &'a str>) -> Format {
    let accepted = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("accept").then(|| value.to_ascii_lowercase())
    };
    let mut all = headers.filter_map(accepted);
    match all.any(|value| value.contains("application/openmetrics-text")) {
        true => Format::OpenMetrics,
        false => Format::Prometheus,
    }
}

/// The answer, header and body; every connection is for one request.
pub(super) fn answer(status: &str, content_type: &str, body: &str, with_body: bool) -> Vec<u8> {
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n{allow}\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), if with_body { body.as_bytes() } else { &[] }].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Request> {
        request(text.as_bytes(), &Hosts::new(Some("daq7.beam.example"), &["monitor".into()]))
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let answered = |host: &str| {
            let found = of(&format!("GET /metrics HTTP/1.1\r\nUser-Agent: x\r\nHost: {host}\r\n\r\n"));
            match found {
                Some(Request::Metrics { .. }) => true,
                found => {
                    assert_eq!(found, Some(WRONG_HOST), "{host}");
                    false
                }
            }
        };
        let ours = [
            "localhost",
            "LocalHost:9090",
            "127.0.0.1:9090",
            "[::1]:9090",
            "::1",
            "10.1.2.3",
            "daq7",
            "daq7.beam.example.",
            "DAQ7.beam.example:80",
            "monitor:1",
        ];
        ours.into_iter().for_each(|host| assert!(answered(host), "{host}"));
        let theirs = [
            "evil.example",
            "evil.example:9090",
            "localhost.evil.example",
            "daq7.evil.example",
            "",
            "127.0.0.1.evil.example",
        ];
        theirs.into_iter().for_each(|host| assert!(!answered(host), "{host}"));
        let twice = of("GET /metrics HTTP/1.1\r\nHost: localhost\r\nhost : evil.example\r\n\r\n");
        assert_eq!(twice, Some(WRONG_HOST));
        assert!(matches!(of("GET /metrics HTTP/1.0\r\n\r\n"), Some(Request::Metrics { .. })));
    }

    #[test]
    fn requests_are_understood() {
        let metrics = |format, with_body| Some(Request::Metrics { format, with_body });
        assert_eq!(of("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), metrics(Format::Prometheus, true));
        let open =
            "GET /metrics?a=b HTTP/1.1\r\naCCept: text/plain;q=0.1, Application/OpenMetrics-text\r\n\r\n";
        assert_eq!(of(open), metrics(Format::OpenMetrics, true));
        assert_eq!(of("HEAD /metrics HTTP/1.0\r\n\r\nrest"), metrics(Format::Prometheus, false));
    }

    #[test]
    fn hostile_requests_are_refused() {
        for (text, wanted) in [
            ("\r\n\r\n", BAD),
            ("GET  /metrics HTTP/1.1\r\n\r\n", BAD),
            ("GET /metrics HTTP/2\r\n\r\n", BAD),
            ("GET /metrics\r\n\r\n", BAD),
            ("GET /../etc/passwd HTTP/1.1\r\n\r\n", NOT_FOUND),
            ("POST /metrics HTTP/1.1\r\n\r\n", NOT_ALLOWED),
        ] {
            assert_eq!(of(text), Some(wanted), "{text}");
        }
        assert_eq!(request(b"GET /\xff HTTP/1.1\r\n\r\n", &Hosts::default()), Some(BAD));
        assert_eq!(request(&[b'a'; LONGEST_REQUEST - 1], &Hosts::default()), None);
        assert_eq!(request(&[b'a'; LONGEST_REQUEST], &Hosts::default()), Some(TOO_LONG));
        let late = [&[b'a'; LONGEST_REQUEST - 2][..], b"\r\n\r\n"].concat();
        assert_eq!(request(&late, &Hosts::default()), Some(TOO_LONG));
    }
}
