//! Shares, medians, and power laws fitted to points.

use crate::numbers::float;

/// The share of all values, in percent, that are below a bound. A failure has no value and is never below a bound.
pub(crate) fn share_below(values: &[Option<f64>], bound: f64) -> f64 {
    let below = values.iter().flatten().filter(|&&value| value < bound).count();
    100.0 * float(below) / float(values.len().max(1))
}

/// The cumulative share of values, in percent: a point for each value, in order.
pub(crate) fn growing_share(values: &[Option<f64>]) -> Vec<(f64, f64)> {
    let mut known: Vec<f64> = values.iter().flatten().copied().collect();
    known.sort_by(f64::total_cmp);
    let share = |number: usize| 100.0 * float(number + 1) / float(values.len());
    known.into_iter().enumerate().map(|(number, value)| (value, share(number))).collect()
}

/// The median.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[n / 2]),
        n => Some((values[n / 2 - 1] + values[n / 2]) / 2.0),
    }
}

/// y = factor · x^slope
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PowerLaw {
    pub(crate) slope: f64,
    pub(crate) factor: f64,
    /// How many points it was fitted to.
    pub(crate) points: usize,
}

impl PowerLaw {
    pub(crate) fn at(&self, x: f64) -> f64 {
        self.factor * x.powf(self.slope)
    }
}

/// The power law that fits the points best, by least squares of the logarithms. It takes points with two different values
/// of x.
pub(crate) fn fit(points: &[(f64, f64)]) -> Option<PowerLaw> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = float(logs.len());
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if logs.is_empty() || spread < 1e-12 {
        return None;
    }
    let slope = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let factor = (mean_y - slope * mean_x).exp();
    Some(PowerLaw { slope, factor, points: logs.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_what_failed_as_above_every_bound() {
        let values = [Some(0.5), None, Some(2.0), Some(0.1)];
        assert_eq!(share_below(&values, 1.0), 50.0);
        assert_eq!(share_below(&values, 1e9), 75.0);
        assert_eq!(share_below(&values, 0.5), 25.0, "a bound itself is not below it");
        assert_eq!(share_below(&[], 1.0), 0.0);
        assert_eq!(growing_share(&values), [(0.1, 25.0), (0.5, 50.0), (2.0, 75.0)]);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([]), None);
    }

    #[test]
    fn a_power_law_is_found_again() {
        let points: Vec<(f64, f64)> = (1..20).map(|x| (x.into(), 3.0 * f64::from(x).powf(1.5))).collect();
        let law = fit(&points).unwrap();
        assert!((law.slope - 1.5).abs() < 1e-9 && (law.factor - 3.0).abs() < 1e-9);
        assert!((law.at(4.0) - 24.0).abs() < 1e-9);
        assert_eq!(law.points, 19);
    }

    #[test]
    fn one_place_has_no_slope() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(2.0, 3.0), (2.0, 5.0)]), None);
        assert_eq!(fit(&[(0.0, 1.0), (2.0, 3.0)]), None, "zero has no logarithm");
    }
}
