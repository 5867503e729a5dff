//! Where the hosts of a file find each other's pages.

use std::collections::BTreeMap;

use super::super::error::{At, Part, Problem};
use super::super::file::Pipeline;
use super::super::host::HostEntry;
use super::problem::wrong;

/// The page of a host, or of a worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostPage {
    /// Name by which a run calls the host, as `detector` or `workers.1`.
    pub name: String,
    /// Where the other hosts find its page, as `daq01:8090`. `None`: the file has neither `page` nor an address that no other host
    /// shares.
    pub page: Option<String>,
}

/// The pages of all hosts, in the order of the file. Without `page` a host has one at the machine of its links, at the port of the file.
pub(super) fn pages(file: &Pipeline) -> Vec<HostPage> {
    let port = file.web.as_ref().map_or(crate::web::PORT, |web| web.address.port());
    let parts = file.hosts.iter().flatten().flat_map(|host| {
        let page = move |worker| (host.part_name(worker), page(host, worker, port));
        host.workers().into_iter().map(page)
    });
    let parts: Vec<(String, Option<Page>)> = parts.collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    parts.iter().filter_map(|(_, page)| page.as_ref()).for_each(|page| {
        *times.entry(&page.address).or_default() += 1;
    });
    // Hosts of one machine share its address, and two pages cannot.
    let is_one = |page: &&Page| page.is_written || times.get(&*page.address) == Some(&1);
    let of = |(name, page): &(String, Option<Page>)| HostPage {
        name: name.clone(),
        page: page.as_ref().filter(is_one).map(|page| page.address.clone()),
    };
    parts.iter().map(of).collect()
}

struct Page {
    address: String,
    /// The file says it as such.
    is_written: bool,
}

fn page(host: &HostEntry, worker: Option<usize>, port: u16) -> Option<Page> {
    if let Some((address, _)) = host.page(worker) {
        return Some(Page { address, is_written: true });
    }
    let (address, _) = host.address(worker)?;
    let fits = port > 0 && address.is_of_machine();
    fits.then(|| Page { address: format!("{}:{port}", address.host), is_written: false })
}

/// Refuses two pages at one address.
pub(super) fn check(entries: &[HostEntry], problems: &mut Vec<Problem>) {
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for host in entries {
        for worker in host.workers() {
            let Some((address, at)) = host.page(worker) else { continue };
            let name = host.part_name(worker);
            if let Some(other) = taken.get(&address) {
                problems.push(twice(&address, [other, &name], at));
                // One problem for all workers of a host.
                break;
            }
            taken.insert(address, name);
        }
    }
}

fn twice(address: &str, names: [&str; 2], at: At) -> Problem {
    let found = format!("{address} for `{}` and `{}`", names[0], names[1]);
    wrong(at, "one page at an address", found).of(Part::Key("page".into()))
}
