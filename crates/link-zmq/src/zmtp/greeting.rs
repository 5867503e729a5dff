//! The first bytes that both ends send.

use super::error::{ZmtpError, shown};

pub(crate) const GREETING_BYTES: usize = 64;

const VERSION: [u8; 2] = [3, 1];
/// Where the name of the mechanism lies, and whether this end is its server.
const MECHANISM: std::ops::Range<usize> = 12..32;
const AS_SERVER: usize = 32;

/// What a greeting says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Greeting {
    /// `NULL` or `CURVE`.
    pub(crate) mechanism: &'static str,
    pub(crate) as_server: bool,
}

impl Greeting {
    pub(crate) fn bytes(self) -> [u8; GREETING_BYTES] {
        let mut bytes = [0; GREETING_BYTES];
        (bytes[0], bytes[8], bytes[9]) = (0xff, 1, 0x7f);
        bytes[10..12].copy_from_slice(&VERSION);
        bytes[MECHANISM][..self.mechanism.len()].copy_from_slice(self.mechanism.as_bytes());
        bytes[AS_SERVER] = self.as_server.into();
        bytes
    }

    /// The peer must use the same mechanism. libzmq does not say whether it is the server: who listens is it.
    pub(crate) fn check_peer(self, peer: &[u8; GREETING_BYTES]) -> Result<(), ZmtpError> {
        if (peer[0], peer[9]) != (0xff, 0x7f) {
            return Err(ZmtpError::new("greeting", "the signature of ZMTP", shown(&peer[..10])));
        }
        if peer[10] < VERSION[0] {
            return Err(ZmtpError::new("version", "at least 3", peer[10]));
        }
        let name = peer[MECHANISM].split(|byte| *byte == 0).next().unwrap_or_default();
        if name != self.mechanism.as_bytes() {
            return Err(ZmtpError::new("security mechanism", self.mechanism, shown(name)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Greeting;

    #[test]
    fn both_ends_must_agree() {
        let null = Greeting { mechanism: "NULL", as_server: false };
        assert_eq!(null.check_peer(&null.bytes()), Ok(()));
        let server = Greeting { mechanism: "CURVE", as_server: true };
        let client = Greeting { mechanism: "CURVE", as_server: false };
        assert_eq!(server.check_peer(&client.bytes()), Ok(()));
        let error = server.check_peer(&null.bytes()).unwrap_err().to_string();
        assert!(error.contains("wanted CURVE, found NULL"), "{error}");
        let error = null.check_peer(&[b'G'; 64]).unwrap_err().to_string();
        assert!(error.contains("the signature of ZMTP"), "{error}");
        let mut old = null.bytes();
        old[10] = 1;
        assert!(null.check_peer(&old).unwrap_err().to_string().contains("found 1"));
    }
}
