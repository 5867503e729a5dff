//! `livetime top`: the live table of a run that is served somewhere else.

use std::time::Duration;

use livetime_control::model::{Standing, Window};
use livetime_control::report::numbers::{bytes, percent, rate, time};
use livetime_control::report::summary::{self, Columns};
use livetime_control::report::table::{Cell, Style, Table, cell, cut};
use livetime_web::client::{ClientError, Link, State};
use serde_json::{Value, json};

use crate::interrupts::Interrupts;
use crate::output::{Exit, Failure, Output};
use crate::report::live::LiveTable;
use clap::Args;

pub(crate) const TOP_HELP: &str = "\
Examples:
  livetime top http://127.0.0.1:8090
  livetime top 'http://daq7:8090/#t=0c84a3698fdcb2f04b1897c2c2a19da7'
  livetime top http://127.0.0.1:8090 --once

The run printed the link. On another machine the link needs its token.";

/// Arguments of `top`.
#[derive(Args, Debug)]
pub(crate) struct TopArgs {
    /// Where the run is served.
    pub(crate) link: String,
    /// Show one moment and end.
    #[arg(long)]
    pub(crate) once: bool,
}

/// How long a message is waited for before Ctrl-C is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// Over which time percentiles are taken.
const WINDOW: Window = Window::Ten;
/// Moments per second: as often as the table of a run is drawn.
const HZ: f64 = 4.0;

pub(crate) fn top(args: &TopArgs, output: &mut Output) -> Result<Exit, Failure> {
    let failed = |problem: ClientError| Failure::new(Exit::Failed, problem);
    let link = Link::new(&args.link).map_err(|problem| Failure::new(Exit::Usage, problem))?;
    let mut state = State::connect(&link).map_err(failed)?;
    state.say(&json!({ "kind": "pace", "hz": HZ })).map_err(failed)?;
    let interrupts = Interrupts::counted(output);
    let is_live = output.is_terminal && !args.once;
    let (mut seen, mut table) = (Seen::default(), LiveTable::default());
    while interrupts.count() == 0 {
        let Some(message) = state.next(LOOK).map_err(failed)? else { continue };
        // The run is over, so no further moment comes.
        if message["kind"] == "end" {
            break;
        }
        if !seen.take(message) {
            continue;
        }
        // A pipe gets one moment: a table that is redrawn is of no use there.
        if is_live {
            // Some terminals report a size of 0.
            let size = crossterm::terminal::size().ok().filter(|(w, h)| *w > 0 && *h > 0).unwrap_or((80, 24));
            table.draw(output.out, &seen.lines(size, output.is_coloured));
        } else {
            output.data(&seen.text(output.is_coloured))?;
            break;
        }
    }
    Ok(Exit::Ok)
}

/// The state of the run, as far as it is known.
#[derive(Default)]
struct Seen {
    hello: Value,
    moment: Value,
    times: Value,
    /// The last error of the log.
    problem: String,
}

impl Seen {
    /// True if there is something new to be shown.
    fn take(&mut self, message: Value) -> bool {
        match message["kind"].as_str() {
            Some("hello") => self.hello = message,
            Some("times") => self.times = message,
            Some("moment") => {
                self.moment = message;
                return true;
            }
            Some("log") => {
                let mut entries = message["entries"].as_array().into_iter().flatten();
                // There is room for one error: the newest.
                if let Some(entry) = entries.rfind(|entry| entry["level"] == "error") {
                    let part = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                    self.problem = format!("{}: {}", part("node"), part("text"));
                }
            }
            _ => {}
        }
        false
    }

    /// Cut to a terminal of `width` by `height` characters.
    fn lines(&self, (width, height): (u16, u16), is_coloured: bool) -> Vec<String> {
        let text = self.text(is_coloured);
        // The cursor stands below the last line.
        let room = usize::from(height).saturating_sub(1).max(1);
        text.lines().take(room).map(|line| cut(line, usize::from(width))).collect()
    }

    fn text(&self, is_coloured: bool) -> String {
        let mut text = self.head() + "\n" + &self.nodes().render(Style { width: None, is_coloured });
        if !self.problem.is_empty() {
            text += &format!("{}\n", self.problem);
        }
        text
    }

    fn head(&self) -> String {
        let (run, now) = (&self.hello["run"], &self.moment["run"]);
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        format!(
            "{} at {}   {} {:.1} s   {} Hz   live time {:.2} %   CPU {} %   memory {} of {}   lost {}{}",
            text(&run["pipeline"]),
            text(&run["host"]),
            text(&self.moment["state"]),
            self.moment["elapsed_ns"].as_f64().unwrap_or(0.0) / 1e9,
            rate(now["hz"].as_f64()),
            100.0 * now["live"].as_f64().unwrap_or(0.0),
            percent(now["cpu"].as_f64()),
            bytes(now["pool_used"].as_u64().unwrap_or(0)),
            bytes(now["pool_limit"].as_u64().unwrap_or(0)),
            now["unintended"].as_u64().unwrap_or(0),
            self.newest_loss(),
        )
    }

