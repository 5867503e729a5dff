//! Callers and hosts that mean no good.

use std::io::Write;

use livetime_testkit::wait_until;

use super::fake::{Fake, pour};
use super::site::Site;

/// Signs an answer as the right host.
const SIGNED: &str = "livetime-host: analysis\r\nlivetime-run: 0\r\n";

#[test]
fn paths_lead_to_hosts_of_the_graph_alone() {
    let site = Site::new();
    let _hosts = [site.start("detector"), site.start("analysis")];
    let status = |path: &str, headers: &str| {
        let answer = site.ask("detector", "GET", path, headers, "");
        answer.get(9..12).unwrap_or_default().to_owned()
    };
    for path in [
        "/hosts/nobody/",
        "/hosts/nobody/metrics",
        "/hosts//metrics",
        "/hosts/127.0.0.1:8090/metrics",
        "/hosts/analysis%2F..%2Fdetector/metrics",
        "/hosts/ANALYSIS/metrics",
        "/hosts/analysis/../detector/metrics",
        "/hosts/analysis/%2e%2e/metrics",
        "/hosts/analysis//metrics",
        "/hosts/analysis/metrics/",
        "/hosts/analysis/hosts/detector/metrics",
        "/hosts/analysis/hosts/analysis/api/v1/describe",
        "/hosts/analysis/api/v1/hosts",
        "/hosts/analysis/api/v1/nodes/..%2f..%2fmetrics",
        "/hosts/analysis/nothing",
        "/hosts/analysis/assets/../api/v1/describe",
        "/hosts/analysis/assets/nothing.js",
    ] {
        assert_eq!(status(path, ""), "404", "{path}");
    }
    // A request that another host hands on is not handed on again, and a request for another host is not answered.
    let person = r#"Livetime-For: {"from":"10.1.2.3:5","host":"analysis","may":"write","user":"","who":"0"}"#;
    assert_eq!(status("/hosts/analysis/metrics", &format!("{person}\r\n{}", site.bearer())), "508");
    assert_eq!(status("/hosts/analysis/metrics", "Livetime-Host: detector\r\n"), "508");
    assert_eq!(status("/metrics", "Livetime-Host: analysis\r\n"), "421");
    assert_eq!(status("/metrics", "Livetime-Host: detector\r\n"), "200");
    let ask = |method: &str, path: &str, headers: &str, body: &str| {
        site.ask("detector", method, path, headers, body)
    };
    assert!(ask("OPTIONS", "/hosts/analysis/api/v1/nodes/cut", "", "").starts_with("HTTP/1.1 405 "));
    assert!(ask("POST", "/hosts/analysis/api/v1/session", "", "{}").starts_with("HTTP/1.1 404 "));
    let large = "x".repeat(100 << 10);
    let path = "/hosts/analysis/api/v1/nodes/cut";
    assert!(ask("PATCH", path, &site.bearer(), &large).starts_with("HTTP/1.1 413 "));
    let header = format!("X-Large: {large}\r\n");
    assert!(ask("PATCH", path, &header, "{}").starts_with("HTTP/1.1 431 "));
    let form = format!("{}Content-Type: text/plain\r\n", site.bearer());
    assert!(!ask("PATCH", path, &form, "{}").starts_with("HTTP/1.1 200 "));
    // An answer that was begun is the other host's own: its refusal comes as it is.
    let refused = ask("PATCH", path, &site.bearer(), r#"{"set": {"nothing": 0}}"#);
    assert!(refused.starts_with("HTTP/1.1 422 ") && refused.contains("\"param\":\"nothing\""), "{refused}");
}

#[test]
fn a_page_that_is_no_page_of_a_run_is_named_and_harms_nothing() {
    let garbage =
        |mut stream: std::net::TcpStream, _: &str| _ = stream.write_all(b"\x16\x03\x01 hello\r\n\r\n");
    let unsigned = |mut stream: std::net::TcpStream, _: &str| {
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    };
    let endless_head = |stream: std::net::TcpStream, _: &str| pour(stream, "HTTP/1.1 200 OK\r\nX: ", 1 << 30);
    let endless = |stream: std::net::TcpStream, _: &str| {
        pour(stream, &format!("HTTP/1.1 200 OK\r\n{SIGNED}\r\n"), 1 << 30)
    };
    let other = |mut stream: std::net::TcpStream, _: &str| {
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\nlivetime-host: storage\r\nContent-Length: 2\r\n\r\nhi");
    };
    type Answer = Box<dyn Fn(std::net::TcpStream, &str) + Send + Sync>;
    let cases: [(Answer, &str); 5] = [
        (Box::new(garbage), "broken"),
        (Box::new(unsigned), "strange"),
        (Box::new(endless_head), "broken"),
        (Box::new(endless), "strange"),
        (Box::new(other), "another_host"),
    ];
    for (answer, code) in cases {
        let site = Site::new();
        let _fake = Fake::start(&site.page("analysis"), answer);
        let _detector = site.start("detector");
        let state = site.states("detector")[1].clone();
        assert_eq!((&state["code"], &state["reachable"]), (&code.into(), &false.into()), "{state}");
        assert!(state["losses"].is_null() && state["why"].is_string(), "{state}");
        if code != "strange" || state["why"].as_str().unwrap().contains("names no host") {
            let answer = site.get("detector", "/hosts/analysis/metrics");
            assert!(answer.starts_with("HTTP/1.1 502 ") && answer.contains(code), "{code}: {answer}");
        }
        assert_eq!(site.states("detector")[0]["reachable"], true);
    }
}

#[test]
fn a_page_that_never_answers_holds_up_no_other() {
    let site = Site::new();
    let silent = |stream: std::net::TcpStream, _: &str| {
        std::thread::sleep(livetime_testkit::HANG);
        drop(stream);
    };
    let _fake = Fake::start(&site.page("analysis"), silent);
    let _detector = site.start("detector");
    assert_eq!(site.states("detector")[1]["code"], "late");
    // Requests that wait for this host take no connection to other hosts, and the last requests are told so.
    let asking: Vec<_> = (0..60)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(site.page("detector")).unwrap();
            write!(stream, "GET /hosts/analysis/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            stream
        })
        .collect();
    wait_until("no more connections to the host", || {
        site.get("detector", "/hosts/analysis/metrics").starts_with("HTTP/1.1 503 ")
    });
    // The state of the host stays true beside so many requests.
    assert_eq!(site.states("detector")[1]["code"], "late");
    assert!(site.get("detector", "/hosts/detector/metrics").starts_with("HTTP/1.1 200 "));
    assert!(site.get("detector", "/metrics").starts_with("HTTP/1.1 200 "));
    drop(asking);
    wait_until("free connections", || site.states("detector")[1]["code"] == "late");
}

