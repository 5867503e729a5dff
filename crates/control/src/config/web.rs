//! The block `web` of a pipeline file: whether and how the page of the run is served.

use super::error::{Part, ProblemKind};
use super::pvaccess::YES_NO;
use super::read::Reader;
use super::yaml::{Data, Item};
use crate::access::{Host, access_of};
use crate::rules::{Grant, May, Whom, host};
use crate::web::{Options, address};
use crate::wrong_text::WrongText;

/// Keys of the block.
pub(crate) const WEB_KEYS: &[&str] = &[
    "enabled",
    "address",
    "hosts",
    "readers",
    "rules",
    "proxies",
    "user_header",
    "control",
    "files",
    "token_file",
];
/// Keys of a rule.
const RULE_KEYS: &[&str] = &["user", "host", "may"];
/// Headers that mean something else, or that pages can set.
const OTHER_HEADERS: [&str; 8] = [
    "authorization",
    "content-type",
    "content-length",
    "cookie",
    "host",
    "livetime-user",
    "origin",
    "upgrade",
];
/// Names for who may make changes: whether all at the same time.
const CONTROL: [(bool, &str); 2] = [(false, "one"), (true, "open")];

impl Reader {
    pub(super) fn web(&mut self, item: &Item) -> Options {
        let mut options = Options::default();
        for (key, value) in self.entries(item, "`web`", WEB_KEYS) {
            self.web_option(&mut options, &key.text, value);
        }
        if let Err(error) = options.rules.check(&options.hosts) {
            self.problem(item.at, Part::Key("rules".into()), ProblemKind::Rules(error));
        }
        options
    }

    fn web_option(&mut self, options: &mut Options, key: &str, value: &Item) {
        match key {
            "enabled" => options.enabled = self.choice(value, key, &YES_NO).unwrap_or(options.enabled),
            "address" => {
                // `name` has reported the problem.
                let Some(name) = self.name(value, key) else { return };
                match address(&name.text) {
                    Ok(found) => options.address = found,
                    Err(error) => self.wrong_text(value.at, key, error),
                }
            }
            "hosts" => options.hosts = self.texts(value, key, "a name", |text| Some(text.to_owned())),
            "readers" => {
                let texts = self.texts(value, key, "a text", |text| Some(text.to_owned()));
                match access_of(texts.iter().map(String::as_str)) {
                    Ok(access) => options.readers = access,
                    Err(error) => self.wrong_text(value.at, key, error),
                }
            }
            "rules" => options.rules.grants = self.grants(value),
            "proxies" => {
                let texts =
                    self.texts(value, key, PROXY, |text| host(text).ok().filter(|host| *host != Host::Any));
                options.rules.proxies = texts;
            }
            "user_header" => {
                let Some(name) = self.name(value, key) else { return };
                match header(&name.text) {
                    Some(header) => options.rules.header = header,
                    None => self.wrong_text(value.at, key, WrongText::new(HEADER, name.text)),
                }
            }
            "control" => options.is_open = self.choice(value, key, &CONTROL).unwrap_or(options.is_open),
            "files" => options.files = self.texts(value, key, "a folder", |text| Some(text.into())),
            // `entries` lets only known keys pass: this one is `token_file`.
            _ => options.token_file = self.name(value, key).map(|name| name.text.into()),
        }
    }

    fn grants(&mut self, item: &Item) -> Vec<Grant> {
        match &item.data {
            Data::List(items) => items.iter().filter_map(|item| self.grant(item)).collect(),
            _ => {
                self.wrong(item, "rules", "a list, as [{user: ada, may: write}]");
                Vec::new()
            }
        }
    }

    /// A rule without a user is for everybody, a rule without a host for all hosts.
    fn grant(&mut self, item: &Item) -> Option<Grant> {
        let (mut whom, mut at, mut may) = (Some(Whom::Everybody), Some(Host::Any), None);
        let known = self.problems.len();
        for (key, value) in self.entries(item, "a rule", RULE_KEYS) {
            match &*key.text {
                "user" => whom = self.name(value, "user").map(|name| whom_of(name.text)),
                "host" => at = self.texts(value, "host", HOST, |text| host(text).ok()).into_iter().next(),
                _ => may = self.choice(value, "may", &May::ALL),
            }
        }
        // A wrong `may` was reported already.
        if may.is_none() && self.problems.len() == known {
            let wanted = "`may: none`, `may: read` or `may: write` in a rule";
            self.missing(item.at, Part::Whole, wanted);
        }
        Some(Grant { whom: whom?, host: at?, may: may? })
    }
}

const HEADER: &str = "a header that nothing else uses, as X-Forwarded-User";
const HOST: &str = "local, loopback, any, an address, or a network as 10.1.2.0/24";
const PROXY: &str = "local, loopback, an address, or a network as 10.1.2.0/24";

fn whom_of(name: String) -> Whom {
    if name == "*" { Whom::Named } else { Whom::User(name) }
}

/// The name of a header, in small letters.
fn header(text: &str) -> Option<String> {
    let name = text.to_ascii_lowercase();
    let fits = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_free = !OTHER_HEADERS.contains(&&*name) && !name.starts_with("sec-");
    (fits && is_free).then_some(name)
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
            ("rules: {may: read}", "`rules`: wanted a list"),
            ("rules: [read]", "for a rule, found"),
            ("rules: [{user: ada}], proxies: local", "wanted `may: none`, `may: read` or `may: write`"),
            ("rules: [{may: all}]", "`may`: wanted one of none, read, write, found `all`"),
            ("rules: [{may: read, host: daq7}]", "`host`: wanted local, loopback, any"),
            ("rules: [{may: read, hosts: any}]", "did you mean `host`"),
            ("rules: [{may: write, user: ada}]", "`rules`: wanted `proxies`"),
            ("rules: [{may: write, host: local}], proxies: 127.0.0.1", "`rules`: wanted a user in"),
            ("rules: [{may: write, host: local}], hosts: '*'", "found `*` beside `host: local, may: write`"),
            ("rules: [{may: none}, {may: read}]", "`host: any, may: none` as the last rule"),
            ("proxies: any", "`proxies`: wanted local, loopback, an address"),
            ("user_header: Cookie", "`user_header`: wanted a header that nothing else uses"),
            ("user_header: 'a b'", "`user_header`: wanted a header"),
        ] {
            let (_, problems) = read(&text(options));
            assert!(problems.iter().any(|p| p.to_string().contains(wanted)), "{options}: {problems:?}");
        }
    }

    #[test]
    fn rules_are_read_in_their_order() {
        let text = "web:\n  proxies: [127.0.0.1, 10.1.2.3]\n  user_header: Remote-User\n  rules:\n    - {user: ada, may: write}\n    \
                    - {user: '*', may: read}\n    - {host: 10.1.3.0/24, may: write}\n    - {may: none}\nnodes: {a: {type: x}}";
        let (file, problems) = read(text);
        assert_eq!(problems, []);
        let rules = file.unwrap().web.unwrap().rules;
        let texts: Vec<String> = rules.grants.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "user: ada, host: any, may: write",
                "user: *, host: any, may: read",
                "host: 10.1.3.0/24, may: write",
                "host: any, may: none",
            ]
        );
        assert_eq!((rules.proxies.len(), &*rules.header), (2, "remote-user"));
    }
}
