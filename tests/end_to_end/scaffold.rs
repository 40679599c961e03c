//! `task new` overwrites nothing, and its cheats can be left out of a build. The test of the tutorial shows that new
//! tasks pass their certification.

use std::fs;

use crate::environment::{Environment, repository, text, write_files};
use crate::library::Library;

/// Gives a library its own guest workspace, with the SDK of this repository.
pub(crate) fn workspace(library: &Library<'_>) {
    let sdk = repository().join("guest-sdk/rust");
    let manifest = fs::read_to_string(repository().join("tasks/Cargo.toml")).unwrap();
    let start = manifest.find("members = [\n").unwrap() + "members = [\n".len();
    let end = start + manifest[start..].find("\n]").unwrap() + 1;
    let manifest = [&manifest[..start], &manifest[end..]].concat();
    let manifest = manifest.replace("../guest-sdk/rust", &sdk.to_string_lossy());
    let lock = fs::read_to_string(repository().join("tasks/Cargo.lock")).unwrap();
    write_files(
        &library.root.join("tasks"),
        &[("Cargo.toml", &manifest), ("Cargo.lock", &lock)],
    );
}

#[test]
fn a_cheat_that_the_manifest_names_and_that_is_gone_is_an_invalid_task() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    workspace(&library);
    let id = "filesystem/office/mine";
    library.run(["task", "new", id]).exits(0);
    let dir = library.task_dir("mine");
    let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap();
    let named = manifest.find("\"cheats/").unwrap() + 1;
    let cheat = manifest[named..].split('"').next().unwrap();
    fs::remove_file(dir.join(cheat)).unwrap();
    let refused = library.run(["task", "build", id]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/library/tasks/filesystem/office/mine: cargo rejected the package: Cargo.toml names [dir]/library/tasks/filesystem/office/mine/cheats/no-total.rs, which does not exist; add it or remove its target");
}

#[test]
fn cheats_can_be_left_out_of_a_build() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    workspace(&library);
    let id = "filesystem/office/mine";
    library.run(["task", "new", id]).exits(0);
    fs::write(library.task_dir("mine").join("cheats/no-total.rs"), "fails").unwrap();
    let built = library.run(["task", "build", "--without-cheats", "--json", id]);
    let built = built.exits(0).json();
    let built = built.as_array().unwrap().iter();
    let sources: Vec<_> = built.map(|guest| text(&guest["source"])).collect();
    assert_eq!(
        sources,
        ["verifier.rs", "solution.rs"].map(|name| format!("tasks/{id}/{name}"))
    );
    // The compiler explains the error.
    library
        .run(["task", "build", id])
        .exits(4)
        .says(&["no-total.rs"]);
}

#[test]
fn existing_files_are_left_alone() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    workspace(&library);
    let manifest = library.root.join("tasks/Cargo.toml");
    let before = fs::read_to_string(&manifest).unwrap();
    let dir = library.task_dir("mine");
    write_files(&dir, &[("notes.txt", "mine\n")]);
    let refused = library
        .run(["task", "new", "filesystem/office/mine"])
        .exits(4);
    insta::assert_snapshot!(refused.message(), @"error: tasks/filesystem/office/mine: already exists; choose another name");
    let refused = library
        .run(["task", "new", "filesystem/attic/mine"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: unknown world "filesystem/attic"; available: filesystem/office
    hint: `mcpmark world list` lists the worlds; a new one is a directory under worlds/
    "#);
    library.run(["task", "new", "mine"]).exits(2);
    let refused = library
        .run(["task", "new", "filesystem/office/My_task"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: task name "My_task": expected only lower-case letters, digits and hyphens"#);
    let refused = library
        .run([
            "task",
            "new",
            "filesystem/office/yours",
            "--title",
            "two\nlines",
        ])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: invalid title "two\nlines": expected one line without control characters"#);
    assert!(!library.task_dir("yours").exists());
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(&manifest).unwrap(), before);
}
