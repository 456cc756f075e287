//! Axes: positions of values, and ticks with labels.

use crate::numbers::{float, grouped, rounded, whole};

/// An axis of a plot.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(super) label: String,
    scale: Scale,
    unit: Unit,
    /// Values that have to be on the axis, in addition to those of the points.
    shown: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Scale {
    Linear,
    Log,
    /// The values 0, 1, 2 … have names.
    Named(Vec<String>),
}

/// How the values of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Plain numbers, with groups of digits or as powers of ten.
    Count,
    /// Seconds, milliseconds or microseconds.
    Seconds,
    /// Percent.
    Percent,
}

/// An axis with both ends known.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) low: f64,
    high: f64,
    is_log: bool,
}

/// A mark on an axis; small ones have no label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// About how many ticks a linear axis has.
const LINEAR_TICKS: f64 = 6.0;

/// Up to this many decades, each has a label.
const LABELLED_DECADES: i32 = 10;

impl Axis {
    /// A linear axis.
    pub fn linear(label: &str, unit: Unit) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Linear, unit, shown: Vec::new() }
    }

    /// A logarithmic axis.
    pub fn log(label: &str, unit: Unit) -> Axis {
        Axis { scale: Scale::Log, ..Axis::linear(label, unit) }
    }

    /// An axis whose values 0, 1, 2 … have names.
    pub fn named(label: &str, names: impl IntoIterator<Item = String>) -> Axis {
        let scale = Scale::Named(names.into_iter().collect());
        Axis { scale, ..Axis::linear(label, Unit::Count) }
    }

    /// The same axis, extended so that it includes these values.
    pub fn showing(mut self, values: impl IntoIterator<Item = f64>) -> Axis {
        self.shown.extend(values);
        self
    }

    /// The names of its values, if they have names.
    pub(super) fn names(&self) -> &[String] {
        match &self.scale {
            Scale::Named(names) => names,
            Scale::Linear | Scale::Log => &[],
        }
    }

    /// Whether a value can be shown on the axis.
    pub(super) fn can_show(&self, value: f64) -> bool {
        value.is_finite() && (self.scale != Scale::Log || value > 0.0)
    }

    /// The range of the axis that includes these values, with ticks at both ends.
    pub(super) fn range(&self, values: impl Iterator<Item = f64>) -> Range {
        let shown = self.shown.iter().copied().chain(values).filter(|&value| self.can_show(value));
        let ends = shown.fold(None, |ends: Option<(f64, f64)>, value| match ends {
            None => Some((value, value)),
            Some((low, high)) => Some((low.min(value), high.max(value))),
        });
        let (low, high) = ends.unwrap_or((1.0, 10.0));
        match &self.scale {
            Scale::Named(names) => Range { low: -0.5, high: float(names.len()) - 0.5, is_log: false },
            Scale::Log => {
                let (low, high) = (decade_below(low), decade_above(high));
                let high = if high > low { high } else { low + 1 };
                Range { low: power_of_ten(low), high: power_of_ten(high), is_log: true }
            }
            Scale::Linear => {
                let high = if high > low { high } else { low + 1.0 };
                let step = nice_step(high - low);
                let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
                Range { low, high, is_log: false }
            }
        }
    }

    /// The ticks of an axis, from the lower end to the upper one.
    pub(super) fn ticks(&self, range: &Range) -> Vec<Tick> {
        match &self.scale {
            Scale::Named(names) => {
                let tick =
                    |(number, name): (usize, &String)| Tick { value: float(number), label: name.clone() };
                names.iter().enumerate().map(tick).collect()
            }
            Scale::Log => self.log_ticks(range),
            Scale::Linear => {
                let step = nice_step(range.high - range.low);
                let count = rounded((range.high - range.low) / step);
                let values = (0..=count).map(|number| range.low + float(number) * step);
                values.map(|value| Tick { value, label: self.unit.write(value) }).collect()
            }
        }
    }

    /// A tick at every power of ten. Two decades or fewer have ticks at 2 and 5 as well; with many decades, only every
    /// second or third tick has a label.
    fn log_ticks(&self, range: &Range) -> Vec<Tick> {
        let (first, last) = (decade_below(range.low), decade_above(range.high));
        let stride = (last - first + LABELLED_DECADES) / LABELLED_DECADES;
        let steps: &[f64] = if last - first <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let mut ticks = Vec::new();
        for decade in first..=last {
            for value in steps.iter().map(|step| step * power_of_ten(decade)) {
                let is_labelled = (decade - first) % stride == 0;
                let label = if is_labelled { self.unit.write(value) } else { String::new() };
                ticks.push(Tick { value, label });
            }
        }
        ticks.retain(|tick| tick.value <= range.high * 1.000_001);
        ticks
    }
}

