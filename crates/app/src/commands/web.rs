//! The page of a run: where it is served, with which token, and the link to it.

use std::fmt;
use std::fs::{File, Permissions};
use std::io::{self, IsTerminal, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use livetime_control::model::Model;
use livetime_control::rules::Rules;
use livetime_control::web;
use livetime_formats::file::GrowingFile;
use livetime_web::{NoRandom, Options, ServeError, Served};

use crate::commands::pages;
use crate::commands::run_args::RunArgs;
use crate::config::Pipeline;
use crate::log::Level;
use crate::output::Output;

/// The command line overrides the file.
pub(crate) fn choose(pipeline: &mut Pipeline, args: &RunArgs) {
    pages::choose(pipeline);
    let wanted = &mut pipeline.web;
    wanted.enabled = (wanted.enabled || args.web.is_some()) && !args.no_web;
    wanted.address = args.web.unwrap_or(wanted.address);
    wanted.hosts.extend_from_slice(&args.web_host);
    wanted.files.extend_from_slice(&args.web_files);
    // A token file of the command line takes the place of the pipeline file's.
    wanted.token_file = args.web_token_file.clone().or(wanted.token_file.take());
    // The file alone, without its neighbours.
    wanted.files.extend(args.trace.clone());
}

/// Serves the page if it is wanted. A run that cannot be served runs nevertheless.
pub(crate) fn serve(name: &str, pipeline: &Pipeline, model: &Model, output: &mut Output) -> Option<Served> {
    if !pipeline.web.enabled {
        return None;
    }
    match try_serve(name, pipeline, model) {
        Ok(served) => {
            tell_link(&served, pipeline.web.token_file.as_deref(), output);
            pages::tell(&served, pipeline, output);
            tell_rules(&pipeline.web.rules, output);
            Some(served)
        }
        Err(problem) => {
            output.tell(Level::Warn, format_args!("this run has no page: {problem}"));
            None
        }
    }
}

/// The link with the token is for the person at the terminal: other output is kept, and read by others.
fn tell_link(served: &Served, token_file: Option<&Path>, output: &mut Output) {
    // Only a person at the terminal reads the link at once.
    let is_terminal = io::stderr().is_terminal();
    let link = if is_terminal { served.link() } else { served.url() };
    output.tell(Level::Info, format_args!("the page of this run: {link}"));
    match token_file {
        _ if is_terminal => {}
        Some(file) => {
            output.tell(Level::Info, format_args!("the token of the page is in {}", file.display()))
        }
        None => output.tell(
            Level::Info,
            "the token of the page is told on a terminal only: `--web-token-file FILE` puts it into a file",
        ),
    }
}

/// The log names at the start everybody to whom the run is open.
fn tell_rules(rules: &Rules, output: &mut Output) {
    for (place, grant) in rules.grants.iter().enumerate() {
        output.tell(Level::Info, format_args!("rule {} of the page, without the token: {grant}", place + 1));
    }
    if !rules.proxies.is_empty() {
        let proxies: Vec<String> = rules.proxies.iter().map(ToString::to_string).collect();
        let (header, proxies) = (&rules.header, proxies.join(", "));
        output
            .tell(Level::Info, format_args!("the page takes its users' names from `{header}` of {proxies}"));
    }
}

/// Why a run has no page.
enum NoPage {
    Token(TokenError),
    /// No socket can be opened at this address.
    Address(SocketAddr, io::Error),
    Server(ServeError),
}

impl fmt::Display for NoPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPage::Token(error) => error.fmt(f),
            NoPage::Address(address, error) => write!(f, "{address}: {error}"),
            NoPage::Server(error) => error.fmt(f),
        }
    }
}

fn try_serve(name: &str, pipeline: &Pipeline, model: &Model) -> Result<Served, NoPage> {
    let (wanted, pvaccess) = (&pipeline.web, &pipeline.pvaccess);
    // A wrong token file ends the start before a port is open.
    let token = wanted.token_file.as_deref().map(token).transpose().map_err(NoPage::Token)?;
    let options = options(name, wanted, token, pvaccess.enabled.then(|| pvaccess.prefix.clone()));
    let options = Options { over_hosts: pages::over_hosts(pipeline), ..options };
    let listener =
        livetime_web::listen(wanted.address).map_err(|error| NoPage::Address(wanted.address, error))?;
    livetime_web::serve(listener, model, options).map_err(NoPage::Server)
}

