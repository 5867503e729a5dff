//! `livetime index`, and runs that are opened with indices.

use crate::common;

use common::{livetime, stderr};
use serde_json::Value;

#[test]
fn indices_are_written_and_believed_if_they_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s00-c00.xtc");
    let name = path.to_str().unwrap();
    assert!(livetime(&["sim", "xtc", name, "--count", "6"]).status.success());
    let planned = |plan: &str| {
        let plan = folder.path().join(plan);
        let output = livetime(&["analyze", name, "--plan", plan.to_str().unwrap(), "--parts", "2"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (std::fs::read(plan).unwrap(), stderr(&output))
    };
    let (without, _) = planned("without.json");
    let output = livetime(&["index", name, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let index = format!("{name}.ltindex");
    assert_eq!(told["indices"][0]["index"], Value::from(index.as_str()));
    assert_eq!(planned("with.json"), (without.clone(), String::new()));
    // An index of other content is named and not believed.
    let mut bytes = std::fs::read(&index).unwrap();
    bytes[60] ^= 1;
    std::fs::write(&index, bytes).unwrap();
    let (plan, told) = planned("ignored.json");
    assert!(
        plan == without && told.contains("s00-c00.xtc.ltindex: wanted an index with a right checksum"),
        "{told}"
    );

    std::fs::write(&path, &std::fs::read(&path).unwrap()[..5000]).unwrap();
    let output = livetime(&["index", name]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("wanted whole datagrams"), "{}", stderr(&output));
}
