//! The query of an address, behind `?`.

use std::collections::BTreeMap;

use crate::wrong::Wrong;

/// The parts of a query by name. Of equal names the last one counts.
#[derive(Default, Debug)]
pub(crate) struct Query(BTreeMap<String, String>);

impl Query {
    /// Reads `a=1&b=2`, with `%xx` and `+`.
    pub(crate) fn new(text: Option<&str>) -> Query {
        let parts = text.unwrap_or_default().split('&').filter(|part| !part.is_empty());
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name), decoded(value))
        };
        Query(parts.map(pair).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A number, if the query has one of this name.
    ///
    /// # Errors
    /// When it is something else.
    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Wrong> {
        let wrong = |text: &str| Wrong::new("a number").at(name).found(format_args!("`{text}`"));
        let parse = |text: &str| text.parse().map_err(|_| wrong(text));
        self.get(name).map(parse).transpose()
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok()).filter(|code| !code.starts_with('+'));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read() {
        let query = Query::new(Some("from=cam.out&as=npy&x=%31%2C+2&bad=%zz%&&flag&n=-7"));
        assert_eq!(
            (query.get("from"), query.get("x"), query.get("flag")),
            (Some("cam.out"), Some("1, 2"), Some(""))
        );
        assert_eq!((query.get("bad"), query.get("missing")), (Some("%zz%"), None));
        assert_eq!((query.number::<i64>("n"), query.number::<u64>("missing")), (Ok(Some(-7)), Ok(None)));
        assert!(query.number::<u64>("n").is_err());
        assert!(Query::new(None).get("a").is_none());
    }
}
