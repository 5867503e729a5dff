//! `livetime run --python` and its like, `livetime pyana` and `livetime bench python`: done by the interpreter that has the package `livetime`. A
//! wheel brings both, this program and the package.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::called::Called;
use crate::output::{Exit, Failure};

/// Names the interpreter.
const INTERPRETER: &str = "LIVETIME_PYTHON";
/// The exit code of an interpreter without the package when it is asked for it; no other failure of an interpreter has it.
const NO_PACKAGE: i32 = 43;

/// Arguments of `bench python`.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct PythonArgs {
    /// Print one JSON document on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// Each once, on little data: shows that it works, not how fast it is.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only the rows whose name contains this text.
    #[arg(long, default_value = "")]
    pub(crate) filter: String,
}

/// Arguments of `pyana`.
#[derive(clap::Args, Debug)]
pub(crate) struct PyanaArgs {
    /// Options of pyana and files of a run.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

/// Becomes `python -m livetime run …` (or another command about a pipeline file) with all arguments of this program. Returns only if Python cannot be started.
pub(crate) fn run(called: &Called) -> Failure {
    let package = ["-m", "livetime"].map(Into::into);
    become_python(called, package.into_iter().chain(called.arguments.iter().cloned()).collect())
}

/// Becomes `python -m livetime.pyana …`.
pub(crate) fn pyana(args: &PyanaArgs, called: &Called) -> Failure {
    let package = ["-m", "livetime.pyana"].map(Into::into);
    become_python(called, package.into_iter().chain(args.arguments.iter().cloned()).collect())
}

/// Becomes `python -m livetime bench …`.
pub(crate) fn bench(args: &PythonArgs, called: &Called) -> Failure {
    become_python(called, bench_arguments(args))
}

fn bench_arguments(args: &PythonArgs) -> Vec<OsString> {
    let mut all: Vec<OsString> = ["-m", "livetime", "bench"].map(Into::into).to_vec();
    for (is_set, name) in [(args.json, "--json"), (args.quick, "--quick")] {
        all.extend(is_set.then(|| name.into()));
    }
    all.push(format!("--filter={}", args.filter).into());
    all
}

fn become_python(called: &Called, arguments: Vec<OsString>) -> Failure {
    let interpreter = std::env::var_os(INTERPRETER).unwrap_or_else(|| default_interpreter(called));
    if lacks_package(&interpreter) {
        return Failure::new(Exit::Failed, without_package(&interpreter));
    }
    let error =
        Command::new(&interpreter).args(arguments).env("LIVETIME_COMMIT", livetime_measure::COMMIT).exec();
    let name = interpreter.display();
    Failure::new(
        Exit::Failed,
        format!("cannot start {name}: {error}; {INTERPRETER} names an interpreter that has livetime"),
    )
}

/// Whether an interpreter that can be started finds no package `livetime`. It is looked for as `-m` looks for it, and not imported.
fn lacks_package(interpreter: &OsStr) -> bool {
    let code = format!(
        "import importlib.util, sys; sys.exit({NO_PACKAGE} * (importlib.util.find_spec('livetime') is None))"
    );
    let status = Command::new(interpreter).args(["-c", &code]).stdin(Stdio::null()).status();
    status.is_ok_and(|status| status.code() == Some(NO_PACKAGE))
}

fn without_package(interpreter: &OsStr) -> String {
    format!(
        "wanted an interpreter that has the package livetime, found that {} has none: `make wheel` in a checkout of Livetime makes it, \
         and `{0} -m pip install python/dist/livetime-*.whl` installs it; {INTERPRETER} names another interpreter",
        interpreter.display()
    )
}

/// The interpreter that runs this program, or that has a package beside it, else the first `python3` of the path.
fn default_interpreter(called: &Called) -> OsString {
    let runs = called.interpreter.clone().map(OsString::from);
    runs.or_else(|| interpreter_of_package(&called.program)).unwrap_or_else(|| "python3".into())
}

/// `pip` puts a program into `PREFIX/bin` and the package into `PREFIX/lib/python3.N/site-packages`, whose folder says which
/// interpreter has it. That one lies beside the program, but for installations of a user or of Debian: then the path
/// leads to it. So an environment need not be activated, and a program of `make install` never takes another's.
fn interpreter_of_package(program: &Path) -> Option<OsString> {
    let beside = program.parent()?;
    let prefix = beside.parent()?;
    let libraries = ["lib", "lib64"].iter().filter_map(|name| prefix.join(name).read_dir().ok()).flatten();
    let mut found: Vec<PathBuf> = libraries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|folder| folder.file_name().is_some_and(is_python3) && has_package(folder));
    // Of several the newest: 3.9 comes before 3.10.
    found.sort_by_key(|folder| (folder.as_os_str().len(), folder.clone()));
    let name = found.pop()?.file_name()?.to_owned();
    let whole = beside.join(&name);
    Some(if whole.exists() { whole.into() } else { name })
}

