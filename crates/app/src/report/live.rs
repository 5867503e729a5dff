//! What is shown while a run is going on: a table redrawn in place, or a line from time to time.

use std::io::Write;

use crossterm::cursor::MoveToPreviousLine;
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use livetime_engine::Report;

use super::losses::Losses;
use super::numbers::{bytes, percent, rate};
use super::rates::{Rates, RunRates, frames_of_sources};
use super::summary::{self, Columns};
use super::table::{Style, cut};

/// A table that is redrawn in place.
#[derive(Default)]
pub(crate) struct LiveTable {
    /// Lines that stand on the terminal now.
    drawn: u16,
}

impl LiveTable {
    /// Replaces what stands on the terminal by these lines. The terminal gets all of it at once, so that
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

/// The lines of the live table, cut to a terminal of `width` by `height` characters.
pub(crate) fn lines(
    now: &Report,
    (rates, run): (&[Rates], RunRates),
    status: &str,
    (width, height): (u16, u16),
    is_coloured: bool,
) -> Vec<String> {
    let render =
        |columns, is_coloured| summary::nodes(now, rates, columns).render(Style { width: None, is_coloured });
    let fits = |text: &str| text.lines().all(|line| line.chars().count() <= usize::from(width));
    let wide = [Columns::All, Columns::More].into_iter().find(|columns| fits(&render(*columns, false)));
    let columns = wide.unwrap_or(Columns::Few);
    let text = render(columns, is_coloured);
    let mut lines = vec![head(now, run, status)];
    lines.extend(text.lines().map(String::from));
    // The cursor stands below the last line.
    let room = usize::from(height).saturating_sub(1).max(1);
    if lines.len() > room {
        let hidden = lines.len() - room + 1;
        lines.truncate(room.saturating_sub(1).max(1));
        lines.push(format!("... and {hidden} more nodes: make the window higher to see them"));
    }
    lines.iter().map(|line| cut(line, usize::from(width))).collect()
}

fn head(now: &Report, rates: RunRates, status: &str) -> String {
    format!(
        "{status} {:.1} s   CPU {} %   memory {} of {}   lost {}",
        now.elapsed_ns as f64 / 1e9,
        percent(rates.cpu_percent),
        bytes(now.pool.used_bytes as u64),
        bytes(now.pool.limit_bytes as u64),
        now.unintended_losses(),
    )
}

/// One line about the run, for logs.
pub(crate) fn line(now: &Report, rates: RunRates) -> String {
    format!(
        "{:.1} s: {} frames ({}/s), queued {}, CPU {} %, lost {}{}",
        now.elapsed_ns as f64 / 1e9,
        frames_of_sources(now),
        rate(Some(rates.hz)),
        now.nodes.iter().map(|n| n.queued).sum::<u64>(),
        percent(rates.cpu_percent),
        now.unintended_losses(),
        losers(now),
    )
}

/// The nodes that lose most.
fn losers(report: &Report) -> String {
    let mut losers: Vec<(u64, &str)> = report
        .nodes
        .iter()
        .map(|n| (Losses::of_node(report, n).unintended(), &*n.name))
        .filter(|(lost, _)| *lost > 0)
        .collect();
    losers.sort_by_key(|(lost, _)| std::cmp::Reverse(*lost));
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

    #[test]
    fn the_table_fits_the_terminal() {
        let now = fixture::report(2);
        let (rates, run) = since_start(&now);
        let lines = |status, size, is_coloured| lines(&now, (&rates, run), status, size, is_coloured);
        let all = lines("running", (200, 50), false);
        assert_eq!(all.len(), 4);
        assert_eq!(all[0], "running 2.0 s   CPU 80 %   memory 0 B of 64.0 MiB   lost 80");
        assert!(all[3].starts_with("end    150 "), "{}", all[3]);
        let usual = lines("running", (80, 24), false);
        assert!(usual[1].ends_with("lost (intended)") && !usual[1].contains("p50"), "{}", usual[1]);
        let narrow = lines("running", (20, 50), true);
        assert!(narrow.iter().all(|l| l.chars().filter(|c| *c != '\x1b').count() <= 20 + 20), "{narrow:?}");
        let low = lines("running", (200, 4), false);
        assert_eq!(low.len(), 3);
        assert_eq!(low[2], "... and 2 more nodes: make the window higher to see them");
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
        let now = fixture::report(2);
        let text = line(&now, since_start(&now).1);
        assert_eq!(text, "2.0 s: 400 frames (200/s), queued 0, CPU 80 %, lost 80 (end 80)");
    }
}
