//! Helpers for the tests of the passes: small games, and outputs as text.

use super::{Groups, Kind, Network, Signal, connect, optimize};
use crate::ground::{GroundConfig, ground};
use grundy_syntax::{Budget, Source, read_game};

/// One role, three fluents `(f 1)` to `(f 3)`, moves `noop` and `(a 1)` to `(a 3)`; the rest is up to the test.
const FRAME: &str = "(role r) (init (f 1)) (init (f 2)) (init (f 3)) (<= (legal r noop) (role r)) \
                     (num 1) (num 2) (num 3) (<= (legal r (a ?x)) (num ?x)) ";

/// The network of the frame with these rules, before all passes.
pub(crate) fn network(rules: &str) -> Network {
    let reading = read_game(&Source::new("test.kif", format!("{FRAME}{rules}")), &Default::default());
    let config = GroundConfig { faithful: true, ..GroundConfig::default() };
    let ground = ground(&reading.program, &config).expect("the game is ground");
    connect(&ground, &Budget::default()).expect("the game has a network")
}

/// The network after these passes, in the order in which they are given.
pub(crate) fn optimized(mut network: Network, passes: &[&str]) -> Network {
    for pass in passes {
        network = super::passes::run_pass(pass, &network, &Groups::default());
    }
    network
}

/// Checks what an output is after some passes: `terminal = (and (f 1) !(f 2))`.
pub(super) fn check(rules: &str, passes: &[&str], expected: &str) {
    let network = optimized(network(rules), passes);
    let (output, expected) = expected.split_once(" = ").expect("an output and what it is");
    let interface = network.interface();
    let next = |text: &str| {
        let fluent = interface.fluents.iter().find(|fluent| format!("(next {})", fluent.text) == text);
        fluent.map(|fluent| fluent.next)
    };
    let signal = if output == "terminal" { Some(interface.terminal) } else { next(output) };
    assert_eq!(text(&network, signal.expect("there is such an output")), expected);
}

fn text(network: &Network, signal: Signal) -> String {
    let interface = network.interface();
    let node = signal.node();
    let sign = if signal.is_inverted() { "!" } else { "" };
    if signal == Signal::FALSE {
        return "false".to_owned();
    }
    if let Some(fluent) = interface.fluent_of(node) {
        return format!("{sign}{}", interface.fluents[fluent].text);
    }
    if let Some(done) = interface.move_of(node) {
        let m = &interface.moves[done];
        return format!("{sign}(does {} {})", interface.roles[m.role], m.text);
    }
    let kind = if network.kind(node) == Kind::And { "and" } else { "or" };
    let inputs: Vec<String> = network.inputs(node).iter().map(|&input| text(network, input)).collect();
    format!("{sign}({kind} {})", inputs.join(" "))
}

#[test]
fn all_passes_leave_what_is_needed() {
    let network = network("(<= terminal (true (f 1)) (true (f 2)))");
    let optimized = optimize(network, &Groups::default(), |_| true, &Budget::default());
    let optimized = optimized.expect("the budget has no bounds");
    assert_eq!(optimized.network.edge_count(), 2);
    assert_eq!(optimized.sizes[0].name, "connect");
}
