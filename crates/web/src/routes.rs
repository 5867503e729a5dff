//! All routes in one table: the rights that each needs, its action, and its description.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request as AxumRequest, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, delete, get, patch, post, put};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::app::App;
use crate::error::{Error, json_body};
use crate::guard::{Needs, Request};
use crate::over_hosts::inner::Known;
use crate::over_hosts::{self, inner};
use crate::seats::Reserved;
use crate::server::Peer;
use crate::{assets, changes, door, files, pictures, pipeline, reads, records, sessions};

/// Bytes of a body.
const LONGEST_BODY: usize = 64 << 10;
/// A client has this long to send it.
const BODY: Duration = Duration::from_secs(10);

/// One route.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) needs: Needs,
    /// Its action, in a sentence.
    summary: &'static str,
    /// Names of the keys of the query.
    query: &'static [&'static str],
    handler: fn() -> MethodRouter<Arc<App>>,
}

const fn route(
    method: &'static str,
    path: &'static str,
    needs: Needs,
    summary: &'static str,
    handler: fn() -> MethodRouter<Arc<App>>,
) -> Route {
    Route { method, path, needs, summary, query: &[], handler }
}

impl Route {
    const fn asks(self, query: &'static [&'static str]) -> Route {
        Route { query, ..self }
    }
}

use Needs::{AsThere, Nothing, Read, Write};

