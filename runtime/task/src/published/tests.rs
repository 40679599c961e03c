//! Tests of corpora: ids of tasks, broken tasks, and paths of starting states.

use std::fs;

use super::*;
use crate::GuestRole;

fn task(root: &Path, path: &str, meta: &str) {
    let dir = root.join(path);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("meta.json"), meta).unwrap();
    fs::write(dir.join("description.md"), "Sort the desk.\n").unwrap();
    fs::write(dir.join(SCRIPT), "").unwrap();
}

fn ids(tasks: &PublishedTasks) -> Vec<String> {
    tasks.tasks.iter().map(|task| task.id.to_string()).collect()
}

#[test]
fn a_task_is_named_by_where_it_lies() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    task(
        root,
        "tasks/filesystem/standard/desktop/sort",
        r#"{"task_id": "sort", "new": [1]}"#,
    );
    task(
        root,
        "tasks/filesystem/easy/desktop/sort",
        r#"{"task_id": "sort"}"#,
    );
    task(
        root,
        "tasks/notion/easy/resume/simple__lessons",
        r#"{"task_id": "lessons"}"#,
    );
    task(
        root,
        "tasks/github/l2-007",
        r#"{"task_id": "l2-007", "world": "w3"}"#,
    );
    fs::create_dir_all(root.join("tasks/utils/__pycache__")).unwrap();
    std::os::unix::fs::symlink("notion", root.join("tasks/supabase")).unwrap();

    for top in [root.to_owned(), root.join("tasks")] {
        let found = Corpus::at(&top).unwrap().tasks().unwrap();
        assert!(found.broken.is_empty(), "{:?}", found.broken);
        assert_eq!(
            ids(&found),
            [
                "filesystem/easy/desktop/sort",
                "filesystem/standard/desktop/sort",
                "github/l2-007",
                "notion/easy/resume/simple__lessons",
            ]
        );
        let warnings: Vec<String> = found
            .tasks
            .iter()
            .flat_map(|task| &task.warnings)
            .map(TaskWarning::to_string)
            .collect();
        assert_eq!(
            warnings,
            [
                "its task_id is also used by filesystem/standard/desktop/sort",
                "its task_id is also used by filesystem/easy/desktop/sort",
                "its task_id is \"lessons\", but the name of its directory, \"simple__lessons\", is used",
            ]
        );
        assert_eq!(found.tasks[1].metadata["new"], serde_json::json!([1]));
        assert_eq!(found.tasks[2].world.as_deref(), Some("w3"));
    }
}

#[test]
fn a_broken_task_does_not_hide_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    task(root, "tasks/a/one", "{");
    task(root, "tasks/a/two", "{}");
    task(root, "tasks/a/three", "{}");
    fs::remove_file(root.join("tasks/a/three").join(SCRIPT)).unwrap();
    let corpus = Corpus::at(root).unwrap();
    let found = corpus.tasks().unwrap();
    assert_eq!(ids(&found), ["a/two"]);
    let broken: Vec<String> = found
        .broken
        .iter()
        .map(|(id, error)| format!("{id}: {error}"))
        .collect();
    assert!(
        broken[0].starts_with("a/one: tasks/a/one/meta.json: line 1"),
        "{broken:?}"
    );
    assert_eq!(
        broken[1],
        "a/three: tasks/a/three: no verify.py; add the verifier script"
    );
    assert_eq!(
        corpus.task("a/four").unwrap_err().to_string(),
        "unknown task \"a/four\"; available: a/one, a/three, a/two"
    );
    assert!(Corpus::at(&root.join("nothing")).is_err());
    let empty = root.join("empty");
    fs::create_dir(&empty).unwrap();
    let error = Corpus::at(&empty).unwrap().tasks().unwrap_err().to_string();
    assert!(
        error.ends_with("empty: no tasks found: no directory below it contains verify.py"),
        "{error}"
    );
}

