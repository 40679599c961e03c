//! `task check`: certification of tasks.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::environment::{Environment, Output, components, copy_tree, redact, repository, text};
use crate::guests;
use crate::library::Library;
use crate::running::shipped;
use crate::scaffold::workspace;

/// Returns a condition of a report.
pub(crate) fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == name);
    found.unwrap_or_else(|| panic!("no check {name:?} in {checks:#?}"))
}

/// Returns the tasks to certify again: of each service the one with the lowest digest of code, so that another is chosen
/// when the code changes.
fn sample(certificates: &[Value]) -> Vec<String> {
    let mut of_service: BTreeMap<String, (String, String)> = BTreeMap::new();
    for certificate in certificates {
        let task = text(&certificate["task"]);
        let service = task.split('/').next().unwrap().to_owned();
        let one = (text(&certificate["code"]), task);
        let lowest = of_service.entry(service).or_insert_with(|| one.clone());
        if one < *lowest {
            *lowest = one;
        }
    }
    of_service.into_values().map(|(_, task)| task).collect()
}

/// A certificate is bound to everything that it covers. While it holds, only the certification itself can have changed,
/// so a sample is enough. `MCPMARK_TEST_ALL=1` certifies all tasks.
#[test]
fn every_shipped_task_is_certified() {
    let environment = Environment::new();
    let shipped = shipped(&environment);
    let mut arguments = vec!["task", "check", "--shipped", "--stale", "--json"];
    arguments.extend(shipped.iter().map(String::as_str));
    let certified = environment.run(&arguments).exits(0).json();
    let tasks = certified["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), shipped.len());
    for task in tasks {
        stands(task);
        assert_eq!(task["examined"], false, "{}", task["task"]);
    }

    let anew = match std::env::var_os("MCPMARK_TEST_ALL") {
        Some(_) => shipped,
        None => sample(tasks),
    };
    let mut arguments = vec!["task", "check", "--shipped", "--json"];
    arguments.extend(anew.iter().map(String::as_str));
    let report = environment.run(&arguments).exits(0).json();
    let examined = report["tasks"].as_array().unwrap();
    assert!(examined.len() >= sample(tasks).len());
    for task in examined {
        stands(task);
        assert_eq!(task["examined"], true);
        let name = &task["task"];
        let before = tasks.iter().find(|it| it["task"] == *name).unwrap();
        for counts in ["made", "rejected", "free", "mutations"] {
            let (now, before) = (&task["mutants"][counts], &before["mutants"][counts]);
            assert_eq!(now, before, "{name}: its certificate counts other {counts}");
        }
        for key in ["held_at_start", "variants"] {
            let (now, before) = (&task[key], &before[key]);
            assert_eq!(now, before, "{name}: its certificate has other {key}");
        }
        let mut scores = task["scores"].clone();
        if before["scores"].get("greedy").is_none() {
            // The certificate is older than this score.
            scores.as_object_mut().unwrap().remove("greedy");
        }
        assert_eq!(
            scores, before["scores"],
            "{name}: its certificate has other scores"
        );
    }
}

/// Asserts the requirements of every shipped task.
fn stands(task: &Value) {
    let name = &task["task"];
    assert_eq!(task["passed"], true, "{name}");
    assert_eq!(task["remarks"], json!([]), "{name}");
    assert!(task["held_at_start"].is_array(), "{name}: {task}");
    for agent in ["nop", "random"] {
        assert!(task["scores"][agent].is_number(), "{name}: {task}");
    }
    assert!(task["variants"]["extra-reads"].is_u64(), "{name}: {task}");
    assert_eq!(check(task, "the certificate holds")["passed"], true);
    let mutants = &task["mutants"];
    // A task that asks for few lines, or for one comment in a workspace, has few near misses. A task that asks for an
    // index, for privileges or for one function has some that concern it, and no lines at all.
    let least = if text(name).starts_with("postgres/") {
        2
    } else {
        60
    };
    assert!(mutants["made"].as_u64().unwrap() >= least, "{name}");
    assert!(mutants["score"].as_f64().unwrap() >= 0.95, "{name}");
    assert_eq!(
        check(task, "each kind of near miss is noticed")["passed"],
        true
    );
    let checks = task["checks"].as_array().unwrap();
    let cheats = checks
        .iter()
        .filter(|check| text(&check["name"]).starts_with("cheat "));
    assert!(cheats.count() >= 2, "{name} has too few cheats");
}

#[test]
fn tasks_of_a_service_without_its_programs_are_left_out() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let copied = |from: &str, to: &str| {
        copy_tree(&library.root.join(from), &library.root.join(to));
    };
    copied("tasks/filesystem", "tasks/playwright");
    copied("worlds/filesystem", "worlds/playwright");
    // No program is found there, so there is no browser.
    let check = |args: &[&str]| {
        let mut command = library.command(["task", "check", "--json"].iter().chain(args));
        command.env("PATH", library.root.join("tasks"));
        Output::of(&mut command)
    };
    let all = check(&[]).exits(1);
    let examined = all.json();
    let examined = examined["tasks"].as_array().unwrap();
    assert_eq!(examined.len(), 1);
    assert_eq!(examined[0]["task"], "filesystem/office/easy");
    let is_warning = |line: &&str| line.contains("left out");
    let lines: Vec<_> = all.stderr.lines().filter(is_warning).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("1 task is left out"), "{}", lines[0]);
    assert!(lines[0].contains("; install "), "{}", lines[0]);
    // A task that is named must be examined.
    assert!(!check(&["playwright"]).stderr.contains("left out"));
}