fn is_python3(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"python3.")
}

fn has_package(folder: &Path) -> bool {
    ["site-packages", "dist-packages"]
        .iter()
        .any(|kind| folder.join(kind).join("livetime/__init__.py").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder as `pip` leaves it, with the packages and interpreters that are named, and the program in it.
    fn installed(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        for file in files.iter().chain(&["bin/livetime"]) {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let program = folder.path().join("bin/livetime");
        (folder, program)
    }

    #[test]
    fn the_interpreter_is_that_of_the_package_beside() {
        let package = "lib/python3.11/site-packages/livetime/__init__.py";
        let (folder, program) = installed(&[package, "bin/python3.11", "bin/python3"]);
        assert_eq!(
            interpreter_of_package(&program),
            Some(folder.path().join("bin/python3.11").into_os_string())
        );
        let (_folder, program) = installed(&["lib64/python3.12/dist-packages/livetime/__init__.py", package]);
        assert_eq!(interpreter_of_package(&program), Some("python3.12".into()));
        let older = "lib/python3.9/site-packages/livetime/__init__.py";
        let (_folder, program) = installed(&[older, package]);
        assert_eq!(interpreter_of_package(&program), Some("python3.11".into()));
    }

    #[test]
    fn without_a_package_beside_no_interpreter_is_meant() {
        let other = "lib/python3.11/site-packages/numpy/__init__.py";
        for files in [&[][..], &[other, "bin/python3.11"], &["lib/livetime/__init__.py"]] {
            let (_folder, program) = installed(files);
            assert_eq!(interpreter_of_package(&program), None, "{files:?}");
        }
        assert_eq!(interpreter_of_package(Path::new("livetime")), None);
    }

    #[test]
    fn an_interpreter_without_the_package_is_told_of_with_what_to_install() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        for (code, lacks) in [(NO_PACKAGE, true), (0, false), (1, false)] {
            let path = folder.path().join(format!("python{code}"));
            std::fs::write(&path, format!("#!/bin/sh\nexit {code}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(lacks_package(path.as_os_str()), lacks, "{code}");
        }
        assert!(!lacks_package(OsStr::new("/nowhere/python")));
        let why = without_package(OsStr::new("python3"));
        assert!(why.contains("python3 -m pip install") && why.contains("LIVETIME_PYTHON"), "{why}");
    }

    #[test]
    fn options_of_pyana_go_to_pyana() {
        use clap::Parser;
        let given = ["-c", "pyana.cfg", "-p", "4", "run.xtc", "--help"];
        let cli = crate::cli::Cli::try_parse_from(["livetime", "pyana"].iter().chain(&given)).unwrap();
        let crate::cli::Command::Pyana(args) = cli.command else { panic!("{cli:?}") };
        assert_eq!(args.arguments, given.map(OsString::from));
    }

    #[test]
    fn a_measurement_of_the_package_gets_its_arguments() {
        let args = PythonArgs { json: true, quick: false, filter: "loop, 1 MiB".into() };
        let wanted = ["-m", "livetime", "bench", "--json", "--filter=loop, 1 MiB"];
        assert_eq!(bench_arguments(&args), wanted.map(OsString::from));
    }
}
