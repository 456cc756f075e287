//! From a [`Plot`] to its picture: frame, series, legend, from top to bottom.

use super::scale::{Axis, Range};
use super::svg::{Rounded, Svg};
use super::{Ink, Mark, Plot, Point, Series};
use crate::numbers::float;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 40.0;
/// The height of the frame, and of a row where the vertical axis has names.
const INSIDE: f64 = 320.0;
const ROW: f64 = 18.0;
/// From the frame to the legend: ticks and the name of the axis.
const BELOW: f64 = 56.0;
const LEGEND_ROW: f64 = 20.0;
const FONT: f64 = 12.0;
/// The mean width of a character; the font is not known here.
const CHARACTER: f64 = 6.6;
const MARGIN: f64 = 10.0;

/// The width of the uppermost line, by how much each line below is wider, and the limit. Wider lines are lighter.
const LINE: f64 = 2.0;
const LINE_STEP: f64 = 1.6;
const WIDEST_LINE: f64 = 5.2;

/// The largest mark for coinciding points, as a multiple of the usual one.
const LARGEST_MARK: f64 = 3.0;

/// Grey and colours of medium brightness, for light and dark pages.
const GREY: &str = "#808080";
const COLOURS: [&str; 7] = ["#3f7fbf", "#d9662f", "#4d9a4d", "#a569bd", "#c9a227", "#2fa5a5", "#c2527f"];

