//! Addresses of objects.

use std::fmt;

use crate::error::ObjectError;

/// An address in parts: `s3://bucket/folder/name`, or `https://host:port/folder/name`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) kind: Kind,
    /// The bucket, or host and port.
    pub(crate) place: String,
    /// The way from there, without a slash at its beginning.
    pub(crate) key: String,
    /// Behind the `?` of an address of http: a signature, as a rule.
    pub(crate) query: Option<Secret>,
}

/// A text that no message shows.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    S3,
    Http,
    Https,
}

impl Kind {
    pub(crate) fn scheme(self) -> &'static str {
        match self {
            Kind::S3 => "s3",
            Kind::Http => "http",
            Kind::Https => "https",
        }
    }
}

impl Address {
    /// # Errors
    /// If the text is no address, or has a name, a password or a mark.
    pub(crate) fn parse(text: &str) -> Result<Address, ObjectError> {
        let refused =
            |found: String| Err(ObjectError::refused("s3://bucket/key or http(s)://host/path", found));
        // A text that is refused is shown, but for a signature.
        let shown = text.split('?').next().unwrap_or_default();
        let Some((scheme, rest)) = text.split_once("://") else { return refused(format!("`{shown}`")) };
        let kind = match scheme {
            "s3" => Kind::S3,
            "http" => Kind::Http,
            "https" => Kind::Https,
            _ => return refused(format!("`{shown}`")),
        };
        let (rest, query) = match rest.split_once('?') {
            // A key of a bucket may have any sign.
            Some((rest, query)) if kind != Kind::S3 => (rest, Some(Secret(query.to_owned()))),
            _ => (rest, None),
        };
        let (place, key) = rest.split_once('/').unwrap_or((rest, ""));
        if place.is_empty() {
            return refused(format!(
                "`{shown}`, without a {}",
                if kind == Kind::S3 { "bucket" } else { "host" }
            ));
        }
        let has_mark = query.as_ref().is_some_and(|Secret(query)| query.contains('#'));
        if has_mark || kind != Kind::S3 && key.contains('#') {
            return refused("an address with a mark (`#`)".to_owned());
        }
        if place.contains('@') {
            return refused("an address with a name or password".to_owned());
        }
        Ok(Address { kind, place: place.to_owned(), key: key.to_owned(), query })
    }

    /// The address without its query.
    pub(crate) fn plain(&self) -> String {
        self.with_key(&self.key)
    }

    /// The address of another key beside this one's.
    pub(crate) fn with_key(&self, key: &str) -> String {
        format!("{}://{}/{key}", self.kind.scheme(), self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_parts() {
        let address = Address::parse("s3://runs/2026/a.xtc").unwrap();
        assert_eq!((address.kind, &*address.place, &*address.key), (Kind::S3, "runs", "2026/a.xtc"));
        assert_eq!(address.with_key("b"), "s3://runs/b");
        let address = Address::parse("http://127.0.0.1:8000/a.xtc").unwrap();
        assert_eq!((address.kind, &*address.place, &*address.key), (Kind::Http, "127.0.0.1:8000", "a.xtc"));
        let signed = Address::parse("https://host/day/a.xtc?X-Amz-Signature=secret&b=c/d").unwrap();
        assert_eq!((&*signed.key, signed.plain()), ("day/a.xtc", "https://host/day/a.xtc".to_owned()));
        assert_eq!(signed.query, Some(Secret("X-Amz-Signature=secret&b=c/d".to_owned())));
        assert!(!format!("{signed:?}").contains("Amz"));
        let key = Address::parse("s3://runs/a?b").unwrap();
        assert_eq!((&*key.key, key.query), ("a?b", None));
        for wrong in [
            "s3:/a/b",
            "s3:///a",
            "ftp://a/b?secret",
            "http://a/b#c",
            "http://a/b?secret#c",
            "http:/?secret",
            "http://?secret",
            "https://me:secret@a/b",
            "https://me:secret@a/b?secret",
            "",
        ] {
            let error = Address::parse(wrong).unwrap_err().to_string();
            assert!(error.starts_with("wanted s3://bucket/key or http(s)://host/path, found "), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
