//! `show --explain`: the differences that failed checks depend on.

use mcpmark_snapshot::{Blobs, File, Node, Store, TreeBuilder, TreePath};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::set_verifier;
use crate::environment::{Environment, text};
use crate::guests;
use crate::library::Library;

/// Replaces the final state of an attempt by the oracle's final state with another last line in one file.
fn spoil(environment: &Environment, passed: &Value, attempt: &str, file: &str, line: &str) {
    let store = Store::open(environment.home().join("store")).unwrap();
    let tree = store
        .load_tree(&text(&passed["state"]).parse().unwrap())
        .unwrap();
    let path = TreePath::parse(file).unwrap();
    let Some(Node::File(found)) = tree.get(&path) else {
        panic!("there is no {file}");
    };
    let bytes = String::from_utf8(store.read(&found.content).unwrap()).unwrap();
    let mut lines: Vec<&str> = bytes.lines().collect();
    *lines.last_mut().unwrap() = line;
    let bytes = lines.join("\n") + "\n";
    let node = File {
        size: bytes.len() as u64,
        content: store.put(bytes.as_bytes()).unwrap(),
        ..found.clone()
    };
    let mut builder = TreeBuilder::from(tree.clone());
    builder.remove(&path);
    builder.insert_file(&path, node).unwrap();
    let state = store.put_tree(&builder.finish()).unwrap();
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let set = "UPDATE attempts SET state = ?2 WHERE id = ?1";
    assert_eq!(
        journal.execute(set, [attempt, &state.to_string()]).unwrap(),
        1
    );
    environment.sum_rows();
}

#[test]
fn a_failure_is_explained_by_the_line_that_it_lacks() {
    const TASK: &str = "filesystem/conference/call-sheet";
    const FILE: &str = "03 Programme/call sheet.csv";
    let environment = Environment::new();
    let run = |agent: &str| {
        let report = environment
            .run(["run", TASK, "--agent", agent, "--json"])
            .json();
        report["attempts"][0].clone()
    };
    let (passed, attempt) = (run("oracle"), run("nop"));
    let id = text(&attempt["id"]);
    let explain = || {
        environment
            .run(["show", &id, "--explain", "--json"])
            .exits(0)
            .json()
    };

    // Without any change, each failed check is explained, and the file is missing as a whole.
    let explained = explain()["explained"].clone();
    let explained = explained.as_array().unwrap();
    let failed = attempt["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["passed"] == false);
    assert_eq!(explained.len(), failed.count());
    for one in explained {
        assert!(!one["differences"].as_array().unwrap().is_empty(), "{one}");
    }
    let about = |one: &Value| {
        one["differences"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["place"] == FILE)
    };
    let whole = explained.iter().find(|one| about(one)).unwrap();
    assert_eq!(whole["differences"][0]["kind"], "missing");

    // With one wrong line, each failed check depends on that line alone.
    spoil(&environment, &passed, &id, FILE, "wrong,line");
    environment.run(["regrade", &id]).exits(0);
    let explained = explain()["explained"].clone();
    let explained = explained.as_array().unwrap();
    assert!(!explained.is_empty());
    for one in explained {
        let differences = one["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 1, "{one}");
        assert_eq!(
            (&differences[0]["place"], &differences[0]["kind"]),
            (&json!(FILE), &json!("other"))
        );
        assert_eq!(differences[0]["found"], "wrong,line\n");
        assert!(differences[0]["line"].as_u64().unwrap() > 1);
    }
    let shown = environment.run(["show", &id, "--explain"]).exits(0).stdout;
    assert!(
        shown.contains("explanation") && shown.contains("    - wrong,line\n"),
        "{shown}"
    );
    // A passed attempt has no explanation.
    let id = text(&passed["id"]);
    let shown = environment
        .run(["show", &id, "--explain", "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["explained"], json!([]));
}

#[test]
fn a_failure_is_explained_by_the_verifier_that_found_it() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.task("easy", &guests::verdict(false, "never"));
    let run = |code| {
        let run = library.run(["run", "--agent", "nop", "--json"]).exits(code);
        text(&run.json()["attempts"][0]["id"])
    };
    let id = run(1);
    set_verifier(&library, &guests::verdict(true, "fine"));
    run(0);
    // The current verifier passes every state, but the verifier that failed this state passes none, so no difference
    // explains the failure.
    let explained = || {
        let shown = library.run(["show", &id, "--explain", "--json"]);
        shown.exits(0).json()["explained"].clone()
    };
    let never = json!([{"check": "check", "detail": "never", "differences": null}]);
    assert_eq!(explained(), never);
    library.run(["regrade", &id]).exits(1);
    assert_eq!(explained(), json!([]));
}

#[test]
fn in_a_repository_it_is_branches_that_are_told_and_not_objects() {
    let environment = Environment::new();
    let task = "github/quay/own-values";
    let report = environment
        .run(["run", task, "--agent", "nop", "--json"])
        .exits(1)
        .json();
    let id = text(&report["attempts"][0]["id"]);
    let shown = environment
        .run(["show", &id, "--explain", "--json"])
        .exits(0)
        .json();
    let places: Vec<String> = shown["explained"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["differences"].as_array())
        .flatten()
        .map(|difference| text(&difference["place"]))
        .collect();
    assert!(
        places.iter().any(|place| place == "repo/.git/packed-refs"),
        "{places:?}"
    );
    assert!(
        !places.iter().any(|place| place.contains("objects")),
        "{places:?}"
    );
}
