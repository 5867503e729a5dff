//! The text formats of metrics: Prometheus 0.0.4 and OpenMetrics 1.0.0.

use std::fmt::{Display, Write};

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Prometheus,
    OpenMetrics,
}

impl Format {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// The kind of numbers in a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
    /// A 1 whose labels tell something.
    Info,
}

/// Metrics of one name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    /// As samples have it: counters end in `_total`, infos in `_info`.
    pub(crate) name: &'static str,
    pub(crate) kind: MetricKind,
    pub(crate) help: &'static str,
}

pub(super) const fn counter(name: &'static str, help: &'static str) -> Family {
    Family { name, kind: MetricKind::Counter, help }
}

pub(super) const fn gauge(name: &'static str, help: &'static str) -> Family {
    Family { name, kind: MetricKind::Gauge, help }
}

pub(super) const fn histogram(name: &'static str, help: &'static str) -> Family {
    Family { name, kind: MetricKind::Histogram, help }
}

/// Names and values; a label with an empty value is as one that is not there.
pub(crate) type Labels<'a> = &'a [(&'a str, &'a str)];

/// A text that is being written.
pub(crate) struct Exposition {
    format: Format,
    text: String,
}

impl Exposition {
    pub(crate) fn new(format: Format) -> Exposition {
        Exposition { format, text: String::new() }
    }

    /// Begins a family; its samples must follow before the next one.
    pub(crate) fn family(&mut self, family: &Family) {
        // The two formats name counters and infos in different ways.
        let is_open = self.format == Format::OpenMetrics;
        let (name, kind) = match family.kind {
            MetricKind::Counter if is_open => (family.name.trim_end_matches("_total"), "counter"),
            MetricKind::Counter => (family.name, "counter"),
            MetricKind::Gauge => (family.name, "gauge"),
            MetricKind::Histogram => (family.name, "histogram"),
            MetricKind::Info if is_open => (family.name.trim_end_matches("_info"), "info"),
            MetricKind::Info => (family.name, "gauge"),
        };
        self.line(format_args!("# TYPE {name} {kind}"));
        let unit = ["seconds", "bytes"].into_iter().find(|unit| name.ends_with(&format!("_{unit}")));
        // The older format has no units.
        if let Some(unit) = unit.filter(|_| is_open) {
            self.line(format_args!("# UNIT {name} {unit}"));
        }
        self.line(format_args!("# HELP {name} {}", family.help));
    }

    /// One number; `name` is the name of the family, or that name with a suffix.
    pub(crate) fn sample(&mut self, name: &str, labels: Labels, value: impl Display) {
        self.text.push_str(name);
        let mut separator = '{';
        // An empty label is the same as none.
        for (label, value) in labels.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = write!(self.text, "{separator}{label}=\"{}\"", escaped(value));
            separator = ',';
        }
        if separator == ',' {
            self.text.push('}');
        }
        self.line(format_args!(" {value}"));
    }

    pub(crate) fn finish(mut self) -> String {
        if self.format == Format::OpenMetrics {
            // OpenMetrics has an end, so that a cut answer is noticed.
            self.line("# EOF");
        }
        self.text
    }

    fn line(&mut self, line: impl Display) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: [Family; 3] = [
        Family { name: "a_bytes_total", kind: MetricKind::Counter, help: "A." },
        Family { name: "b", kind: MetricKind::Gauge, help: "B." },
        Family { name: "c_info", kind: MetricKind::Info, help: "C." },
    ];

    fn written(format: Format) -> String {
        let mut text = Exposition::new(format);
        for family in &FAMILIES {
            text.family(family);
            text.sample(family.name, &[("node", "a\"b\\c\nd"), ("edge", "")], 1.5);
        }
        text.finish()
    }

    #[test]
    fn both_formats() {
        let sample = |name: &str| format!("{name}{{node=\"a\\\"b\\\\c\\nd\"}} 1.5\n");
        let plain = "# TYPE a_bytes_total counter\n# HELP a_bytes_total A.\n".to_owned()
            + &sample("a_bytes_total")
            + "# TYPE b gauge\n# HELP b B.\n"
            + &sample("b")
            + "# TYPE c_info gauge\n# HELP c_info C.\n"
            + &sample("c_info");
        assert_eq!(written(Format::Prometheus), plain);
        let open = "# TYPE a_bytes counter\n# UNIT a_bytes bytes\n# HELP a_bytes A.\n".to_owned()
            + &sample("a_bytes_total")
            + "# TYPE b gauge\n# HELP b B.\n"
            + &sample("b")
            + "# TYPE c info\n# HELP c C.\n"
            + &sample("c_info")
            + "# EOF\n";
        assert_eq!(written(Format::OpenMetrics), open);
    }
}
