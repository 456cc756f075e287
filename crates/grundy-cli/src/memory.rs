//! The allocator of the program, which counts the bytes that the process holds.
//!
//! One counter for all threads would be written by every allocation of every thread, and its cache line would travel
//! between the cores: two threads would be little faster than one. So the count is the sum of several counters, each on a
//! line of its own, and a thread uses one of them. A block that one thread allocates and another frees makes a counter
//! wrap around, which leaves the sum exact.
//!
//! Small blocks come from mimalloc, large ones from the system, which can grow them in place: a table that doubles is not
//! held twice meanwhile, and what it does not use yet takes no memory, so that a limit is noticed before it is exceeded.

use libmimalloc_sys::{mi_free, mi_malloc, mi_realloc, mi_zalloc};
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout, System};
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

/// From this size on, blocks come from the system. Glibc has a mapping for each block of 32 MiB or more, and for most of
/// these.
const LARGE: usize = 16 << 20;

fn is_large(bytes: usize) -> bool {
    bytes >= LARGE
}

/// Blocks from mimalloc. It aligns all of them to words; asked for a word's alignment, it would make them a little longer, and
/// so put those of a round size into the next size class, which is up to a fifth larger.
#[allow(unsafe_code)]
mod small {
    use super::*;

    const WORD: usize = align_of::<usize>();

    pub(super) unsafe fn alloc(layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the calls ask for.
        unsafe {
            match layout.align() <= WORD {
                true => mi_malloc(layout.size()).cast(),
                false => MiMalloc.alloc(layout),
            }
        }
    }

    pub(super) unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the calls ask for.
        unsafe {
            match layout.align() <= WORD {
                true => mi_zalloc(layout.size()).cast(),
                false => MiMalloc.alloc_zeroed(layout),
            }
        }
    }

    pub(super) unsafe fn dealloc(block: *mut u8) {
        // SAFETY: the caller promises that the block comes from here.
        unsafe { mi_free(block.cast()) }
    }

    pub(super) unsafe fn realloc(block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are those that the calls ask for.
        unsafe {
            match layout.align() <= WORD {
                true => mi_realloc(block.cast(), new_size).cast(),
                false => MiMalloc.realloc(block, layout, new_size),
            }
        }
    }
}

struct Counting;

// SAFETY: every call is passed on to one of two allocators, always the same one for a size, so that each gets back its own
// blocks; what changes sides is copied as the trait's own method does it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the calls ask for.
        let block = unsafe {
            match is_large(layout.size()) {
                true => System.alloc(layout),
                false => small::alloc(layout),
            }
        };
        if !block.is_null() {
            count(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the calls ask for.
        let block = unsafe {
            match is_large(layout.size()) {
                true => System.alloc_zeroed(layout),
                false => small::alloc_zeroed(layout),
            }
        };
        if !block.is_null() {
            count(layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are those that the calls ask for, and the size tells whose block it is.
        unsafe {
            match is_large(layout.size()) {
                true => System.dealloc(block, layout),
                false => small::dealloc(block),
            }
        }
        count(layout.size().wrapping_neg());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are those that the calls ask for; the new layout is valid, because the caller promises
        // that its size is. Both blocks are at least as long as what is copied.
        let new_block = unsafe {
            match (is_large(layout.size()), is_large(new_size)) {
                (true, true) => System.realloc(block, layout, new_size),
                (false, false) => small::realloc(block, layout, new_size),
                _ => {
                    let new_block = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
                    if !new_block.is_null() {
                        std::ptr::copy_nonoverlapping(block, new_block, layout.size().min(new_size));
                        self.dealloc(block, layout);
                    }
                    return new_block;
                }
            }
        };
        if !new_block.is_null() {
            count(new_size.wrapping_sub(layout.size()));
        }
        new_block
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE, used_bytes};

    #[test]
    fn a_block_counts_until_any_thread_frees_it() {
        const HUGE: usize = 1 << 30;
        let before = used_bytes();
        let block: Vec<u8> = Vec::with_capacity(HUGE);
        assert!(used_bytes() >= before + HUGE / 2, "other tests hold far less");
        std::thread::spawn(move || drop(block)).join().unwrap();
        assert!(used_bytes() < before + HUGE / 2);
    }

    #[test]
    fn blocks_keep_their_bytes_when_they_grow_and_shrink() {
        let mut bytes: Vec<u8> = (0..=250).collect();
        for size in [LARGE - 1, LARGE, 3 * LARGE, LARGE - 7, 4 * LARGE] {
            bytes.truncate(size);
            bytes.shrink_to_fit();
            bytes.resize(size, 7);
            assert_eq!((bytes[250], bytes[251], bytes[size - 1]), (250, 7, 7));
        }
        assert!(vec![0u8; LARGE + 5].iter().all(|&byte| byte == 0));
    }
}
