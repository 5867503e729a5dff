//! How the program was called: by the system, or by an interpreter of Python that has it in its package.

use std::ffi::OsString;
use std::path::PathBuf;

/// The caller of the program, and the arguments.
///
/// ```
/// let called = livetime::Called { arguments: vec!["--version".into()], ..livetime::Called::by_system() };
/// assert_eq!(livetime::main_as(called, &livetime::standard_nodes()), 0);
/// ```
#[derive(Clone, Default, Debug)]
pub struct Called {
    /// The file of the program, beside which a package of Python may lie. Empty if the system does not say.
    pub program: PathBuf,
    /// The arguments behind the program's name.
    pub arguments: Vec<OsString>,
    /// The interpreter that runs the program and has the package `livetime`; `None` for a program of its own.
    pub interpreter: Option<PathBuf>,
}

impl Called {
    /// As the system says.
    #[must_use]
    pub fn by_system() -> Called {
        let program = std::env::current_exe().unwrap_or_default();
        Called { program, arguments: std::env::args_os().skip(1).collect(), interpreter: None }
    }
}
