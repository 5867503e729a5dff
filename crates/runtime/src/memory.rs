//! How much memory a job may take.

use std::fmt;
use std::path::Path;

use livetime_frame::ByteSize;

/// The memory that a job may take. A job states its need before it allocates, and does not begin if the need exceeds
/// the limit.
///
/// ```
/// use livetime_runtime::MemoryLimit;
///
/// let limit = MemoryLimit::of(1 << 30);
/// assert!(limit.check(1 << 20, "a picture").is_ok());
/// assert_eq!(
///     limit.check(3 << 30, "the sums of a picture").unwrap_err().to_string(),
///     "wanted at most 1 GiB of memory (as `--memory` says), found the sums of a picture, for which 3 GiB are needed"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    bytes: u64,
    /// Where the limit comes from, for messages.
    origin: &'static str,
}

const GIVEN: &str = "as `--memory` says";
const HALF_OF_FREE: &str = "half of what is free; `--memory` says another limit";

/// No limit.
impl Default for MemoryLimit {
    fn default() -> MemoryLimit {
        MemoryLimit { bytes: u64::MAX, origin: HALF_OF_FREE }
    }
}

impl MemoryLimit {
    /// As many bytes as a user says.
    pub fn of(bytes: u64) -> MemoryLimit {
        MemoryLimit { bytes, origin: GIVEN }
    }

    /// Half of the free memory. No limit where the system does not report the free memory.
    pub fn half_of_free() -> MemoryLimit {
        MemoryLimit { bytes: free_memory().map_or(u64::MAX, |free| free / 2), origin: HALF_OF_FREE }
    }

    /// The limit in bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// The same limit, but not more than `most` bytes; `origin` names the reason for `most`, as "for a page".
    #[must_use]
    pub fn at_most(self, most: u64, origin: &'static str) -> MemoryLimit {
        if self.bytes <= most { self } else { MemoryLimit { bytes: most, origin } }
    }

    /// Checks that `what`, which needs `bytes`, fits the limit.
    ///
    /// # Errors
    /// If that is more than the limit.
    pub fn check(self, bytes: u64, what: impl fmt::Display) -> Result<(), TooMuchMemory> {
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(TooMuchMemory { what: what.to_string(), bytes, limit: self })
    }
}

/// A job needs more memory than it may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooMuchMemory {
    what: String,
    bytes: u64,
    limit: MemoryLimit,
}

impl TooMuchMemory {
    /// How many bytes it needs.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The wanted value, in words: the limit, and its origin.
    pub fn wanted(&self) -> String {
        let MemoryLimit { bytes, origin } = self.limit;
        format!("at most {} of memory ({origin})", ByteSize(bytes))
    }

    /// The found value, in words: the purpose of the memory, and its size.
    pub fn found(&self) -> String {
        format!("{}, for which {} are needed", self.what, ByteSize(self.bytes))
    }
}

impl fmt::Display for TooMuchMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}, found {}", self.wanted(), self.found())
    }
}

impl std::error::Error for TooMuchMemory {}

/// Bytes that this process can still take without swapping: the free memory of the machine, or the rest of its control
/// groups if that is less. `None` where the system does not report it.
pub(crate) fn free_memory() -> Option<u64> {
    free_in(Path::new("/"))
}

fn free_in(root: &Path) -> Option<u64> {
    let available = kib(&read(&root.join("proc/meminfo"))?, "MemAvailable:")?;
    let groups = read(&root.join("proc/self/cgroup")).unwrap_or_default();
    // The tightest group decides, and its limit may exceed the memory of the machine.
    let left = groups.lines().filter_map(|line| free_in_group(root, line)).min();
    Some(left.map_or(available, |left| left.min(available)))
}

/// The memory that a control group and its parents leave. `line` is one of `/proc/self/cgroup`: number, controllers,
/// path.
fn free_in_group(root: &Path, line: &str) -> Option<u64> {
    let (_, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let mounted = match controllers {
        // Version 2 has one hierarchy, which is listed without controllers.
        "" => root.join("sys/fs/cgroup"),
        list if list.split(',').any(|name| name == "memory") => root.join("sys/fs/cgroup/memory"),
        _ => return None,
    };
    // In a container the path may be the host's path of the group, while the group is mounted as the root.
    let path = Path::new(path.trim_start_matches('/'));
    path.ancestors().filter_map(|path| free_of(&mounted.join(path))).min()
}

/// The memory that one group leaves, in version 2 or 1. Cached pages of files that are not in use count as free,
/// because the system drops them on demand.
fn free_of(group: &Path) -> Option<u64> {
    let number =
        |names: [&str; 2]| names.iter().find_map(|name| read(&group.join(name))?.trim().parse::<u64>().ok());
    // Version 2 writes `max` for no limit, which is no number: the group is left out.
    let limit = number(["memory.max", "memory.limit_in_bytes"])?;
    let used = number(["memory.current", "memory.usage_in_bytes"])?;
    let stat = read(&group.join("memory.stat")).unwrap_or_default();
    // Version 1 counts subgroups under names with `total_` alone. Without the file, no memory counts as free
    // cache: the limit is then too low, never too high.
    let cached = field(&stat, "total_inactive_file").or_else(|| field(&stat, "inactive_file")).unwrap_or(0);
    // An administrator may set a limit below the memory in use.
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

fn kib(text: &str, name: &str) -> Option<u64> {
    field(text, name)?.checked_mul(1024)
}

/// The number behind a name at the begin of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(name)).then(|| words.next()?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// The limit of a machine with 8 GiB free and these files.
    fn free(files: &[(&str, &str)]) -> Option<u64> {
        let root =
            std::env::temp_dir().join(format!("livetime-memory-{}-{}", std::process::id(), files.len()));
        let all = [("proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n")];
        for (name, text) in all.iter().chain(files) {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = free_in(&root);
        std::fs::remove_dir_all(&root).unwrap();
        found
    }

    #[test]
    fn free_is_what_the_machine_and_all_groups_leave() {
        assert_eq!(free(&[]), Some(8 * GIB));
        let v2 = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/memory.max", "4294967296\n"),
            ("sys/fs/cgroup/a/memory.current", "3221225472\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 1073741824\n"),
        ];
        assert_eq!(free(&v2), Some(2 * GIB));
        let v1 = [
            ("proc/self/cgroup", "4:memory:/of/the/host\n1:cpu:/\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "2147483648\n"),
        ];
        assert_eq!(free(&v1), Some(0));
        assert_eq!(free_in(Path::new("/nowhere")), None);
    }

    #[test]
    fn a_limit_says_where_it_is_from() {
        let half = MemoryLimit { bytes: 2 * GIB, origin: HALF_OF_FREE };
        assert_eq!(half.check(2 * GIB, "all"), Ok(()));
        let text = half.check(5 * GIB, "all").unwrap_err().to_string();
        assert!(text.starts_with("wanted at most 2 GiB of memory (half of what is free;"), "{text}");
        assert!(text.ends_with("found all, for which 5 GiB are needed"), "{text}");
        let page = half.at_most(GIB, "for a page").check(5 * GIB, "all").unwrap_err();
        assert_eq!(page.wanted(), "at most 1 GiB of memory (for a page)");
        assert_eq!(half.at_most(3 * GIB, "for a page"), half);
    }
}