#[test]
fn the_state_is_the_worlds_or_the_categorys() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    task(root, "tasks/filesystem/standard/desktop/sort", "{}");
    task(root, "tasks/github/l2-007", r#"{"world_id": "w3"}"#);
    task(root, "tasks/github/l2-008", r#"{"world": "../../etc"}"#);
    let corpus = Corpus::at(root).unwrap();
    let states = root.join("states");
    let find = |id: &str| {
        let found = corpus.state(&corpus.task(id).unwrap(), Some(&states));
        found.map(Option::unwrap)
    };
    let sort = "filesystem/standard/desktop/sort";
    let missing = find(sort).unwrap_err().to_string();
    assert!(
        missing.contains(": state of category \"desktop\" is missing; put it at ")
            && missing.contains("states/filesystem/desktop"),
        "{missing}"
    );
    fs::create_dir_all(states.join("desktop")).unwrap();
    assert!(find(sort).unwrap().ends_with("states/desktop"));
    let ci = |id: &str| {
        let guests = corpus.guests(&find(id).unwrap()).unwrap();
        let source = guests.get(&GuestRole::CI);
        source.map(|source| source.path().to_owned())
    };
    // Without a guest, `env/` is part of the state. Next to a guest, it is the state.
    fs::create_dir(states.join("desktop/env")).unwrap();
    assert!(find(sort).unwrap().ends_with("states/desktop"));
    assert_eq!(ci(sort), None);
    fs::write(states.join("desktop/ci.wasm"), "").unwrap();
    assert!(find(sort).unwrap().ends_with("states/desktop/env"));
    assert_eq!(ci(sort), Some(states.join("desktop/ci.wasm")));

    assert!(
        find("github/l2-007")
            .unwrap_err()
            .to_string()
            .contains("world \"w3\"")
    );
    fs::create_dir_all(root.join("worlds/github/w3/env")).unwrap();
    assert!(
        find("github/l2-007")
            .unwrap()
            .ends_with("worlds/github/w3/env")
    );
    assert_eq!(ci("github/l2-007"), None);
    let guest = root.join("worlds/github/w3/ci.wasm");
    fs::write(&guest, "").unwrap();
    assert_eq!(ci("github/l2-007"), Some(guest));
    let misnamed = find("github/l2-008").unwrap_err().to_string();
    assert!(
        misnamed.ends_with("is missing; its name is not a valid name of a directory"),
        "{misnamed}"
    );
    let unnamed = corpus
        .state(&corpus.task(sort).unwrap(), None)
        .unwrap_err()
        .to_string();
    assert!(
        unnamed.ends_with("it must contain filesystem/desktop or desktop"),
        "{unnamed}"
    );
}

#[test]
fn a_state_may_be_spelt_otherwise_or_not_be_needed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    task(root, "tasks/github/standard/build_your_own-x/find", "{}");
    task(root, "tasks/playwright/standard/web_search/birth", "{}");
    let corpus = Corpus::at(root).unwrap().with_stateless(["playwright"]);
    let states = root.join("states");
    let find = |id: &str| {
        corpus
            .state(&corpus.task(id).unwrap(), Some(&states))
            .unwrap()
    };
    fs::create_dir_all(states.join("build_your_own_x")).unwrap();
    let id = "github/standard/build_your_own-x/find";
    assert_eq!(find(id), Some(states.join("build_your_own_x")));
    fs::create_dir_all(states.join("github/build-your-own-x")).unwrap();
    assert_eq!(find(id), Some(states.join("github/build-your-own-x")));

    let id = "playwright/standard/web_search/birth";
    assert_eq!(find(id), None);
    fs::create_dir_all(states.join("web_search")).unwrap();
    assert_eq!(find(id), Some(states.join("web_search")));
}

#[test]
fn all_states_that_lack_are_told_once_each() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for path in [
        "filesystem/easy/desk/a",
        "filesystem/standard/desk/b",
        "filesystem/standard/shelf/c",
        "filesystem/standard/there/d",
    ] {
        task(root, &format!("tasks/{path}"), "{}");
    }
    let corpus = Corpus::at(root).unwrap();
    let tasks = corpus.tasks().unwrap().tasks;
    let states = root.join("s");
    fs::create_dir_all(states.join("there")).unwrap();
    let told = corpus
        .states(&tasks, Some(&states))
        .unwrap_err()
        .to_string();
    let at = |name: &str| {
        let top = states.display();
        format!("put it at {top}/filesystem/{name} or {top}/{name}")
    };
    assert_eq!(
        told,
        format!(
            "2 starting states are missing:\nstate of category \"desk\" is missing; {} (2 tasks)\n\
             state of category \"shelf\" is missing; {} (1 task)",
            at("desk"),
            at("shelf"),
        )
    );
    let one = corpus.states(&tasks[..1], Some(&states)).unwrap_err();
    assert_eq!(
        one.to_string(),
        corpus
            .state(&tasks[0], Some(&states))
            .unwrap_err()
            .to_string()
    );
    let two = corpus.states(&tasks[..2], Some(&states)).unwrap_err();
    assert!(
        two.to_string()
            .starts_with("1 starting state is missing:\n"),
        "{two}"
    );
    let there = corpus.states(&tasks[3..], Some(&states)).unwrap();
    assert_eq!(there, [Some(states.join("there"))]);
}