pub(super) fn draw(plot: &Plot) -> String {
    let canvas = Canvas::new(plot);
    let legend = legend_places(&plot.series);
    let rows = legend.last().map_or(0.0, |&(row, _)| row + 1.0);
    let height = TOP + canvas.height + BELOW + rows * LEGEND_ROW + MARGIN;
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
    for (number, &(row, x)) in legend.iter().enumerate() {
        let y = TOP + canvas.height + BELOW + (row + 0.5) * LEGEND_ROW;
        draw_legend_entry(plot, number, (x, y), &mut svg);
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

/// The frame, and the positions of values in it.
struct Canvas {
    x: Range,
    y: Range,
    left: f64,
    height: f64,
}

impl Canvas {
    fn new(plot: &Plot) -> Canvas {
        let points = || plot.series.iter().flat_map(|series| &series.points);
        let shown = || points().filter(|point| is_shown(plot, point));
        let names = plot.y.names();
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        Canvas {
            x: plot.x.range(shown().map(|p| p.x)),
            y: plot.y.range(shown().map(|p| p.y)),
            left: LEFT.max(float(longest) * CHARACTER + 32.0),
            height: INSIDE.max(float(names.len()) * ROW),
        }
    }

    /// The width of the frame.
    fn width(&self) -> f64 {
        WIDTH - self.left - RIGHT
    }

    fn across(&self, value: f64) -> f64 {
        self.left + self.x.position(value) * self.width()
    }

    fn down(&self, value: f64) -> f64 {
        TOP + (1.0 - self.y.position(value)) * self.height
    }

    fn draw_x_axis(&self, axis: &Axis, svg: &mut Svg) {
        let bottom = TOP + self.height;
        for tick in axis.ticks(&self.x) {
            let x = self.across(tick.value);
            grid_line((x, TOP), (x, bottom), svg);
            svg.words((x, bottom + 20.0), "middle", &tick.label);
        }
        svg.words((self.left + self.width() / 2.0, bottom + 40.0), "middle", &axis.label);
    }

    fn draw_y_axis(&self, axis: &Axis, svg: &mut Svg) {
        for tick in axis.ticks(&self.y) {
            let y = self.down(tick.value);
            grid_line((self.left, y), (WIDTH - RIGHT, y), svg);
            svg.words((self.left - 8.0, y + 4.0), "end", &tick.label);
        }
        let middle = TOP + self.height / 2.0;
        svg.open("g", &[("transform", &format!("rotate(-90 16 {middle})"))]);
        svg.words((16.0, middle), "middle", &axis.label);
        svg.close("g");
    }

    fn draw_series(&self, plot: &Plot, number: usize, series: &Series, svg: &mut Svg) {
        let colour = colour(number, series.ink);
        let points: Vec<&Point> = series.points.iter().filter(|point| is_shown(plot, point)).collect();
        let of_mark =
            |series: &[Series], is: fn(Mark) -> bool| series.iter().filter(|one| is(one.mark)).count();
        match series.mark {
            Mark::Dots => self.draw_marks(shape(plot, number), &points, colour, svg),
            Mark::Crosses => self.draw_marks(Shape::Cross, &points, colour, svg),
            Mark::Line | Mark::Dashes | Mark::Steps => {
                let above = of_mark(&plot.series[number + 1..], Mark::is_path);
                self.draw_path(series.mark, (&points, above), colour, svg);
            }
            Mark::Bars => {
                let bars = of_mark(&plot.series, |mark| mark == Mark::Bars);
                let before = of_mark(&plot.series[..number], |mark| mark == Mark::Bars);
                points.iter().for_each(|point| self.draw_bar(point, (before, bars), colour, svg));
            }
        }
    }

    /// Points of a series that coincide become one larger mark with all of their titles.
    fn draw_marks(&self, shape: Shape, points: &[&Point], colour: &str, svg: &mut Svg) {
        let place = |point: &Point| (self.across(point.x), self.down(point.y));
        let mut places: BTreeMap<[String; 2], Vec<&Point>> = BTreeMap::new();
        for point in points {
            let (x, y) = place(point);
            places.entry([x, y].map(|at| Rounded(at).to_string())).or_default().push(point);
        }
        for points in places.values() {
            let size = float(points.len()).sqrt().min(LARGEST_MARK);
            let titles = points.iter().map(|point| point.title.as_str()).filter(|title| !title.is_empty());
            let titles = titles.collect::<Vec<_>>().join("; ");
            draw_mark(shape, (place(points[0]), size), colour, &titles, svg);
        }
    }

    /// A line below `above` others.
    fn draw_path(&self, mark: Mark, (points, above): (&[&Point], usize), colour: &str, svg: &mut Svg) {
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
            let width = (LINE + float(above) * LINE_STEP).min(WIDEST_LINE);
            draw_line(mark, (&path, width), colour, svg);
        }
    }

    /// Bar number `place` of the `all` bars that share a value of the x-axis.
    fn draw_bar(&self, point: &Point, (place, all): (usize, usize), colour: &str, svg: &mut Svg) {
        let slot = self.x.unit_width() * self.width() * 0.8;
        let width = slot / float(all);
        let x = self.across(point.x) - slot / 2.0 + float(place) * width;
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

/// The shape of a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Circle,
    Square,
    Diamond,
    Triangle,
    Cross,
}

impl Shape {
    /// The shapes of series of dots, in turn.
    const DOTS: [Shape; 4] = [Shape::Circle, Shape::Square, Shape::Diamond, Shape::Triangle];

    /// The path of a mark with this radius, but for circles, which have an element of their own.
    fn path(self, (x, y): (f64, f64), r: f64) -> String {
        let from = |dx: f64, dy: f64| format!("M{} {}", Rounded(x + dx), Rounded(y + dy));
        let (r, two) = (Rounded(r), Rounded(2.0 * r));
        match self {
            Shape::Circle => String::new(),
            Shape::Square => format!("{}h{two}v{two}h-{two}z", from(-r.0, -r.0)),
            Shape::Diamond => format!("{}l{r} {r}l-{r} {r}l-{r} -{r}z", from(0.0, -r.0)),
            Shape::Triangle => format!("{}l{r} {two}h-{two}z", from(0.0, -r.0)),
            Shape::Cross => format!("{}l{two} {two}m0 -{two}l-{two} {two}", from(-r.0, -r.0)),
        }
    }
}

/// The shape of a series of dots: its number among these series decides.
fn shape(plot: &Plot, number: usize) -> Shape {
    let before = plot.series[..number].iter().filter(|series| series.mark == Mark::Dots).count();
    Shape::DOTS[before % Shape::DOTS.len()]
}

impl Mark {
    fn is_path(self) -> bool {
        matches!(self, Mark::Line | Mark::Dashes | Mark::Steps)
    }
}

/// A mark: hollow but for a light fill, so that marks below it are visible.
fn draw_mark(shape: Shape, (place, size): ((f64, f64), f64), colour: &str, title: &str, svg: &mut Svg) {
    let (x, y) = (Rounded(place.0), Rounded(place.1));
    let (radius, width) = if shape == Shape::Cross { (5.0, 2.5) } else { (3.4, 1.2) };
    let (radius, path) = (Rounded(radius * size), shape.path(place, radius * size));
    let mut attributes: Vec<(&str, &dyn Display)> = match shape {
        Shape::Circle => vec![("cx", &x), ("cy", &y), ("r", &radius)],
        _ => vec![("d", &path)],
    };
    attributes.extend([("stroke", &colour as &dyn Display), ("stroke-width", &width)]);
    match shape {
        Shape::Cross => attributes.push(("fill", &"none")),
        _ => attributes.extend([("fill", &colour as &dyn Display), ("fill-opacity", &0.25)]),
    }
    svg.element(if shape == Shape::Circle { "circle" } else { "path" }, &attributes, title);
}

fn draw_line(mark: Mark, (path, width): (&str, f64), colour: &str, svg: &mut Svg) {
    let dashes = if mark == Mark::Dashes { "6 4" } else { "none" };
    let opacity = if width > LINE { 0.65 } else { 1.0 };
    let attributes: [(&str, &dyn Display); 6] = [
        ("d", &path),
        ("fill", &"none"),
        ("stroke", &colour),
        ("stroke-width", &Rounded(width)),
        ("stroke-opacity", &opacity),
        ("stroke-dasharray", &dashes),
    ];
    svg.element("path", &attributes, "");
}

/// Row and left end of each entry of the legend: as many in a row as fit.
fn legend_places(series: &[Series]) -> Vec<(f64, f64)> {
    let (mut row, mut x) = (0.0, LEFT);
    let mut places = Vec::new();
    for series in series {
        let width = 26.0 + float(series.name.chars().count()) * CHARACTER + 18.0;
        if x > LEFT && x + width > WIDTH {
            (row, x) = (row + 1.0, LEFT);
        }
        places.push((row, x));
        x += width;
    }
    places
}

fn draw_legend_entry(plot: &Plot, number: usize, (x, y): (f64, f64), svg: &mut Svg) {
    let series = &plot.series[number];
    let colour = colour(number, series.ink);
    match series.mark {
        Mark::Dots => draw_mark(shape(plot, number), ((x + 10.0, y), 1.0), colour, "", svg),
        Mark::Crosses => draw_mark(Shape::Cross, ((x + 10.0, y), 1.0), colour, "", svg),
        Mark::Line | Mark::Dashes | Mark::Steps => {
            draw_line(series.mark, (&format!("M{} {}h20", Rounded(x), Rounded(y)), LINE), colour, svg);
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
