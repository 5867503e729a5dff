//! The page and its parts, as they were when the program was built.

use std::io::Read as _;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::Error;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Instead of the page, in a program that was built without it.
const WORDS: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Livetime</title></head><body>
<h1>Livetime</h1>
<p>This program was built without its page. The run can be seen and changed all the same:</p>
<ul>
<li><a href=\"/api/v1/describe\">/api/v1/describe</a>: the run, its nodes and their parameters</li>
<li><a href=\"/api/v1/report\">/api/v1/report</a>: the report so far</li>
<li><a href=\"/api/v1/openapi.json\">/api/v1/openapi.json</a>: everything that can be asked for</li>
<li><a href=\"/metrics\">/metrics</a>: numbers for Prometheus</li>
</ul></body></html>
";

pub(crate) async fn index(headers: HeaderMap) -> Response {
    match file("index.html", &headers) {
        Some(response) => response,
        None => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], WORDS).into_response(),
    }
}

pub(crate) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Error> {
    file(&format!("assets/{name}"), &headers)
        .ok_or_else(|| Error::not_found("there is no such part of the page"))
}

fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let (_, tag, packed) = FILES.iter().find(|(known, ..)| *known == name)?;
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let mut response = match known.is_some_and(|known| known.split(',').any(|known| known.trim() == *tag)) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false if takes_gzip(headers) => ([(header::CONTENT_ENCODING, "gzip")], *packed).into_response(),
        false => unpacked(packed).into_response(),
    };
    let mut set = |name, value| response.headers_mut().insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_TYPE, kind(name));
    set(header::ETAG, tag);
    // Asked for again each time, and sent only if it is another one: names do not change with their content.
    set(header::CACHE_CONTROL, "no-cache");
    set(header::VARY, "Accept-Encoding");
    Some(response)
}

/// Browsers do; a script may not.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let all = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_refused =
            |part: &str| part.replace(' ', "").strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        is_gzip && !parts.any(is_refused)
    })
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The build has packed these bytes, so they can be unpacked.
    let _ = flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes);
    bytes
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_packed_for_those_who_can_unpack_it() {
        let takes = |text: &'static str| {
            takes_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(text))]))
        };
        for text in ["gzip", "deflate, GZIP, br", "br;q=1.0, gzip;q=0.8"] {
            assert!(takes(text), "{text}");
        }
        for text in ["", "br", "gzip;q=0", "gzip; q=0.0", "x-gzipped"] {
            assert!(!takes(text), "{text}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
        for (name, _, packed) in FILES {
            assert!(name.ends_with(".gz") || unpacked(packed).len() > packed.len() / 2, "{name}");
        }
    }
}