/// All routes.
pub(crate) const ROUTES: &[Route] = &[
    route("GET", "/", Nothing, "the page", || get(assets::index)),
    route("GET", "/assets/{*name}", Nothing, "a part of the page", || get(assets::asset)),
    route("GET", "/healthz", Nothing, "whether the run goes on", || get(reads::health)),
    route("GET", "/metrics", Read, "the numbers for Prometheus", || get(reads::metrics)),
    route("GET", "/api/v1/openapi.json", Nothing, "this description", || get(openapi)),
    route("GET", "/api/v1/describe", Read, "run, nodes, graph, types of nodes, rights", || {
        get(reads::describe)
    }),
    route("GET", "/api/v1/report", Read, "the report of the run so far", || get(reads::report)),
    route("GET", "/api/v1/nodes", Read, "all nodes with their values", || get(reads::nodes)),
    route("GET", "/api/v1/nodes/{name}", Read, "a node with its values", || get(reads::node)),
    route("GET", "/api/v1/log", Read, "events and actions", || get(reads::log)).asks(&["since"]),
    route("GET", "/api/v1/history", Read, "names of series, or series over time", || get(reads::history))
        .asks(&["of", "since_ms", "step"]),
    route("GET", "/api/v1/pipeline", Read, "the pipeline file as the run now stands", || get(pipeline::show))
        .asks(&["as"]),
    route("GET", "/api/v1/settings", Read, "the settings file, and where changed values come from", || {
        get(reads::settings)
    }),
    route("POST", "/api/v1/settings/save", Write, "writes the settings file now", || {
        post(changes::save_settings)
    }),
    route("POST", "/api/v1/settings/restore", Write, "goes back to the saved values", || {
        post(changes::restore_settings)
    }),
    route("GET", "/api/v1/records", Read, "the last trigger records of an output", || get(records::list))
        .asks(&["from"]),
    route("GET", "/api/v1/records/{number}", Read, "a trigger record with its hits", || get(records::one))
        .asks(&["from"]),
    route("GET", "/api/v1/state", Read, "the state of the run ten times a second (WebSocket)", || {
        get(reads::state)
    }),
    route("GET", "/api/v1/host", Read, "the state of this host of a graph in short", || get(door::own)),
    route("GET", "/api/v1/hosts", Read, "all hosts of the graph, with their states", || get(door::all)),
    route("GET", "/hosts/{host}", Nothing, "the address of the page of a host", || get(door::slash)),
    route("GET", "/hosts/{host}/", Nothing, "the page of a host of the graph", || get(door::page)),
    route("GET", "/hosts/{host}/assets/{*name}", Nothing, "a part of the page", || get(door::part)),
    route("GET", "/hosts/{host}/{*rest}", AsThere, "a request of any method, handed on to a host", || {
        any(door::pass)
    }),
    route("GET", "/api/v1/session", Nothing, "what this caller may do", || get(sessions::show)),
    route("POST", "/api/v1/session", Nothing, "begins a session with the token", || post(sessions::begin)),
    route("PATCH", "/api/v1/session", Write, "gives the caller of a session a name", || {
        patch(sessions::rename)
    }),
    route("DELETE", "/api/v1/session", Nothing, "ends the session", || delete(sessions::end)),
    route("POST", "/api/v1/control", Write, "takes control, or gives it back", || post(sessions::control)),
    route("GET", "/api/v1/picture", Read, "one newest picture of an output", || get(pictures::one))
        .asks(&["from", "as", "region", "fit", "axes", "reduce", "range", "wait_ms"]),
    route("GET", "/api/v1/views", Read, "the accounts of all views", || get(pictures::accounts)),
    route("POST", "/api/v1/views", Read, "a new view of an output", || post(pictures::open)),
    route("GET", "/api/v1/views/{id}", Read, "the next picture of a view", || get(pictures::next))
        .asks(&["after"]),
    route("PUT", "/api/v1/views/{id}", Read, "changes a view", || put(pictures::change)),
    route("DELETE", "/api/v1/views/{id}", Read, "ends a view", || delete(pictures::close)),
    route("GET", "/api/v1/views/{id}/at", Read, "exact values of pixels", || get(pictures::at))
        .asks(&["x", "y"]),
    route(
        "GET",
        "/api/v1/files",
        Read,
        "files that the nodes of this run have written, or are writing",
        || get(files::written),
    ),
    route("GET", "/api/v1/runs", Read, "recorded runs, results of analyses and traces", || get(files::list)),
    route("GET", "/api/v1/runs/summary", Read, "what a recorded run holds", || get(files::summary))
        .asks(&["path"]),
    route("GET", "/api/v1/runs/event", Read, "one event of a recorded run", || get(files::event))
        .asks(&["path", "event", "detector"]),
    route("GET", "/api/v1/runs/picture", Read, "a picture of a recorded run", || get(files::picture))
        .asks(&["path", "event", "detector", "as", "region", "fit", "axes", "reduce", "range"]),
    route("GET", "/api/v1/runs/at", Read, "exact values of pixels of a recorded picture", || get(files::at))
        .asks(&["path", "event", "detector", "x", "y"]),
    route("GET", "/api/v1/runs/download", Read, "a file as it is", || get(files::download)).asks(&["path"]),
    route("PATCH", "/api/v1/nodes/{name}", Write, "sets parameters, all from one frame", || {
        patch(changes::set)
    }),
    route("PATCH", "/api/v1/nodes/{name}/input", Write, "connects a node anew", || patch(changes::rewire)),
    route("POST", "/api/v1/nodes/{name}/enable", Write, "frames are offered to it", || post(changes::enable)),
    route("POST", "/api/v1/nodes/{name}/disable", Write, "no frames are offered to it", || {
        post(changes::disable)
    }),
    route("POST", "/api/v1/nodes/{name}/acquire", Write, "starts a source", || post(changes::acquire)),
    route("POST", "/api/v1/nodes/{name}/abort", Write, "stops a source", || post(changes::abort)),
    route("POST", "/api/v1/run/stop", Write, "ends the sources of the run", || post(changes::stop)),
    route("POST", "/api/v1/run/abort", Write, "ends the run at once", || post(changes::abort_run)),
    route("POST", "/api/v1/losses/acknowledge", Write, "takes note of the losses so far", || {
        post(changes::acknowledge)
    }),
];

/// The routes as a service.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let guarded = Guarded { app: app.clone(), needs: route.needs };
        let handler = (route.handler)().layer(from_fn_with_state(guarded, guard));
        router = router.route(route.path, handler);
    }
    router
        .fallback(async || Error::not_found("there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            Error::new(StatusCode::METHOD_NOT_ALLOWED, "wanted another method")
        })
        .layer(from_fn_with_state(app.clone(), check_host))
        .layer(from_fn(harden))
        .with_state(app.clone())
}

// ---- The checks of every request ----

#[derive(Clone)]
struct Guarded {
    app: Arc<App>,
    needs: Needs,
}

async fn check_host(State(app): State<Arc<App>>, request: AxumRequest, next: Next) -> Response {
    // The name is checked before all else, so that no other site's name reaches a route.
    let (method, headers) = (request.method(), request.headers());
    let is_host = headers.contains_key(over_hosts::HOST);
    let checked = Request { method, path: request.uri().path(), headers }.check_host(&app.hosts);
    let mut response = match checked.and_then(|()| app.over_hosts.check_host(headers)) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    if is_host {
        app.over_hosts.sign(response.headers_mut());
    }
    response
}

