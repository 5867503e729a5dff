//! The person for whom a host asks another one, as a header of the request names them.

use std::net::SocketAddr;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use livetime_control::rules::May;
use serde_json::{Value, json};

use crate::error::Error;

/// Names the person. Believed only beside the token.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("livetime-for");

/// Letters of a host's name, and of its name for a person.
const LONGEST: usize = 80;

/// A person at the page of another host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Person {
    /// The host.
    pub(crate) host: String,
    /// Its name for them, which tells two persons apart.
    pub(crate) who: String,
    /// Their name for the log.
    pub(crate) user: String,
    /// From where they came to the host.
    pub(crate) from: SocketAddr,
    /// Their right there.
    pub(crate) may: May,
}

impl Person {
    /// The person that a request is for, if it names one.
    ///
    /// # Errors
    /// 400 for anything else in the header.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Person>, Error> {
        let mut given = headers.get_all(HEADER).iter();
        let (Some(text), next) = (given.next(), given.next()) else { return Ok(None) };
        let person = Person::read(text.as_bytes()).filter(|_| next.is_none());
        person.map(Some).ok_or_else(|| {
            Error::bad(format!("wanted one person in `{HEADER}`, as hosts of a graph write it"))
        })
    }

    fn read(bytes: &[u8]) -> Option<Person> {
        let json: Value = serde_json::from_slice(bytes).ok()?;
        let text = |key: &str| json[key].as_str().filter(|text| !text.chars().any(char::is_control));
        let word = |key: &str| text(key).filter(|word| is_word(word)).map(str::to_owned);
        let may = May::ALL.iter().find(|(_, name)| text("may") == Some(name))?.0;
        let from = text("from")?.parse().ok()?;
        Some(Person { host: word("host")?, who: word("who")?, user: text("user")?.to_owned(), from, may })
    }

    /// The value of the header; `None` for a person that none can name.
    pub(crate) fn value(&self) -> Option<HeaderValue> {
        let may = May::ALL.iter().find(|(may, _)| *may == self.may)?.1;
        let Person { host, who, user, from, .. } = self;
        let json = json!({ "host": host, "who": who, "user": user, "from": from.to_string(), "may": may });
        HeaderValue::from_bytes(json.to_string().as_bytes()).ok()
    }
}

/// As hosts are called, and as they call persons.
fn is_word(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !text.is_empty() && text.len() <= LONGEST && text.chars().all(fits)
}

/// The refusal of a person whom a caller without the token names.
pub(crate) fn unproven() -> Error {
    let message = format!("wanted the token beside `{HEADER}`: only hosts of the graph ask for others");
    Error::new(StatusCode::UNAUTHORIZED, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> Person {
        let (host, who, user) = ("workers.1".into(), "0a".into(), "Ada Å \"x\"".into());
        Person { host, who, user, from: "[::1]:5".parse().unwrap(), may: May::Read }
    }

    #[test]
    fn a_person_arrives_as_sent() {
        let headers = HeaderMap::from_iter([(HEADER, ada().value().unwrap())]);
        assert_eq!(Person::of(&headers).unwrap(), Some(ada()));
        assert_eq!(Person::of(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn anything_else_is_refused() {
        let whole = r#"{"from":"[::1]:5","host":"workers.1","may":"read","user":"","who":"0a"}"#;
        let mut twice = HeaderMap::from_iter([(HEADER, ada().value().unwrap())]);
        twice.append(HEADER, ada().value().unwrap());
        assert_eq!(Person::of(&twice).unwrap_err().status, 400);
        for (part, other) in [
            ("workers.1", "a b"),
            ("workers.1", ""),
            ("\"0a\"", "7"),
            ("[::1]:5", "here"),
            ("read", "all"),
            ("{", "["),
            ("\"may\"", "\"mai\""),
        ] {
            let text = whole.replacen(part, other, 1);
            let headers = HeaderMap::from_iter([(HEADER, HeaderValue::from_str(&text).unwrap())]);
            assert_eq!(Person::of(&headers).unwrap_err().status, 400, "{text}");
        }
    }
}