#[test]
fn of_answers_and_requests_only_what_is_meant_passes() {
    let site = Site::new();
    let answer = |mut stream: std::net::TcpStream, head: &str| {
        let text = match head.contains("/api/v1/describe") {
            true => format!(
                "HTTP/1.1 302 Found\r\n{SIGNED}Location: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
            ),
            false => format!(
                "HTTP/1.1 200 OK\r\n{SIGNED}Set-Cookie: a=b\r\nAccess-Control-Allow-Origin: *\r\nContent-Security-Policy: none\r\n\
                 Content-Type: text/html\r\nContent-Length: 17\r\n\r\n<script></script>"
            ),
        };
        _ = stream.write_all(text.as_bytes());
    };
    let fake = Fake::start(&site.page("analysis"), answer);
    let _detector = site.start("detector");
    let ada = format!(
        "{}Accept: text/plain\r\nX-Forwarded-User: eve\r\nLivetime-User: eve\r\n",
        site.session("detector", "ada")
    );
    let answer = site.ask("detector", "GET", "/hosts/analysis/metrics?a=%20b", &ada, "");
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("<script></script>"), "{answer}");
    let small = answer.to_ascii_lowercase();
    assert!(
        !small.contains("set-cookie") && !small.contains("access-control") && !small.contains("bearer"),
        "{answer}"
    );
    assert!(small.contains("content-security-policy: default-src 'none'; sandbox"), "{answer}");
    let heads = fake.heads();
    let head = heads.iter().find(|head| head.contains("/metrics")).unwrap().to_ascii_lowercase();
    assert!(
        head.starts_with("get /metrics?a=%20b http/1.1\r\n") && head.contains("accept: text/plain"),
        "{head}"
    );
    for hidden in ["cookie", "origin", "x-forwarded-user", "livetime-user", "eve"] {
        assert!(!head.contains(hidden), "{hidden}: {head}");
    }
    assert!(head.contains(&site.bearer().to_ascii_lowercase()), "{head}");
    assert!(head.contains(r#""user":"ada""#) && head.contains(r#""may":"write""#), "{head}");
    // A redirect would lead to an address that the file does not have.
    let redirect = site.get("detector", "/hosts/analysis/api/v1/describe");
    assert!(redirect.starts_with("HTTP/1.1 502 ") && !redirect.contains("127.0.0.1:1"), "{redirect}");
}
