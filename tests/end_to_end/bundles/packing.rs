//! `bundle pack`, `bundle diff`, verifiers that are held back, certificates, and integrity of unpacked bundles.

use std::fs;

use serde_json::{Value, json};

use super::{copy_tree_with_links, pack, receipts, receipts_of_one, sample, there};
use crate::environment::{Environment, Output, text};
use crate::guests;
use crate::library::Library;

#[test]
fn the_same_tasks_give_the_same_bundle_and_the_same_receipts_elsewhere() {
    let environment = Environment::new();
    let library = sample(&environment);
    let (tar, dir) = (environment.path("suite.tar"), environment.path("suite"));
    let packed = pack(&library, &tar, &["--name", "office"]);
    assert_eq!(
        (&packed["tasks"], &packed["worlds"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(pack(&library, &dir, &["--name", "office"]), packed);

    let other = Environment::new();
    let copy = other.path("another/root");
    copy_tree_with_links(&library.root, &copy);
    let again = other.path("again.tar");
    let mut command = other.command(["bundle", "pack", "--name", "office", "--json", "-o"]);
    command.arg(&again).env("MCPMARK_ROOT", &copy);
    assert_eq!(Output::of(&mut command).exits(0).json(), packed);
    assert_eq!(fs::read(&again).unwrap(), fs::read(&tar).unwrap());

    // Without sources and toolchain, in another home at another path: by `--root`, and by `--tasks`.
    let own = receipts(|args| library.run(args));
    for (name, place) in [("--root", &tar), ("--root", &dir)] {
        let machine = Environment::bare();
        let place = place.to_str().unwrap();
        let run = |args: &[&str]| there(&machine, &[args, &[name, place]].concat());
        assert_eq!(receipts(run), own);
    }
    let machine = Environment::bare();
    let place = tar.to_str().unwrap();
    let at = |args: &[&str]| there(&machine, &[args, &["--tasks", place]].concat());
    let listed = at(&["task", "list", "--json"]).exits(0).json();
    assert_eq!(listed[0]["id"], "filesystem/office/easy");
    let args = [
        "run",
        "--agent",
        "nop",
        "filesystem/office/easy",
        "--experiment",
        "e",
    ];
    at(&args).exits(0);
    // The bundle is recorded in the experiment.
    there(&machine, &["resume", "e"]).exits(0);
    let graded = ["grade", "filesystem/office/hard", "--state"];
    let state = machine.directory("state", &[("note.txt", "other\n")]);
    at(&[&graded[..], &[state.to_str().unwrap()]].concat()).exits(1);

    let told = there(&machine, &["bundle", "verify", place, "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&told["digest"], &told["tasks"]),
        (&packed["digest"], &json!(2))
    );
    let told = there(&machine, &["bundle", "inspect", place, "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&told["name"], &told["digest"]),
        (&json!("office"), &packed["digest"])
    );
    assert_eq!(told["worlds"][0]["license"], "CC0-1.0");
    let guest = &told["tasks"][0]["guests"][0];
    assert_eq!(
        (&guest["role"], &guest["held_back"]),
        (&json!("verifier"), &json!(false))
    );
    assert_eq!(guest["can"], "can compute; nothing else");
}

#[test]
fn a_verifier_that_is_held_back_grades_where_it_is_held() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let task = library.easy_task("easy");
    let own = receipts_of_one(|args| library.run(args));
    let tar = environment.path("public.tar");
    pack(&library, &tar, &["--without-verifier"]);
    let verifier = task.join("verifier.wasm");
    let bytes = fs::read(&verifier).unwrap();
    let all = fs::read(&tar).unwrap();
    assert!(!all.windows(bytes.len()).any(|window| window == bytes));

    let machine = Environment::bare();
    let (tar, verifier) = (tar.to_str().unwrap(), verifier.to_str().unwrap());
    let told = there(&machine, &["bundle", "inspect", tar, "--json"])
        .exits(0)
        .json();
    let guest = &told["tasks"][0]["guests"][0];
    assert_eq!(guest["held_back"], true);
    let statement: Value = serde_json::from_str(&own).unwrap();
    assert!(
        own.contains(guest["digest"].as_str().unwrap()),
        "{statement}"
    );

    let whole = environment.path("whole.tar");
    pack(&library, &whole, &[]);
    let args = ["bundle", "diff", whole.to_str().unwrap(), tar];
    let told = environment.run(args).exits(1).stdout;
    assert!(told.contains(", now held back\n"), "{told}");
    // Without the verifier, tasks are listed and attempted, and the outcome is `held-back`.
    let listed = there(&machine, &["task", "list", "--json", "--root", tar]);
    let listed = listed.exits(0).json();
    assert_eq!(listed[0]["held_back"], guest["digest"]);
    let output = there(&machine, &["task", "list", "--root", tar]).exits(0);
    insta::assert_snapshot!(output.message(), @"warning: verifiers of 1 task are held back; pass them with --held-back FILE");
    let args = [
        "run",
        "--agent",
        "nop",
        "--tasks",
        tar,
        "--experiment",
        "later",
        "--json",
    ];
    let run = there(&machine, &args).exits(3);
    insta::assert_snapshot!(run.message(), @r"
    warning: verifiers of 1 task are held back; pass them with --held-back FILE
    1/1 held-back filesystem/office/easy  [id]  0 calls
           held-back: the verifier sha256:[digest] is held back
    1 attempt not graded (held-back); to grade with the verifier, run `mcpmark regrade later --held-back FILE`
    ");
    let attempt = run.json()["attempts"][0].clone();
    let id = text(&attempt["id"]);
    assert_eq!(
        (&attempt["outcome"], &attempt["passed"]),
        (&json!("held-back"), &Value::Null)
    );
    assert!(text(&attempt["fault"]["message"]).contains(&text(&guest["digest"])));
    // A resume does not repeat such attempts. They are graded only with the verifier.
    let again = there(&machine, &["resume", "later", "--json"]).exits(3);
    assert_eq!(again.json()["attempts"][0]["id"], attempt["id"]);
    let none = there(&machine, &["regrade", "later", "--json"]);
    let none = none.exits(3).json();
    assert!(text(&none["not_regraded"][0]["reason"]).contains("held back"));
    let exported = |name: &str, more: &[&str]| {
        let args = ["store", "export", "later", "-o", name];
        there(&machine, &[&args[..], more].concat())
    };
    let ungraded = exported("later.mcpmark", &[]).exits(0);
    assert!(!ungraded.stdout.contains("verifier"), "{ungraded:?}");
    let args = ["regrade", "later", "--held-back", verifier, "--json"];
    let regraded = there(&machine, &args).exits(1).json();
    assert_eq!(regraded["attempts"][0]["after"]["passed"], true);
    let receipt = there(&machine, &["receipt", "show", &id]).exits(0).stdout;
    assert_eq!(receipt, own);
    // From here on the verifier is in the store under its digest: it serves regrades, and exports contain it.
    let refused = exported("later.mcpmark", &[]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: later.mcpmark: file already exists
    hint: --force replaces it
    ");
    let graded = exported("later.mcpmark", &["--force"]).exits(0);
    assert!(
        graded.stdout.contains(", including 1 verifier"),
        "{graded:?}"
    );
    let again = there(&machine, &["regrade", "later", "--json"]);
    assert_eq!(again.exits(0).json()["summary"]["same"], 1);
    let receipt = there(&machine, &["receipt", "show", &id]).exits(0).stdout;
    assert_eq!(receipt, own);
    // A bundle that contains the verifiers serves as well.
    let whole = whole.to_str().unwrap();
    for name in ["--held-back", "--bundle"] {
        let args = ["regrade", "later", name, whole, "--json"];
        let regraded = there(&machine, &args).exits(0).json();
        assert_eq!(regraded["summary"]["same"], 1);
        let receipt = there(&machine, &["receipt", "show", &id]).exits(0).stdout;
        assert_eq!(receipt, own);
    }
    let args = ["regrade", "later", "--held-back", tar];
    let refused = there(&machine, &args).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/public.tar: has none of the verifiers that the other bundle holds back
    hint: `mcpmark bundle inspect` prints the digests of verifiers
    ");
    let mut transcript = String::new();
    for (args, code) in [
        (&["task", "check"][..], 4),
        (&["bundle", "pack", "-o", "again.tar"], 4),
        (&["grade", "filesystem/office/easy", "--state", "."], 4),
    ] {
        let refused = there(&machine, &[args, &["--root", tar]].concat()).exits(code);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(
        "a_verifier_that_is_held_back_grades_where_it_is_held",
        transcript
    );
    let with = |args: &[&str]| {
        there(
            &machine,
            &[args, &["--root", tar, "--held-back", verifier]].concat(),
        )
    };
    assert_eq!(receipts_of_one(with), own);
    let other = machine.path("other.wasm");
    fs::write(&other, guests::verdict(true, "another")).unwrap();
    let args = [
        "task",
        "list",
        "--root",
        tar,
        "--held-back",
        other.to_str().unwrap(),
    ];
    let refused = there(&machine, &args).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/other.wasm: the digest is sha256:[digest], but no task of the bundle holds back a verifier with it
    hint: `mcpmark bundle inspect` prints the digests of verifiers
    ");
}

#[test]
fn bundles_are_compared_and_grade_what_was_kept() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let task = library.easy_task("easy");
    library.easy_task("gone");
    let (before, after) = (
        environment.path("before.tar"),
        environment.path("after.tar"),
    );
    pack(&library, &before, &[]);
    library
        .run(["run", "--agent", "nop", "--experiment", "e"])
        .exits(0);

    fs::remove_dir_all(library.task_dir("gone")).unwrap();
    library.easy_task("new");
    fs::write(task.join("verifier.wasm"), guests::verdict(false, "mended")).unwrap();
    fs::write(task.join("description.md"), "Leave nothing as it is.\n").unwrap();
    let meta = json!({"difficulty": "L1", "limits": {"fuel": 1_000_000}});
    fs::write(task.join("meta.json"), meta.to_string()).unwrap();
    pack(&library, &after, &[]);

    let paths = [before.to_str().unwrap(), after.to_str().unwrap()];
    let machine = Environment::bare();
    let told = there(&machine, &["bundle", "diff", paths[0], paths[1], "--json"])
        .exits(1)
        .json();
    assert_eq!(told["added"], json!(["filesystem/office/new"]));
    assert_eq!(told["removed"], json!(["filesystem/office/gone"]));
    let changed = &told["changed"][0];
    assert_eq!(changed["task"], "filesystem/office/easy");
    let lines = text(&changed["instruction"]);
    assert!(
        lines.contains("-Leave everything") && lines.contains("+Leave nothing"),
        "{lines}"
    );
    assert_eq!(
        changed["meta"]["limits"]["after"],
        json!({"fuel": 1_000_000})
    );
    let verifier = &changed["guests"][0];
    assert_eq!(verifier["role"], "verifier");
    assert_ne!(verifier["before"], verifier["after"]);
    there(&machine, &["bundle", "diff", paths[0], paths[0]]).exits(0);

    // The library has its old content again; the verifier comes from the bundle.
    fs::write(task.join("verifier.wasm"), guests::verdict(true, "fine")).unwrap();
    library.easy_task("gone");
    let runs = library.run(["runs", "e", "--json"]).exits(0).json();
    let id = text(&runs["attempts"][0]["id"]);
    let receipt = |name: &str| {
        let file = environment.path(name);
        let args = ["receipt", "show", &id, "-o", file.to_str().unwrap()];
        library.run(args).exits(0);
        let statement: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let bundle = text(&statement["predicate"]["mcpmark"]["bundle"]);
        (file, bundle)
    };
    let of_task = |bundle: &str| {
        let args = ["bundle", "inspect", bundle, "--json"];
        text(&there(&machine, &args).exits(0).json()["tasks"][0]["bundle"])
    };
    let old = receipt("old.json");
    let args = ["receipt", "show", &id, "-o", old.0.to_str().unwrap()];
    let refused = library.run(args).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/old.json: file already exists
    hint: --force replaces it
    ");
    library.run(args.into_iter().chain(["--force"])).exits(0);
    assert_eq!(old.1, of_task(paths[0]));
    let args = ["regrade", &id, "--bundle", paths[1], "--json"];
    let report = library.run(args).exits(1).json();
    assert_eq!(report["summary"]["flipped"], 1, "{report}");
    // The receipt names the task whose verifier graded; the attempt keeps its own task digest.
    let new = receipt("new.json");
    assert_eq!(new.1, of_task(paths[1]));
    let runs = library.run(["runs", "e", "--json"]).exits(0).json();
    assert_eq!(runs["attempts"][0]["bundle"], old.1.as_str());
    for (file, _) in [old, new] {
        let file = file.to_str().unwrap();
        library.run(["receipt", "verify", file]).exits(0);
    }
    // The bundle has only one of the two tasks, so only its attempts are graded again.
    let report = library
        .run(["regrade", "e", "--tasks", paths[1], "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&report["summary"]["attempts"], &report["summary"]["same"]),
        (&json!(1), &json!(1))
    );
    let left = &report["not_regraded"];
    assert_eq!(
        (left.as_array().unwrap().len(), &left[0]["task"]),
        (1, &json!("filesystem/office/gone"))
    );
    assert!(text(&left[0]["reason"]).contains("after.tar does not have the task"));
    let told = library.run(["regrade", "e", "--bundle", paths[1]]).exits(0);
    let told = told.stdout;
    assert!(
        told.contains("filesystem/office/gone") && told.contains("1 not regraded"),
        "{told}"
    );
    let id = text(&left[0]["id"]);
    let refused = library.run(["regrade", &id, "--bundle", paths[1]]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: none of these attempts can be graded again; the first is [id] at filesystem/office/gone: [dir]/after.tar does not have the task");
    let refused = library
        .run(["regrade", "e", "--bundle", "nothere.tar"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: nothere.tar: file or directory does not exist
    hint: expected a directory of tasks, a bundle (a directory, `suite.tar` or `oci://HOST/REPOSITORY:TAG`) or a lock file (`mcpmark.lock`)
    ");
}

#[test]
fn certificates_are_shown_compared_and_kept() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let dir = library.easy_task("easy");
    let path = |name: &str| environment.path(name).display().to_string();
    let [bare, suite, again] = ["bare.tar", "suite.tar", "again.tar"].map(path);
    pack(&library, bare.as_ref(), &[]);
    let inspect = |bundle: &str| {
        let told = environment.run(["bundle", "inspect", bundle, "--json"]);
        told.exits(0).json()["tasks"][0].clone()
    };
    let task = inspect(&bare);
    assert_eq!(task["certificate"], Value::Null);
    let mut certificate = json!({
        "format": 2,
        "task": task["id"],
        "sources": task["world"]["snapshot"],
        "code": task["world"]["snapshot"],
        "world": task["world"]["snapshot"],
        "verifier": task["guests"][0]["digest"],
        "checks": ["near misses are rejected"],
        "mutants": [210, 210],
        "free": 0,
        "mutations": {},
    });
    let file = dir.join("certificate.json");
    fs::write(&file, certificate.to_string()).unwrap();
    let packed = pack(&library, suite.as_ref(), &[]);
    assert_eq!(
        inspect(&suite)["certificate"],
        json!({
            "task": task["id"],
            "world": task["world"]["snapshot"],
            "verifier": task["guests"][0]["digest"],
            "checks": 1,
            "mutants": 210,
            "rejected": 210,
            "fits": true,
        })
    );
    environment.run(["bundle", "verify", &suite]).exits(0);
    let told = environment.run(["bundle", "diff", &bare, &suite]).exits(1);
    let words = "certificate: none → 210 of 210 mutants rejected, 1 check";
    assert!(told.stdout.contains(words), "{}", told.stdout);

    // Packing the unpacked bundle gives the same bundle, with its certificate.
    let args = ["bundle", "pack", "--root", &suite, "--json", "-o", &again];
    assert_eq!(environment.run(args).exits(0).json(), packed);
    let check = |more: &[&str]| {
        let args = ["task", "check", "--stale", "--json", "--root", &suite];
        environment.run(args.iter().chain(more))
    };
    let held = check(&[]).exits(0).json();
    let checks = held["tasks"][0]["checks"].as_array().unwrap();
    let last = checks.last().unwrap();
    assert_eq!(last["detail"], "its verifier and its world");
    let refused = check(&["--write"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: --write: certificates cannot be written into a bundle
    hint: omit --write, or name the sources with --root
    ");

    // The certificate of another verifier is reported, and an invalid certificate is refused.
    certificate["verifier"] = task["world"]["snapshot"].clone();
    fs::write(&file, certificate.to_string()).unwrap();
    pack(&library, again.as_ref(), &["--force"]);
    assert_eq!(inspect(&again)["certificate"]["fits"], false);
    let told = environment.run(["bundle", "inspect", &again]).exits(0);
    assert!(told.stdout.contains("made for another verifier"));
    let told = environment.run(["bundle", "diff", &suite, &again]).exits(1);
    assert!(told.stdout.contains("replaced, with the same result"));
    fs::write(&file, "{}").unwrap();
    let none = path("none.tar");
    let refused = library.run(["bundle", "pack", "-o", &none]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/library/tasks/filesystem/office/easy/certificate.json: missing field `format` at line 1 column 2
    hint: `mcpmark task check --write` creates a new one
    ");
}

#[test]
fn changed_files_of_an_unpacked_bundle_are_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let tar = environment.path("suite.tar");
    pack(&library, &tar, &[]);
    let machine = Environment::bare();
    let tar = tar.to_str().unwrap();
    let list = || there(&machine, &["task", "list", "--root", tar]);
    list().exits(0);
    let libraries = machine.path("cache/mcpmark/bundles/libraries");
    let unpacked = || fs::read_dir(&libraries).unwrap().next().unwrap();
    let unpacked = unpacked().unwrap().path();
    let task = unpacked.join("tasks/filesystem/office/easy");
    type Spoil = fn(&std::path::Path) -> std::io::Result<()>;
    let cases: [(&str, Spoil); 4] = [
        ("verifier.wasm", |file| {
            fs::write(file, guests::verdict(true, "mine"))
        }),
        ("description.md", |file| fs::remove_file(file)),
        ("solution.wasm", |file| fs::write(file, "")),
        ("../../../../unpacked.json", |file| fs::write(file, "{")),
    ];
    let mut transcript = String::new();
    for (name, spoil) in cases {
        spoil(&task.join(name)).unwrap();
        let refused = list().exits(4);
        transcript += &refused.transcript();
        // The proposed remedy works.
        fs::remove_dir_all(&unpacked).unwrap();
        list().exits(0);
    }
    insta::assert_snapshot!("changed_files_of_an_unpacked_bundle_are_named", transcript);
    // A changed modification time alone is accepted. A changed file that keeps its time is detected when it is used.
    let file = task.join("verifier.wasm");
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    let touch = |time| {
        let file = fs::File::options().write(true).open(&file).unwrap();
        file.set_modified(time).unwrap();
    };
    touch(time - std::time::Duration::from_secs(60));
    list().exits(0);
    touch(time);
    let mut bytes = guests::verdict(true, "fine");
    let at = bytes.windows(4).position(|it| it == b"fine").unwrap();
    bytes[at] = b'F';
    fs::write(&file, bytes).unwrap();
    touch(time);
    list().exits(0);
    let refused = there(&machine, &["run", "--agent", "nop", "--root", tar]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/cache/mcpmark/bundles/libraries/[digest]-[digest]/tasks/filesystem/office/easy/verifier.wasm: was changed since the bundle was unpacked
    hint: remove [dir]/cache/mcpmark/bundles/libraries/[digest]-[digest]; it is then unpacked again
    ");
}
