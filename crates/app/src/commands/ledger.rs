//! `livetime ledger`: the accounts of several runs as one.

use std::path::PathBuf;

use clap::Args;
use livetime_control::black_box;
use livetime_control::ledger::{Cut, CutEnd, EdgeLine, Ledger, Lost, NodeLine, RunAccount, name_of};
use serde_json::{Value, json};

use crate::output::{Exit, Failure, Output};
use crate::report::table::{Cell, Style, Table, cell};

pub(crate) const LEDGER_HELP: &str = "\
Examples:
  livetime ledger report.json
  livetime ledger sender.json receiver.json
  livetime ledger beamline.*.blackbox
  livetime ledger host1.json host2.json --json

Reports are what `livetime run --json` prints; a black box is the file beside a pipeline file whose run goes on or was killed. Each run
is counted once, also if several files tell of it. Exit codes: 0 nothing was lost, 3 something was lost unintendedly or is unknown,
1 a sum does not close, 2 a file is neither a report nor a black box.";

/// Arguments of `ledger`.
#[derive(Args, Debug)]
pub(crate) struct LedgerArgs {
    /// Reports and black boxes.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn ledger(args: &LedgerArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut ledger = Ledger::default();
    for file in &args.files {
        let account = black_box::read(file);
        let account = account.map_err(|e| Failure::new(Exit::Usage, format!("{}: {e}", file.display())))?;
        ledger.add(account);
    }
    let found = Found { open: ledger.open(), unknown: ledger.unknown(), unintended: ledger.unintended() };
    match args.json {
        true => output.json(&as_json(&ledger, &found))?,
        false => {
            let style = Style { width: None, is_coloured: output.is_coloured };
            output.data(&as_text(&ledger, &found, style))?;
        }
    }
    Ok(found.exit())
}

/// The state of all accounts together.
struct Found {
    open: Vec<String>,
    unknown: Vec<String>,
    unintended: u64,
}

impl Found {
    fn exit(&self) -> Exit {
        match self {
            Found { open, .. } if !open.is_empty() => Exit::Failed,
            Found { unknown, unintended: 0, .. } if unknown.is_empty() => Exit::Ok,
            _ => Exit::Loss,
        }
    }

    fn reason(&self) -> &'static str {
        match self.exit() {
            Exit::Failed => "ledger_open",
            Exit::Loss if self.unintended == 0 => "unknown",
            Exit::Loss => "unintended_losses",
            _ => "ok",
        }
    }
}

fn as_json(ledger: &Ledger, found: &Found) -> Value {
    let cut = |cut: &Cut<'_>| {
        json!({
            "cut": cut.name.0, "epoch": cut.name.1, "sender": cut.sender.map(CutEnd::json),
            "receiver": cut.receiver.map(CutEnd::json), "problem": cut.problem(),
        })
    };
    json!({
        "runs": ledger.runs.iter().map(RunAccount::json).collect::<Vec<_>>(),
        "cuts": ledger.cuts().iter().map(cut).collect::<Vec<_>>(),
        "ledger_closed": found.open.is_empty(),
        "imbalances": found.open,
        "unknown": found.unknown,
        "unintended_losses": found.unintended,
        "exit_code": found.exit() as u8,
        "exit_reason": found.reason(),
    })
}

fn as_text(ledger: &Ledger, found: &Found, style: Style) -> String {
    let headings =
        ["run", "where", "offered", "delivered", "queued", "in doubt", "retaken", "lost", "closes"];
    let mut table = Table::new(&headings).right(2..=6);
    for run in &ledger.runs {
        let name = name_of(run);
        run.edges.iter().for_each(|edge| table.row(edge_row(&name, edge)));
        run.nodes
            .iter()
            .filter(|node| !node.lost.is_empty())
            .for_each(|node| table.row(node_row(&name, node)));
    }
    for cut in ledger.cuts() {
        let ends = [cut.sender, cut.receiver];
        ends.into_iter().flatten().for_each(|end| table.row(cut_row(end)));
    }
    let mut text = table.render(style) + "\n";
    text.extend(ledger.runs.iter().map(|run| {
        let until =
            run.known_until.as_ref().map(|until| format!(", known until {until}")).unwrap_or_default();
        format!("{}: {}{until}\n", name_of(run), run.state.name())
    }));
    text.extend(found.unknown.iter().map(|what| format!("UNKNOWN: {what}\n")));
    text.extend(found.open.iter().map(|what| format!("LEDGER NOT CLOSED: {what}\n")));
    if found.open.is_empty() {
        text += &match found.unintended.saturating_sub(ledger.breaks()) {
            0 => "ledger closed; no loss is known that should not be\n".to_owned(),
            lost => format!("ledger closed; {lost} frames were lost unintendedly\n"),
        };
    }
    text
}

type Row = Vec<Cell>;

fn edge_row(run: &str, edge: &EdgeLine) -> Row {
    let [offered, delivered, queued] = [edge.offered, edge.delivered, edge.queued].map(|n| n.to_string());
    let numbers = [offered, delivered, queued, "0".into(), "0".into()];
    row(
        run,
        format!("{} -> {}", edge.from, edge.to),
        numbers,
        &edge.lost,
        edge.unintended > 0,
        edge.is_closed(),
    )
}

/// Losses in a node: frames beside the losses of its edges.
fn node_row(run: &str, node: &NodeLine) -> Row {
    let numbers = ["-"; 5].map(str::to_owned);
    row(run, node.name.clone(), numbers, &node.lost, node.unintended() > 0, true)
}

fn cut_row(end: &CutEnd) -> Row {
    let numbers = [end.offered, end.delivered, end.queued, end.in_doubt, end.retaken].map(|n| n.to_string());
    let name = format!("cut {}, epoch {}", end.cut, end.epoch);
    row(&name, end.side.name().to_owned(), numbers, &end.lost, !end.lost.is_empty(), end.is_closed())
}

fn row(run: &str, place: String, numbers: [String; 5], lost: &Lost, is_bad: bool, is_closed: bool) -> Row {
    let lost = match lost.is_empty() {
        true => "0".to_owned(),
        false => {
            lost.iter().map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>().join(", ")
        }
    };
    let closes = cell(if is_closed { "yes" } else { "NO" }.to_owned(), !is_closed);
    let begin = [run.to_owned(), place].into_iter().chain(numbers).map(|text| cell(text, false));
    begin.chain([cell(lost, is_bad), closes]).collect()
}
