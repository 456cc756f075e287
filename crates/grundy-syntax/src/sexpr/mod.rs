//! S-expressions: the first stage of a sheet in KIF notation.
//!
//! [`Sexprs`] holds all forms of a sheet in one flat array, in the order of the text, parents
//! before children. Every node has a valid span, a list's span begins at its `(`, and printing the
//! forms gives back the tokens that were read. Reading never fails: what is broken becomes a
//! diagnostic, and the top-level forms it touched are marked [`broken`](Sexprs::is_broken).

mod blame;
mod print;
mod read;

use crate::ids::{Id, narrow};
use crate::source::{Source, Span};

pub use print::print_sexprs;
pub use read::read_sexprs;

/// A node of [`Sexprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SexprId(u32);

/// An atom, or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word: a name, a number, a variable.
    Atom,
    /// A pair of parentheses with any number of nodes inside.
    List,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    span: Span,
    /// Index behind the last node of this subtree. An atom ends directly behind itself.
    end: u32,
    kind: Kind,
}

/// All forms of a sheet.
#[derive(Clone, Debug, Default)]
pub struct Sexprs {
    nodes: Vec<Node>,
    /// Top-level forms that a missing or an extra parenthesis has touched, in order.
    broken: Vec<SexprId>,
}

impl Sexprs {
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but white space and comments.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The top-level forms.
    pub fn forms(&self) -> impl Iterator<Item = SexprId> + '_ {
        self.siblings(0, narrow(self.nodes.len()))
    }

    /// Atom or list.
    pub fn kind(&self, id: SexprId) -> Kind {
        self.nodes[id.0.index()].kind
    }

    /// Where a node stands.
    pub fn span(&self, id: SexprId) -> Span {
        self.nodes[id.0.index()].span
    }

    /// The nodes directly inside a list; none for an atom.
    pub fn children(&self, id: SexprId) -> impl Iterator<Item = SexprId> + Clone + '_ {
        self.siblings(id.0 + 1, self.nodes[id.0.index()].end)
    }

    /// The atom that stands alone in a list: the `p` of `(p)`.
    pub(crate) fn only_atom(&self, id: SexprId) -> Option<SexprId> {
        let Node { kind, end, .. } = self.nodes[id.0.index()];
        let inside = SexprId(id.0 + 1);
        (kind == Kind::List && end == inside.0 + 1 && self.kind(inside) == Kind::Atom).then_some(inside)
    }

    /// A node and everything below it.
    pub fn subtree(&self, id: SexprId) -> impl Iterator<Item = SexprId> + use<> {
        (id.0..self.nodes[id.0.index()].end).map(SexprId)
    }

    /// The node behind the subtree of this one, whether there is one or not.
    fn behind(&self, id: SexprId) -> SexprId {
        SexprId(self.nodes[id.0.index()].end)
    }

    /// The text of an atom; `None` for a list.
    pub fn atom<'s>(&self, source: &'s Source, id: SexprId) -> Option<&'s str> {
        (self.kind(id) == Kind::Atom).then(|| source.slice(self.span(id)))
    }

    /// Whether a top-level form lost or gained a parenthesis, so that its inside cannot be trusted.
    pub fn is_broken(&self, form: SexprId) -> bool {
        self.broken.binary_search(&form).is_ok()
    }

    fn siblings(&self, mut at: u32, end: u32) -> impl Iterator<Item = SexprId> + Clone + '_ {
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let id = SexprId(at);
                at = self.nodes[at.index()].end;
                id
            })
        })
    }
}
