//! Writes the folder of a new codec and its two list lines.

use std::path::Path;

use crate::skeleton::{check_name, insert_line, sort_lists, type_name, write};

pub(crate) fn run(root: &Path, name: &str) -> Result<String, String> {
    check_name(name)?;
    let sources = root.join("crates/codecs/src");
    let (folder, file) = (sources.join(name), sources.join(format!("{name}.rs")));
    if let Some(taken) = [&folder, &file].into_iter().find(|place| place.exists()) {
        return Err(format!("{} exists already; choose another name", taken.display()));
    }
    std::fs::create_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let filled = |text: &str| text.replace("{name}", name).replace("{Type}", &type_name(name));
    write(&folder.join("mod.rs"), &filled(CODEC))?;
    write(&folder.join("tests.rs"), &filled(TESTS))?;
    insert_line(&sources.join("lib.rs"), &["mod "], &format!("mod {name};"))?;
    // Behind the last codec, because clients know the choices before it by their numbers.
    insert_line(&sources.join("list.rs"), &["    crate::"], &format!("    crate::{name}::TYPE,"))?;
    sort_lists(root, "livetime-codecs")?;
    Ok(format!(
        "wrote crates/codecs/src/{name} and its two list lines\n\
         next: `cargo test -p livetime-codecs {name}`, then\n\
         `LIVETIME_BLESS=1 cargo test -p livetime-codecs --test all own_golden::` for its golden streams"
    ))
}

const CODEC: &str = include_str!("new_codec/codec.rs.txt");
const TESTS: &str = include_str!("new_codec/tests.rs.txt");

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_is_taken_by_a_file_and_by_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let sources = root.path().join("crates/codecs/src");
        fs::create_dir_all(sources.join("blosc")).unwrap();
        fs::write(sources.join("zlib.rs"), "").unwrap();
        for name in ["blosc", "zlib"] {
            let refused = run(root.path(), name).unwrap_err();
            assert!(refused.contains("exists already"), "{name}: {refused}");
        }
        assert!(run(root.path(), "My-codec").unwrap_err().contains("snake_case"));
    }
}
