//! The block `web` of a pipeline file: whether and how the page of the run is served.

use super::pvaccess::YES_NO;
use super::read::Reader;
use super::yaml::Item;
use crate::access::access_of;
use crate::web::{Options, address};

/// Keys of the block.
pub(crate) const WEB_KEYS: &[&str] =
    &["enabled", "address", "hosts", "readers", "control", "files", "token_file"];
/// Names for who may make changes: whether all at the same time.
const CONTROL: [(bool, &str); 2] = [(false, "one"), (true, "open")];

impl Reader {
    pub(super) fn web(&mut self, item: &Item) -> Options {
        let mut options = Options::default();
        for (key, value) in self.entries(item, "`web`", WEB_KEYS) {
            self.web_option(&mut options, &key.text, value);
        }
        options
    }

    fn web_option(&mut self, options: &mut Options, key: &str, value: &Item) {
        match key {
            "enabled" => options.enabled = self.choice(value, key, &YES_NO).unwrap_or(options.enabled),
            "address" => {
                let Some(name) = self.name(value, key) else { return };
                match address(&name.text) {
                    Ok(found) => options.address = found,
                    Err(message) => self.problem(value.at, format!("`address`: {message}")),
                }
            }
            "hosts" => options.hosts = self.texts(value, key, "a name", |text| Some(text.to_owned())),
            "readers" => {
                let texts = self.texts(value, key, "a text", |text| Some(text.to_owned()));
                match access_of(texts.iter().map(String::as_str)) {
                    Ok(access) => options.readers = access,
                    Err(message) => self.problem(value.at, format!("`{key}`: {message}")),
                }
            }
            "control" => options.is_open = self.choice(value, key, &CONTROL).unwrap_or(options.is_open),
            "files" => options.files = self.texts(value, key, "a folder", |text| Some(text.into())),
            _ => options.token_file = self.name(value, key).map(|name| name.text.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::read;

    #[test]
    fn all_options_are_read_and_mistakes_are_told() {
        let text = |options: &str| format!("web: {{{options}}}\nnodes: {{a: {{type: x}}}}");
        let (file, problems) = read(&text(
            "enabled: false, address: 8100, hosts: [daq7, a.b], readers: [10.1.2.0/24, local], control: open, \
             files: [/data, runs], token_file: t.txt",
        ));
        assert_eq!(problems, []);
        let options = file.unwrap().web.unwrap();
        assert_eq!((options.enabled, options.is_open), (false, true));
        assert_eq!(options.address.to_string(), "127.0.0.1:8100");
        assert_eq!(options.readers.rules.len(), 2);
        assert_eq!(options.files, [std::path::PathBuf::from("/data"), "runs".into()]);
        assert_eq!((options.hosts.len(), options.token_file), (2, Some("t.txt".into())));
        for (options, wanted) in [
            ("adress: 1", "did you mean `address`"),
            ("address: here", "`address`: wanted PORT"),
            ("readers: [everybody]", "`readers`: wanted local, loopback, any"),
            ("control: all", "`control`: wanted one of one, open"),
            ("enabled: maybe", "`enabled`"),
            ("files: {a: b}", "`files`"),
        ] {
            let (_, problems) = read(&text(options));
            assert!(problems.iter().any(|p| p.message.contains(wanted)), "{options}: {problems:?}");
        }
    }
}
