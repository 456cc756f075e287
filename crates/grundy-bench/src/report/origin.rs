//! Where, when and how numbers were measured.

use crate::numbers::{count, grouped};
use crate::plot::Escaped;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// The computer that measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The model of the processor, or its architecture where the system does not name the model.
    pub processor: String,
    /// How many threads can run at once.
    pub cores: usize,
    /// Operating system and architecture, such as `linux x86_64`.
    pub system: String,
}

impl Machine {
    /// This computer.
    pub fn this() -> Machine {
        Machine {
            processor: processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// The model of the processor, where there is a simple way to ask for it.
fn processor() -> Option<String> {
    let name = if cfg!(target_os = "linux") {
        processor_in(&crate::scratch::beginning_of("/proc/cpuinfo".as_ref()))
    } else if cfg!(target_os = "macos") {
        let output =
            Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).stdin(Stdio::null()).output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        std::env::var("PROCESSOR_IDENTIFIER").ok()
    };
    name.filter(|name| !name.is_empty())
}

/// The model in the text of `/proc/cpuinfo`; architectures name the field differently, and some have none.
fn processor_in(cpuinfo: &str) -> Option<String> {
    const FIELDS: [&str; 4] = ["model name", "cpu model", "cpu", "Model"];
    let fields: Vec<(&str, &str)> = cpuinfo.lines().filter_map(|line| line.split_once(':')).collect();
    let field = |name: &&str| fields.iter().find(|(key, _)| key.trim() == *name);
    FIELDS.iter().find_map(field).map(|(_, value)| value.trim().to_owned())
}

/// Where, when and how the numbers of a report were measured.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The computer.
    pub machine: Machine,
    /// The date and time of the start, in UTC: `2026-01-31 12:00`.
    pub date: String,
    /// The version of this program.
    pub version: &'static str,
    /// Seed, run length and the other parameters of the bench.
    pub settings: Vec<(&'static str, String)>,
}

impl Origin {
    /// This computer and this moment, with the parameters of a bench.
    pub fn now(settings: Vec<(&'static str, String)>) -> Origin {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let version = env!("CARGO_PKG_VERSION");
        Origin { machine: Machine::this(), date: date(seconds), version, settings }
    }

    /// A line with the program, the date and the machine.
    pub fn line(&self) -> String {
        let Machine { processor, cores, system } = &self.machine;
        let cores = count(grouped(*cores), "core");
        format!("grundy {}, {} UTC, {processor}, {cores}, {system}\n", self.version, self.date)
    }

    /// The same, and a line with the parameters.
    pub fn text(&self) -> String {
        let settings = self.settings.iter().map(|(name, value)| format!("{name}: {value}"));
        self.line() + &settings.collect::<Vec<_>>().join("; ") + "\n"
    }

    fn rows(&self) -> Vec<(&str, String)> {
        let machine = &self.machine;
        let mut rows = vec![
            ("program", format!("grundy {}", self.version)),
            ("date", format!("{} UTC", self.date)),
            ("processor", machine.processor.clone()),
            ("cores", machine.cores.to_string()),
            ("system", machine.system.clone()),
        ];
        rows.extend(self.settings.iter().map(|(name, value)| (*name, value.clone())));
        rows
    }

    /// One line for each name and value, separated by a tab: `run.tsv` of a report.
    pub fn tsv(&self) -> String {
        let lines = self.rows().into_iter().map(|(name, value)| format!("{name}\t{value}\n"));
        lines.collect()
    }

    /// A list for a page.
    pub fn html(&self) -> String {
        let mut html = String::from("<dl class=\"origin\">\n");
        for (name, value) in self.rows() {
            _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", Escaped(name), Escaped(value));
        }
        html + "</dl>\n"
    }

    /// An object with a member for each name.
    pub fn json(&self) -> Value {
        let rows = self.rows().into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
        Value::Object(rows.collect::<Map<String, Value>>())
    }
}

/// The date and time, to the minute, this many seconds after the start of 1970.
///
/// Days become dates as in Howard Hinnant's `civil_from_days`: years begin in March, so that the leap day is the last one.
fn date(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400 + 719_468, seconds % 86_400 / 60);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        assert_eq!(date(0), "1970-01-01 00:00");
        assert_eq!(date(951_782_399), "2000-02-28 23:59");
        assert_eq!(date(951_782_400), "2000-02-29 00:00");
        assert_eq!(date(951_868_800), "2000-03-01 00:00");
        assert_eq!(date(1_767_225_540), "2025-12-31 23:59");
    }

    #[test]
    fn the_processor_is_named_in_several_ways() {
        let named = |text| processor_in(text);
        assert_eq!(named("processor\t: 0\nmodel name\t: Fast 3000\n").as_deref(), Some("Fast 3000"));
        assert_eq!(named("cpu\t\t: POWER9, altivec\n").as_deref(), Some("POWER9, altivec"));
        assert_eq!(named("processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
    }

    #[test]
    fn the_origin_says_machine_date_version_and_parameters() {
        let origin = Origin::now(vec![("seed", "7".to_owned()), ("runs", "3 of 0.5 s".to_owned())]);
        assert!(origin.machine.cores > 0 && !origin.machine.processor.is_empty());
        assert!(origin.text().ends_with("\nseed: 7; runs: 3 of 0.5 s\n"), "{}", origin.text());
        assert!(origin.tsv().contains("\nseed\t7\n") && origin.html().contains("<dt>seed</dt><dd>7</dd>"));
        assert_eq!(origin.json()["seed"], "7");
    }
}
