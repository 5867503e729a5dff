//! The pages of a graph over hosts: where each is, for the others and for people.

use std::net::SocketAddr;

use livetime_web::{HostOfGraph, Served};

use crate::config::{HostPage, Pipeline};
use crate::log::Level;
use crate::output::Output;

/// Hosts in one line of the log.
const MOST: usize = 8;

/// A host's page listens where the other hosts look for it.
pub(crate) fn choose(pipeline: &mut Pipeline) {
    if let Some(page) = own_page(pipeline) {
        pipeline.web.address = listens(pipeline.web.address, &page);
    }
}

/// The hosts of the graph whose part runs here. One process with the nodes of all hosts has none.
pub(crate) fn over_hosts(pipeline: &Pipeline) -> Vec<HostOfGraph> {
    let own = pipeline.graph.host.as_deref();
    let host = |host: &HostPage| HostOfGraph {
        name: host.name.clone(),
        page: host.page.clone(),
        is_self: own == Some(&*host.name),
    };
    pipeline.pages.iter().map(host).collect()
}

/// Where the other hosts look for the page of this one.
fn own_page(pipeline: &Pipeline) -> Option<String> {
    over_hosts(pipeline).into_iter().find(|host| host.is_self)?.page
}

/// Where the page listens so that others find it at `page`: at its port, and at its address where only this machine has it. A name and
/// an address of a network say nothing about where to listen.
fn listens(wanted: SocketAddr, page: &str) -> SocketAddr {
    let port = page.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(wanted.port());
    match page.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() && wanted.ip().is_loopback() => address,
        _ => SocketAddr::new(wanted.ip(), port),
    }
}

/// How the pages of all hosts are reached, and what keeps some from it.
pub(crate) fn tell(served: &Served, pipeline: &Pipeline, output: &mut Output) {
    let hosts = over_hosts(pipeline);
    if hosts.len() < 2 {
        return;
    }
    let known = |host: &HostOfGraph| Some(format!("{} at {}", host.name, host.page.as_ref()?));
    let pages = few(hosts.iter().filter_map(known).collect());
    output.tell(Level::Info, format_args!("the pages of all hosts: {}hosts/NAME/ for {pages}", served.url()));
    let unknown: Vec<String> =
        hosts.iter().filter(|host| host.page.is_none()).map(|host| host.name.clone()).collect();
    if !unknown.is_empty() {
        let text = format!(
            "without a known page, to be written as `page: 'HOST:PORT'` into the file: {}",
            few(unknown)
        );
        output.tell(Level::Info, text);
    }
    if let Some(page) = own_page(pipeline) {
        tell_own_page(served.address(), &page, output);
    }
    if pipeline.web.token_file.is_none() {
        output.tell(
            Level::Warn,
            "other hosts have other tokens: start all hosts with the same --web-token-file",
        );
    }
}

/// The first ones of many.
fn few(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// Others look for the page at `page`.
fn tell_own_page(address: SocketAddr, page: &str, output: &mut Output) {
    let (machine, port) = page.rsplit_once(':').unwrap_or((page, ""));
    let is_loopback =
        machine == "localhost" || page.parse::<SocketAddr>().is_ok_and(|page| page.ip().is_loopback());
    if address.port().to_string() != port {
        let text = format!("other hosts look for this page at {page}, and it is at port {}", address.port());
        output.tell(Level::Warn, text);
    } else if address.ip().is_loopback() && !is_loopback {
        let text =
            format!("other hosts look for this page at {page}, and it is at {address}: --web 0.0.0.0:{port}");
        output.tell(Level::Warn, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_listens_where_others_look_for_it() {
        let at = |wanted: &str, page: &str| listens(wanted.parse().unwrap(), page).to_string();
        assert_eq!(at("127.0.0.1:8090", "127.0.0.1:8091"), "127.0.0.1:8091");
        assert_eq!(at("127.0.0.1:8090", "127.0.0.2:8090"), "127.0.0.2:8090");
        assert_eq!(at("127.0.0.1:8090", "[::1]:8091"), "[::1]:8091");
        assert_eq!(at("0.0.0.0:8090", "127.0.0.2:8091"), "0.0.0.0:8091");
        assert_eq!(at("0.0.0.0:8090", "daq01:9000"), "0.0.0.0:9000");
        // Which machines may reach a page is not said by where others look for it.
        assert_eq!(at("127.0.0.1:8090", "10.1.2.3:9000"), "127.0.0.1:9000");
        assert_eq!(at("127.0.0.1:8090", "daq01:9000"), "127.0.0.1:9000");
    }
}
