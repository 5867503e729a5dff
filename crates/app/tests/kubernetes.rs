//! The examples for Kubernetes, judged by its schemas.

use std::process::Output;

use crate::common::stderr;

const PROGRAM: &str = "
import sys, yaml, kubernetes_validate
for document in yaml.safe_load_all(sys.argv[1]):
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
";

/// Every document fits its schema, which also finds a property that is spelled wrongly.
fn judge(example: &str, property: &str) {
    let Some(python) = livetime_testkit::python("kubernetes") else { return };
    let text = std::fs::read_to_string(livetime_testkit::repository().join(example)).unwrap();
    let judge = |text: &str| -> Output {
        std::process::Command::new(&python).args(["-c", PROGRAM, text]).output().unwrap()
    };
    let output = judge(&text);
    assert!(output.status.success(), "{}", stderr(&output));
    let wrong = format!("{property}s");
    let output = judge(&text.replace(&format!("{property}:"), &format!("{wrong}:")));
    assert!(!output.status.success() && stderr(&output).contains(&wrong), "{}", stderr(&output));
}

#[test]
fn a_job_of_parts_is_as_its_schema_wants_it() {
    judge("examples/parts/kubernetes.yaml", "completionMode");
}

#[test]
fn a_set_of_hosts_is_as_its_schema_wants_it() {
    judge("examples/two-hosts/kubernetes.yaml", "podManagementPolicy");
}
