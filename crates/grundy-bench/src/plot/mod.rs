//! Plots as SVG, for reports.
//!
//! A [`Plot`] is two axes and some series of points; [`Plot::to_svg`] draws it. The picture has no background and uses
//! greys and colours of medium brightness, so that it is readable on a light page and on a dark one. A point can have a
//! title, which a browser shows as a tooltip. Points and lines that coincide stay visible: marks are hollow and each
//! series has a shape of its own, and later lines are thinner than those below them.
//!
//! This is written by hand because the SVG backend of the `plotters` crate (0.3.7) has no tooltips and rounds coordinates
//! to whole pixels, and step curves, grouped bars and axes with units would need as much code on top of it.

mod draw;
mod scale;
mod svg;

pub use scale::{Axis, Unit};
pub use svg::Escaped;

/// A picture: axes and what is drawn between them.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The heading.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, from bottom to top.
    pub series: Vec<Series>,
}

/// Points that belong together, with a name for the legend.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    mark: Mark,
    points: Vec<Point>,
    ink: Option<Ink>,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Hollow marks, with a shape that depends on the number of the series.
    Dots,
    /// Crosses, for published values.
    Crosses,
    /// A line from point to point.
    Line,
    /// The same, dashed.
    Dashes,
    /// From a point to the right, then up to the next one: for cumulative shares.
    Steps,
    /// Bars from the lower end of the axis; those of several series are side by side.
    Bars,
}

/// The colour of a series, if it is not its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The colour that the series of this number has.
    Of(usize),
    /// Grey, for reference lines and published values.
    Grey,
}

#[derive(Clone, Debug)]
struct Point {
    x: f64,
    y: f64,
    title: String,
}

impl Series {
    /// A series.
    pub fn new(name: &str, mark: Mark, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series::titled(name, mark, points.into_iter().map(|(x, y)| (x, y, String::new())))
    }

    /// A series whose points have titles.
    pub fn titled(name: &str, mark: Mark, points: impl IntoIterator<Item = (f64, f64, String)>) -> Series {
        let points = points.into_iter().map(|(x, y, title)| Point { x, y, title }).collect();
        Series { name: name.to_owned(), mark, points, ink: None }
    }

    /// The same series in this colour.
    pub fn ink(self, ink: Ink) -> Series {
        Series { ink: Some(ink), ..self }
    }
}

impl Plot {
    /// The picture. Series without points are in the legend, so that their absence is visible.
    pub fn to_svg(&self) -> String {
        draw::draw(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(series: Vec<Series>) -> Plot {
        let (x, y) = (Axis::log("time", Unit::Seconds), Axis::log("rules", Unit::Count));
        Plot { title: "a < b".to_owned(), x, y, series }
    }

    #[test]
    fn every_point_is_drawn_and_named() {
        let points = [(0.1, 10.0, "one & two".to_owned()), (1.0, 100.0, String::new())];
        let svg = plot(vec![Series::titled("dots", Mark::Dots, points)]).to_svg();
        assert_eq!(svg.matches("<circle").count(), 3, "two points and the legend: {svg}");
        assert!(svg.contains("<title>one &amp; two</title>") && svg.contains("a &lt; b"));
        assert!(svg.contains(">0.1 s<") && svg.contains(">100<"), "ticks have labels: {svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn coinciding_points_stay_visible() {
        let dots = |name: &str| {
            let titled = ["first", "second"].map(|game| (0.1, 10.0, format!("{name}, {game}")));
            Series::titled(name, Mark::Dots, titled)
        };
        let line = |name: &str| Series::new(name, Mark::Line, [(0.1, 10.0), (1.0, 100.0)]);
        let svg = plot(vec![dots("one"), dots("two"), line("three"), line("four")]).to_svg();
        assert!(svg.contains("<title>one, first; one, second</title>"), "{svg}");
        assert!(
            svg.contains("<circle") && svg.contains("<title>two, first; two, second</title></path>"),
            "{svg}"
        );
        let widths = ["stroke-width=\"3.6\"", "stroke-width=\"2\""].map(|width| svg.find(width));
        assert!(widths[0].is_some() && widths[0] < widths[1], "the lower line is wider: {svg}");
    }

    #[test]
    fn a_vertical_axis_has_room_for_all_names() {
        let names: Vec<String> = (0..50).map(|number| format!("game-{number}")).collect();
        let y = Axis::named("", names);
        let series = vec![Series::new("a", Mark::Dots, [(1.0, 49.0)])];
        let svg = Plot { title: String::new(), x: Axis::log("", Unit::Count), y, series }.to_svg();
        assert!(
            svg.contains(">game-0<") && svg.contains(">game-49<") && svg.contains("height=\"1026\""),
            "{svg}"
        );
    }

    #[test]
    fn nothing_to_draw_and_nothing_drawable_are_no_trouble() {
        let odd = [(0.0, -1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)];
        for mark in [Mark::Dots, Mark::Crosses, Mark::Line, Mark::Dashes, Mark::Steps, Mark::Bars] {
            for points in [&odd[..], &[]] {
                let svg = plot(vec![Series::new("odd", mark, points.iter().copied())]).to_svg();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{mark:?}: {svg}");
            }
        }
    }

    #[test]
    fn bars_of_two_series_stand_side_by_side() {
        let names = ["a".to_owned(), "b".to_owned()];
        let bars = |name: &str| Series::new(name, Mark::Bars, [(0.0, 1.0), (1.0, 2.0)]);
        let (x, y) = (Axis::named("what", names), Axis::linear("how many", Unit::Count));
        let svg = Plot { title: String::new(), x, y, series: vec![bars("left"), bars("right")] }.to_svg();
        let lefts: std::collections::BTreeSet<&str> =
            svg.split("<rect x=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(lefts.len(), 4 + 2, "four bars and two legend boxes: {svg}");
    }
}
