//! Keys of the two ends of a link, in files.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crypto_box::aead::OsRng;
use crypto_box::{PublicKey, SecretKey};

use crate::z85;

/// The files of a folder of keys: each has one key as text (Z85), as other programs with ZeroMQ write it.
const SECRET: &str = "secret.key";
const PUBLIC: &str = "public.key";
const PEER: &str = "peer.key";

/// More than a key and the end of its line is no key.
const MAX_FILE_BYTES: u64 = 256;

/// The secret key of one end, and the public key of its only peer.
#[derive(Clone)]
pub struct Keys {
    pub(crate) own: SecretKey,
    pub(crate) peer: PublicKey,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys {{ peer: {} }}", z85::encode(self.peer.as_bytes()))
    }
}

impl Keys {
    /// Reads `secret.key`, which no other user may read, and `peer.key` of a folder.
    ///
    /// # Errors
    /// [`KeyError`] names the file.
    pub fn read(folder: &Path) -> Result<Keys, KeyError> {
        let secret = folder.join(SECRET);
        let mode = fs::metadata(&secret).map_err(|e| KeyError::io(&secret, e))?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyError::wanted(
                &secret,
                "a file that its owner alone can read (mode 600)",
                format!("{mode:o}"),
            ));
        }
        Ok(Keys { own: read(&secret)?.into(), peer: read(&folder.join(PEER))?.into() })
    }
}

/// Makes a pair of keys in each of the two folders, and gives each folder the public key of the other one. With them the two
/// ends of one link know each other. Folders are made (mode 700); files that are there stay, and are an error.
///
/// # Errors
/// [`KeyError`] names the file.
pub fn create(folders: [&Path; 2]) -> Result<(), KeyError> {
    let secrets = folders.map(|_| SecretKey::generate(&mut OsRng));
    for (folder, name) in folders.iter().flat_map(|folder| [SECRET, PUBLIC, PEER].map(|name| (folder, name)))
    {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(KeyError::wanted(&path, "no such file", "one".to_owned()));
        }
    }
    for (folder, own, peer) in [(folders[0], 0, 1), (folders[1], 1, 0)] {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|e| KeyError::io(folder, e))?;
        write(&folder.join(SECRET), &secrets[own].to_bytes(), 0o600)?;
        write(&folder.join(PUBLIC), secrets[own].public_key().as_bytes(), 0o644)?;
        write(&folder.join(PEER), secrets[peer].public_key().as_bytes(), 0o644)?;
    }
    Ok(())
}

fn write(path: &Path, key: &[u8; z85::KEY_BYTES], mode: u32) -> Result<(), KeyError> {
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{}", z85::encode(key)));
    written.map_err(|e| KeyError::io(path, e))
}

fn read(path: &Path) -> Result<[u8; z85::KEY_BYTES], KeyError> {
    let mut text = String::new();
    let file = fs::File::open(path).map_err(|e| KeyError::io(path, e))?;
    let read = io::Read::read_to_string(&mut io::Read::take(file, MAX_FILE_BYTES), &mut text);
    read.map_err(|e| KeyError::io(path, e))?;
    // The text itself may be a secret, so the error does not show it.
    let found = format!("{} characters", text.trim_end().chars().count());
    let wanted = format!("a key of {} characters (Z85)", z85::KEY_LETTERS);
    z85::decode(text.trim_end()).ok_or_else(|| KeyError::wanted(path, &wanted, found))
}

/// A file without the key that it should have.
#[derive(Debug)]
pub struct KeyError {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Io(io::Error),
    Wanted { wanted: String, found: String },
}

impl KeyError {
    fn io(path: &Path, error: io::Error) -> KeyError {
        KeyError { path: path.to_owned(), kind: Kind::Io(error) }
    }

    fn wanted(path: &Path, wanted: &str, found: String) -> KeyError {
        KeyError { path: path.to_owned(), kind: Kind::Wanted { wanted: wanted.to_owned(), found } }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            Kind::Io(e) => e.fmt(f),
            Kind::Wanted { wanted, found } => write!(f, "wanted {wanted}, found {found}"),
        }
    }
}

impl std::error::Error for KeyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Kind::Io(e) = &self.kind { Some(e) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::{Keys, create};

    #[test]
    fn two_folders_know_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        create([&one, &other]).unwrap();
        let [a, b] = [&one, &other].map(|folder| Keys::read(folder).unwrap());
        assert!(a.own.public_key() == b.peer && b.own.public_key() == a.peer && a.peer != b.peer);
        let mode = |name| fs::metadata(one.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("secret.key"), 0o600);
        assert!(
            create([&one, &folder.path().join("third")])
                .unwrap_err()
                .to_string()
                .contains("wanted no such file")
        );
        assert!(!folder.path().join("third").exists());
        fs::set_permissions(one.join("secret.key"), fs::Permissions::from_mode(0o640)).unwrap();
        assert!(Keys::read(&one).unwrap_err().to_string().contains("found 640"));
        fs::write(other.join("peer.key"), "no key\n").unwrap();
        let error = Keys::read(&other).unwrap_err().to_string();
        assert!(error.contains("peer.key") && error.contains("found 6 characters"), "{error}");
        assert!(!format!("{a:?}").contains(fs::read_to_string(one.join("secret.key")).unwrap().trim()));
    }
}
