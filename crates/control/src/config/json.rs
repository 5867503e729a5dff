//! Problems as programs read them.

use serde_json::{Value, json};

use super::error::{Problem, Problems};

impl Problems {
    /// A list with an object for each problem: its place, its sentence and its code, and what else is known; else `null`.
    ///
    /// ```
    /// let text = "nodes:\n  sink: {type: nul, from: source}\n";
    /// let problems = livetime_control::config::parse("p.yaml", text, livetime_nodes::ALL, &[]).unwrap_err();
    /// assert_eq!(problems.json()[0]["code"], "unknown_type");
    /// ```
    pub fn json(&self) -> Value {
        self.list.iter().map(|problem| self.one(problem)).collect()
    }

    fn one(&self, problem: &Problem) -> Value {
        json!({
            "file": problem.at.map(|_| &self.file),
            "line": problem.at.map(|at| at.line),
            "column": problem.at.map(|at| at.column),
            "message": problem.to_string(),
            "code": problem.code(),
            "node": problem.node(),
            "key": problem.key(),
            "wanted": problem.wanted(),
            "found": problem.found(),
            "hint": problem.hint(),
        })
    }
}
