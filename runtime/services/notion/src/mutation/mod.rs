//! Mutants of a solved workspace: copies with one small mistake each, for the certification of verifiers.
//!
//! Mutations apply to the differences between the starting and the final workspace, and, as unwanted changes, to a few
//! parts that the solution left unchanged. Times and the ids of new objects are no differences: an agent cannot choose
//! them. Each mutant is a valid world. In particular, both sides of a two-way relation agree.

mod blocks;
mod changes;
mod comments;
mod inputs;
mod objects;
mod pages;
mod places;
mod rows;
mod schema;
mod text;
mod types;
mod values;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::changes::Changes;
use crate::model::{IdSource, Workspace};
use crate::world;

/// Maximum number of mutants of one kind.
const PER_KIND: usize = 24;

/// Seed of the ids of objects in mutants. No world has it, so ids that its session created are not repeated.
const SEED: u64 = u64::MAX;

/// Kind of a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutationKind {
    /// A title differs by one character.
    Title,
    /// A word of a text is missing.
    Text,
    /// A number is off by one.
    Number,
    /// A date is off by one day.
    Date,
    /// A date has no end or no time.
    DateForm,
    /// A property has another option, an additional option, or one option less.
    Option,
    /// A checkbox of a row or of a to-do is flipped.
    Checkbox,
    /// A relation contains another row, an additional row, or one row less.
    Relation,
    /// A property contains another person, or one person less.
    Person,
    /// A property has no value.
    EmptyValue,
    /// Two rows have each other's value of a property.
    SwappedValues,
    /// A row is missing.
    LostRow,
    /// A row is duplicated.
    DoubledRow,
    /// An unwanted row is added.
    StrayRow,
    /// A block has another type.
    BlockType,
    /// Two consecutive blocks are swapped.
    BlockOrder,
    /// A block is a level too deep or not deep enough.
    Nesting,
    /// A block is missing.
    LostBlock,
    /// A block is duplicated.
    DoubledBlock,
    /// An unwanted block is added.
    StrayBlock,
    /// A text or block has no colour, link or style, or a mention is plain text.
    Style,
    /// The language, address, expression, switch or file of a block is another one.
    BlockSetting,
    /// The icon or cover of a page, database or callout is missing or another one.
    Icon,
    /// A comment is missing, duplicated, in another discussion, or on another page or block.
    Comment,
    /// An unwanted comment is added.
    StrayComment,
    /// A page or database is missing.
    LostPage,
    /// A page or database is in the trash.
    Trashed,
    /// A page or database is below another page.
    WrongParent,
    /// A page is duplicated.
    DoubledPage,
    /// An unwanted page is added.
    StrayPage,
    /// The name of a property or option differs by one character.
    Name,
    /// A property of a database is missing.
    LostProperty,
    /// An unwanted property is added to a database.
    StrayProperty,
    /// A property of a database has another type.
    PropertyType,
    /// A property of a database has another number format, option, prefix or function.
    PropertySetting,
    /// A relation is one-way instead of two-way, or leads to another database.
    RelationSetting,
    /// A part of the workspace is that of the starting state.
    Stale,
    /// A part that the solution left unchanged is changed.
    EditInput,
    /// A part that the solution left unchanged is in the trash.
    DeleteInput,
    /// A part that the solution left unchanged is at another place.
    MoveInput,
}

/// Solved workspace with one mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// Kind of the mutation.
    pub kind: MutationKind,
    /// Mutated place: titles from the top to the page or row, then the property, block or comment.
    pub place: String,
    /// Description of the change.
    pub what: String,
    /// Documents that differ from the solved state, by path. `None` means that the document is removed.
    pub documents: BTreeMap<String, Option<Vec<u8>>>,
}

/// Returns mutants of the workspace `end`, which a solution made from `start`. Equal workspaces result in equal
/// mutants.
pub fn mutants(start: &Workspace, end: &Workspace) -> Vec<Mutant> {
    let changes = Changes::new(start, end);
    let mut edits = Edits::default();
    values::edits(&changes, &mut edits);
    rows::edits(&changes, &mut edits);
    blocks::edits(&changes, &mut edits);
    pages::edits(&changes, &mut edits);
    comments::edits(&changes, &mut edits);
    schema::edits(&changes, &mut edits);
    inputs::edits(&changes, &mut edits);
    let mutants = edits.spread().into_iter().filter_map(|edit| {
        let mut mutated = end.clone();
        mutated.ids = IdSource::new(SEED);
        (edit.apply)(&mut mutated);
        let documents: BTreeMap<_, _> = world::changes(end, &mutated).into_iter().collect();
        (!documents.is_empty()).then_some(Mutant {
            kind: edit.kind,
            place: edit.place,
            what: edit.what,
            documents,
        })
    });
    mutants.collect()
}

/// Change that makes a mutant from the solved workspace.
struct Edit<'a> {
    kind: MutationKind,
    place: String,
    what: String,
    apply: Box<dyn Fn(&mut Workspace) + 'a>,
}

/// Changes of all kinds, in the order in which they were found.
#[derive(Default)]
struct Edits<'a>(Vec<Edit<'a>>);

impl<'a> Edits<'a> {
    fn add(
        &mut self,
        kind: MutationKind,
        place: impl Into<String>,
        what: impl Into<String>,
        apply: impl Fn(&mut Workspace) + 'a,
    ) {
        self.0.push(Edit {
            kind,
            place: place.into(),
            what: what.into(),
            apply: Box::new(apply),
        });
    }

    /// Returns the changes by kind, with at most [`PER_KIND`] of each, spread over the workspace.
    fn spread(self) -> Vec<Edit<'a>> {
        let mut by_kind: BTreeMap<MutationKind, Vec<Edit<'a>>> = BTreeMap::new();
        for edit in self.0 {
            by_kind.entry(edit.kind).or_default().push(edit);
        }
        let spread = by_kind
            .into_values()
            .flat_map(|edits| some(edits, PER_KIND));
        spread.collect()
    }
}

/// Returns at most `most` of the values, spread evenly.
fn some<T>(values: Vec<T>, most: usize) -> Vec<T> {
    let count = values.len();
    let kept = values
        .into_iter()
        .enumerate()
        .filter(|(index, _)| count <= most || index * most / count != (index + 1) * most / count);
    kept.map(|(_, value)| value).collect()
}
