//! Rows that are missing, duplicated or unwanted.

use std::collections::BTreeSet;

use super::MutationKind as K;
use super::changes::Changes;
use super::{Edits, objects, places};
use crate::model::{Id, Parent};

pub(super) fn edits<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    let mut databases: BTreeSet<Id> = BTreeSet::new();
    for value in changes.values() {
        databases.extend(changes.end.database_of(value.row).map(|(id, _)| id));
    }
    for (row, _) in changes.rows() {
        let (id, place) = (row.id, places::page(changes.end, row.id));
        if !changes.is_new(id) {
            continue;
        }
        databases.extend(row.parent.id());
        edits.add(K::LostRow, place.as_str(), "missing", move |workspace| {
            objects::remove(workspace, id);
        });
        edits.add(K::DoubledRow, place, "twice", move |workspace| {
            objects::double(workspace, id);
        });
    }
    for (database, _) in changes.databases() {
        let id = database.id;
        if databases.contains(&id) {
            let place = places::page(changes.end, id);
            edits.add(
                K::StrayRow,
                place,
                "a row \"Stray\" added",
                move |workspace| {
                    objects::add_page(workspace, Parent::Database(id), "Stray");
                },
            );
        }
    }
    restored(changes, edits);
}

/// Restores what the solution moved to the trash.
fn restored<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    for node in changes.removed() {
        let id = node.id;
        if changes.end.nodes.contains_key(&id) {
            let place = places::node(changes.start, node);
            edits.add(K::Stale, place, "still there", move |workspace| {
                objects::trash(workspace, id, false);
            });
        }
    }
}
