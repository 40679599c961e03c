//! Mutants of workspaces, made by the engine of the service: a changed byte of a document is not a mistake that an agent
//! can make.

use std::sync::Arc;

use mcpmark_notion::model::Workspace;
use mcpmark_notion::mutation::{self, Mutant, MutationKind};
use mcpmark_notion::world::{self, Opening, WorldError};
use mcpmark_snapshot::{Blobs, File, MemoryBlobs, Tree, TreeBuilder, TreePath};

use crate::{MutateError, Mutation, Solved, StateMutant, StateMutator};

/// A title differs by one character.
const TITLE: Mutation = Mutation::new("title");
/// A word of a text is missing.
const WORD: Mutation = Mutation::new("word");
/// A date has no end or no time.
const DATE_FORM: Mutation = Mutation::new("date-form");
/// A property has another option, an additional option, or one option less.
const OPTION: Mutation = Mutation::new("option");
/// A checkbox of a row or of a to-do is flipped.
const CHECKBOX: Mutation = Mutation::new("checkbox");
/// A relation contains another row, an additional row, or one row less.
const RELATION: Mutation = Mutation::new("relation");
/// A property contains another person, or one person less.
const PERSON: Mutation = Mutation::new("person");
/// A property has no value.
const EMPTY_VALUE: Mutation = Mutation::new("empty-value");
/// Two rows have each other's value of a property.
const SWAPPED_VALUES: Mutation = Mutation::new("swapped-values");
/// A row is missing.
const LOST_ROW: Mutation = Mutation::new("lost-row");
/// A row is duplicated.
const DOUBLED_ROW: Mutation = Mutation::new("doubled-row");
/// An unwanted row is added.
const STRAY_ROW: Mutation = Mutation::new("stray-row");
/// A block has another type.
const BLOCK_TYPE: Mutation = Mutation::new("block-type");
/// Two consecutive blocks, or two cells of a table, are swapped.
const BLOCK_ORDER: Mutation = Mutation::new("block-order");
/// A block is a level too deep or not deep enough.
const NESTING: Mutation = Mutation::new("nesting");
/// A block is missing.
const LOST_BLOCK: Mutation = Mutation::new("lost-block");
/// A block is duplicated.
const DOUBLED_BLOCK: Mutation = Mutation::new("doubled-block");
/// An unwanted block is added.
const STRAY_BLOCK: Mutation = Mutation::new("stray-block");
/// A text or block has no colour, link or style, or a mention is plain text.
const STYLE: Mutation = Mutation::new("style");
/// The language, address, expression, switch or file of a block is another one.
const BLOCK_SETTING: Mutation = Mutation::new("block-setting");
/// The icon or cover of a page, database or callout is missing or another one.
const ICON: Mutation = Mutation::new("icon");
/// A comment is missing, duplicated, in another discussion, or on another page or block.
const COMMENT: Mutation = Mutation::new("comment");
/// An unwanted comment is added.
const STRAY_COMMENT: Mutation = Mutation::new("stray-comment");
/// A page is missing.
const LOST_PAGE: Mutation = Mutation::new("lost-page");
/// A page or database is in the trash.
const TRASHED: Mutation = Mutation::new("trashed");
/// A page or database is below another page.
const WRONG_PARENT: Mutation = Mutation::new("wrong-parent");
/// A page is duplicated.
const DOUBLED_PAGE: Mutation = Mutation::new("doubled-page");
/// An unwanted page is added.
const STRAY_PAGE: Mutation = Mutation::new("stray-page");
/// The name of a property or option differs by one character.
const NAME: Mutation = Mutation::new("name");
/// A property of a database is missing.
const LOST_PROPERTY: Mutation = Mutation::new("lost-property");
/// An unwanted property is added to a database.
const STRAY_PROPERTY: Mutation = Mutation::new("stray-property");
/// A property of a database has another type.
const PROPERTY_TYPE: Mutation = Mutation::new("property-type");
/// A property of a database has another number format, option, prefix or function.
const PROPERTY_SETTING: Mutation = Mutation::new("property-setting");
/// A relation is one-way instead of two-way or the reverse, or leads to another database.
const RELATION_SETTING: Mutation = Mutation::new("relation-setting");

