//! Plain tables: columns, no lines, red cells for losses.

pub use comfy_table::Cell;
use comfy_table::{CellAlignment, Color, ContentArrangement, presets};

/// A table for a terminal or a file.
pub struct Table {
    table: comfy_table::Table,
}

/// How a table is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Texts are wrapped to this width; `None` lets lines be as long as they are.
    pub width: Option<u16>,
    /// Red cells are red.
    pub is_coloured: bool,
}

impl Table {
    /// A table with these headings.
    pub fn new(headings: &[&str]) -> Table {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_header(headings);
        table.column_iter_mut().for_each(|column| _ = column.set_padding((0, 2)));
        Table { table }
    }

    /// Adds a row.
    pub fn row<T: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.table.add_row(cells.into_iter().map(Into::into).collect::<Vec<Cell>>());
    }

    /// Numbers stand on the right of these columns.
    pub fn right(mut self, columns: impl IntoIterator<Item = usize>) -> Table {
        for column in columns {
            if let Some(column) = self.table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The text, with a line end behind every line and no blanks before it.
    pub fn render(mut self, style: Style) -> String {
        if let Some(width) = style.width {
            self.table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        match style.is_coloured {
            true => self.table.enforce_styling(),
            false => self.table.force_no_tty(),
        };
        self.table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

/// A cell that is red if `is_bad`.
pub fn cell(text: String, is_bad: bool) -> Cell {
    if is_bad { Cell::new(text).fg(Color::Red) } else { Cell::new(text) }
}

/// The first `width` characters of a line; escape sequences take no room and are kept.
pub fn cut(line: &str, width: usize) -> String {
    let mut out = String::new();
    let (mut shown, mut in_escape) = (0, false);
    for c in line.chars() {
        let is_escape = in_escape || c == '\x1b';
        in_escape = is_escape && !c.is_ascii_alphabetic();
        shown += usize::from(!is_escape);
        if is_escape || shown <= width {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_columns() {
        let mut table = Table::new(&["name", "n"]).right([1]);
        table.row([cell("abc".into(), false), cell("12".into(), true)]);
        table.row([cell("d".into(), false), cell("3".into(), false)]);
        assert_eq!(table.render(Style::default()), "name   n\nabc   12\nd      3\n");
    }

    #[test]
    fn escape_sequences_take_no_room() {
        assert_eq!(cut("abcdef", 3), "abc");
        assert_eq!(cut("ab\x1b[31mcd\x1b[0mef", 3), "ab\x1b[31mc\x1b[0m");
        assert_eq!(cut("ab", 3), "ab");
    }
}