impl Range {
    /// The position of a value: 0 is the lower end, 1 the upper one. Values outside are moved to the nearer end.
    pub(super) fn position(&self, value: f64) -> f64 {
        let position = if self.is_log {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        position.clamp(0.0, 1.0)
    }

    /// The share of the axis that a step of one takes.
    pub(super) fn unit_width(&self) -> f64 {
        1.0 / (self.high - self.low)
    }
}

impl Unit {
    fn write(self, value: f64) -> String {
        match self {
            Unit::Seconds => write_seconds(value),
            Unit::Percent => format!("{} %", short(value)),
            Unit::Count => write_count(value),
        }
    }
}

fn write_seconds(value: f64) -> String {
    match value {
        _ if value < 0.95e-3 && value > 0.0 => format!("{} µs", short(value * 1e6)),
        _ if value < 0.095 && value > 0.0 => format!("{} ms", short(value * 1e3)),
        _ => format!("{} s", short(value)),
    }
}

/// Powers of ten from 10⁴ on as such, others with commas.
fn write_count(value: f64) -> String {
    let exponent = whole(value.log10().round());
    if exponent >= 4 && (value / power_of_ten(exponent) - 1.0).abs() < 1e-6 {
        let digit = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(usize::try_from(digit.to_digit(10)?).ok()?);
        return format!("10{}", exponent.to_string().chars().filter_map(digit).collect::<String>());
    }
    if value >= 1000.0 { grouped(rounded(value)) } else { short(value) }
}

/// A number without rounding errors in its last digits.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn power_of_ten(exponent: i32) -> f64 {
    10f64.powi(exponent)
}

// The tolerance is for rounding: the logarithm of 0.001 may be -2.9999….
fn decade_below(value: f64) -> i32 {
    whole((value.log10() + 1e-9).floor())
}

fn decade_above(value: f64) -> i32 {
    whole((value.log10() - 1e-9).ceil())
}

/// 1, 2 or 5 times a power of ten.
fn nice_step(width: f64) -> f64 {
    let rough = width / LINEAR_TICKS;
    let power = power_of_ten(whole(rough.log10().floor()));
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= rough * 0.999).unwrap_or(10.0);
    step * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, values: &[f64]) -> Vec<String> {
        let range = axis.range(values.iter().copied());
        axis.ticks(&range).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        let percent = Axis::linear("", Unit::Percent);
        assert_eq!(labels(&percent, &[0.0, 100.0]), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        assert_eq!(labels(&Axis::linear("", Unit::Count), &[0.3, 2.1]), ["0", "0.5", "1", "1.5", "2", "2.5"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let seconds = Axis::log("", Unit::Seconds);
        assert_eq!(labels(&seconds, &[0.001, 10.0]), ["1 ms", "10 ms", "0.1 s", "1 s", "10 s"]);
        assert_eq!(
            labels(&seconds, &[0.0023, 0.05]),
            ["1 ms", "2 ms", "5 ms", "10 ms", "20 ms", "50 ms", "0.1 s"]
        );
        let counts = Axis::log("", Unit::Count);
        assert_eq!(labels(&counts, &[3.0, 2e4]), ["1", "10", "100", "1,000", "10⁴", "10⁵"]);
    }

    #[test]
    fn many_decades_have_fewer_labels() {
        let labels = labels(&Axis::log("", Unit::Count), &[1.0, 1e20]);
        assert_eq!(labels.len(), 21);
        assert!(
            labels.iter().filter(|label| !label.is_empty()).count()
                <= usize::try_from(LABELLED_DECADES).unwrap()
        );
    }

    #[test]
    fn values_have_their_place() {
        let range = Axis::log("", Unit::Count).range([1.0, 1000.0].into_iter());
        let close = |value: f64, place: f64| assert!((range.position(value) - place).abs() < 1e-9);
        close(1.0, 0.0);
        close(10.0, 1.0 / 3.0);
        close(1000.0, 1.0);
        close(5e9, 1.0);
        let range = Axis::linear("", Unit::Count).showing([0.0]).range([8.0, 10.0].into_iter());
        assert_eq!((range.low, range.position(5.0)), (0.0, 0.5));
    }

    #[test]
    fn one_value_or_none_still_make_an_axis() {
        for values in [&[][..], &[7.0], &[0.0], &[f64::NAN]] {
            for axis in [Axis::log("", Unit::Seconds), Axis::linear("", Unit::Seconds)] {
                let range = axis.range(values.iter().copied());
                assert!(range.low < range.high);
                assert!(axis.ticks(&range).len() >= 2);
            }
        }
    }
}
