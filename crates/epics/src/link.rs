//! Parameters that follow PVs, as areaDetector's overlays follow regions.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use livetime_control::model::{Action, Caller, Change, Model};
use livetime_engine::{ParamKind, ParamSpec, Value, lock};
use livetime_pva::client::{Client, Event, Monitor};
use livetime_pva::data::{self, Field};

use super::error::PutError;

/// The PVs that parameters follow.
#[derive(Default)]
pub(super) struct Links {
    client: OnceLock<Client>,
    /// By number of the node and name of the parameter. A link ends when its monitor is dropped.
    followed: Mutex<HashMap<(usize, &'static str), Monitor>>,
}

impl Links {
    /// Lets a parameter follow the PV that `text` names. Words behind the name, such as `CP MS`, are for records and
    /// ignored. An empty text ends the link.
    ///
    /// # Errors
    /// For a parameter that is no number, or when no client of EPICS can be made.
    pub(super) fn follow(
        &self,
        model: &Model,
        node: usize,
        spec: &'static ParamSpec,
        text: &str,
    ) -> Result<(), PutError> {
        let key = (node, spec.name);
        let name = text.split_whitespace().next().unwrap_or("");
        let name = name.split_once("://").map_or(name, |(_, name)| name);
        if name.is_empty() {
            let ended = lock(&self.followed).remove(&key);
            // Dropping a monitor takes locks of the client, so the lock of the map is released before.
            drop(ended);
            return Ok(());
        }
        let value_of: fn(f64) -> Value = match spec.kind {
            ParamKind::Int => |number| Value::Int(number.round() as i64),
            ParamKind::Float => Value::Float,
            _ => return Err(PutError::CannotFollow(spec.name)),
        };
        let (model, mut last) = (model.clone(), None);
        let take = move |event: Event| {
            let Event::Update(update) = event else { return };
            let number = number_of(&update.value);
            if number.is_some() && number != last {
                last = number;
                let values = number.map(|number| Change::Set(spec.name.into(), value_of(number)));
                values
                    .into_iter()
                    .for_each(|change| model.act(Caller::link(), Action::Change(node, change), |_| ()));
            }
        };
        let monitor = self.client()?.channel(name).subscribe("", take)?;
        let before = lock(&self.followed).insert(key, monitor);
        // The old monitor is dropped without the lock, as above.
        drop(before);
        Ok(())
    }

    fn client(&self) -> Result<&Client, PutError> {
        if self.client.get().is_none() {
            let made = Client::from_env()?;
            // Another thread may have set its client first; both are equal.
            let _ = self.client.set(made);
        }
        self.client.get().ok_or(PutError::NoClient)
    }
}

fn number_of(value: &data::Value) -> Option<f64> {
    let number = match value.get("value.index").or_else(|| value.get("value"))? {
        Field::F64(number) => *number,
        Field::F32(number) => f64::from(*number),
        other => other.as_i64()? as f64,
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use livetime_control::access::Access;
    use livetime_control::model::Bell;
    use livetime_engine::{Run, RunOptions};
    use livetime_pva::client::ClientConfig;
    use livetime_pva::data::ScalarType;
    use livetime_pva::nt;
    use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};

    use super::*;

    /// Nothing takes this long unless it is broken.
    const LONG: Duration = livetime_testkit::HANG;

    #[test]
    fn a_parameter_follows_a_pv_until_it_is_told_otherwise() {
        let text = "nodes:\n  cam: {type: sim_detector, params: {acquire: false}}\n  o: {type: overlay, from: cam}\n";
        let graph = livetime_control::config::parse(
            "f",
            text,
            &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
            &[],
        )
        .unwrap()
        .graph;
        let run = Arc::new(Run::start(&graph, RunOptions::default()).map_err(|e| format!("{e:?}")).unwrap());
        let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
        let number = |value: i32| {
            let mut whole = data::Value::new(&nt::scalar(ScalarType::I32));
            whole.set("value", value).unwrap();
            whole
        };
        let (pvs, pv) = (PvMap::new(), SharedPv::new(number(17)));
        pvs.add("ROI:MinX_RBV", SharedPv::clone(&pv));
        let server = Server::start(ServerConfig::loopback(), pvs).unwrap();
        let links = Links::default();
        let client = Client::new(ClientConfig::name_servers(&[server.tcp_address()])).unwrap();
        assert!(links.client.set(client).is_ok());
        let specs = graph.nodes()[1].node_type.param_specs();
        let spec = |suffix: &str| specs.iter().find(|spec| spec.pv == Some(suffix)).unwrap();
        let until = |value: i64| {
            let end = Instant::now() + LONG;
            let is_there =
                || model.newest().nodes[1].value(spec("1:PositionX").name) == Some(&Value::Int(value));
            while !is_there() {
                assert!(Instant::now() < end, "{value}");
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        links.follow(&model, 1, spec("1:PositionX"), "ROI:MinX_RBV CP MS").unwrap();
        until(17);
        pv.update(|value| value.set("value", 23)).unwrap();
        until(23);
        let refused = links.follow(&model, 1, spec("1:DisplayText"), "ROI:MinX_RBV").unwrap_err().to_string();
        assert!(refused.contains("wanted a number"), "{refused}");
        links.follow(&model, 1, spec("1:PositionX"), "").unwrap();
        assert!(lock(&links.followed).is_empty());
        drop(server);
        model.end();
        run.stop();
        assert!(run.wait(LONG));
    }
}
