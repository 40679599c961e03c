//! Mutants of a small workspace, whose solution changes something of every sort.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use mcpmark_snapshot::{Blobs, File, MemoryBlobs, TreeBuilder, TreePath};
use serde_json::{Value, json};

use super::*;
use crate::api::{Body, Engine, Method, Request};
use crate::model::{Id, Kind, Parent, PropertyValue};
use crate::world::Opening;

type Documents = BTreeMap<String, Vec<u8>>;

/// Returns an id with this number.
fn id(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn read(documents: &Documents) -> Workspace {
    let blobs = Arc::new(MemoryBlobs::new());
    let mut tree = TreeBuilder::new();
    for (path, bytes) in documents {
        let file = File {
            size: bytes.len() as u64,
            executable: false,
            modified: None,
            content: blobs.put(bytes.clone()),
        };
        let path = TreePath::parse(path).unwrap();
        tree.insert_file(&path, file).unwrap();
    }
    let blobs: Arc<dyn Blobs> = blobs;
    let opening = Opening {
        seed: 7,
        clock: 1_737_964_800,
    };
    world::read(&tree.finish(), &blobs, opening).unwrap()
}

/// Returns a workspace with a page of blocks, a page below it, and two related databases.
fn start() -> Workspace {
    let stamp = json!({"at": "2025-01-10T09:00:00Z", "by": id(1)});
    let paragraph =
        |number: u32, text: &str| json!({"id": id(number), "paragraph": {"text": text}});
    let options = json!([
        {"id": "open", "name": "Open", "color": "red"},
        {"id": "done", "name": "Done", "color": "green"},
        {"id": "late", "name": "Late"},
    ]);
    let documents = [
        (
            "workspace.json".to_owned(),
            json!({
                "format": 1,
                "name": "Repairs",
                "bot": id(3),
                "users": [
                    {"id": id(1), "name": "Ines", "email": "ines@example.org"},
                    {"id": id(2), "name": "Tobias", "email": "tobias@example.org"},
                    {"id": id(3), "name": "Helper", "bot": true},
                ],
                "top": [{"page": id(10)}],
            }),
        ),
        (
            "pages/handbook.json".to_owned(),
            json!({
                "id": id(10),
                "title": "Handbook",
                "icon": "📘",
                "created": stamp,
                "comments": [{"id": id(90), "discussion": id(91), "created": stamp, "text": "Who is on call?"}],
                "blocks": [
                    {"id": id(11), "heading_1": {"text": "Rules"}},
                    paragraph(12, "Report repairs within 2 days."),
                    {"id": id(13), "to_do": {"text": "Read the rules"}},
                    {"id": id(14), "to_do": {"text": "Call Ines"}},
                    paragraph(15, "The lift is checked every spring."),
                    {"page": id(20)},
                    {"page": id(30)},
                    {"database": id(40)},
                    {"database": id(60)},
                ],
            }),
        ),
        (
            "pages/old.json".to_owned(),
            json!({
                "id": id(20),
                "title": "Old notes",
                "created": stamp,
                "blocks": [paragraph(21, "Not needed any more.")],
            }),
        ),
        (
            "pages/contacts.json".to_owned(),
            json!({
                "id": id(30),
                "title": "Contacts",
                "created": stamp,
                "blocks": [paragraph(31, "Plumber: 555 0101"), paragraph(32, "Painter: 555 0199")],
            }),
        ),
        (
            "databases/flats.json".to_owned(),
            json!({
                "id": id(40),
                "title": "Flats",
                "created": stamp,
                "properties": [
                    {"id": "title", "name": "Flat", "type": "title"},
                    {"id": "floo", "name": "Floor", "type": "number"},
                ],
                "rows": [
                    {"id": id(41), "values": {"Flat": "A1", "Floor": 1}},
                    {"id": id(42), "values": {"Flat": "B2", "Floor": 2}},
                ],
            }),
        ),
        (
            "databases/jobs.json".to_owned(),
            json!({
                "id": id(60),
                "title": "Jobs",
                "created": stamp,
                "properties": [
                    {"id": "title", "name": "Job", "type": "title"},
                    {"id": "stat", "name": "State", "type": "select", "options": options},
                    {"id": "tags", "name": "Tags", "type": "multi_select", "options": [
                        {"id": "wet", "name": "wet"}, {"id": "loud", "name": "loud"}, {"id": "long", "name": "long"},
                    ]},
                    {"id": "dued", "name": "Due", "type": "date"},
                    {"id": "cost", "name": "Cost", "type": "number"},
                    {"id": "paid", "name": "Paid", "type": "checkbox"},
                    {"id": "whos", "name": "Who", "type": "people"},
                    {"id": "note", "name": "Note", "type": "rich_text"},
                ],
                "rows": [
                    {"id": id(61), "values": {"Job": "Mend the tap", "State": "Open", "Cost": 40}},
                    {"id": id(62), "values": {"Job": "Paint the hall", "State": "Open", "Cost": 900}},
                    {"id": id(63), "values": {"Job": "Sweep the yard", "State": "Done", "Due": "2025-01-12"}},
                ],
            }),
        ),
    ];
    let documents = documents.map(|(path, value)| (path, value.to_string().into_bytes()));
    read(&Documents::from(documents))
}

fn send(engine: &mut Engine, method: &str, target: &str, body: Value) -> Value {
    let request = Request::new(Method::parse(method).unwrap(), target, Body::Json(body));
    let response = engine.answer(&request);
    assert_eq!(response.status, 200, "{method} {target}: {}", response.body);
    response.body
}

fn plain(text: &str) -> Value {
    json!([{"text": {"content": text}}])
}

/// Changes something of every sort through the API.
fn solved(start: &Workspace) -> Workspace {
    let mut engine = Engine::new(start.clone());
    let mut patch = |target: String, body: Value| send(&mut engine, "PATCH", &target, body);
    patch(
        format!("/v1/pages/{}", id(61)),
        json!({"properties": {
            "State": {"select": {"name": "Done"}},
            "Tags": {"multi_select": [{"name": "wet"}, {"name": "loud"}]},
            "Due": {"date": {"start": "2025-02-03", "end": "2025-02-05"}},
            "Cost": {"number": 42.5},
            "Paid": {"checkbox": true},
            "Who": {"people": [{"id": id(1)}]},
            "Note": {"rich_text": plain("Paid on 2025-02-05 with 2 keys")},
        }}),
    );
    patch(
        format!("/v1/pages/{}", id(62)),
        json!({"properties": {"State": {"select": {"name": "Late"}}}}),
    );
    patch(
        format!("/v1/databases/{}", id(60)),
        json!({"properties": {
            "Flat": {"relation": {"database_id": id(40), "dual_property": {}}},
            "Number": {"unique_id": {"prefix": "J"}},
        }}),
    );
    patch(
        format!("/v1/pages/{}", id(61)),
        json!({"properties": {"Flat": {"relation": [{"id": id(41)}]}}}),
    );
    patch(
        format!("/v1/databases/{}", id(40)),
        json!({"properties": {"Floor": {"number": {"format": "euro"}}}}),
    );
    patch(
        format!("/v1/blocks/{}", id(12)),
        json!({"paragraph": {"rich_text": plain("Report repairs within 3 days.")}}),
    );
    patch(
        format!("/v1/blocks/{}", id(13)),
        json!({"to_do": {"checked": true}}),
    );
    patch(
        format!("/v1/blocks/{}/children", id(10)),
        json!({"after": id(15), "children": [
            {"heading_2": {"rich_text": plain("Spring")}},
            {"callout": {"icon": {"emoji": "🔑"}, "color": "red_background", "rich_text": [
                {"text": {"content": "Keys: "}, "annotations": {"bold": true}},
                {"text": {"content": "ask Ines", "link": {"url": "https://example.org/keys"}}},
            ]}},
            {"code": {"language": "python", "rich_text": plain("print(1)")}},
            {"toggle": {"rich_text": plain("More"), "children": [
                {"bulleted_list_item": {"rich_text": plain("inside")}},
            ]}},
        ]}),
    );
    patch(
        format!("/v1/pages/{}", id(30)),
        json!({"icon": {"emoji": "☎️"}, "properties": {"title": {"title": plain("Contact list")}}}),
    );
    patch(format!("/v1/pages/{}", id(20)), json!({"in_trash": true}));
    let mut post = |target: &str, body: Value| send(&mut engine, "POST", target, body);
    post(
        "/v1/pages",
        json!({
            "parent": {"database_id": id(60)},
            "properties": {"Job": {"title": plain("Oil the gate")}, "Due": {"date": {"start": "2025-03-01"}}},
        }),
    );
    post(
        "/v1/pages",
        json!({
            "parent": {"page_id": id(30)},
            "properties": {"title": {"title": plain("Keys of 2025")}},
            "children": [{"paragraph": {"rich_text": plain("Two sets.")}}],
        }),
    );
    post(
        "/v1/comments",
        json!({"parent": {"page_id": id(10)}, "rich_text": plain("Ines is, until 5 pm.")}),
    );
    post(
        "/v1/comments",
        json!({"discussion_id": id(91), "rich_text": plain("Thank you.")}),
    );
    engine.workspace
}

const ALL: [MutationKind; 40] = [
    MutationKind::Title,
    MutationKind::Text,
    MutationKind::Number,
    MutationKind::Date,
    MutationKind::DateForm,
    MutationKind::Option,
    MutationKind::Checkbox,
    MutationKind::Relation,
    MutationKind::Person,
    MutationKind::EmptyValue,
    MutationKind::SwappedValues,
    MutationKind::LostRow,
    MutationKind::DoubledRow,
    MutationKind::StrayRow,
    MutationKind::BlockType,
    MutationKind::BlockOrder,
    MutationKind::Nesting,
    MutationKind::LostBlock,
    MutationKind::DoubledBlock,
    MutationKind::StrayBlock,
    MutationKind::Style,
    MutationKind::BlockSetting,
    MutationKind::Icon,
    MutationKind::Comment,
    MutationKind::StrayComment,
    MutationKind::LostPage,
    MutationKind::Trashed,
    MutationKind::WrongParent,
    MutationKind::DoubledPage,
    MutationKind::StrayPage,
    MutationKind::Name,
    MutationKind::LostProperty,
    MutationKind::StrayProperty,
    MutationKind::PropertyType,
    MutationKind::PropertySetting,
    MutationKind::RelationSetting,
    MutationKind::Stale,
    MutationKind::EditInput,
    MutationKind::DeleteInput,
    MutationKind::MoveInput,
];

/// Returns the workspace of a mutant.
fn mutated(end: &Workspace, mutant: &Mutant) -> Workspace {
    let mut documents: Documents = world::write(end).into_iter().collect();
    for (path, content) in &mutant.documents {
        match content {
            Some(bytes) => documents.insert(path.clone(), bytes.clone()),
            None => documents.remove(path),
        };
    }
    let workspace = read(&documents);
    let written: Documents = world::write(&workspace).into_iter().collect();
    assert!(written == documents, "{mutant:?} is not canonical");
    workspace
}

#[test]
fn every_kind_has_mutants_that_are_worlds() {
    let (end, mutants) = &*SOLVED;
    let made: BTreeSet<MutationKind> = mutants.iter().map(|it| it.kind).collect();
    let missing: Vec<_> = ALL.iter().filter(|kind| !made.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let solved = world::write(end);
    for mutant in mutants {
        let workspace = mutated(end, mutant);
        assert!(world::write(&workspace) != solved, "{mutant:?}");
        assert!(!mutant.place.is_empty() && !mutant.what.is_empty());
    }
    assert_eq!(*mutants, super::mutants(&start(), end));
}

/// Solved workspace and its mutants, which several tests read.
static SOLVED: LazyLock<(Workspace, Vec<Mutant>)> = LazyLock::new(|| {
    let start = start();
    let end = solved(&start);
    let mutants = mutants(&start, &end);
    (end, mutants)
});

/// Returns the mutant of a kind at a place, with this description.
fn mutant(kind: MutationKind, place: &str, what: &str) -> Workspace {
    let (end, mutants) = &*SOLVED;
    let found = mutants
        .iter()
        .find(|it| it.kind == kind && it.place == place && it.what == what);
    let Some(found) = found else {
        let all = mutants.iter().filter(|it| it.kind == kind);
        let all: Vec<_> = all.map(|it| (&it.place, &it.what)).collect();
        panic!("{kind:?} has no {place:?}, {what:?}: {all:#?}");
    };
    mutated(end, found)
}

fn value(workspace: &Workspace, row: u32, property: &str) -> Option<PropertyValue> {
    let (_, page) = workspace.page(Id::parse(&id(row)).unwrap()).unwrap();
    page.values.get(property).cloned()
}

#[test]
fn values_of_rows_are_mutated() {
    use MutationKind as K;
    let place = |property: &str| format!("Handbook/Jobs/Mend the tap: {property}");
    let other = mutant(K::Option, &place("State"), "\"Done\" is \"Late\"");
    assert_eq!(
        value(&other, 61, "stat"),
        Some(PropertyValue::Option("late".to_owned()))
    );
    let other = mutant(K::Option, &place("Tags"), "without \"loud\"");
    assert_eq!(
        value(&other, 61, "tags"),
        Some(PropertyValue::Options(vec!["wet".to_owned()]))
    );
    let other = mutant(K::Number, &place("Cost"), "42.5 is 42.6");
    assert_eq!(value(&other, 61, "cost"), Some(PropertyValue::Number(42.6)));
    let other = mutant(K::Checkbox, &place("Paid"), "not checked");
    assert_eq!(value(&other, 61, "paid"), None);
    mutant(
        K::Date,
        &place("Due"),
        "2025-02-03 → 2025-02-05 is 2025-02-03 → 2025-02-06",
    );
    mutant(K::DateForm, &place("Due"), "without end");
    mutant(K::Stale, &place("Cost"), "as it was at the start");
    mutant(
        K::SwappedValues,
        &place("State"),
        "swapped with \"Paint the hall\"",
    );
    let other = mutant(K::Relation, &place("Flat"), "\"B2\" instead of the last");
    let flats = |row| {
        let page = other.page(Id::parse(&id(row)).unwrap()).unwrap().1;
        page.values.len()
    };
    // The other side follows: flat A1 has lost the job, and flat B2 has it.
    assert_eq!((flats(41), flats(42)), (2, 3));
}

#[test]
fn schemas_and_positions_are_mutated() {
    use MutationKind as K;
    let one_way = mutant(K::RelationSetting, "Handbook/Jobs: Flat", "one-way");
    let jobs = one_way.database(Id::parse(&id(60)).unwrap()).unwrap().1;
    let flats = one_way.database(Id::parse(&id(40)).unwrap()).unwrap().1;
    assert!(jobs.property("Flat").is_some());
    assert_eq!(flats.properties.len(), 2);
    mutant(K::Stale, "Handbook/Flats: Floor", "settings of the start");

    let nested = mutant(
        K::Nesting,
        "Handbook: code \"print(1)\"",
        "below the block before it",
    );
    let code = nested
        .nodes
        .values()
        .find(|node| matches!(&node.kind, Kind::Block { body, .. } if body.text == "python"));
    assert!(matches!(code.unwrap().parent, Parent::Block(_)));
    mutant(
        K::Nesting,
        "Handbook: bulleted_list_item \"inside\"",
        "after the block above it",
    );
    mutant(K::Stale, "Handbook/Old notes", "still there");
    mutant(
        K::WrongParent,
        "Handbook/Contact list/Keys of 2025",
        "below \"Handbook\"",
    );
    mutant(
        K::Comment,
        "Handbook: comment",
        "in a discussion of its own",
    );
    mutant(
        K::Comment,
        "Handbook: comment",
        "on \"Handbook/Contact list\"",
    );
}

#[test]
fn changed_documents_are_all_documents_that_differ() {
    let (start, (end, _)) = (start(), &*SOLVED);
    let mut documents: Documents = world::write(&start).into_iter().collect();
    for (path, content) in world::changes(&start, end) {
        match content {
            Some(bytes) => assert_ne!(documents.insert(path, bytes.clone()), Some(bytes)),
            None => assert!(documents.remove(&path).is_some()),
        };
    }
    let expected: Documents = world::write(end).into_iter().collect();
    assert!(documents == expected);
}

#[test]
fn times_are_no_differences() {
    let start = start();
    let mut end = start.clone();
    end.now.0 += 60;
    let ids: Vec<Id> = end.nodes.keys().copied().collect();
    for id in ids {
        end.touch(id);
    }
    let allowed = [
        MutationKind::EditInput,
        MutationKind::DeleteInput,
        MutationKind::MoveInput,
        MutationKind::StrayPage,
    ];
    for mutant in mutants(&start, &end) {
        assert!(allowed.contains(&mutant.kind), "{mutant:?}");
    }
}
