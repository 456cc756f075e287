//! SIMD dispatch at run time.
//!
//! Everything that plays a chunk of games is inlined into one function, which is compiled once for each instruction set.
//! This takes `unsafe` code: a function that is compiled for instructions that the processor may lack may only be called
//! after detection.

use super::lanes::{Lanes, Unwatched};
use crate::machine::playouts::{Chunk, Totals};

/// Plays the games of a chunk with the widest instructions that the processor has.
pub(super) fn play(lanes: &mut Lanes, chunk: &Chunk, totals: &mut [Totals]) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx2() && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the processor has the instructions that the function is compiled for.
            #[allow(unsafe_code, reason = "see the documentation of this module")]
            return unsafe { play_avx512(lanes, chunk, totals) };
        }
        if has_avx2() {
            // SAFETY: the processor has the instructions that the function is compiled for.
            #[allow(unsafe_code, reason = "see the documentation of this module")]
            return unsafe { play_avx2(lanes, chunk, totals) };
        }
    }
    lanes.play_chunk(chunk, totals, &mut Unwatched);
}

/// Whether the processor has the instructions of the functions that are made for AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn play_avx2(lanes: &mut Lanes, chunk: &Chunk, totals: &mut [Totals]) {
    lanes.play_chunk(chunk, totals, &mut Unwatched);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn play_avx512(lanes: &mut Lanes, chunk: &Chunk, totals: &mut [Totals]) {
    lanes.play_chunk(chunk, totals, &mut Unwatched);
}
