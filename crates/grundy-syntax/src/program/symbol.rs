//! Names, interned to dense ids.

use crate::ids::{Id, narrow};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

crate::define_id! {
    /// An interned name. Ids follow the order in which names first occur.
    pub struct SymbolId(u32);
}

/// The names of a program.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Vec<Box<str>>,
    table: HashTable<u32>,
}

pub(super) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Symbols {
    /// The id of a name, new or known.
    pub fn intern(&mut self, name: &str) -> SymbolId {
        let hash = hash_of(name);
        if let Some(&id) = self.table.find(hash, |&id| &*self.names[id.index()] == name) {
            return SymbolId(id);
        }
        let id = narrow(self.names.len());
        self.names.push(name.into());
        self.table.insert_unique(hash, id, |&id| hash_of(&*self.names[id.index()]));
        SymbolId(id)
    }

    /// The id of a name if it occurs.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.table.find(hash_of(name), |&id| &*self.names[id.index()] == name).map(|&id| SymbolId(id))
    }

    /// The name of an id.
    pub fn name(&self, id: SymbolId) -> &str {
        &self.names[id.index()]
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All names with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &str)> {
        self.names.iter().enumerate().map(|(id, name)| (SymbolId::new(id), &**name))
    }
}
