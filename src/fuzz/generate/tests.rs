//! Generated programs are well-formed, defined, and the same for the same seed.

use super::{Shape, program};
use crate::fuzz::oracle::compare_options;
use crate::interp::equiv;
use crate::verify::verify;

const PROGRAMS: u64 = 300;

#[test]
fn programs_are_well_formed_and_follow_from_the_seed() {
    for seed in 0..PROGRAMS {
        for portable in [false, true] {
            let module = program(seed, Shape::mixed(seed, portable));
            verify(&module).unwrap_or_else(|v| panic!("seed {seed}: {}\n{module}", v[0]));
            assert_eq!(module, program(seed, Shape::mixed(seed, portable)));
        }
    }
}

#[test]
fn most_programs_run_to_their_end() {
    let mut none = 0;
    for seed in 0..PROGRAMS {
        let module = program(seed, Shape::mixed(seed, false));
        let result =
            equiv(&module, &module, &compare_options(&module, seed)).expect("every construct is known");
        assert!(result.difference.is_none(), "{module}");
        none += usize::from(result.compared == 0);
    }
    assert!(none * 20 < PROGRAMS as usize, "{none} of {PROGRAMS} programs stop on all inputs");
}
