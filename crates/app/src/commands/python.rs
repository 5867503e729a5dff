//! `livetime run --python` and `livetime bench python`: done by the interpreter that has the package `livetime`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::bench::PythonArgs;
use crate::cli::RunArgs;
use crate::output::{Exit, Failure};

/// Names the interpreter.
const INTERPRETER: &str = "LIVETIME_PYTHON";

/// Becomes `python3 -m livetime run …`: this program has no interpreter. Returns only if that cannot be started.
pub(crate) fn run(args: &RunArgs) -> Failure {
    become_python(arguments(args))
}

/// Becomes `python3 -m livetime bench …`.
pub(crate) fn bench(args: &PythonArgs) -> Failure {
    become_python(bench_arguments(args))
}

fn bench_arguments(args: &PythonArgs) -> Vec<OsString> {
    let mut all: Vec<OsString> = ["-m", "livetime", "bench"].map(Into::into).to_vec();
    for (is_set, name) in [(args.json, "--json"), (args.quick, "--quick")] {
        all.extend(is_set.then(|| name.into()));
    }
    all.push(format!("--filter={}", args.filter).into());
    all
}

fn become_python(arguments: Vec<OsString>) -> Failure {
    let interpreter = std::env::var_os(INTERPRETER).unwrap_or_else(|| "python3".into());
    let error =
        Command::new(&interpreter).args(arguments).env("LIVETIME_COMMIT", env!("LIVETIME_COMMIT")).exec();
    let name = interpreter.display();
    Failure::new(
        Exit::Failed,
        format!("cannot start {name}: {error}; {INTERPRETER} names an interpreter that has livetime"),
    )
}

/// What the command of the package is called with.
fn arguments(args: &RunArgs) -> Vec<OsString> {
    let mut all: Vec<OsString> = ["-m", "livetime", "run"].map(Into::into).to_vec();
    all.extend(args.pipeline.file.iter().map(|file| file.into()));
    let mut add = |option: &str, value: Option<String>| {
        if let Some(value) = value {
            all.push(format!("{option}={value}").into());
        }
    };
    for setting in &args.pipeline.settings {
        add("--set", Some(format!("{}.{}={}", setting.node, setting.param, setting.value)));
    }
    add("--frames", args.frames.map(|frames| frames.to_string()));
    add("--duration", args.duration.map(|duration| format!("{}s", duration.as_secs_f64())));
    add("--prefix", args.prefix.clone());
    let joined = |list: &[String]| Some(list.join(",")).filter(|text| !text.is_empty());
    add("--listen", joined(&args.listen));
    add("--writers", joined(&args.writers));
    for (is_set, name) in [(args.pva, "--pva"), (args.no_pva, "--no-pva"), (args.pipeline.json, "--json")] {
        all.extend(is_set.then(|| name.into()));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cli::PipelineArgs;
    use crate::config::Setting;

    #[test]
    fn the_interpreter_gets_the_same_arguments() {
        let setting = Setting { node: "cut".into(), param: "level".into(), value: "5".into() };
        let pipeline = PipelineArgs { file: Some("b.yaml".into()), settings: vec![setting], json: true };
        let args = RunArgs {
            pipeline,
            duration: Some(Duration::from_millis(1500)),
            frames: Some(3),
            prefix: Some("BL7:".into()),
            writers: vec!["any".into(), "10.1.2.3".into()],
            ..RunArgs::default()
        };
        let wanted = "-m livetime run b.yaml --set=cut.level=5 --frames=3 --duration=1.5s --prefix=BL7: \
                      --writers=any,10.1.2.3 --json";
        let found: Vec<String> = arguments(&args).into_iter().map(|a| a.into_string().unwrap()).collect();
        assert_eq!(found.join(" "), wanted);
    }

    #[test]
    fn a_measurement_of_the_package_gets_its_arguments() {
        let args = PythonArgs { json: true, quick: false, filter: "loop, 1 MiB".into() };
        let wanted = ["-m", "livetime", "bench", "--json", "--filter=loop, 1 MiB"];
        assert_eq!(bench_arguments(&args), wanted.map(OsString::from));
    }
}
