//! What is answered to a request, without sockets.

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
const NOT_FOUND: Request = Request::Other("404 Not Found", "there is only /metrics\n");
const NOT_ALLOWED: Request = Request::Other("405 Method Not Allowed", "wanted GET or HEAD\n");

/// The request that begins with these bytes; `None` while it is not complete.
pub(super) fn request(bytes: &[u8]) -> Option<Request> {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n");
    match end {
        None if bytes.len() >= LONGEST_REQUEST => Some(TOO_LONG),
        None => None,
        Some(end) if end + 4 > LONGEST_REQUEST => Some(TOO_LONG),
        Some(end) => Some(std::str::from_utf8(&bytes[..end]).map_or(BAD, parsed)),
    }
}

fn parsed(head: &str) -> Request {
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
        request(text.as_bytes())
    }

    #[test]
    fn requests_are_understood() {
        let metrics = |format, with_body| Some(Request::Metrics { format, with_body });
        assert_eq!(of("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), metrics(Format::Prometheus, true));
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
        assert_eq!(request(b"GET /\xff HTTP/1.1\r\n\r\n"), Some(BAD));
        assert_eq!(request(&[b'a'; LONGEST_REQUEST - 1]), None);
        assert_eq!(request(&[b'a'; LONGEST_REQUEST]), Some(TOO_LONG));
        let late = [&[b'a'; LONGEST_REQUEST - 2][..], b"\r\n\r\n"].concat();
        assert_eq!(request(&late), Some(TOO_LONG));
    }
}
