//! The same code for several kinds of processors, chosen at run time; as in `machine/batch/simd.rs`, for the batches of
//! features.

use super::FactSet;
use super::batch::Batch;
#[cfg(target_arch = "x86_64")]
use crate::machine::batch::has_avx2;

/// Makes a function that runs a method of a batch with the widest instructions that the processor has.
macro_rules! widest {
    ($(#[$doc:meta])* $name:ident($argument:ident: $type:ty)) => {
        $(#[$doc])*
        pub(super) fn $name(batch: &mut Batch, $argument: $type) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn with_avx2(batch: &mut Batch, $argument: $type) {
                    batch.$name($argument);
                }
                #[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2,popcnt")]
                fn with_avx512(batch: &mut Batch, $argument: $type) {
                    batch.$name($argument);
                }
                if has_avx2() && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                    // SAFETY: the processor has the instructions that the function is compiled for.
                    #[allow(unsafe_code, reason = "see the documentation of this module")]
                    return unsafe { with_avx512(batch, $argument) };
                }
                if has_avx2() {
                    // SAFETY: the processor has the instructions that the function is compiled for.
                    #[allow(unsafe_code, reason = "see the documentation of this module")]
                    return unsafe { with_avx2(batch, $argument) };
                }
            }
            batch.$name($argument);
        }
    };
}

widest! {
    /// See [`Batch::add_up`].
    add_up(states: &[FactSet])
}

widest! {
    /// See [`Batch::collect`].
    collect(first: usize)
}
