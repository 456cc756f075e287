//! The order of modules and crates: dependencies point one way.
//!
//! The test reads the paths in the sources. A module may use those above it in [`LAYERS`]; a crate those that
//! [`CRATES`] lists for it.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The modules of `grundy`, from the bottom to the top.
///
/// `lifted` stands before `ground`: the iterative method of grounding begins with a match without moves, which the lifted
/// engine plays. `rewrite` stands behind `datalog`, since rules are split by the sizes of relations.
const LAYERS: [&str; 20] = [
    "ids",
    "graph",
    "analysis",
    "flat",
    "datalog",
    "rewrite",
    "reasoner",
    "lifted",
    "ground",
    "network",
    "machine",
    "invariants",
    "metarules",
    "unfold",
    "winning",
    "variants",
    "game",
    "engine",
    "features",
    "play",
];

/// The crates, each with those that it may depend on.
const CRATES: [(&str, &[&str]); 5] = [
    ("grundy-syntax", &[]),
    ("grundy-reference", &["grundy-syntax"]),
    ("grundy", &["grundy-syntax", "grundy-reference"]),
    ("grundy-bench", &["grundy-syntax", "grundy-reference", "grundy"]),
    ("grundy-cli", &["grundy-syntax", "grundy-reference", "grundy", "grundy-bench"]),
];

/// Edges that point upwards and have to go: each is a pair of modules.
const KNOWN: [(&str, &str); 1] = [
    // Networks are built and chosen for a `Game`; both become one pipeline.
    ("variants", "game"),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The code of a file: no comments, and no tests, which may look at everything.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("the file is text");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The first names of all paths below `crate`, those in braces included.
fn modules_used(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let word =
            |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                used.extend(list.split(',').map(|item| word(item.trim())).filter(|name| !name.is_empty()));
            }
            None => drop(used.insert(word(rest))),
        }
    }
    used
}

#[test]
fn modules_use_what_is_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place = |module: &str| LAYERS.iter().position(|&layer| layer == module);
    let (mut edges, mut back) = (BTreeSet::new(), BTreeSet::new());
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).expect("the file is below the folder");
        let first = inside.components().next().expect("a file has a name").as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let own = place(module).unwrap_or_else(|| panic!("`{module}` is in no layer"));
        for used in modules_used(&code(&path)) {
            let Some(other) = place(&used) else {
                panic!("{}: `crate::{used}` is in no layer", inside.display())
            };
            edges.insert((module.to_owned(), used.clone()));
            if other > own && !KNOWN.contains(&(module, used.as_str())) {
                back.insert(format!("{}: `{module}` uses `{used}`", inside.display()));
            }
        }
    }
    assert!(
        back.is_empty(),
        "dependencies point upwards:\n{}",
        back.into_iter().collect::<Vec<_>>().join("\n")
    );
    assert!(edges.len() > 50, "only {} edges are found: the test reads the wrong files", edges.len());
}

#[test]
fn crates_use_what_is_below_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, allowed) in CRATES {
        let manifest =
            std::fs::read_to_string(crates.join(name).join("Cargo.toml")).expect("the crate is there");
        let mut section = "";
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            }
            let dependency = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if section == "[dependencies]" && dependency.starts_with("grundy") {
                assert!(allowed.contains(&dependency), "`{name}` depends on `{dependency}`");
            }
        }
    }
    let known: BTreeSet<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    for entry in std::fs::read_dir(&crates).expect("the crates").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(known.contains(name.as_str()), "the crate `{name}` has no place");
    }
}
