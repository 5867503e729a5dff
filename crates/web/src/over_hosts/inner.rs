//! The part of a path behind `/hosts/NAME`, judged as the other host would: by the same table of routes.

use axum::http::{Method, StatusCode};

use crate::error::Error;
use crate::guard::Needs;

/// A route of the other host.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) needs: Needs,
}

/// Where paths of other hosts begin.
const BEGIN: &str = "/hosts/";

/// The name of the host, and its path, which begins with `/`.
pub(crate) fn split(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix(BEGIN)?;
    let slash = rest.find('/')?;
    Some(rest.split_at(slash))
}

/// The right that the inner path needs of callers.
///
/// # Errors
/// 404 for a path that no route has, or that is not handed on; 405 for another method.
pub(crate) fn needs(
    routes: impl Iterator<Item = Known>,
    method: &Method,
    inner: &str,
) -> Result<Needs, Error> {
    let nothing = || Error::not_found("there is nothing at this address of another host");
    if !is_plain(inner) || !is_handed_on(method, inner) {
        return Err(nothing());
    }
    // A route that answers GET answers HEAD.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let mut fitting = routes.filter(|route| fits(route.path, inner)).peekable();
    // More than one route may fit: the most exact one is asked, as a router does.
    fitting.peek().ok_or_else(nothing)?;
    let found = fitting.filter(|route| route.method == method.as_str());
    let found = found.min_by_key(|route| route.path.matches('{').count());
    let refused = || Error::new(StatusCode::METHOD_NOT_ALLOWED, "wanted another method");
    found.map(|route| route.needs).ok_or_else(refused)
}

/// The page and its parts are this server's own, sessions are begun here, and other hosts are asked from here alone.
fn is_handed_on(method: &Method, inner: &str) -> bool {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    match inner {
        "/metrics" | "/healthz" => true,
        "/api/v1/hosts" => false,
        "/api/v1/session" => is_read,
        _ => inner.starts_with("/api/"),
    }
}

/// Whether every reader of the path sees the same segments in it.
fn is_plain(inner: &str) -> bool {
    inner.strip_prefix('/').is_some_and(|path| path.split('/').all(is_plain_segment))
}

fn is_plain_segment(segment: &str) -> bool {
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => {
                let digits =
                    [bytes.next(), bytes.next()].map(|byte| (byte.unwrap_or(0) as char).to_digit(16));
                let [Some(high), Some(low)] = digits else { return false };
                let byte = (high * 16 + low) as u8;
                // A dot in signs of its own has no honest reason.
                if matches!(byte, b'/' | b'.' | b'%') {
                    return false;
                }
                byte
            }
            byte => byte,
        };
        if byte.is_ascii_control() || byte == b'\\' {
            return false;
        }
    }
    !matches!(segment, "" | "." | "..")
}

/// Whether a route with this path takes the request.
fn fits(route: &str, path: &str) -> bool {
    let (mut route, mut path) = (route.split('/'), path.split('/'));
    loop {
        match (route.next(), path.next()) {
            (None, None) => return true,
            (Some(wanted), Some(_)) if wanted.starts_with("{*") => return true,
            (Some(wanted), Some(found)) if wanted == found || wanted.starts_with('{') => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::{ROUTES, known};

    fn judged(method: &str, path: &str) -> Result<Needs, u16> {
        let (_, inner) = split(path).ok_or(0u16)?;
        needs(known(), &method.parse().unwrap(), inner).map_err(|error| error.status.as_u16())
    }

    #[test]
    fn rights_are_those_of_the_inner_route() {
        for (method, inner, wanted) in [
            ("GET", "/metrics", Needs::Read),
            ("GET", "/healthz", Needs::Nothing),
            ("HEAD", "/api/v1/describe", Needs::Read),
            ("GET", "/api/v1/nodes/ROI1", Needs::Read),
            ("PATCH", "/api/v1/nodes/ROI1", Needs::Write),
            ("PATCH", "/api/v1/nodes/a%20b", Needs::Write),
            ("PATCH", "/api/v1/nodes/ROI1/input", Needs::Write),
            ("POST", "/api/v1/run/stop", Needs::Write),
            ("POST", "/api/v1/control", Needs::Write),
            ("POST", "/api/v1/views", Needs::Read),
            ("DELETE", "/api/v1/views/7", Needs::Read),
            ("GET", "/api/v1/runs/summary", Needs::Read),
            ("GET", "/api/v1/state", Needs::Read),
        ] {
            assert_eq!(judged(method, &format!("/hosts/daq{inner}")), Ok(wanted), "{method} {inner}");
        }
    }

    /// Each route that changes the run needs the right to write here, too.
    #[test]
    fn no_route_is_easier_through_another_host() {
        for route in ROUTES.iter().filter(|route| !route.path.starts_with("/hosts/")) {
            let path = route.path.replace("{*name}", "a").replace(['{', '}'], "");
            let found = judged(route.method, &format!("/hosts/daq{path}"));
            assert!(found == Ok(route.needs) || found == Err(404), "{} {path}: {found:?}", route.method);
        }
    }

    #[test]
    fn what_is_not_handed_on_is_not_there() {
        for inner in [
            "/",
            "/assets/page.js",
            "/api/v1/hosts",
            "/hosts/other/metrics",
            "/api/v1/nothing",
            "//metrics",
            "/metrics/",
            "/api//v1/describe",
            "/api/v1/../v1/describe",
            "/api/v1/./describe",
            "/api/v1/%2e%2e/describe",
            "/api/v1/nodes/..",
            "/api/v1/nodes/%2E",
            "/api/v1/nodes/a%2Fb",
            "/api/v1/nodes/a%252Fb",
            "/api/v1/nodes/a%5Cb",
            "/api/v1/nodes/a\\b",
            "/api/v1/nodes/a%00",
            "/api/v1/nodes/a%0d%0a",
            "/api/v1/nodes/a%",
            "/api/v1/nodes/a%4",
            "/api/v1/nodes/a%zz",
            "/API/v1/describe",
        ] {
            assert_eq!(judged("GET", &format!("/hosts/daq{inner}")), Err(404), "{inner}");
        }
        for method in ["POST", "PATCH", "DELETE"] {
            assert_eq!(judged(method, "/hosts/daq/api/v1/session"), Err(404), "{method}");
        }
        assert_eq!(judged("OPTIONS", "/hosts/daq/api/v1/nodes/a"), Err(405));
        assert_eq!(judged("DELETE", "/hosts/daq/metrics"), Err(405));
        assert_eq!(
            (split("/hosts/daq"), split("/host/daq/"), split("/hosts//a")),
            (None, None, Some(("", "/a")))
        );
    }
}
