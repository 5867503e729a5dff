//! Writes the file of a new node and its two list lines.

use std::path::{Path, PathBuf};

use crate::skeleton::{check_name, insert_line, sort_lists, type_name, write};

pub(crate) fn run(root: &Path, kind: &str, name: &str) -> Result<String, String> {
    let (folder, heading, ports) = match kind {
        "source" => {
            ("sources", "    // Sources.", "inputs: &[],\n        outputs: &[PortSpec::any(\"out\")],")
        }
        "process" => (
            "process",
            "    // Processes.",
            "inputs: &[PortSpec::any(\"in\")],\n        outputs: &[PortSpec::any(\"out\")],",
        ),
        "sink" => ("sinks", "    // Sinks.", "inputs: &[PortSpec::any(\"in\")],\n        outputs: &[],"),
        other => return Err(format!("wanted source, process or sink, found `{other}`")),
    };
    check_name(name)?;
    let nodes = root.join("crates/nodes/src");
    let file = nodes.join(folder).join(format!("{name}.rs"));
    if let Some(taken) = taken(root, name) {
        return Err(format!("{} exists already; choose another name", taken.display()));
    }
    write(&file, &node_file(kind, folder, name, ports))?;
    insert_line(&nodes.join(folder).join("mod.rs"), &["pub mod ", "//!"], &format!("pub mod {name};"))?;
    let entry = format!("    NodeType::of::<{folder}::{name}::{}>(),", type_name(name));
    let places = [&*format!("    NodeType::of::<{folder}::"), heading];
    insert_line(&nodes.join("lib.rs"), &places, &entry)?;
    sort_lists(root, "livetime-nodes")?;
    Ok(format!(
        "wrote crates/nodes/src/{folder}/{name}.rs and its two list lines\n\
         next: `cargo test -p livetime-nodes {name}`, then `livetime nodes {name}`"
    ))
}

/// The module of an existing node of this name. A node is a file or a folder, and its name is unique among all crates.
fn taken(root: &Path, name: &str) -> Option<PathBuf> {
    let crates = ["nodes", "wire"].map(|of| root.join("crates").join(of).join("src"));
    let folders = crates.iter().flat_map(|of| ["sources", "process", "sinks"].map(|folder| of.join(folder)));
    let folders = folders.chain([root.join("crates/sim/src")]);
    let mut modules = folders.flat_map(|folder| [folder.join(name), folder.join(format!("{name}.rs"))]);
    modules.find(|module| module.exists())
}

fn node_file(kind: &str, folder: &str, name: &str, ports: &str) -> String {
    let (method, imports, example, test) = match kind {
        "source" => (SOURCE_METHOD, "Next, ", SOURCE_EXAMPLE, SOURCE_TEST),
        "process" => (PROCESS_METHOD, "", PROCESS_EXAMPLE, PROCESS_TEST),
        _ => (SINK_METHOD, "", SINK_EXAMPLE, SINK_TEST),
    };
    let frame_import = if kind == "source" { "" } else { "use livetime_frame::Frame;\n" };
    let capital = kind[..1].to_uppercase() + &kind[1..];
    TEMPLATE
        .replace("{imports}", imports)
        .replace("{frame_import}", frame_import)
        .replace("{example}", example)
        .replace("{method}", method)
        .replace("{test}", test)
        .replace("{ports}", ports)
        .replace("{Kind}", &capital)
        .replace("{folder}", folder)
        .replace("{name}", name)
        .replace("{Type}", &type_name(name))
}

const TEMPLATE: &str = r#"//! `{name}`: say in one sentence what it does.
//!
//! Say what comes in and goes out: type, shape, units; what happens to time and order; where the method is from.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::{folder}::{name}::{Type};
//!
//! let mut node = Harness::new::<{Type}>(&[])?;
{example}
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, {imports}Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
{frame_import}
/// Parameters of `{name}`.
#[derive(Params)]
pub struct {Type}Params {
    /// Frames handled so far.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub frames: u64,
}

/// Say in one sentence what it does.
pub struct {Type} {
    params: {Type}Params,
}

impl Node for {Type} {
    type Params = {Type}Params;

    const SPEC: NodeSpec = NodeSpec {
        name: "{name}",
        kind: NodeKind::{Kind},
        summary: "Say in one sentence what it does.",
        {ports}
        parallel: false,
    };

    fn new(params: {Type}Params) -> Result<{Type}, NodeError> {
        Ok({Type} { params })
    }

    fn params(&mut self) -> &mut {Type}Params {
        &mut self.params
    }

{method}
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

{test}

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<{Type}>(&[]);
    }
}
"#;

const SOURCE_METHOD: &str = "    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let mut frame = ctx.bytes(0)?;
        self.params.frames += 1;
        frame.header_mut().sequence = self.params.frames;
        ctx.emit(frame)?;
        Ok(Next::At(ctx.now_ns() + 1_000_000))
    }";

const PROCESS_METHOD: &str =
    "    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.params.frames += 1;
        ctx.forward(0, frame)
    }";

const SINK_METHOD: &str =
    "    fn frame(&mut self, _input: usize, _frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        self.params.frames += 1;
        Ok(())
    }";

const SOURCE_EXAMPLE: &str = "//! let frames = node.run_source(3)?;
//! assert_eq!(frames.len(), 3);";

const PROCESS_EXAMPLE: &str = "//! let image = node.image::<u8>(&[1, 2], &[3, 4])?;
//! let out = node.feed(&image)?;
//! assert_eq!(out.len(), 1);";

const SINK_EXAMPLE: &str = "//! let image = node.image::<u8>(&[1, 2], &[3, 4])?;
//! node.feed(&image)?;
//! assert_eq!(node.number_of(\"frames\"), 1.0);";

const SOURCE_TEST: &str = "    #[test]
    fn numbers_its_frames() {
        let mut node = Harness::new::<{Type}>(&[]).unwrap();
        let frames = node.run_source(2).unwrap();
        assert_eq!(frames[1].header().sequence, 2);
    }";

const PROCESS_TEST: &str = "    #[test]
    fn passes_every_frame_on() {
        let mut node = Harness::new::<{Type}>(&[]).unwrap();
        let image = node.image::<u8>(&[1, 2], &[1, 2]).unwrap();
        let out = node.feed(&image).unwrap();
        assert!(out[0].is_same(&image));
    }";

const SINK_TEST: &str = "    #[test]
    fn counts_its_frames() {
        let mut node = Harness::new::<{Type}>(&[]).unwrap();
        let image = node.image::<u8>(&[1, 2], &[1, 2]).unwrap();
        node.feed(&image).unwrap();
        assert_eq!(node.number_of(\"frames\"), 1.0);
    }";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_is_taken_by_a_file_and_by_a_folder_of_either_crate() {
        let root = tempfile::tempdir().unwrap();
        for module in
            ["nodes/src/process/roi/mod.rs", "nodes/src/sinks/null.rs", "wire/src/sources/wib_file/mod.rs"]
        {
            let file = root.path().join("crates").join(module);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        for name in ["roi", "null", "wib_file"] {
            let refused = run(root.path(), "process", name).unwrap_err();
            assert!(refused.contains("exists already"), "{name}: {refused}");
        }
        assert_eq!(taken(root.path(), "subtract_dark"), None);
    }
}