/// All mutations that are specific to workspaces.
pub(super) const MUTATIONS: &[Mutation] = &[
    TITLE,
    WORD,
    DATE_FORM,
    OPTION,
    CHECKBOX,
    RELATION,
    PERSON,
    EMPTY_VALUE,
    SWAPPED_VALUES,
    LOST_ROW,
    DOUBLED_ROW,
    STRAY_ROW,
    BLOCK_TYPE,
    BLOCK_ORDER,
    NESTING,
    LOST_BLOCK,
    DOUBLED_BLOCK,
    STRAY_BLOCK,
    STYLE,
    BLOCK_SETTING,
    ICON,
    COMMENT,
    STRAY_COMMENT,
    LOST_PAGE,
    TRASHED,
    WRONG_PARENT,
    DOUBLED_PAGE,
    STRAY_PAGE,
    NAME,
    LOST_PROPERTY,
    STRAY_PROPERTY,
    PROPERTY_TYPE,
    PROPERTY_SETTING,
    RELATION_SETTING,
];

/// Mutator of the pages, databases and comments of a workspace.
pub(super) struct WorkspaceMutator<'a> {
    solved: Solved<'a>,
    start: Workspace,
    end: Workspace,
}

impl<'a> WorkspaceMutator<'a> {
    pub(super) fn new(solved: Solved<'a>) -> Result<Self, MutateError> {
        Ok(Self {
            start: open(solved.start, solved.blobs)?,
            end: open(solved.end, solved.blobs)?,
            solved,
        })
    }

    /// Returns the tree of a mutant, and stores the documents in which it differs from the solved state.
    fn tree(&self, mutant: &Mutant) -> Result<Tree, MutateError> {
        let store = self.solved.store;
        let mut builder = TreeBuilder::from(self.solved.end.clone());
        for (path, content) in &mutant.documents {
            let path = TreePath::parse(path).map_err(MutateError::new)?;
            builder.remove(&path);
            if let Some(bytes) = content {
                let file = File {
                    size: bytes.len() as u64,
                    executable: false,
                    modified: None,
                    content: store.put(bytes).map_err(MutateError::new)?,
                };
                builder.insert_file(&path, file).map_err(MutateError::new)?;
            }
        }
        let tree = builder.finish();
        store.put_tree(&tree).map_err(MutateError::new)?;
        Ok(tree)
    }
}

/// Opens a state. Mutants have ids of their own, so the seed and the clock are not those of a session.
pub(super) fn open(tree: &Tree, blobs: &dyn Blobs) -> Result<Workspace, MutateError> {
    let opening = Opening { seed: 0, clock: 0 };
    let state = read(tree, blobs)?;
    world::read(tree, &state, opening).map_err(|error: WorldError| MutateError::new(error))
}

/// Reads the documents of a state.
fn read(tree: &Tree, blobs: &dyn Blobs) -> Result<Arc<dyn Blobs>, MutateError> {
    let memory = MemoryBlobs::new();
    for (_, file) in tree.files() {
        memory.put(blobs.read(&file.content).map_err(MutateError::new)?);
    }
    Ok(Arc::new(memory))
}

impl StateMutator for WorkspaceMutator<'_> {
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError> {
        let mutants = mutation::mutants(&self.start, &self.end);
        let states = mutants.into_iter().map(|mutant| {
            Ok(StateMutant {
                mutation: mutation(mutant.kind),
                tree: self.tree(&mutant)?,
                place: mutant.place,
                what: mutant.what,
            })
        });
        states.collect()
    }
}

