//! How busy other programs kept the machine while something was measured: numbers of a starved machine must say that they are.

/// Share of the machine's time used by other programs from which the report warns.
const BUSY: f64 = 0.05;

/// The system's counts at the begin of the measurement.
pub struct Neighbours(Option<Ticks>);

/// Time of all cores, in the system's ticks since it was started.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Ticks {
    /// Time there was.
    all: u64,
    /// Time that was used.
    used: u64,
    /// Time that this program used, and the programs that it started and has waited for.
    own: u64,
}

impl Neighbours {
    /// Begins to count.
    pub fn begin() -> Neighbours {
        Neighbours(Ticks::now())
    }

    /// The share of all cores' time that other programs have used since; `None` where the operating system does not provide it.
    pub fn share(&self) -> Option<f64> {
        Some(share(self.0?, Ticks::now()?))
    }
}

/// A warning about a share of other programs, if it is large enough to matter.
pub(crate) fn warning(share: Option<f64>) -> Option<String> {
    let share = share.filter(|share| *share >= BUSY)?;
    Some(format!(
        "the machine was busy: other programs used {:.0} % of its cores meanwhile; measure again when it is quiet",
        100.0 * share
    ))
}

fn share(begin: Ticks, end: Ticks) -> f64 {
    let of = |count: fn(&Ticks) -> u64| count(&end).saturating_sub(count(&begin)) as f64;
    let others = (of(|t| t.used) - of(|t| t.own)).max(0.0);
    others / of(|t| t.all).max(1.0)
}

impl Ticks {
    fn now() -> Option<Ticks> {
        let (stat, own) = (std::fs::read_to_string("/proc/stat"), std::fs::read_to_string("/proc/self/stat"));
        Ticks::parse(&stat.ok()?, &own.ok()?)
    }

    fn parse(stat: &str, own: &str) -> Option<Ticks> {
        let numbers = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        // user, nice, system, idle, iowait, irq, softirq, steal; guests are in user already.
        let numbers: Vec<u64> = numbers.take(8).map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let all = numbers.iter().sum();
        let used = all - numbers.get(3)? - numbers.get(4)?;
        // Behind the name, which may hold anything, the fields begin with the third; the 14th to 17th are CPU times.
        let own = own.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
        let own = own.map(|n| n.parse::<u64>().ok()).sum::<Option<u64>>()?;
        Some(Ticks { all, used, own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_others_used_counts() {
        let stat = |user: u64| format!("cpu  {user} 10 20 900 30 1 2 3 4 5\ncpu0 1 2 3\n");
        let own = |user: u64| format!("7 (a (b) c) R 1 2 3 4 5 6 7 8 9 10 {user} 5 3 2 20 0\n");
        let begin = Ticks::parse(&stat(100), &own(40)).unwrap();
        assert_eq!(begin, Ticks { all: 1066, used: 136, own: 50 });
        let end = Ticks::parse(&stat(200), &own(110)).unwrap();
        assert_eq!(share(begin, end), 0.3);
        assert!(warning(Some(0.3)).unwrap().contains("other programs used 30 % of its cores"));
        assert_eq!((warning(Some(0.01)), warning(None)), (None, None));
    }

    #[test]
    fn this_system_tells() {
        let now = Neighbours::begin();
        assert!(now.share().is_some_and(|share| (0.0..=1.0).contains(&share)));
    }
}
