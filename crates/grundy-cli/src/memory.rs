//! The allocator of the program, which counts the bytes that the process holds.
//!
//! One counter for all threads would be written by every allocation of every thread, and its cache line would travel
//! between the cores: two threads would be little faster than one. So the count is the sum of several counters, each on a
//! line of its own, and a thread uses one of them. A block that one thread allocates and another frees makes a counter
//! wrap around, which leaves the sum exact.

use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many counters there are: more than a few threads on one of them are slower, not wrong.
const COUNTERS: usize = 16;

/// A counter on a cache line of its own; two lines, because processors fetch them in pairs.
#[repr(align(128))]
struct Counter(AtomicUsize);

static HELD: [Counter; COUNTERS] = [const { Counter(AtomicUsize::new(0)) }; COUNTERS];

/// The counter of the next thread.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The counter that this thread uses; `COUNTERS` before its first allocation. It needs neither an allocation nor a
    /// destructor, so that an allocator may use it.
    static MINE: Cell<usize> = const { Cell::new(COUNTERS) };
}

/// The bytes that the process holds.
pub(crate) fn used_bytes() -> usize {
    HELD.iter().fold(0, |sum, counter| sum.wrapping_add(counter.0.load(Ordering::Relaxed)))
}

/// Adds to the count; modulo the word size, so that a negated number subtracts.
fn count(bytes: usize) {
    let mine = MINE.get();
    let mine = if mine < COUNTERS { mine } else { first_counter() };
    HELD[mine].0.fetch_add(bytes, Ordering::Relaxed);
}

#[cold]
fn first_counter() -> usize {
    let mine = NEXT.fetch_add(1, Ordering::Relaxed) % COUNTERS;
    MINE.set(mine);
    mine
}

struct Counting;

// SAFETY: every call is passed on unchanged to an allocator; only its size is counted.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the call asks for.
        let block = unsafe { MiMalloc.alloc(layout) };
        if !block.is_null() {
            count(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the call asks for.
        let block = unsafe { MiMalloc.alloc_zeroed(layout) };
        if !block.is_null() {
            count(layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are those that the call asks for.
        unsafe { MiMalloc.dealloc(block, layout) };
        count(layout.size().wrapping_neg());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are those that the call asks for.
        let new_block = unsafe { MiMalloc.realloc(block, layout, new_size) };
        if !new_block.is_null() {
            count(new_size.wrapping_sub(layout.size()));
        }
        new_block
    }
}

#[cfg(test)]
mod tests {
    use super::used_bytes;

    #[test]
    fn a_block_counts_until_any_thread_frees_it() {
        const LARGE: usize = 1 << 30;
        let before = used_bytes();
        let block: Vec<u8> = Vec::with_capacity(LARGE);
        assert!(used_bytes() >= before + LARGE / 2, "other tests hold far less");
        std::thread::spawn(move || drop(block)).join().unwrap();
        assert!(used_bytes() < before + LARGE / 2);
    }
}
