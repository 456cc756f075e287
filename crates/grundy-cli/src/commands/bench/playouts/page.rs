//! The results as a table for programs and as a page for people.

use super::{Line, Speed};
use std::fmt::Write;

/// One line for each game and engine, separated by tabs.
pub(super) fn tsv(lines: &[Line]) -> String {
    let mut text =
        "game\tengine\tplayouts_per_second\tstates_per_second\tmean_length\tsetup_seconds\tnodes\tedges\tfailure\n"
            .to_owned();
    let size = |size: Option<usize>| size.map_or(String::new(), |size| size.to_string());
    for line in lines {
        let (speed, failure) = match &line.result {
            Ok(Speed { playouts_per_second, states_per_second, mean_length }) => {
                (format!("{playouts_per_second:.1}\t{states_per_second:.1}\t{mean_length:.2}"), String::new())
            }
            Err(error) => ("\t\t".to_owned(), error.replace(['\t', '\n'], " ")),
        };
        let (nodes, edges) = (size(line.nodes), size(line.edges));
        let _ = writeln!(
            text,
            "{}\t{}\t{speed}\t{:.6}\t{nodes}\t{edges}\t{failure}",
            line.game, line.engine, line.setup
        );
    }
    text
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;\
color:#222;background:#fff}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
td,th{padding:.15rem .7rem;text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child,\
td:nth-child(2),th:nth-child(2){text-align:left}svg text{font:12px system-ui,sans-serif;fill:#222}\
svg .grid{stroke:#ddd}figure{margin:2rem 0}figcaption{color:#555}";

const COLOURS: [&str; 6] = ["#4477aa", "#ee6677", "#228833", "#aa7722", "#66ccee", "#aa3377"];

/// The page.
pub(super) fn html(lines: &[Line]) -> String {
    let speed = |line: &Line| line.result.as_ref().ok().map(|speed| speed.states_per_second);
    let setup = |line: &Line| line.result.as_ref().ok().map(|_| line.setup);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Playouts</title>\n<style>{STYLE}</style>\n\
         <h1>Random playouts</h1>\n{}{}<h2>All figures</h2>\n{}</html>\n",
        plot(lines, "States per second, for each game and engine; the scale is logarithmic.", speed),
        plot(lines, "Seconds from the rule sheet to the first playout; the scale is logarithmic.", setup),
        table(lines)
    )
}

fn engines(lines: &[Line]) -> Vec<&'static str> {
    let mut engines = Vec::new();
    lines.iter().for_each(|line| {
        if !engines.contains(&line.engine) {
            engines.push(line.engine);
        }
    });
    engines
}

fn games(lines: &[Line]) -> Vec<&str> {
    let mut games: Vec<&str> = lines.iter().map(|line| line.game.as_str()).collect();
    games.dedup();
    games
}

/// A dot for each game and engine, a row for each game.
fn plot(lines: &[Line], caption: &str, value: impl Fn(&Line) -> Option<f64>) -> String {
    let values: Vec<f64> = lines.iter().filter_map(&value).filter(|value| *value > 0.0).collect();
    let (Some(low), Some(high)) =
        (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max))
    else {
        return String::new();
    };
    let (low, high) = (low.log10().floor(), high.log10().ceil().max(low.log10().floor() + 1.0));
    let (games, engines) = (games(lines), engines(lines));
    let (left, width, row) = (220.0, 640.0, 18.0);
    let height = games.len() as f64 * row;
    let x = |value: f64| left + (value.log10() - low) / (high - low) * width;
    let mut svg = format!(
        "<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{caption}\">\n",
        left + width + 40.0,
        height + 60.0
    );
    for (number, engine) in engines.iter().enumerate() {
        let (at, colour) = (left + 110.0 * number as f64, COLOURS[number % COLOURS.len()]);
        let _ = writeln!(svg, "<circle cx=\"{at}\" cy=\"12\" r=\"5\" fill=\"{colour}\"/>");
        let _ = writeln!(svg, "<text x=\"{}\" y=\"16\">{engine}</text>", at + 10.0);
    }
    for power in low as i32..=high as i32 {
        let at = x(10f64.powi(power));
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"30\" y2=\"{}\"/>",
            height + 36.0
        );
        let label =
            if (0..=3).contains(&power) { 10i64.pow(power as u32).to_string() } else { format!("1e{power}") };
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            height + 52.0
        );
    }
    for (number, game) in games.iter().enumerate() {
        let y = 42.0 + number as f64 * row;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            left - 12.0,
            y + 4.0,
            escape(game)
        );
        for line in lines.iter().filter(|line| line.game == *game) {
            let engine = engines.iter().position(|engine| *engine == line.engine).unwrap_or(0);
            if let Some(value) = value(line).filter(|value| *value > 0.0) {
                let colour = COLOURS[engine % COLOURS.len()];
                let title = format!("{}, {}: {value:.4}", escape(game), line.engine);
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"5\" fill=\"{colour}\"><title>{title}</title></circle>",
                    x(value)
                );
            }
        }
    }
    svg + &format!("</svg><figcaption>{caption}</figcaption></figure>\n")
}

fn table(lines: &[Line]) -> String {
    let mut text =
        "<table><tr><th>game<th>engine<th>playouts/s<th>states/s<th>length<th>setup s<th>nodes<th>edges\n"
            .to_owned();
    let size = |size: Option<usize>| size.map_or(String::new(), |size| size.to_string());
    for line in lines {
        let _ = write!(text, "<tr><td>{}<td>{}", escape(&line.game), line.engine);
        let _ = match &line.result {
            Ok(speed) => writeln!(
                text,
                "<td>{:.0}<td>{:.0}<td>{:.1}<td>{:.3}<td>{}<td>{}",
                speed.playouts_per_second,
                speed.states_per_second,
                speed.mean_length,
                line.setup,
                size(line.nodes),
                size(line.edges)
            ),
            Err(error) => {
                writeln!(text, "<td colspan=\"6\">{}", escape(error.lines().next().unwrap_or_default()))
            }
        };
    }
    text + "</table>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