#[test]
fn a_verifier_that_accepts_everything_does_not_stand() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.task("lax", &guests::verdict(true, "fine"));
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let task = &report["tasks"][0];
    assert_eq!(report["passed"], false);
    assert_eq!(task["held_at_start"], json!(["check"]));
    for (name, passed) in [
        ("setting up twice gives the same world", true),
        ("doing nothing fails", false),
        ("calling tools by chance fails", false),
        ("the oracle passes", false),
        ("the documents are complete", false),
        ("repeating the instruction fails", false),
        ("calling tools with invalid arguments fails", false),
    ] {
        assert_eq!(check(task, name)["passed"], passed, "{name}");
    }
    assert_eq!(task["scores"], json!({"nop": 1.0, "random": 1.0}));
    assert!(task["style"].is_array());
    let points = task["points"].as_array().unwrap();
    assert_eq!(points.len(), 11);
    assert_eq!(points[2]["point"], "negative-agents");
    assert_eq!(points[2]["status"], "failed");
    assert_eq!(points[7]["status"], "not-examined");
    let told = library.run(["task", "check"]).exits(1);
    insta::assert_snapshot!(told.text(), @r"
    task                   checks  points  mutants  rejected  score
    filesystem/office/lax     1/7    0/11        0         0      -

    filesystem/office/lax
      ✗ the documents are complete: missing: task_name, description, author, created_at, tags, a solution, a cheat
      ✗ the oracle passes: the task has no solution
      ✗ doing nothing fails: it passes, 1 of 1 checks; 0 calls
      ✗ calling tools by chance fails: it passes, 1 of 1 checks; 40 calls
      ✗ repeating the instruction fails: it passes, 1 of 1 checks; 0 calls
      ✗ calling tools with invalid arguments fails: it passes, 1 of 1 checks; 14 calls
      ! meta_data.stateContent has no tree view; --write adds it
      ! there is no certificate; --write creates one
    ");
}

#[test]
fn the_points_of_a_certificate_are_shown_with_the_task() {
    let environment = Environment::new();
    let task = "filesystem/village-festival/saturday-draft";
    let shown = environment
        .run(["task", "show", task, "--json"])
        .exits(0)
        .json();
    let points = shown["certificate"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 11);
    assert_eq!(points[0]["point"], "determinism");
    assert_eq!(points[0]["status"], "passed");
    let shown = environment.run(["task", "show", task]).exits(0);
    let points: String = shown
        .stdout
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| format!("{}\n", line.trim_start()))
        .collect();
    insta::assert_snapshot!(points, @r"
    ✓ determinism: passed
    ✓ oracle: passed
    ✓ negative-agents: passed
    ✓ near-misses: passed
    ✓ harmless-variants: passed
    ✓ readings: passed
    ✓ leaks: passed
    ✓ citations: passed
    ✓ distinctness: passed
    ✓ difficulty: passed
    ✓ split: passed
    ");

    let library = Library::new(&environment);
    library.task("lax", &guests::verdict(true, "fine"));
    let task = "filesystem/office/lax";
    let shown = library.run(["task", "show", task, "--json"]).exits(0);
    assert_eq!(shown.json()["certificate"], Value::Null);
}

