//! The hosts of a graph, as one of them sees the others.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::http::{HeaderMap, HeaderValue, StatusCode};
use livetime_control::rules::May;
use tokio::sync::Semaphore;

use super::names::Names;
use super::other::{HOST, Other, RUN};
use super::person::Person;
use super::seen::Asked;
use crate::error::Error;
use crate::options::HostOfGraph;
use crate::session::Visitor;

/// Requests under way to other hosts, WebSockets included: in all, and to each.
const MOST: usize = 256;
const MOST_OF_ONE: usize = 48;

/// The hosts of a graph, as one of them sees the others. Without hosts of its own a run has none.
pub(crate) struct OverHosts {
    pub(super) hosts: Vec<Arc<Other>>,
    /// Number of this host.
    pub(super) own: Option<usize>,
    pub(super) token: String,
    /// Of this run.
    pub(super) run: String,
    /// The machine of this host's page, as the file has it.
    pub(super) own_page: Option<String>,
    /// Names persons for other hosts, without telling their secrets.
    pub(super) hasher: RandomState,
    pub(super) requests: Arc<Semaphore>,
    pub(super) names: Names,
    pub(super) asked: Asked,
}

impl OverHosts {
    /// `address` is where this server listens.
    pub(crate) fn new(hosts: &[HostOfGraph], address: SocketAddr, token: &str, run: &str) -> OverHosts {
        let other = |host: &HostOfGraph| {
            // This host knows better than the file where it listens.
            let page = if host.is_self { Some(reachable(address).to_string()) } else { host.page.clone() };
            let requests = Arc::new(Semaphore::new(MOST_OF_ONE));
            Arc::new(Other {
                name: host.name.clone(),
                page,
                is_self: host.is_self,
                requests,
                refused: Mutex::default(),
            })
        };
        OverHosts {
            hosts: hosts.iter().map(other).collect(),
            own: hosts.iter().position(|host| host.is_self),
            token: token.to_owned(),
            run: run.to_owned(),
            own_page: hosts.iter().find(|host| host.is_self).and_then(|own| machine(own.page.as_deref()?)),
            hasher: RandomState::new(),
            requests: Arc::new(Semaphore::new(MOST)),
            names: Names::default(),
            asked: Asked::default(),
        }
    }

    /// The name by which other hosts call this one's machine.
    pub(crate) fn own_name(&self) -> Option<String> {
        self.own_page.clone()
    }

    pub(super) fn own_number(&self) -> Option<usize> {
        self.own
    }

    pub(super) fn own(&self) -> Option<&Arc<Other>> {
        self.hosts.get(self.own?)
    }

    /// # Errors
    /// 404.
    pub(crate) fn host(&self, name: &str) -> Result<&Arc<Other>, Error> {
        let found = self.hosts.iter().find(|host| host.name == name);
        found.ok_or_else(|| Error::not_found("there is no host of this name in the graph"))
    }

    /// Whether a request that names a host is for this one.
    ///
    /// # Errors
    /// 421 for any other.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), Error> {
        let own = self.own().map(|own| own.name.as_bytes());
        match headers.get_all(HOST).iter().all(|name| Some(name.as_bytes()) == own) {
            true => Ok(()),
            false => {
                let found =
                    self.own().map_or("a run without hosts".into(), |own| format!("host `{}`", own.name));
                let message = format!("wanted the host in `{HOST}`, found {found}");
                Err(Error::coded(StatusCode::MISDIRECTED_REQUEST, "another_host", message))
            }
        }
    }

    /// Tells a host that asks which one answers.
    pub(crate) fn sign(&self, headers: &mut HeaderMap) {
        let own = self.own().and_then(|own| HeaderValue::from_str(&own.name).ok());
        if let (Some(name), Ok(run)) = (own, HeaderValue::from_str(&self.run)) {
            headers.insert(HOST, name);
            headers.insert(RUN, run);
        }
    }

    /// A visitor of this host, as another one is told.
    pub(super) fn person(&self, visitor: &Visitor) -> Option<Person> {
        let may = match (visitor.rights.may_read(), visitor.rights.may_write()) {
            (_, true) => May::Write,
            (true, false) => May::Read,
            (false, false) => May::Nothing,
        };
        Some(Person {
            host: self.own()?.name.clone(),
            who: format!("{:016x}", self.hasher.hash_one(&visitor.who)),
            user: visitor.user.clone(),
            from: visitor.from,
            may,
        })
    }
}

/// `daq01` of `daq01:8090`.
fn machine(page: &str) -> Option<String> {
    page.rsplit_once(':').map(|(machine, _)| machine.to_owned())
}

/// Where this machine reaches a socket that may listen at all its addresses.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
