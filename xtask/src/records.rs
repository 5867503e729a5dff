//! Records of measurements and the page that lists them must agree.

use std::fs;
use std::path::Path;

const PAGE: &str = "docs/measurements.md";
const FOLDER: &str = "bench/record";

pub(crate) fn check(root: &Path, problems: &mut Vec<String>) -> Result<(), String> {
    let page = fs::read_to_string(root.join(PAGE)).map_err(|e| format!("{PAGE}: {e}"))?;
    let mut kept = Vec::new();
    for machine in fs::read_dir(root.join(FOLDER)).map_err(|e| format!("{FOLDER}: {e}"))?.flatten() {
        for file in fs::read_dir(machine.path()).map_err(|e| format!("{FOLDER}: {e}"))?.flatten() {
            let text =
                fs::read_to_string(file.path()).map_err(|e| format!("{}: {e}", file.path().display()))?;
            kept.push((file.file_name().to_string_lossy().into_owned(), text));
        }
    }
    compare(&page, &kept, problems);
    Ok(())
}

fn compare(page: &str, kept: &[(String, String)], problems: &mut Vec<String>) {
    let rows: Vec<&str> =
        page.lines().filter(|line| line.starts_with('|') && line.contains(".json`")).collect();
    for (name, text) in kept {
        let Some(row) = rows.iter().find(|row| row.contains(&format!("`{name}`"))) else {
            problems.push(format!("{PAGE}: {FOLDER} has {name}, which is in no row"));
            continue;
        };
        let is_clean = !commit(text).is_some_and(|commit| commit.ends_with("-dirty") || commit == "unknown");
        if is_clean != row.ends_with("| clean |") {
            let wanted = if is_clean { "clean" } else { "not clean" };
            problems.push(format!("{PAGE}: {name}: its commit is {wanted}, and the row does not say so"));
        }
    }
    for row in rows {
        let name = row.split('`').find(|part| part.ends_with(".json")).unwrap_or_default();
        if !kept.iter().any(|(kept, _)| kept == name) {
            problems.push(format!("{PAGE} names {name}, which {FOLDER} does not have"));
        }
    }
}

/// The commit that a record names; the only key of this name in it.
fn commit(record: &str) -> Option<&str> {
    record.split("\"commit\":").nth(1)?.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_records_agree() {
        let page = "| a | `x --json` | `a.json` | clean |\n| b | `y` | `b.json` | not clean: again |\n| c | | `c.json` | clean |\n";
        let record =
            |name: &str, commit: &str| (name.to_owned(), format!("{{\n  \"commit\": \"{commit}\"\n}}"));
        let found = |kept: &[_]| {
            let mut problems = Vec::new();
            compare(page, kept, &mut problems);
            problems
        };
        let [a, b, c] = [record("a.json", "12ab"), record("b.json", "12ab-dirty"), record("c.json", "34cd")];
        assert!(found(&[a.clone(), b.clone(), c.clone()]).is_empty());
        assert_eq!(found(&[a.clone(), b.clone()]).len(), 1, "c is named and not kept");
        let dirty = record("c.json", "34cd-dirty");
        assert_eq!(found(&[a.clone(), b.clone(), dirty]).len(), 1, "c is not clean");
        assert_eq!(found(&[a, b, c, record("d.json", "1")]).len(), 1, "d is in no row");
    }
}