#[test]
fn near_misses_that_pass_are_shown_with_their_difference() {
    let environment = Environment::new();
    // A shipped task with a verifier that accepts everything: the solution still makes changes that can be mutated.
    let library = Library::new(&environment);
    let place = "filesystem/village-festival";
    library.shipped_world(place);
    let dir = library.root.join("tasks").join(place).join("lax");
    fs::create_dir_all(&dir).unwrap();
    let from = repository()
        .join("tasks")
        .join(place)
        .join("stall-balances");
    for name in ["meta.json", "description.md"] {
        fs::copy(from.join(name), dir.join(name)).unwrap();
    }
    fs::write(dir.join("verifier.wasm"), guests::verdict(true, "fine")).unwrap();
    let solution = format!("tasks/{place}/stall-balances/solution.rs");
    fs::copy(&components()[&solution], dir.join("solution.wasm")).unwrap();
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let task = &report["tasks"][0];
    assert_eq!(check(task, "the oracle passes")["passed"], true);
    assert_eq!(check(task, "extra reads are accepted")["passed"], true);
    assert_eq!(check(task, "repeated calls are accepted")["passed"], true);
    assert!(task["variants"]["extra-reads"].as_u64().unwrap() > 0);
    assert_eq!(
        check(task, "answering without acting fails")["passed"],
        false
    );
    assert_eq!(check(task, "near misses are rejected")["passed"], false);
    let kinds = check(task, "each kind of near miss is noticed");
    assert_eq!(kinds["passed"], false);
    insta::assert_snapshot!(text(&kinds["detail"]), @r#"no mutant is rejected of: blank-line, byte-order-mark, case, delete, delete-input, drop-line, duplicate-line, edit-input, empty, final-newline, line-ends, move-input, number, reverse-lines, stray-directory, stray-file, stray-line, swap-fields, swap-lines, trailing-space, truncate, wrong-directory, wrong-name; reject them in the verifier, or declare the mutation under "freedoms""#);
    let mutants = &task["mutants"];
    assert_eq!(mutants["rejected"], 0);
    assert!(!mutants["survivors"].as_array().unwrap().is_empty());
    assert_eq!(mutants["survivors"][0]["verdict"], "accepted");
}

#[test]
fn a_cheat_with_the_name_of_an_agent_is_judged_as_a_cheat() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let place = "filesystem/village-festival";
    library.shipped_world(place);
    let dir = library.root.join("tasks").join(place).join("strict");
    fs::create_dir_all(dir.join("cheats")).unwrap();
    let meta = json!({"difficulty": "L1", "limits": {"turns": 2}});
    fs::write(dir.join("meta.json"), meta.to_string()).unwrap();
    fs::write(dir.join("description.md"), "Balance the stalls.\n").unwrap();
    fs::write(dir.join("verifier.wasm"), guests::verdict(false, "wrong")).unwrap();
    let solution = format!("tasks/{place}/stall-balances/solution.rs");
    fs::copy(&components()[&solution], dir.join("cheats/random.wasm")).unwrap();
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let task = &report["tasks"][0];
    // The cheat reaches the turn limit, and so does not show that its solution is rejected. For the agent `random` that
    // is allowed.
    let cheat = check(task, "cheat random fails");
    assert_eq!(cheat["passed"], false, "{cheat}");
    insta::assert_snapshot!(text(&cheat["detail"]), @"turn-limit: 2 turns were used");
    let agent = check(task, "calling tools by chance fails");
    assert_eq!(agent["passed"], true, "{agent}");
}

#[test]
fn a_certificate_holds_only_for_the_certified_bytes() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let dir = library.task("lax", &guests::verdict(true, "fine"));
    let certificate = json!({
        "format": 2, "task": "filesystem/office/lax",
        "sources": format!("sha256:{}", "0".repeat(64)),
        "code": format!("sha256:{}", "0".repeat(64)),
        "world": format!("sha256:{}", "0".repeat(64)),
        "verifier": format!("sha256:{}", "0".repeat(64)),
        "checks": [], "mutants": [0, 0], "free": 0, "mutations": {},
    });
    let file = dir.join("certificate.json");
    fs::write(&file, certificate.to_string()).unwrap();
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let held = check(&report["tasks"][0], "the certificate holds");
    assert_eq!(held["passed"], false);
    insta::assert_snapshot!(redact(&text(&held["detail"])), @"the sources changed since it was written; --write renews it");
    let stale = library
        .run(["task", "check", "--stale", "--json"])
        .exits(1)
        .json();
    assert_eq!(
        stale["tasks"][0]["examined"], true,
        "what does not hold is not believed"
    );

    let sources = report["tasks"][0]["sources"].clone();
    let mut certificate = certificate;
    certificate["sources"] = sources;
    fs::write(&file, certificate.to_string()).unwrap();
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let held = check(&report["tasks"][0], "the certificate holds");
    insta::assert_snapshot!(redact(&text(&held["detail"])), @"the code next to the task or in the SDK changed since it was written; --write renews it");

    fs::write(&file, "{}").unwrap();
    let output = library.run(["task", "check"]).exits(4);
    insta::assert_snapshot!(output.message(), @"error: [dir]/library/tasks/filesystem/office/lax/certificate.json: missing field `format` at line 1 column 2; create a new certificate with `mcpmark task check --write`");
}

