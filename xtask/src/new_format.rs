//! Writes the folder of a new format of recorded runs and its lines in the table.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::skeleton::{check_name, insert_line, type_name, write};

/// Where the formats are.
const FORMATS: &str = "crates/recording/src/formats";

/// A format that works, of the name `{name}` and the type `{Type}`.
const SKELETON: &str = include_str!("new_format/skeleton.txt");

pub(crate) fn run(root: &Path, name: &str) -> Result<String, String> {
    check_name(name)?;
    let formats = root.join(FORMATS);
    let (folder, table) = (formats.join(name), formats.join("mod.rs"));
    let known = fs::read_to_string(&table).map_err(|e| format!("{}: {e}", table.display()))?;
    if folder.exists() || is_taken(&known, name) {
        return Err(format!("`{name}` is a format or a module of {FORMATS} already; choose another name"));
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    write(&folder.join("mod.rs"), &skeleton(name))?;
    insert_line(&table, &["mod wire;"], &format!("mod {name};"))?;
    insert_line(
        &table,
        &["    &"],
        &format!("    &{name}::FORMAT, // say in a few words what writes such files"),
    )?;
    format_code(root)?;
    Ok(format!(
        "wrote {FORMATS}/{name}/mod.rs and its two lines in {FORMATS}/mod.rs\n\
         next: `cargo test -p livetime-recording {name}`, then docs/add-a-format.md"
    ))
}

/// Whether a module of the table has this name, or the name is a word for one of the formats.
fn is_taken(table: &str, name: &str) -> bool {
    let is_module = |end: &str| table.contains(&format!("mod {name}{end}"));
    is_module(";") || is_module(" {") || table.contains(&format!("\"{name}\""))
}

fn skeleton(name: &str) -> String {
    SKELETON.replace("{name}", name).replace("{Type}", &type_name(name))
}

/// The formatter keeps the `mod` lines in order.
fn format_code(root: &Path) -> Result<(), String> {
    let status =
        Command::new("cargo").current_dir(root).args(["fmt", "--package", "livetime-recording"]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("`cargo fmt` failed ({other:?}); run it by hand")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "mod hdf5;\nmod wire;\n\nmod tests {\n  [\"xtc1\", \"hdf5\"]\n}\n";

    #[test]
    fn a_name_is_taken_by_a_module_and_by_the_word_for_a_format() {
        for name in ["hdf5", "wire", "tests", "xtc1"] {
            assert!(is_taken(TABLE, name), "{name}");
        }
        assert!(!is_taken(TABLE, "my_files"));
        let root = tempfile::tempdir().unwrap();
        let formats = root.path().join(FORMATS);
        fs::create_dir_all(formats.join("other")).unwrap();
        fs::write(formats.join("mod.rs"), TABLE).unwrap();
        for name in ["other", "hdf5"] {
            assert!(run(root.path(), name).unwrap_err().contains("already"), "{name}");
        }
        assert!(run(root.path(), "MyFiles").unwrap_err().contains("snake_case"));
    }

    #[test]
    fn the_skeleton_has_the_name_and_nothing_left_to_fill_in() {
        let text = skeleton("my_files");
        assert!(text.contains("struct MyFiles") && text.contains("name: \"my_files\""));
        assert!(!text.contains("{name}") && !text.contains("{Type}"));
    }
}
