//! The states of all hosts of a graph, asked from them while somebody asks here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, StatusCode};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::ask::{Answer, Question};
use super::fault::Fault;
use super::hosts::OverHosts;
use super::other::Other;
use super::seen::known;

/// Hosts are asked at most this often, and less often for each of many.
const PERIOD: Duration = Duration::from_secs(1);
const MORE: Duration = Duration::from_millis(10);
/// They answer within this time.
const LIMIT: Duration = Duration::from_secs(1);
/// Hosts that are asked at one time.
const AT_ONCE: usize = 64;
/// Bytes of an answer.
const LONGEST: usize = 16 << 10;
impl OverHosts {
    /// All hosts with their states; `own` is the state of this one.
    pub(crate) async fn states(self: &Arc<OverHosts>, own: impl FnOnce() -> Value) -> Value {
        let mut newest = self.asked.newest.lock().await;
        let period = PERIOD + MORE * u32::try_from(self.hosts.len()).unwrap_or(u32::MAX);
        match &*newest {
            Some((since, hosts)) if since.elapsed() < period => hosts.clone(),
            _ => {
                let hosts = ask_all(self, own()).await;
                *newest = Some((Instant::now(), hosts.clone()));
                hosts
            }
        }
    }
}

async fn ask_all(over: &Arc<OverHosts>, own: Value) -> Value {
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut states: BTreeMap<usize, Result<Value, Fault>> = BTreeMap::new();
    states.extend(over.own_number().map(|number| (number, Ok(own))));
    let mut tasks = JoinSet::new();
    for (number, host) in over.hosts.iter().enumerate().filter(|(_, host)| !host.is_self) {
        let (over, host, at_once) = (over.clone(), host.clone(), at_once.clone());
        tasks.spawn(async move {
            // It is never closed.
            let _permit = at_once.acquire_owned().await;
            (number, state_of(&over, &host).await)
        });
    }
    while let Some(joined) = tasks.join_next().await {
        states.extend(joined);
    }
    let hosts = over.hosts.iter().enumerate();
    hosts.filter_map(|(number, host)| Some(over.asked.shown(host, states.remove(&number)?))).collect()
}

async fn state_of(over: &OverHosts, host: &Arc<Other>) -> Result<Value, Fault> {
    let late = |_| Fault::Late { page: host.page.clone().unwrap_or_default() };
    timeout(LIMIT, asked(over, host)).await.map_err(late)?
}

async fn asked(over: &OverHosts, host: &Arc<Other>) -> Result<Value, Fault> {
    let question = Question {
        method: Method::GET,
        path: "/api/v1/host".into(),
        headers: HeaderMap::new(),
        body: Body::empty(),
        person: None,
        limit: LIMIT,
    };
    let Answer { response, held } = over.ask(host, question).await?;
    let strange = |found: String| Fault::Strange { page: host.page.clone().unwrap_or_default(), found };
    let status = response.status();
    if status != StatusCode::OK {
        return Err(strange(format!("the status {status}")));
    }
    let bytes = to_bytes(Body::new(response.into_body()), LONGEST).await;
    drop(held);
    let bytes = bytes.map_err(|_| strange(format!("no answer of at most {LONGEST} bytes")))?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| strange(error.to_string()))?;
    known(&json).ok_or_else(|| strange("another state of a run".into()))
}