#[test]
fn a_task_that_does_not_stand_gets_no_certificate() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let dir = library.task("lax", &guests::verdict(true, "fine"));
    library.run(["task", "check", "--write"]).exits(1);
    assert!(!dir.join("certificate.json").exists());
    let meta: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("meta.json")).unwrap()).unwrap();
    assert_eq!(
        meta["meta_data"]["stateContent"],
        "./\n├── letters/\n│   └── one.txt\n└── note.txt"
    );
    assert_eq!(meta["difficulty"], "L1");
}

#[test]
fn a_key_that_nobody_reads_fails_the_check() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let meta = serde_json::json!({"difficulty": "L1", "dificulty": "L3"});
    library.task_with("misspelt", &guests::verdict(true, "fine"), &meta);
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let complete = check(&report["tasks"][0], "the documents are complete");
    assert_eq!(complete["passed"], false);
    insta::assert_snapshot!(text(&complete["detail"]), @r#"tasks/filesystem/office/misspelt/meta.json: unknown key "dificulty" has no effect (did you mean "difficulty"?)"#);
}

#[test]
fn a_freedom_of_a_mutation_that_the_service_does_not_have_is_refused() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let freedom = serde_json::json!({"mutation": "moved-branch", "reason": "any branch"});
    let meta = serde_json::json!({"difficulty": "L1", "freedoms": [freedom]});
    library.task_with("free", &guests::verdict(true, "fine"), &meta);
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let readable = check(&report["tasks"][0], "the freedoms can be read");
    assert_eq!(readable["passed"], false);
    insta::assert_snapshot!(text(&readable["detail"]), @r#"unknown mutation "moved-branch"; expected one of delete, empty, truncate, wrong-directory, wrong-name, stale, drop-line, duplicate-line, swap-lines, reverse-lines, stray-line, blank-line, number, date, case, swap-fields, drop-item, duplicate-item, swap-items, stray-item, key-order, json-layout, final-newline, trailing-space, line-ends, byte-order-mark, edit-input, delete-input, move-input, executable, stray-file, stray-directory, no-answer"#);
}

#[test]
fn sources_outside_of_the_task_that_only_cheats_use_fail_the_check() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    workspace(&library);
    library
        .run(["task", "new", "filesystem/office/mine"])
        .exits(0);
    let dir = library.task_dir("mine");
    let add = |name: &str, lines: &str| {
        let source = fs::read_to_string(dir.join(name)).unwrap();
        fs::write(dir.join(name), source + lines).unwrap();
    };
    fs::write(dir.join("../other.rs"), "").unwrap();
    let covers = "the certificate covers the sources of cheats";
    add(
        "cheats/no-total.rs",
        "\n#[path = \"../../other.rs\"]\nmod other;\n",
    );
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let covered = check(&report["tasks"][0], covers);
    assert_eq!(covered["passed"], false);
    insta::assert_snapshot!(text(&covered["detail"]), @"only cheats and variants use tasks/filesystem/office/other.rs; move such sources into the task's directory");

    add("solution.rs", "\n#[path = \"../other.rs\"]\nmod other;\n");
    let report = library.run(["task", "check", "--json"]).json();
    let checks = report["tasks"][0]["checks"].as_array().unwrap();
    assert!(
        checks.iter().all(|check| check["name"] != covers),
        "{checks:#?}"
    );
}

#[test]
fn a_shipped_task_needs_a_certificate() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.task("lax", &guests::verdict(true, "fine"));
    let report = library
        .run(["task", "check", "--shipped", "--json"])
        .exits(1)
        .json();
    let held = check(&report["tasks"][0], "the certificate holds");
    assert_eq!(held["passed"], false);
    insta::assert_snapshot!(text(&held["detail"]), @"there is no certificate; --write creates one");
    library
        .run(["task", "check", "--shipped", "--write"])
        .exits(2);
}
