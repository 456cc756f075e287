//! From a [`Plot`] to its picture: frame, series, legend, from top to bottom.

use super::scale::{Axis, Range};
use super::svg::{Rounded, Svg};
use super::{Ink, Mark, Plot, Point, Series};
use std::fmt::{Display, Write};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 40.0;
/// The height of the frame.
const INSIDE: f64 = 320.0;
/// From the frame to the legend: ticks and the name of the axis.
const BELOW: f64 = 56.0;
const LEGEND_ROW: f64 = 20.0;
const FONT: f64 = 12.0;
/// What a character takes, on the average; there is no font here to ask.
const CHARACTER: f64 = 6.6;
const MARGIN: f64 = 10.0;

/// Grey and colours of middle brightness, for light and dark pages.
const GREY: &str = "#808080";
const COLOURS: [&str; 7] = ["#3f7fbf", "#d9662f", "#4d9a4d", "#a569bd", "#c9a227", "#2fa5a5", "#c2527f"];

pub(super) fn draw(plot: &Plot) -> String {
    let canvas = Canvas::new(plot);
    let legend = legend_places(&plot.series);
    let rows = legend.last().map_or(0.0, |&(row, _)| row as f64 + 1.0);
    let height = TOP + INSIDE + BELOW + rows * LEGEND_ROW + MARGIN;
    let mut svg = Svg::default();
    svg.open(
        "svg",
        &[
            ("xmlns", &"http://www.w3.org/2000/svg"),
            ("viewBox", &format!("0 0 {WIDTH} {height}")),
            ("width", &WIDTH),
            ("height", &height),
            ("role", &"img"),
            ("font-family", &"system-ui, sans-serif"),
            ("font-size", &FONT),
            ("fill", &GREY),
        ],
    );
    svg.open("g", &[("font-weight", &"bold"), ("font-size", &14)]);
    svg.words((WIDTH / 2.0, TOP / 2.0 + 4.0), "middle", &plot.title);
    svg.close("g");
    canvas.draw_x_axis(&plot.x, &mut svg);
    canvas.draw_y_axis(&plot.y, &mut svg);
    for (number, series) in plot.series.iter().enumerate() {
        canvas.draw_series(plot, number, series, &mut svg);
    }
    for ((number, series), &(row, x)) in plot.series.iter().enumerate().zip(&legend) {
        let y = TOP + INSIDE + BELOW + (row as f64 + 0.5) * LEGEND_ROW;
        draw_legend_entry(number, series, (x, y), &mut svg);
    }
    svg.close("svg");
    svg.finish()
}

fn colour(number: usize, ink: Option<Ink>) -> &'static str {
    match ink {
        Some(Ink::Grey) => GREY,
        Some(Ink::Of(number)) => COLOURS[number % COLOURS.len()],
        None => COLOURS[number % COLOURS.len()],
    }
}

/// The frame, and where values stand in it.
struct Canvas {
    x: Range,
    y: Range,
}

impl Canvas {
    fn new(plot: &Plot) -> Canvas {
        let points = || plot.series.iter().flat_map(|series| &series.points);
        let shown = || points().filter(|point| is_shown(plot, point));
        Canvas { x: plot.x.range(shown().map(|p| p.x)), y: plot.y.range(shown().map(|p| p.y)) }
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + self.x.position(value) * (WIDTH - LEFT - RIGHT)
    }

    fn down(&self, value: f64) -> f64 {
        TOP + (1.0 - self.y.position(value)) * INSIDE
    }

    fn draw_x_axis(&self, axis: &Axis, svg: &mut Svg) {
        let bottom = TOP + INSIDE;
        for tick in axis.ticks(&self.x) {
            let x = self.across(tick.value);
            grid_line((x, TOP), (x, bottom), svg);
            svg.words((x, bottom + 20.0), "middle", &tick.label);
        }
        svg.words((LEFT + (WIDTH - LEFT - RIGHT) / 2.0, bottom + 40.0), "middle", &axis.label);
    }

    fn draw_y_axis(&self, axis: &Axis, svg: &mut Svg) {
        for tick in axis.ticks(&self.y) {
            let y = self.down(tick.value);
            grid_line((LEFT, y), (WIDTH - RIGHT, y), svg);
            svg.words((LEFT - 8.0, y + 4.0), "end", &tick.label);
        }
        let middle = TOP + INSIDE / 2.0;
        svg.open("g", &[("transform", &format!("rotate(-90 16 {middle})"))]);
        svg.words((16.0, middle), "middle", &axis.label);
        svg.close("g");
    }