fn mutation(kind: MutationKind) -> Mutation {
    match kind {
        MutationKind::Title => TITLE,
        MutationKind::Text => WORD,
        MutationKind::Number => Mutation::NUMBER,
        MutationKind::Date => Mutation::DATE,
        MutationKind::DateForm => DATE_FORM,
        MutationKind::Option => OPTION,
        MutationKind::Checkbox => CHECKBOX,
        MutationKind::Relation => RELATION,
        MutationKind::Person => PERSON,
        MutationKind::EmptyValue => EMPTY_VALUE,
        MutationKind::SwappedValues => SWAPPED_VALUES,
        MutationKind::LostRow => LOST_ROW,
        MutationKind::DoubledRow => DOUBLED_ROW,
        MutationKind::StrayRow => STRAY_ROW,
        MutationKind::BlockType => BLOCK_TYPE,
        MutationKind::BlockOrder => BLOCK_ORDER,
        MutationKind::Nesting => NESTING,
        MutationKind::LostBlock => LOST_BLOCK,
        MutationKind::DoubledBlock => DOUBLED_BLOCK,
        MutationKind::StrayBlock => STRAY_BLOCK,
        MutationKind::Style => STYLE,
        MutationKind::BlockSetting => BLOCK_SETTING,
        MutationKind::Icon => ICON,
        MutationKind::Comment => COMMENT,
        MutationKind::StrayComment => STRAY_COMMENT,
        MutationKind::LostPage => LOST_PAGE,
        MutationKind::Trashed => TRASHED,
        MutationKind::WrongParent => WRONG_PARENT,
        MutationKind::DoubledPage => DOUBLED_PAGE,
        MutationKind::StrayPage => STRAY_PAGE,
        MutationKind::Name => NAME,
        MutationKind::LostProperty => LOST_PROPERTY,
        MutationKind::StrayProperty => STRAY_PROPERTY,
        MutationKind::PropertyType => PROPERTY_TYPE,
        MutationKind::PropertySetting => PROPERTY_SETTING,
        MutationKind::RelationSetting => RELATION_SETTING,
        MutationKind::Stale => Mutation::STALE,
        MutationKind::EditInput => Mutation::EDIT_INPUT,
        MutationKind::DeleteInput => Mutation::DELETE_INPUT,
        MutationKind::MoveInput => Mutation::MOVE_INPUT,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use mcpmark_snapshot::Store;

    use super::*;

    #[test]
    fn names_are_distinct_and_of_no_general_mutation() {
        let all = MUTATIONS.iter().chain(Mutation::GENERAL);
        let names: BTreeSet<&str> = all.map(|it| it.as_str()).collect();
        assert_eq!(names.len(), MUTATIONS.len() + Mutation::GENERAL.len());
    }

    /// Stores a world with one page, which has a title and one paragraph.
    pub(in crate::notion) fn state(store: &Store, title: &str, text: &str) -> Tree {
        let (page, bot) = (
            "00000000-0000-4000-8000-000000000001",
            "00000000-0000-4000-8000-000000000002",
        );
        let block = "00000000-0000-4000-8000-000000000003";
        let workspace = serde_json::json!({
            "format": 1,
            "name": "Notes",
            "bot": bot,
            "users": [{"id": bot, "name": "Helper", "bot": true}],
            "top": [{"page": page}],
        });
        let document = serde_json::json!({
            "id": page,
            "title": title,
            "created": {"at": "2025-01-10T09:00:00Z", "by": bot},
            "blocks": [{"id": block, "paragraph": {"text": text}}],
        });
        let mut builder = TreeBuilder::new();
        for (path, value) in [
            ("workspace.json".to_owned(), workspace),
            (format!("pages/{page}.json"), document),
        ] {
            let text = format!("{value:#}\n");
            let file = File {
                size: text.len() as u64,
                executable: false,
                modified: None,
                content: store.put(text.as_bytes()).unwrap(),
            };
            let path = TreePath::parse(&path).unwrap();
            builder.insert_file(&path, file).unwrap();
        }
        builder.finish()
    }

    #[test]
    fn mutants_of_a_changed_page_are_stored_worlds() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).unwrap();
        let start = state(&store, "Plan", "Meet at 3 pm.");
        let end = state(&store, "Plans", "Meet at 4 pm.");
        let mut mutator = WorkspaceMutator::new(Solved {
            start: &start,
            end: &end,
            blobs: &store,
            store: &store,
            scratch: home.path(),
        })
        .unwrap();
        let mutants = mutator.mutants().unwrap();
        let made: BTreeSet<&str> = mutants.iter().map(|it| it.mutation.as_str()).collect();
        for expected in ["title", "number", "word", "stale", "stray-page"] {
            assert!(made.contains(expected), "{made:?}");
        }
        for mutant in &mutants {
            assert_ne!(mutant.tree, end);
            assert_eq!(store.load_tree(&mutant.tree.digest()).unwrap(), mutant.tree);
            open(&mutant.tree, &store).unwrap();
        }
        assert!(mutator.texts().unwrap().is_empty());
    }
}