/// Lets a request pass that keeps to the rules, with its visitor and its whole body.
async fn guard(State(guarded): State<Guarded>, request: AxumRequest, next: Next) -> Response {
    let is_reserved = request.extensions().get::<Reserved>().is_some();
    match passed(&guarded, request).await {
        Ok(request) => next.run(request).await,
        Err(error) => {
            let mut response = error.into_response();
            if is_reserved {
                // The refused caller must not keep the reserved seat.
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            response
        }
    }
}

async fn passed(guarded: &Guarded, request: AxumRequest) -> Result<AxumRequest, Error> {
    // A request without a peer did not come through our listener.
    let peer = request.extensions().get::<Peer>().copied();
    let Peer(from) = peer.ok_or_else(|| Error::bad("wanted a connection"))?;
    let mut visitor = guarded.app.sessions.visitor(request.headers(), from)?;
    visitor.rights.is_reader = guarded.app.is_reader(&visitor);
    let (method, headers) = (request.method(), request.headers());
    let (path, needs) = judged(guarded.needs, method, request.uri().path())?;
    // Before the body is read: a caller without rights costs no memory.
    Request { method, path, headers }.check(needs, visitor.rights)?;
    let is_reserved = request.extensions().get::<Reserved>().is_some();
    // The reserved seat is for a caller who can act on the run.
    if is_reserved && needs != Nothing && !visitor.rights.may_write() {
        return Err(Error::full());
    }
    guarded.app.sessions.hear(&visitor);
    let (mut parts, body) = request.into_parts();
    // Both bounds hold: a slow body keeps memory as a large one does.
    let body = timeout(BODY, to_bytes(body, LONGEST_BODY)).await;
    let body = body.map_err(|_| Error::new(StatusCode::REQUEST_TIMEOUT, "wanted a body in time"))?.map_err(
        |_| {
            Error::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("wanted a body of at most {LONGEST_BODY} bytes"),
            )
        },
    )?;
    parts.extensions.insert(visitor);
    Ok(AxumRequest::from_parts(parts, Body::from(body)))
}

/// The path by which a request is judged, and the right that it needs.
fn judged<'a>(needs: Needs, method: &Method, path: &'a str) -> Result<(&'a str, Needs), Error> {
    if needs != AsThere {
        return Ok((path, needs));
    }
    let (_, path) = inner::split(path).ok_or_else(|| Error::not_found("there is nothing at this address"))?;
    Ok((path, inner::needs(known(), method, path)?))
}

/// The routes as another host has them.
pub(crate) fn known() -> impl Iterator<Item = Known> {
    ROUTES.iter().map(|route| Known { method: route.method, path: route.path, needs: route.needs })
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; \
                      font-src 'self'; connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
                      form-action 'none'";

/// Headers that tell browsers to be strict.
async fn harden(request: AxumRequest, next: Next) -> Response {
    // Refusals get the headers, too.
    let mut response = next.run(request).await;
    let is_foreign = response.extensions().get::<over_hosts::Foreign>().is_some();
    let policy = if is_foreign { over_hosts::SANDBOX } else { POLICY };
    let headers = response.headers_mut();
    let mut set = |name: header::HeaderName, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_SECURITY_POLICY, policy);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    response
}

// ---- Description ----

async fn openapi(State(app): State<Arc<App>>) -> impl IntoResponse {
    json_body(&description(app.version()))
}

/// The routes in OpenAPI's form.
fn description(version: &str) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        // OpenAPI has no sign for a rest of the path.
        let path = route.path.replace("{*", "{");
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        methods[route.method.to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Livetime", "version": version, "description": "See docs/spec/web.md." },
        "paths": paths,
        "components": { "securitySchemes": {
            "token": { "type": "http", "scheme": "bearer" },
            "session": { "type": "apiKey", "in": "cookie", "name": "livetime_PORT" },
        } },
    })
}

fn operation(route: &Route) -> Value {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path.map(|name| (name.trim_start_matches('*'), "path"));
    let parameters = in_path.chain(route.query.iter().map(|name| (*name, "query"))).map(|(name, place)| {
        json!({ "name": name, "in": place, "required": place == "path", "schema": { "type": "string" } })
    });
    let mut operation = json!({
        "summary": route.summary,
        "parameters": parameters.collect::<Vec<_>>(),
        "responses": { "default": { "description": "see docs/spec/web.md" } },
    });
    if !matches!(route.method, "GET" | "DELETE") {
        operation["requestBody"] =
            json!({ "content": { "application/json": { "schema": { "type": "object" } } } });
    }
    if route.needs == Write {
        operation["security"] = json!([{ "token": [] }, { "session": [] }]);
    }
    operation
}