/// The options of the server of a page: from the pipeline file, with the token and the prefix of the PVs.
#[must_use]
pub fn options(
    name: &str,
    wanted: &web::Options,
    token: Option<String>,
    pv_prefix: Option<String>,
) -> Options {
    Options {
        hosts: wanted.hosts.clone(),
        readers: wanted.readers.clone(),
        rules: wanted.rules.clone(),
        files: wanted.files.clone(),
        token,
        is_open: wanted.is_open,
        pipeline: name.to_owned(),
        pv_prefix,
        version: livetime_measure::VERSION.to_owned(),
        commit: livetime_measure::COMMIT.to_owned(),
        record: Some(crate::record::describe),
        ..Options::default()
    }
}

/// The shortest token that is accepted: 8 random bytes in hexadecimal.
const SHORTEST: usize = 16;

/// The token in a file that its owner alone can read. If there is none, it is made, with a new token.
///
/// # Errors
/// If the file cannot be read or made, can be read by others, or holds no token that is accepted.
pub fn token(path: &Path) -> Result<String, TokenError> {
    let refused = |fault| TokenError { file: path.to_owned(), fault };
    read_token(path).map_err(refused)
}

fn read_token(path: &Path) -> Result<String, TokenFault> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        // Only a missing file is made anew: an unreadable one may hold the token in use.
        Err(e) if e.kind() == io::ErrorKind::NotFound => return new_token(path),
        Err(e) => return Err(TokenFault::NotRead(e)),
    };
    let mode = file.metadata().map_err(TokenFault::NotRead)?.permissions().mode() & 0o777;
    // A token that others can read protects nothing.
    if mode & 0o077 != 0 {
        return Err(TokenFault::Open(mode));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(TokenFault::NotRead)?;
    checked(text.trim()).map_err(TokenFault::Wrong)
}

/// Why there is no token in a file.
#[derive(Debug)]
pub struct TokenError {
    file: PathBuf,
    fault: TokenFault,
}

#[derive(Debug)]
enum TokenFault {
    NotRead(io::Error),
    NotWritten(livetime_formats::Error),
    NoRandom(NoRandom),
    /// Others can read the file, which has this mode.
    Open(u32),
    Wrong(WrongToken),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match &self.fault {
            TokenFault::NotRead(error) => write!(f, "cannot read the token in {file}: {error}"),
            TokenFault::NotWritten(error) => {
                write!(f, "cannot write the token in {file}: {}", error.cause())
            }
            TokenFault::NoRandom(error) => write!(f, "cannot write the token in {file}: {error}"),
            TokenFault::Open(mode) => write!(
                f,
                "{file}: wanted a file that its owner alone can read, found mode {mode:04o}: `chmod 600 {file}`, and a new token"
            ),
            TokenFault::Wrong(error) => write!(f, "{file}: {error}"),
        }
    }
}

impl std::error::Error for TokenError {}

fn new_token(path: &Path) -> Result<String, TokenFault> {
    let token = livetime_web::new_token().map_err(TokenFault::NoRandom)?;
    let write = || {
        // The file must be new: a token in an existing file belongs to another run.
        let mut new = GrowingFile::make(path)?;
        // The rights are set before the token is in the file.
        let closed = new.file()?.set_permissions(Permissions::from_mode(0o600));
        closed.map_err(|e| livetime_formats::Error::io("a file that its owner alone can read", e))?;
        new.append(&[token.as_bytes(), b"\n"])?;
        new.finish()
    };
    write().map_err(TokenFault::NotWritten)?;
    Ok(token)
}

/// A token that cannot be guessed and fits into a link.
///
/// # Errors
/// [`WrongToken`] for any other.
pub fn checked(token: &str) -> Result<String, WrongToken> {
    let fits =
        // A token has only characters that need no escape in a link.
        token.len() >= SHORTEST && token.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c));
    match fits {
        true => Ok(token.to_owned()),
        false => Err(WrongToken),
    }
}

/// A text that is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongToken;

impl fmt::Display for WrongToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted a token of at least {SHORTEST} letters, digits, `-`, `_`, `.` or `~`")
    }
}

impl std::error::Error for WrongToken {}
