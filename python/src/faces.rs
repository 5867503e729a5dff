//! A run as PVs and over HTTP.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use livetime::page;
use livetime_control::WrongText;
use livetime_control::model::{Bell, Model, StartError};
use livetime_control::pvaccess;
use livetime_control::web;
use livetime_engine as engine;
use livetime_engine::GraphError;
use livetime_epics::{Served, free_prefix, instances};
use livetime_pva::client::Client;
use livetime_pva::net::Variables;
use livetime_web::Served as Page;
use pyo3::prelude::*;

/// Why a run is not served.
#[derive(Debug)]
pub(crate) enum FaceError {
    /// The token that the pipeline file names cannot be read.
    TokenFile(page::TokenError),
    /// The token of the Python program is not acceptable.
    Token(page::WrongToken),
    /// The text is no address of a page.
    Address(WrongText),
    /// The model of the run does not start.
    Model(StartError),
    /// A variable of the environment is not acceptable; the sentence names it.
    Environment(String),
    /// The checks refuse the graph of the run.
    Graph(Vec<GraphError>),
    /// No PVs are served.
    Pvs(livetime_epics::ServeError),
    /// The system does not give this address.
    Listen(SocketAddr, io::Error),
    /// No page is served.
    Page(livetime_web::ServeError),
}

impl fmt::Display for FaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaceError::TokenFile(error) => error.fmt(f),
            FaceError::Token(error) => write!(f, "web: {error}"),
            FaceError::Address(error) => error.fmt(f),
            FaceError::Model(error) => error.fmt(f),
            FaceError::Environment(sentence) => f.write_str(sentence),
            FaceError::Graph(errors) => errors.iter().take(1).try_for_each(|error| error.fmt(f)),
            FaceError::Pvs(error) => error.fmt(f),
            FaceError::Listen(address, error) => write!(f, "{address}: {error}"),
            FaceError::Page(error) => error.fmt(f),
        }
    }
}

/// The fields of `livetime.Web`: how the page of a run is served. An empty field is taken from the pipeline file.
#[derive(FromPyObject)]
pub(crate) struct Wanted {
    address: Option<String>,
    hosts: Vec<String>,
    is_open: bool,
    token: Option<String>,
}

/// How the page of a run is served.
pub(crate) struct PageOptions {
    pub(crate) of_file: web::Options,
    token: Option<String>,
}

impl PageOptions {
    /// As a file says.
    ///
    /// # Errors
    /// If the token that the file names cannot be read.
    pub(crate) fn of_file(options: &web::Options) -> Result<PageOptions, FaceError> {
        let token = options.token_file.as_deref().map(page::token);
        let token = token.transpose().map_err(FaceError::TokenFile)?;
        Ok(PageOptions { of_file: options.clone(), token })
    }
}

impl Wanted {
    /// The options with these fields.
    ///
    /// # Errors
    /// For an address or a token that makes no sense.
    pub(crate) fn options(&self, of_file: &web::Options) -> Result<PageOptions, FaceError> {
        let mut options = PageOptions::of_file(of_file)?;
        if let Some(address) = &self.address {
            options.of_file.address = web::address(address).map_err(FaceError::Address)?;
        }
        options.of_file.hosts.extend_from_slice(&self.hosts);
        options.of_file.is_open |= self.is_open;
        if let Some(token) = &self.token {
            options.token = Some(page::checked(token).map_err(FaceError::Token)?);
        }
        Ok(options)
    }
}

/// The faces of a run, until they are dropped.
pub(crate) struct Faces {
    /// How the names of its PVs begin.
    pub(crate) prefix: String,
    served: Option<Served>,
    page: Option<Page>,
    model: Model,
}

impl Faces {
    /// A run without faces.
    ///
    /// # Errors
    /// When no thread can be started. The run continues all the same.
    pub(crate) fn start(
        run: &Arc<engine::Run>,
        bell: &Bell,
        options: &pvaccess::Options,
    ) -> Result<Faces, FaceError> {
        let model = Model::start(run, bell, options.access.clone()).map_err(FaceError::Model)?;
        Ok(Faces { prefix: String::new(), served: None, page: None, model })
    }

    /// Serves it as PVs; it should remember its frames.
    ///
    /// # Errors
    /// When no socket can be opened, or no thread started.
    pub(crate) fn serve_pvs(
        &mut self,
        run: &Arc<engine::Run>,
        mut options: pvaccess::Options,
    ) -> Result<(), FaceError> {
        let environment = Variables::from_env();
        let problems = options.follow(&environment);
        if let Some(problem) = problems.into_iter().next() {
            return Err(FaceError::Environment(problem));
        }
        if !options.is_prefix_chosen && options.server.udp_port.is_some() {
            options.prefix = free(run.graph(), &options);
        }
        let plan = run.graph().check().map_err(FaceError::Graph)?;
        self.served = Some(Served::of(&self.model, &plan, &options).map_err(FaceError::Pvs)?);
        self.prefix = options.prefix;
        Ok(())
    }

    /// Serves its page.
    ///
    /// # Errors
    /// When no socket can be opened, or no thread started.
    pub(crate) fn serve_page(&mut self, name: &str, wanted: PageOptions) -> Result<(), FaceError> {
        let PageOptions { of_file, token } = wanted;
        let prefix = self.served.is_some().then(|| self.prefix.clone());
        let options = page::options(name, &of_file, token, prefix);
        let listener = livetime_web::listen(of_file.address);
        let listener = listener.map_err(|error| FaceError::Listen(of_file.address, error))?;
        self.page = Some(livetime_web::serve(listener, &self.model, options).map_err(FaceError::Page)?);
        Ok(())
    }

    /// Where clients of pvAccess connect to, and how many PVs there are; `None` if there are none.
    pub(crate) fn pvs(&self) -> Option<(Option<String>, usize)> {
        let served = self.served.as_ref()?;
        Some((served.address().map(|address| address.to_string()), served.pvs()))
    }

    /// The address of the page, and the same with the token.
    pub(crate) fn page(&self) -> Option<(String, String)> {
        self.page.as_ref().map(|page| (page.url(), page.link()))
    }
}

impl Drop for Faces {
    /// Shows the last values; then nothing holds the run any more.
    fn drop(&mut self) {
        self.model.end();
        self.page = None;
        self.served = None;
    }
}

/// The first prefix that no other server in reach has: two servers with the same names would answer for one another.
fn free(graph: &engine::Graph, options: &pvaccess::Options) -> String {
    let instance = instances(graph, &options.names).into_iter().next();
    let (Some(instance), Ok(client)) = (instance, Client::from_env()) else { return options.prefix.clone() };
    free_prefix(&client, &options.prefix, &format!("{instance}:PortName_RBV"))
}
