//! Plots as SVG, for the reports of `grundy bench`.
//!
//! A [`Plot`] is two axes and some series of points; [`Plot::to_svg`] draws it. The picture has no
//! background and uses greys and colours of middle brightness, so that it reads on a light page and
//! on a dark one. A point can have a title, which a browser shows under the mouse.

mod draw;
mod scale;
mod svg;

pub(crate) use scale::{Axis, Unit};
pub(crate) use svg::Escaped;

/// A picture: axes and what is drawn between them.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// Points that belong together, with a name for the legend.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    name: String,
    mark: Mark,
    points: Vec<Point>,
    ink: Option<Ink>,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Dots,
    Crosses,
    Line,
    Dashes,
    /// From a point to the next one to the right, then up: for shares that grow.
    Steps,
    /// From the lower end of the axis; bars of several series stand side by side.
    Bars,
}

/// The colour of a series, if it is not to be its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// The colour that the series of this number has.
    Of(usize),
    /// Grey, for what only helps to read the rest.
    Grey,
}

#[derive(Clone, Debug)]
pub(crate) struct Point {
    x: f64,
    y: f64,
    title: String,
}

impl Series {
    pub(crate) fn new(name: &str, mark: Mark, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series::titled(name, mark, points.into_iter().map(|(x, y)| (x, y, String::new())))
    }

    /// A series whose points have titles.
    pub(crate) fn titled(
        name: &str,
        mark: Mark,
        points: impl IntoIterator<Item = (f64, f64, String)>,
    ) -> Series {
        let points = points.into_iter().map(|(x, y, title)| Point { x, y, title }).collect();
        Series { name: name.to_owned(), mark, points, ink: None }
    }

    pub(crate) fn ink(self, ink: Ink) -> Series {
        Series { ink: Some(ink), ..self }
    }
}

impl Plot {
    /// The picture. Series without points are in the legend only, so that nothing goes missing unseen.
    pub(crate) fn to_svg(&self) -> String {
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
