//! The display of a run while it goes on: a table redrawn in place, or a line from time to time.

use std::io::Write;

use crossterm::cursor::MoveToPreviousLine;
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use livetime_control::model::{LossBook, Moment, NodeTimes, Rates, RunRates, Standing, Window};
use livetime_engine::Report;

use super::numbers::{bytes, percent, rate};
use super::rates::frames_of_sources;
use super::summary::{self, Columns};
use super::table::{Style, cut};

/// A table that is redrawn in place.
#[derive(Default)]
pub(crate) struct LiveTable {
    /// Lines that stand on the terminal now.
    drawn: u16,
}

impl LiveTable {
    /// Replaces the text on the terminal by these lines. The terminal gets all of it at once, so that
    /// nothing flickers; one that is gone does not matter to the run.
    pub(crate) fn draw(&mut self, out: &mut dyn Write, lines: &[String]) {
        let mut buffer = Vec::new();
        let _ = queue!(buffer, BeginSynchronizedUpdate);
        self.go_back(&mut buffer);
        for line in lines {
            let _ = write!(buffer, "{line}");
            let _ = queue!(buffer, Clear(ClearType::UntilNewLine));
            let _ = writeln!(buffer);
        }
        let _ = queue!(buffer, Clear(ClearType::FromCursorDown), EndSynchronizedUpdate);
        let _ = out.write_all(&buffer).and_then(|()| out.flush());
        // Terminals have fewer lines.
        self.drawn = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    }

    /// Removes the table, so that something else can be written in its place.
    pub(crate) fn erase(&mut self, out: &mut dyn Write) {
        if self.drawn > 0 {
            self.draw(out, &[]);
        }
    }

    fn go_back(&self, buffer: &mut Vec<u8>) {
        if self.drawn > 0 {
            let _ = queue!(buffer, MoveToPreviousLine(self.drawn));
        }
    }
}

/// The values of a run that the live table shows.
pub(crate) struct Shown<'a> {
    report: &'a Report,
    run: RunRates,
    rates: Vec<Rates>,
    times: Vec<NodeTimes>,
    losses: &'a LossBook,
}

impl<'a> From<&'a Moment> for Shown<'a> {
    fn from(moment: &'a Moment) -> Shown<'a> {
        let (rates, times) = moment.nodes.iter().map(|node| (node.rates, node.times)).unzip();
        Shown { report: &moment.report, run: moment.rates, rates, times, losses: &moment.losses }
    }
}

/// The lines of the live table, cut to a terminal of `width` by `height` characters.
pub(crate) fn lines(
    now: &Shown<'_>,
    status: &str,
    (width, height): (u16, u16),
    is_coloured: bool,
) -> Vec<String> {
    let render = |columns, is_coloured| {
        let table = summary::nodes(now.report, &now.rates, &now.times, Window::Ten, columns);
        table.render(Style { width: None, is_coloured })
    };
    let fits = |text: &str| text.lines().all(|line| line.chars().count() <= usize::from(width));
    // The widest table that fits is taken; it is measured without colours, which have no width.
    let wide = [Columns::All, Columns::More].into_iter().find(|columns| fits(&render(*columns, false)));
    let columns = wide.unwrap_or(Columns::Few);
    let text = render(columns, is_coloured);
    let mut lines = vec![head(now, status)];
    lines.extend(text.lines().map(String::from));
    // The cursor stands below the last line.
    let room = usize::from(height).saturating_sub(1).max(1);
    if lines.len() > room {
        // The line with the number takes the place of one more node.
        let hidden = lines.len() - room + 1;
        lines.truncate(room.saturating_sub(1).max(1));
        lines.push(format!("... and {hidden} more nodes: make the window higher to see them"));
    }
    lines.iter().map(|line| cut(line, usize::from(width))).collect()
}

fn head(now: &Shown<'_>, status: &str) -> String {
    let pool = &now.report.pool;
    format!(
        "{status} {:.1} s   CPU {} %   memory {} of {}   lost {}",
        now.report.elapsed_ns as f64 / 1e9,
        percent(now.run.cpu_percent),
        bytes(pool.used_bytes as u64),
        bytes(pool.limit_bytes as u64),
        lost(now),
    )
}

