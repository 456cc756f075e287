//! Random bits for all lanes.

use super::block::{Block, WORDS};
use crate::machine::playouts::stream;

/// A generator for each word of a block, side by side: xoshiro256++ of Blackman & Vigna.
#[derive(Clone, Debug)]
pub(super) struct Random([[u64; WORDS]; 4]);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        let mut numbers = 0;
        let mut word = || {
            numbers += 1;
            stream(seed, numbers)
        };
        Random(std::array::from_fn(|_| std::array::from_fn(|_| word())))
    }

    /// A random bit for each lane.
    #[inline(always)]
    pub(super) fn block(&mut self) -> Block {
        let [a, b, c, d] = &mut self.0;
        let mut out = [0; WORDS];
        for word in 0..WORDS {
            out[word] = a[word].wrapping_add(d[word]).rotate_left(23).wrapping_add(a[word]);
            let shifted = b[word] << 17;
            c[word] ^= a[word];
            d[word] ^= b[word];
            b[word] ^= c[word];
            a[word] ^= d[word];
            c[word] ^= shifted;
            d[word] = d[word].rotate_left(45);
        }
        Block(out)
    }
}
