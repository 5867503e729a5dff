//! The results of test programs, added up.

/// Tests by their result, as the test runner counts them.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    /// Tests that never run. Other ignored tests are run by another test, in a process of their own.
    pub(super) ignored: u64,
}

impl Counts {
    /// Adds a line `test NAME ... ignored, WHY` or `test result: ok. 12 passed; 0 failed; …`; any other line is nothing.
    pub(super) fn add(&mut self, line: &str) {
        if line.starts_with("test ") && line.contains(" ... ") && line.contains("ignored") {
            self.ignored += u64::from(!line.contains("ignored, run by `"));
        }
        let Some((_, results)) = line.split_once("test result: ") else { return };
        self.passed += number_before(results, " passed;");
        self.failed += number_before(results, " failed;");
    }

    pub(super) fn to_text(self) -> String {
        format!("{} {} {}\n", self.passed, self.failed, self.ignored)
    }

    pub(super) fn from_text(text: &str) -> Result<Counts, String> {
        let numbers: Vec<u64> = text.split_whitespace().map_while(|n| n.parse().ok()).collect();
        match numbers[..] {
            [passed, failed, ignored] => Ok(Counts { passed, failed, ignored }),
            _ => Err(format!("wanted three numbers of tests, found `{}`", text.trim())),
        }
    }
}

fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().filter(|_| text.contains(word));
    before.and_then(|b| b.rsplit(' ').next()).and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn results_are_added_up() {
        let mut counts = Counts::default();
        counts.add(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s",
        );
        counts.add("test result: \u{1b}[31mFAILED\u{1b}[m. 2 passed; 5 failed; 0 ignored; 0 measured; 0 filtered out");
        counts.add("test a_result ... ok");
        counts.add("test writes ... ignored, run by `another`");
        counts.add("test src/lib.rs - x (line 3) ... ignored");
        assert_eq!(counts, Counts { passed: 14, failed: 5, ignored: 1 });
        assert_eq!(Counts::from_text(&counts.to_text()), Ok(counts));
        assert!(Counts::from_text("1 2").is_err());
    }
}
