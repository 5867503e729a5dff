//! The options of a request.

use crate::data::{Field, Value};

/// When a client with a window acknowledges updates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckAny {
    /// After this number of updates.
    Count(u32),
    /// After this percentage of the queue.
    Percent(u32),
}

impl AckAny {
    /// How many updates that is with a queue of `queue`: at least one, at most all.
    pub fn count(self, queue: u32) -> u32 {
        let count = match self {
            AckAny::Count(count) => count,
            // In 64 bits, because the product may not fit 32.
            AckAny::Percent(percent) => (u64::from(queue) * u64::from(percent.min(100)) / 100) as u32,
        };
        count.clamp(1, queue.max(1))
    }
}

/// Whether a put makes a record process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Process {
    /// If the field says so.
    #[default]
    Passive,
    /// Always.
    True,
    /// Never.
    False,
}

/// Which changes a client wants to hear of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dbe(pub u8);

impl Dbe {
    /// Changes of the value.
    pub const VALUE: Dbe = Dbe(1);
    /// Changes worth archiving.
    pub const ARCHIVE: Dbe = Dbe(2);
    /// Changes of the alarm.
    pub const ALARM: Dbe = Dbe(4);
    /// Changes of limits, units and the like.
    pub const PROPERTY: Dbe = Dbe(8);

    fn parse(text: &str) -> Option<Dbe> {
        if let Ok(bits) = text.parse() {
            return Some(Dbe(bits));
        }
        let bits = text.split(['|', ',', ' ']).map(|name| match name.trim().trim_start_matches("DBE_") {
            "VALUE" => Dbe::VALUE.0,
            "ARCHIVE" | "LOG" => Dbe::ARCHIVE.0,
            "ALARM" => Dbe::ALARM.0,
            "PROPERTY" => Dbe::PROPERTY.0,
            _ => 0,
        });
        // A mask without a known bit would send nothing.
        Some(Dbe(bits.fold(0, |all, bit| all | bit))).filter(|dbe| dbe.0 != 0)
    }
}

/// The options of a request. Options that the client does not set, or sets in an unknown way, have their
/// defaults.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// How many updates wait for the client before they are merged. Default 4.
    pub queue_size: u32,
    /// Whether updates are only sent when the client has announced room for them.
    pub pipeline: bool,
    /// When the client acknowledges. Default half of the queue.
    pub ack_any: AckAny,
    /// Whether a put makes a record process.
    pub process: Process,
    /// Whether the answer to a put waits until it has had its effect.
    pub block: bool,
    /// Which changes to send.
    pub dbe: Option<Dbe>,
    /// All options as received, including unknown ones.
    pub all: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            queue_size: 4,
            pipeline: false,
            ack_any: AckAny::Percent(50),
            process: Process::Passive,
            block: false,
            dbe: None,
            all: Vec::new(),
        }
    }
}

impl Options {
    /// The options in `record._options` of `request`.
    pub fn of(request: &Value) -> Options {
        let mut options = Options::default();
        let structure = request.structure();
        let Some(parent) = structure.bit("record._options") else { return options };
        for bit in structure.children(parent) {
            if let Some(text) = request.field(bit).and_then(as_text) {
                options.take(&structure.nodes()[bit].name, text);
            }
        }
        options
    }

    fn take(&mut self, key: &str, text: String) {
        match key {
            "queueSize" => self.queue_size = text.parse().unwrap_or(self.queue_size),
            "pipeline" => self.pipeline = truth(&text).unwrap_or(self.pipeline),
            "ackAny" => self.ack_any = ack_any(&text).unwrap_or(self.ack_any),
            "block" => self.block = truth(&text).unwrap_or(self.block),
            "DBE" => self.dbe = Dbe::parse(&text).or(self.dbe),
            "process" => {
                self.process = match truth(&text) {
                    Some(true) => Process::True,
                    Some(false) => Process::False,
                    None => Process::Passive,
                }
            }
            // An unknown option may be for the owner of the PV.
            _ => {}
        }
        self.all.push((key.into(), text));
    }
}

fn as_text(field: &Field) -> Option<String> {
    // Clients also send options as numbers and truth values.
    match field {
        Field::Str(text) => Some(text.trim().into()),
        Field::Bool(v) => Some(v.to_string()),
        Field::F32(_) | Field::F64(_) => Some(field.as_f64()?.to_string()),
        other => Some(other.as_i64()?.to_string()),
    }
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

fn ack_any(text: &str) -> Option<AckAny> {
    match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().ok().map(AckAny::Percent),
        None => text.parse().ok().map(AckAny::Count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Builder, ScalarType};
    use crate::request::parse;

    #[test]
    fn options_are_texts_or_numbers() {
        let request =
            parse("record[pipeline=true, queueSize=7, ackAny=50%, process=passive, DBE=VALUE|ALARM]");
        let options = Options::of(&request.unwrap());
        assert!(options.pipeline && !options.block);
        assert_eq!((options.queue_size, options.dbe), (7, Some(Dbe(5))));
        assert_eq!(options.ack_any.count(options.queue_size), 3);
        assert_eq!(options.all.len(), 5);

        let typed = Builder::new("").member("queueSize", ScalarType::I32).member("block", ScalarType::Bool);
        let record = Builder::new("").member("_options", typed.structure().unwrap()).structure().unwrap();
        let top = Builder::new("").member("record", record).structure().unwrap();
        let mut request = Value::new(&top);
        request.set("record._options.queueSize", 9).unwrap();
        request.set("record._options.block", true).unwrap();
        let options = Options::of(&request);
        assert_eq!((options.queue_size, options.block), (9, true));
    }

    #[test]
    fn nonsense_is_as_if_not_said() {
        let request = parse("record[queueSize=many,pipeline=perhaps,ackAny=%,what=]").unwrap();
        let options = Options::of(&request);
        assert_eq!(Options { all: Vec::new(), ..options }, Options::default());
    }
}
