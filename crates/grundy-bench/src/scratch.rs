//! Temporary files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The longest part of a text that is read.
const LONGEST_TEXT: u64 = 1 << 20;

/// A folder that is removed with this value: in memory where the system has such a place, so that no disk is measured.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> io::Result<Scratch> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("grundy-{}-{number}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Scratch(path))
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A new file, which replaces one of the same name.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        File::create(self.path(name))
    }

    pub(crate) fn open(&self, name: &str) -> io::Result<File> {
        File::open(self.path(name))
    }

    /// The beginning of a text, or nothing if it cannot be read.
    pub(crate) fn text(&self, name: &str) -> String {
        beginning_of(&self.path(name))
    }
}

/// The beginning of the text of a file, or nothing if it cannot be read.
pub(crate) fn beginning_of(path: &Path) -> String {
    let mut bytes = Vec::new();
    let _ = File::open(path).and_then(|file| file.take(LONGEST_TEXT).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_can_be_read_back_and_are_removed() {
        let scratch = Scratch::new().unwrap();
        scratch.create("x").unwrap().write_all(b"words").unwrap();
        assert_eq!((scratch.text("x").as_str(), scratch.text("y").as_str()), ("words", ""));
        let path = scratch.path("x");
        drop(scratch);
        assert!(!path.exists() && !path.parent().unwrap().exists());
    }
}
