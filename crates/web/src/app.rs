//! The shared state of all routes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use livetime_control::model::{Caller, Model};
use livetime_engine::time_of_day_ns;
use livetime_runtime::lock;
use serde_json::{Value, json};

use crate::board::Board;
use crate::guard::{Hosts, own_name};
use crate::history::History;
use crate::metrics::Texts;
use crate::options::Options;
use crate::over_hosts::OverHosts;
use crate::picture::{Maker, Sources, Views};
use crate::record::Records;
use crate::recorded::Recorded;
use crate::serve_error::ServeError;
use crate::session::{Sessions, Visitor, secret};
use crate::show;

/// The shared state of all routes.
pub(crate) struct App {
    pub(crate) model: Model,
    pub(crate) hosts: Hosts,
    pub(crate) sessions: Sessions,
    pub(crate) views: Views,
    pub(crate) records: Records,
    pub(crate) history: Mutex<History>,
    pub(crate) board: Board,
    pub(crate) metrics: Texts,
    pub(crate) recorded: Recorded,
    pub(crate) run: RunFacts,
    pub(crate) over_hosts: Arc<OverHosts>,
    options: Options,
}

/// The constant part of a run.
pub(crate) struct RunFacts {
    /// Tells one run from another.
    pub(crate) id: String,
    started_ns: i64,
    host: String,
}

impl App {
    pub(crate) fn new(model: Model, options: Options, address: SocketAddr) -> Result<App, ServeError> {
        options.rules.check(&options.hosts)?;
        let own = own_name();
        let token = options.token.clone().map_or_else(secret, Ok)?;
        let elapsed_ns = model.newest().report.elapsed_ns as i64;
        let run = RunFacts {
            id: secret()?,
            started_ns: time_of_day_ns() - elapsed_ns,
            host: own.clone().unwrap_or_default(),
        };
        let history = History::new(model.run().graph());
        if let Some(shortage) = history.shortage() {
            model.note(Caller::program(), &shortage);
        }
        let over_hosts = OverHosts::new(&options.over_hosts, address, &token, &run.id);
        let names: Vec<String> = options.hosts.iter().cloned().chain(over_hosts.own_name()).collect();
        Ok(App {
            hosts: Hosts::new(own.as_deref(), &names),
            sessions: Sessions::new(token, address.port(), options.is_open, options.rules.clone()),
            views: Views::new(Sources::new(model.clone()), Maker::start()?),
            records: Records::new(options.record),
            history: Mutex::new(history),
            board: Board::new(),
            metrics: Texts::of_run(model.clone(), &options.commit),
            recorded: Recorded::start(options.files.clone(), model.run().graph())?,
            run,
            over_hosts: Arc::new(over_hosts),
            options,
            model,
        })
    }

    pub(crate) fn version(&self) -> &str {
        &self.options.version
    }

    /// The run as `describe` and `hello` have it.
    pub(crate) fn run_json(&self) -> Value {
        json!({
            "id": self.run.id,
            "pipeline": self.options.pipeline,
            "started_ns": self.run.started_ns,
            "host": self.run.host,
            "pv_prefix": self.options.pv_prefix,
            "cores": self.model.newest().report.cores,
        })
    }

    pub(crate) fn describe_json(&self, visitor: &Visitor) -> Value {
        let graph = self.model.run().graph();
        json!({
            "api": 1,
            "version": self.version(),
            "run": self.run_json(),
            "nodes": show::nodes_json(graph, self.model.settings().as_ref()),
            "types": show::types_json(graph),
            "graph": self.board.graph_json(&self.model),
            "rights": self.sessions.rights_json(visitor),
        })
    }

    /// Whether the visitor's machine is one that may read without a token.
    pub(crate) fn is_reader(&self, visitor: &Visitor) -> bool {
        Caller { has_token: false, ..self.caller(visitor) }.may_act(&self.options.readers)
    }

    /// The visitor as the model knows callers.
    pub(crate) fn caller(&self, visitor: &Visitor) -> Caller {
        Caller {
            face: "web",
            user: visitor.user.clone(),
            from: Some(visitor.from),
            is_local: visitor.rights.is_local,
            has_token: visitor.rights.may_write(),
            door: visitor.door().map(str::to_owned),
        }
    }

    /// Adds the newest moment to the history, and ends unused views and sessions.
    pub(crate) fn keep(&self, moment: &livetime_control::model::Moment, at_ms: f64) {
        lock(&self.history).add(moment, at_ms);
        self.recorded.note(moment);
        self.views.tidy();
        self.sessions.tidy();
    }
}
