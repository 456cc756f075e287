//! The lifted engine answers as the reference does.

mod support;

use grundy::lifted::{Lifted, LiftedConfig};
use proptest::prelude::*;
use support::{assert_agree, bundled_games, program, random_game, reference};

#[test]
fn bundled_games_agree() {
    for (name, sheet) in bundled_games() {
        let program = program(&name, &sheet);
        let mut lifted = Lifted::new(&program, &LiftedConfig::default()).expect("the game is lifted");
        assert_agree(&mut reference(&program), &mut lifted, 2, 12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn random_games_agree(choices in prop::collection::vec(any::<u8>(), 0..160)) {
        let sheet = random_game(&choices);
        let program = program("random.kif", &sheet);
        let mut lifted = Lifted::new(&program, &LiftedConfig::default()).expect("the game is lifted");
        assert_agree(&mut reference(&program), &mut lifted, 2, 5);
    }
}