    /// `, losing now: queue full on cam.out -> end.in, 0.2 s ago`.
    fn newest_loss(&self) -> String {
        let loss = &self.moment["loss"];
        let standing = Standing::ALL.into_iter().find(|standing| loss["state"] == standing.name());
        let (Some(standing), Some(text)) = (standing, loss["text"].as_str()) else { return String::new() };
        let ago_s =
            (self.moment["at_ns"].as_f64().unwrap_or(0.0) - loss["at_ns"].as_f64().unwrap_or(0.0)) / 1e9;
        format!(", {}: {text}, {ago_s:.1} s ago", standing.describe())
    }

    fn nodes(&self) -> Table {
        let mut table = summary::headed(WINDOW, Columns::All);
        let names = self.hello["nodes"].as_array().into_iter().flatten();
        for (number, name) in names.enumerate() {
            table.row(self.node(number, name.as_str().unwrap_or("?")));
        }
        table
    }

    fn node(&self, number: usize, name: &str) -> Vec<Cell> {
        let nodes = &self.moment["nodes"];
        let float = |column: &str| nodes[column][number].as_f64();
        let count = |column: &str| nodes[column][number].as_u64().unwrap_or(0);
        let ms = |(of, percentile): (&str, &str)| {
            let ms = self.times[of][percentile][WINDOW.name()][number].as_f64();
            time((ms.unwrap_or(0.0) * 1e6) as u64)
        };
        let (lost, left_out) = (count("lost"), count("left_out"));
        let intended = if left_out > 0 { format!(" ({left_out})") } else { String::new() };
        let queue = match count("capacity") {
            // A source and an inline edge have no queue.
            0 if count("queued") == 0 => "-".to_owned(),
            capacity => format!("{}/{capacity}", count("queued")),
        };
        // The order is the order of `summary::headed`.
        let mut cells = vec![Cell::new(name)];
        cells.extend([rate(float("in_hz")), rate(float("out_hz")), queue].map(Cell::new));
        let times = [
            ("waiting", "p50_ms"),
            ("waiting", "p99_ms"),
            ("service", "p50_ms"),
            ("service", "p99_ms"),
            ("latency", "p99_ms"),
        ];
        cells.extend(times.map(|column| Cell::new(ms(column))));
        cells.push(Cell::new(percent(float("cpu"))));
        cells.push(cell(format!("{lost}{intended}"), lost > 0));
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_table() {
        let mut seen = Seen::default();
        assert!(!seen.take(
            json!({ "kind": "hello", "nodes": ["cam", "end"], "run": { "pipeline": "p", "host": "h" } })
        ));
        let entry = json!({ "level": "error", "node": "end", "text": "full" });
        assert!(!seen.take(json!({ "kind": "log", "entries": [entry] })));
        let two = |a: f64, b: f64| json!([a, b]);
        let nodes = json!({
            "in_hz": [null, 150.0], "out_hz": [200.0, null], "cpu": [50.0, null], "queued": [0, 3], "capacity": [0, 20],
            "lost": [0, 80], "left_out": [0, 20],
        });
        let latency =
            json!({ "p99_ms": { "1s": two(0.0, 90.0), "10s": two(0.0, 180.0), "run": two(0.0, 7.0) } });
        assert!(!seen.take(json!({ "kind": "times", "latency": latency })));
        let loss = json!({ "state": "losing", "text": "queue full on cam.out -> end.in", "at_ns": 3e9 });
        let run = json!({ "hz": 200.0, "live": 0.995, "unintended": 80 });
        assert!(seen.take(json!({
            "kind": "moment", "state": "running", "elapsed_ns": 2e9, "at_ns": 5e9, "run": run, "nodes": nodes,
            "loss": loss,
        })));
        let text = seen.text(false);
        assert!(text.starts_with("p at h   running 2.0 s   200 Hz   live time 99.50 %"), "{text}");
        assert!(text.contains("lost 80, losing now: queue full on cam.out -> end.in, 2.0 s ago\n"), "{text}");
        assert!(text.contains(" 10s") && text.contains(" 180 ms "), "{text}");
        assert!(text.contains("3/20") && text.contains("80 (20)") && text.ends_with("end: full\n"), "{text}");
        assert!(seen.lines((20, 3), false).iter().all(|line| line.chars().count() <= 20));
        assert_eq!(seen.lines((20, 3), false).len(), 2);
    }
}
