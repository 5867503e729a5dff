//! `cargo xtask picture`: the README's picture, made of what `livetime run` shows on a terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

const FILE: &str = "docs/images/live-table.svg";
/// Runs the program on a terminal of this size, which `script` makes. `LIVETIME` names one that is built already.
const SHOW: &str = "stty cols 140 rows 40; TERM=xterm-256color \
                    ${LIVETIME:-cargo run --quiet --release --package livetime --} \
                    run --duration 6s --set detector.acquire_period=5ms --no-pva";

/// Begin and end of what is drawn at once.
const DRAWN: [&str; 2] = ["\x1b[?2026h", "\x1b[?2026l"];

/// A monospaced character and a line, in px.
const CHARACTER: f64 = 8.43;
const LINE: f64 = 19.0;
const MARGIN: f64 = 16.0;

pub(crate) fn run(root: &Path) -> Result<String, String> {
    let mut script = Command::new("script");
    let output = script.args(["-qec", SHOW, "/dev/null"]).current_dir(root).output();
    let output = output.map_err(|e| format!("script: {e}: it is in the package bsdutils or util-linux"))?;
    let shown = String::from_utf8_lossy(&output.stdout);
    let table = last_table(&shown).ok_or_else(|| format!("no table was drawn:\n{shown}"))?;
    fs::write(root.join(FILE), svg(table)).map_err(|e| format!("{FILE}: {e}"))?;
    Ok(format!("{FILE} is made"))
}

/// The last thing drawn that is more than an empty place.
fn last_table(shown: &str) -> Option<&str> {
    let drawn = shown.split(DRAWN[0]).skip(1).filter_map(|part| part.split(DRAWN[1]).next());
    drawn.filter(|text| text.contains("node ")).last()
}

fn svg(table: &str) -> String {
    let lines: Vec<Vec<Piece>> = table.lines().map(pieces).filter(|line| !line.is_empty()).collect();
    let columns = lines.iter().map(|line| line.iter().map(|p| p.text.chars().count()).sum::<usize>()).max();
    let (width, height) =
        (columns.unwrap_or(0) as f64 * CHARACTER + 2.0 * MARGIN, lines.len() as f64 * LINE + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"ui-monospace, \
         SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <title>livetime run</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1f2328\"/>\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN + LINE * (number as f64 + 0.75);
        let mut column = 0;
        for piece in line {
            let length = piece.text.chars().count();
            let x = MARGIN + column as f64 * CHARACTER;
            column += length;
            if piece.text.trim().is_empty() {
                continue;
            }
            svg += &format!(
                "<text xml:space=\"preserve\" x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{:.1}\" fill=\"{}\">{}</text>\n",
                length as f64 * CHARACTER,
                piece.colour,
                piece.text.replace('&', "&amp;").replace('<', "&lt;")
            );
        }
    }
    svg + "</svg>\n"
}

/// Text of one colour.
#[derive(Debug, PartialEq)]
struct Piece {
    colour: &'static str,
    text: String,
}

const PLAIN: &str = "#d1d7e0";

/// A line of a terminal; sequences that are no colours are left out.
fn pieces(line: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut colour = PLAIN;
    for (number, part) in line.trim_end_matches('\r').split('\x1b').enumerate() {
        let mut text = part;
        if number > 0 {
            let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(part.len().saturating_sub(1));
            if part.as_bytes().get(end) == Some(&b'm') {
                colour = colour_of(part[..end].trim_start_matches('['), colour);
            }
            text = part.get(end + 1..).unwrap_or_default();
        }
        if !text.is_empty() {
            pieces.push(Piece { colour, text: text.into() });
        }
    }
    pieces
}

fn colour_of(codes: &str, now: &'static str) -> &'static str {
    codes.split(';').fold(now, |now, code| match code {
        "" | "0" | "39" | "22" => PLAIN,
        "31" | "91" => "#f47067",
        "32" | "92" => "#57ab5a",
        "33" | "93" => "#c69026",
        "34" | "94" => "#539bf5",
        "36" | "96" => "#39c5cf",
        "2" | "90" => "#768390",
        "1" => "#ffffff",
        _ => now,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_table_is_taken_and_coloured() {
        let shown = "\x1b[?2026h\x1b[3Fnode  a\r\n\x1b[?2026lx\x1b[?2026hnode  b\x1b[31m<9>\x1b[0m\x1b[K\r\n\x1b[?2026l\
                     \x1b[?2026h\x1b[J\x1b[?2026l";
        let table = last_table(shown).unwrap();
        let piece = |colour, text: &str| Piece { colour, text: text.into() };
        assert_eq!(pieces(table.lines().next().unwrap()), [piece(PLAIN, "node  b"), piece("#f47067", "<9>")]);
        let svg = svg(table);
        assert!(svg.contains(">&lt;9></text>") && svg.contains("x=\"75.0\""), "{svg}");
    }
}