    fn draw_series(&self, plot: &Plot, number: usize, series: &Series, svg: &mut Svg) {
        let colour = colour(number, series.ink);
        let points: Vec<&Point> = series.points.iter().filter(|point| is_shown(plot, point)).collect();
        match series.mark {
            Mark::Dots | Mark::Crosses => points.iter().for_each(|point| {
                let place = (self.across(point.x), self.down(point.y));
                draw_mark(series.mark, place, colour, &point.title, svg);
            }),
            Mark::Line | Mark::Dashes | Mark::Steps => self.draw_path(series.mark, &points, colour, svg),
            Mark::Bars => {
                let is_bars = |series: &&Series| series.mark == Mark::Bars;
                let bars = plot.series.iter().filter(is_bars).count();
                let before = plot.series[..number].iter().filter(is_bars).count();
                points.iter().for_each(|point| self.draw_bar(point, (before, bars), colour, svg));
            }
        }
    }

    fn draw_path(&self, mark: Mark, points: &[&Point], colour: &str, svg: &mut Svg) {
        let mut path = String::new();
        for (number, point) in points.iter().enumerate() {
            let (x, y) = (Rounded(self.across(point.x)), Rounded(self.down(point.y)));
            _ = match (number, mark) {
                (0, _) => write!(path, "M{x} {y}"),
                (_, Mark::Steps) => write!(path, "H{x}V{y}"),
                _ => write!(path, "L{x} {y}"),
            };
        }
        if !path.is_empty() {
            draw_line(mark, &path, colour, svg);
        }
    }

    /// Bar number `place` of the `all` bars that share a value of the x-axis.
    fn draw_bar(&self, point: &Point, (place, all): (usize, usize), colour: &str, svg: &mut Svg) {
        let slot = self.x.unit_width() * (WIDTH - LEFT - RIGHT) * 0.8;
        let width = slot / all as f64;
        let x = self.across(point.x) - slot / 2.0 + place as f64 * width;
        let (top, bottom) = (self.down(point.y), self.down(self.y.low));
        let attributes: [(&str, &dyn Display); 5] = [
            ("x", &Rounded(x)),
            ("y", &Rounded(top)),
            ("width", &Rounded((width - 1.0).max(0.5))),
            ("height", &Rounded(bottom - top)),
            ("fill", &colour),
        ];
        svg.element("rect", &attributes, &point.title);
    }
}

fn is_shown(plot: &Plot, point: &Point) -> bool {
    plot.x.can_show(point.x) && plot.y.can_show(point.y)
}

fn grid_line(from: (f64, f64), to: (f64, f64), svg: &mut Svg) {
    svg.open("g", &[("stroke", &GREY), ("stroke-opacity", &0.25)]);
    svg.line(from, to);
    svg.close("g");
}

fn draw_mark(mark: Mark, (x, y): (f64, f64), colour: &str, title: &str, svg: &mut Svg) {
    if mark == Mark::Crosses {
        let path = format!("M{} {}l10 10m0 -10l-10 10", Rounded(x - 5.0), Rounded(y - 5.0));
        let attributes: [(&str, &dyn Display); 4] =
            [("d", &path), ("stroke", &colour), ("stroke-width", &2.5), ("fill", &"none")];
        svg.element("path", &attributes, title);
    } else {
        let attributes: [(&str, &dyn Display); 5] = [
            ("cx", &Rounded(x)),
            ("cy", &Rounded(y)),
            ("r", &3.2),
            ("fill", &colour),
            ("fill-opacity", &0.6),
        ];
        svg.element("circle", &attributes, title);
    }
}

fn draw_line(mark: Mark, path: &str, colour: &str, svg: &mut Svg) {
    let dashes = if mark == Mark::Dashes { "6 4" } else { "none" };
    let attributes: [(&str, &dyn Display); 5] = [
        ("d", &path),
        ("fill", &"none"),
        ("stroke", &colour),
        ("stroke-width", &2),
        ("stroke-dasharray", &dashes),
    ];
    svg.element("path", &attributes, "");
}

/// Row and left end of each entry of the legend: as many in a row as fit.
fn legend_places(series: &[Series]) -> Vec<(usize, f64)> {
    let (mut row, mut x) = (0, LEFT);
    let mut places = Vec::new();
    for series in series {
        let width = 26.0 + series.name.chars().count() as f64 * CHARACTER + 18.0;
        if x > LEFT && x + width > WIDTH {
            (row, x) = (row + 1, LEFT);
        }
        places.push((row, x));
        x += width;
    }
    places
}

fn draw_legend_entry(number: usize, series: &Series, (x, y): (f64, f64), svg: &mut Svg) {
    let colour = colour(number, series.ink);
    match series.mark {
        Mark::Dots | Mark::Crosses => draw_mark(series.mark, (x + 10.0, y), colour, "", svg),
        Mark::Line | Mark::Dashes | Mark::Steps => {
            draw_line(series.mark, &format!("M{} {}h20", Rounded(x), Rounded(y)), colour, svg);
        }
        Mark::Bars => {
            let attributes: [(&str, &dyn Display); 5] = [
                ("x", &Rounded(x + 4.0)),
                ("y", &Rounded(y - 6.0)),
                ("width", &12),
                ("height", &12),
                ("fill", &colour),
            ];
            svg.element("rect", &attributes, "");
        }
    }
    svg.words((x + 26.0, y + 4.0), "start", &series.name);
}