/// `80, losing now: queue full on cam.out -> end.in, 0.2 s ago`.
fn lost(now: &Shown<'_>) -> String {
    match now.losses.standing {
        Standing::Nothing => "0".into(),
        _ => format!("{}, {}", now.losses.sums.unintended, now.losses.describe(now.report)),
    }
}

/// One line about the run, for logs.
pub(crate) fn line(now: &Shown<'_>) -> String {
    format!(
        "{:.1} s: {} frames ({}/s), queued {}, CPU {} %, lost {}{}",
        now.report.elapsed_ns as f64 / 1e9,
        frames_of_sources(now.report),
        rate(Some(now.run.hz)),
        now.report.nodes.iter().map(|n| n.queued).sum::<u64>(),
        percent(now.run.cpu_percent),
        lost(now),
        losers(now),
    )
}

/// The nodes that lose most.
fn losers(now: &Shown<'_>) -> String {
    let nodes = now.report.nodes.iter().zip(&now.losses.nodes);
    let lost = nodes.map(|(node, losses)| (losses.unintended(), &*node.name));
    let mut losers: Vec<(u64, &str)> = lost.filter(|(lost, _)| *lost > 0).collect();
    losers.sort_by_key(|(lost, _)| std::cmp::Reverse(*lost));
    // A line of a log has room for a few names.
    losers.truncate(3);
    match losers.len() {
        0 => String::new(),
        _ => {
            let listed: Vec<String> = losers.iter().map(|(lost, name)| format!("{name} {lost}")).collect();
            format!(" ({})", listed.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::report::rates::since_start;

    fn shown<'a>(report: &'a Report, losses: &'a LossBook) -> Shown<'a> {
        let (rates, run) = since_start(report);
        let times = report.nodes.iter().map(NodeTimes::since_start).collect();
        Shown { report, run, rates, times, losses }
    }

    #[test]
    fn the_table_fits_the_terminal() {
        let report = fixture::report(2);
        let losses = LossBook::of(&report);
        let now = shown(&report, &losses);
        let lines = |status, size, is_coloured| lines(&now, status, size, is_coloured);
        let all = lines("running", (200, 50), false);
        assert_eq!(all.len(), 5);
        let lost = "lost 80, has lost: queue full on cam.out -> end.in, 0.0 s ago";
        assert_eq!(all[0], format!("running 2.0 s   CPU 80 %   memory 0 B of 64.0 MiB   {lost}"));
        assert!(all[2].contains("10s") && all[4].starts_with("end    150 "), "{all:?}");
        let usual = lines("running", (80, 24), false);
        assert!(usual[1].ends_with("lost (intended)") && !usual[1].contains("p50"), "{}", usual[1]);
        let narrow = lines("running", (20, 50), true);
        assert!(narrow.iter().all(|l| l.chars().filter(|c| *c != '\x1b').count() <= 20 + 20), "{narrow:?}");
        let low = lines("running", (200, 5), false);
        assert_eq!(low.len(), 4);
        assert_eq!(low[3], "... and 2 more nodes: make the window higher to see them");
        assert_eq!(lines("running", (0, 0), false).join(""), "");
    }

    #[test]
    fn redrawing_goes_back_over_what_was_drawn() {
        let (mut table, mut out) = (LiveTable::default(), Vec::new());
        table.draw(&mut out, &["a".into(), "b".into()]);
        assert!(!String::from_utf8(out.clone()).unwrap().contains("\x1b[2F"));
        out.clear();
        table.draw(&mut out, &["c".into()]);
        assert!(String::from_utf8(out.clone()).unwrap().contains("\x1b[2Fc"));
        out.clear();
        table.erase(&mut out);
        table.erase(&mut out);
        assert_eq!(String::from_utf8(out).unwrap().matches("\x1b[1F").count(), 1);
    }

    #[test]
    fn a_line_names_the_losers() {
        let report = Report { finished: false, ..fixture::report(2) };
        let losses = LossBook::of(&report);
        let text = line(&shown(&report, &losses));
        let lost = "80, losing now: queue full on cam.out -> end.in, 0.0 s ago (end 80)";
        assert_eq!(text, format!("2.0 s: 400 frames (200/s), queued 0, CPU 80 %, lost {lost}"));
    }
}
