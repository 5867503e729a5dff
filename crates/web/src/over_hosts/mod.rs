//! The other hosts of a graph, through the page of this one: their states, and requests that are handed on to their pages.
//!
//! | rule | against |
//! |---|---|
//! | connections go to addresses of the pipeline file alone | a request that chooses where this server connects to |
//! | rights are judged here, by the routes of the other host ([`inner`]) | a reader who writes through another door |
//! | the other host learns the person and their right ([`person`]), and trusts who has the token | a change without a name |
//! | a request says which host it is for, and an answer which host it is from | another run at the address |
//! | what was handed on once is not handed on again | a circle |
//! | page and scripts come from this server; what a host answers is no document ([`SANDBOX`]) | scripts of another host |

mod ask;
mod fault;
pub(crate) mod inner;
pub(crate) mod person;
mod proxy;
mod states;
mod tunnel;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use livetime_control::rules::May;
use tokio::sync::Semaphore;

use crate::error::Error;
use crate::options::HostOfGraph;
use crate::session::Visitor;
use ask::Names;
use person::Person;

pub(crate) use proxy::{page, part, pass, slash};
pub(crate) use states::{Asked, all, own};

/// The host that a request is for, and that an answer is from.
pub(crate) const HOST: HeaderName = HeaderName::from_static("livetime-host");
/// The run that an answer is from, beside its host.
const RUN: HeaderName = HeaderName::from_static("livetime-run");

/// Of answers that come from other hosts: a browser that shows one as a document runs nothing of it.
pub(crate) const SANDBOX: &str = "default-src 'none'; sandbox allow-downloads; frame-ancestors 'none'";
/// Marks these answers.
#[derive(Clone, Copy)]
pub(crate) struct Foreign;

/// Requests under way to other hosts, WebSockets included: in all, and to each.
const MOST: usize = 256;
const MOST_OF_ONE: usize = 48;

/// The hosts of a graph, as one of them sees the others. Without hosts of its own a run has none.
pub(crate) struct OverHosts {
    hosts: Vec<Arc<Other>>,
    /// Number of this host.
    own: Option<usize>,
    token: String,
    /// Of this run.
    run: String,
    /// The machine of this host's page, as the file has it.
    own_page: Option<String>,
    /// Names persons for other hosts, without telling their secrets.
    hasher: RandomState,
    requests: Arc<Semaphore>,
    names: Names,
    asked: Asked,
}

/// A host.
pub(crate) struct Other {
    name: String,
    /// Where to connect to.
    page: Option<String>,
    is_self: bool,
    requests: Arc<Semaphore>,
    /// The run that has refused our token.
    refused: Mutex<Option<String>>,
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

    fn own(&self) -> Option<&Arc<Other>> {
        self.hosts.get(self.own?)
    }

    /// # Errors
    /// 404.
    fn host(&self, name: &str) -> Result<&Arc<Other>, Error> {
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
    fn person(&self, visitor: &Visitor) -> Option<Person> {
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
