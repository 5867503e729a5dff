//! How long functions and files are, tests left out.

use crate::source::{self, Source};

/// The most lines: of half of the functions, of nine in ten functions, of nine in ten files.
const MEDIAN_FUNCTION: usize = 6;
const NINE_IN_TEN_FUNCTIONS: usize = 25;
const NINE_IN_TEN_FILES: usize = 400;
/// Past this a function is asked whether it is still one thing.
const LONGEST_FUNCTION: usize = 60;

/// The lengths of all functions and files as a text; lengths past a limit become problems.
pub(crate) fn check(sources: &[Source], problems: &mut Vec<String>) -> String {
    let mut files: Vec<usize> = sources.iter().map(|source| source.code.lines().count()).collect();
    let mut functions = Vec::new();
    for source in sources {
        for Function { name, line, lines } in functions_of(&source.code) {
            functions.push(lines);
            if lines > LONGEST_FUNCTION {
                let place = format!("{}:{line}: `{name}`", source.name);
                problems.push(format!(
                    "{place}: {lines} lines; is it still one thing? The limit is {LONGEST_FUNCTION}"
                ));
            }
        }
    }
    functions.sort_unstable();
    files.sort_unstable();
    let numbers = [
        ("half of the functions", at(&functions, 50), MEDIAN_FUNCTION),
        ("nine in ten functions", at(&functions, 90), NINE_IN_TEN_FUNCTIONS),
        ("nine in ten files", at(&files, 90), NINE_IN_TEN_FILES),
    ];
    for (which, lines, limit) in numbers.iter().filter(|(_, lines, limit)| lines > limit) {
        problems.push(format!("{which} have up to {lines} lines; the limit is {limit}"));
    }
    let [half, most, most_files] = numbers.map(|(_, lines, _)| lines);
    format!(
        "{} functions: half up to {half} lines, nine in ten up to {most}; nine in ten files up to {most_files}",
        functions.len()
    )
}

fn at(sorted: &[usize], percent: usize) -> usize {
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}

struct Function {
    name: String,
    line: usize,
    /// From its name to the end of its block.
    lines: usize,
}

fn functions_of(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = code[from..].find("fn ").map(|at| from + at) {
        from = start + 3;
        // Else it is the end of a longer word.
        let is_word = !code[..start].ends_with(|c: char| c == '_' || c.is_alphanumeric());
        let rest = &code[from..];
        let function = &rest[..source::item_length(rest)];
        let name = source::words(function).next().unwrap_or_default();
        // A declaration without a block has no length.
        if is_word && function.starts_with(name) && function.ends_with('}') {
            let (name, line) = (name.to_owned(), source::line_of(code, start));
            found.push(Function { name, line, lines: function.lines().count() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_with_their_lengths() {
        let code = "fn a() {}\ntrait T {\n    fn b(&self, x: [u8; 2]);\n    fn c(x: [u8; 2]) -> u8\n    where u8: Copy,\n    {\n        x[0]\n    }\n}";
        let found: Vec<_> = functions_of(code).into_iter().map(|f| (f.name, f.line, f.lines)).collect();
        assert_eq!(found, [("a".into(), 1, 1), ("c".into(), 4, 5)]);
    }

    #[test]
    fn long_functions_are_problems() {
        let long = format!("fn f() {{\n{}}}", "    g();\n".repeat(LONGEST_FUNCTION));
        let source = Source { name: "crates/x/src/a.rs".into(), module: "crates/x/src/a".into(), code: long };
        let mut problems = Vec::new();
        let said = check(&[source], &mut problems);
        assert!(problems[0].contains("`f`: 62 lines"), "{problems:?}");
        // Half of one function is the function.
        assert!(said.starts_with("1 functions: half up to 62"), "{said}");
        assert_eq!(problems.len(), 3, "{problems:?}");
    }
}
