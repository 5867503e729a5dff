//! Addresses of objects.

use crate::error::ObjectError;

/// An address in parts: `s3://bucket/folder/name`, or `https://host:port/folder/name`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) kind: Kind,
    /// The bucket, or host and port.
    pub(crate) place: String,
    /// The way from there, without a slash at its beginning.
    pub(crate) key: String,
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
    /// If the text is no address, or has a query, which would be lost.
    pub(crate) fn parse(text: &str) -> Result<Address, ObjectError> {
        let refused =
            |found: String| Err(ObjectError::refused("s3://bucket/key or http(s)://host/path", found));
        let Some((scheme, rest)) = text.split_once("://") else { return refused(format!("`{text}`")) };
        let kind = match scheme {
            "s3" => Kind::S3,
            "http" => Kind::Http,
            "https" => Kind::Https,
            _ => return refused(format!("`{text}`")),
        };
        let (place, key) = rest.split_once('/').unwrap_or((rest, ""));
        if place.is_empty() {
            return refused(format!(
                "`{text}`, without a {}",
                if kind == Kind::S3 { "bucket" } else { "host" }
            ));
        }
        if kind != Kind::S3 && key.contains(['?', '#']) {
            return refused("an address with a query (`?`) or a mark (`#`)".to_owned());
        }
        if place.contains('@') {
            return refused("an address with a name or password".to_owned());
        }
        Ok(Address { kind, place: place.to_owned(), key: key.to_owned() })
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
        for wrong in ["s3:/a/b", "s3:///a", "ftp://a/b", "http://a/b?c", "https://me:secret@a/b", ""] {
            let error = Address::parse(wrong).unwrap_err().to_string();
            assert!(error.starts_with("wanted s3://bucket/key or http(s)://host/path, found "), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
