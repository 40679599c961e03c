//! Architecture tests: only the crate of a service and this crate name the service or depend on its crate, the crate of
//! the task formats starts no process, and the top-level modules of some crates have no cyclic dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_kinds::Services;

/// Source files that may name services, each with the reason.
const EXCEPTIONS: [(&str, &str); 7] = [
    (
        "report/src/published.rs",
        "data: how many tasks of each service are published",
    ),
    (
        "build/src/python/sources.rs",
        "published scripts import the module notion_client",
    ),
    (
        "cli/src/args/examples.rs",
        "the examples of the help name shipped tasks",
    ),
    (
        "grading/src/script.rs",
        "published scripts of every service read FILESYSTEM_TEST_DIR",
    ),
    ("sandbox/src/component.rs", "the name of a WASI package"),
    ("sandbox/src/wasi/bindings.rs", "the name of a WASI package"),
    (
        "sandbox/src/wasi/command.rs",
        "published programs of every service read FILESYSTEM_TEST_DIR",
    ),
];

fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn names() -> Vec<&'static str> {
    Services::builtin().iter().map(|kind| kind.name()).collect()
}

/// Collects the files below a directory as relative paths, without tests and benchmarks.
fn files(dir: &Path, below: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(dir.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = match below {
            "" => name.clone(),
            below => format!("{below}/{name}"),
        };
        let is_tested = ["tests", "benches", "tests.rs"].contains(&name.as_str());
        if is_tested {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            files(dir, &path, found);
        } else {
            found.push(path);
        }
    }
}

/// Returns the code of a source file before its inline unit tests, without comments.
fn code(source: &str) -> String {
    const TESTS: &str = "#[cfg(test)]\nmod ";
    let is_inline = |(at, _): &(usize, &str)| {
        let declaration = source[at + TESTS.len()..].lines().next();
        declaration.is_some_and(|line| line.contains('{'))
    };
    let tests = source.match_indices(TESTS).find(is_inline);
    let before_tests = tests.map_or(source, |(at, _)| &source[..at]);
    let lines = before_tests
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the lines of a source file that name one of these services in a literal, or use the crate of one.
fn named(source: &str, services: &[&str]) -> Vec<String> {
    let is_named = |line: &str| {
        let words = words_of_literals(line);
        services.iter().any(|service| {
            words.iter().any(|word| word == service) || line.contains(&format!("mcpmark_{service}"))
        })
    };
    let code = code(source);
    let lines = code.lines().filter(|line| is_named(line));
    lines.map(|line| line.trim().to_owned()).collect()
}

/// Returns the words between the quotes of a line, in lower case. A literal of several lines counts on its first one.
fn words_of_literals(line: &str) -> Vec<String> {
    let literals = line.split('"').skip(1).step_by(2);
    literals
        .flat_map(|literal| literal.split(|c: char| !c.is_alphanumeric()))
        .map(str::to_lowercase)
        .collect()
}

/// Returns the lines of a source file that start a process or import what does.
fn processes(source: &str) -> Vec<String> {
    const STARTS: [&str; 3] = ["std::process", "tokio::process", "Command::new"];
    let code = code(source);
    let lines = code
        .lines()
        .filter(|line| STARTS.iter().any(|start| line.contains(start)));
    lines.map(|line| line.trim().to_owned()).collect()
}

/// Returns the lines of a manifest that depend on the crate of a service, without development dependencies.
fn dependencies(manifest: &str, services: &[&str]) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if !section.starts_with("[dev-dependencies")
            && services.iter().any(|service| {
                let rest = line.strip_prefix(&format!("mcpmark-{service}"));
                rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
            })
        {
            found.push(line.to_owned());
        }
    }
    found
}

/// Returns the services that a file must not name: all except its own, and none in the registry.
fn foreign<'a>(path: &str, services: &[&'a str]) -> Vec<&'a str> {
    if path.starts_with("kinds/") {
        return Vec::new();
    }
    let is_own = |service: &str| path.starts_with(&format!("services/{service}/"));
    let services = services.iter().copied();
    services.filter(|service| !is_own(service)).collect()
}

#[test]
fn no_source_names_a_service() {
    let services = names();
    let mut all = Vec::new();
    files(&runtime(), "", &mut all);
    assert!(all.len() > 400, "{} files were found", all.len());
    let mut unused: BTreeSet<&str> = EXCEPTIONS.iter().map(|(file, _)| *file).collect();
    let mut problems = Vec::new();
    for path in &all {
        let foreign = foreign(path, &services);
        let text = || fs::read_to_string(runtime().join(path)).unwrap();
        let lines = if path.ends_with(".rs") {
            named(&text(), &foreign)
        } else if path.ends_with("Cargo.toml") {
            dependencies(&text(), &foreign)
        } else {
            continue;
        };
        let is_excepted = !lines.is_empty() && unused.remove(path.as_str());
        if !is_excepted {
            problems.extend(lines.into_iter().map(|line| format!("{path}: {line}")));
        }
    }
    assert!(
        problems.is_empty(),
        "what a service means to the rest of the program belongs into its module in runtime/kinds:\n{}",
        problems.join("\n")
    );
    assert!(unused.is_empty(), "these need no exception: {unused:?}");
}

#[test]
fn task_starts_no_process() {
    let mut all = Vec::new();
    files(&runtime(), "task/src", &mut all);
    all.retain(|path| path.ends_with(".rs"));
    assert!(all.len() > 15, "{} files were found", all.len());
    let mut problems = Vec::new();
    for path in &all {
        let lines = processes(&fs::read_to_string(runtime().join(path)).unwrap());
        problems.extend(lines.into_iter().map(|line| format!("{path}: {line}")));
    }
    assert!(
        problems.is_empty(),
        "programs that build guests are started by runtime/build:\n{}",
        problems.join("\n")
    );
}

#[test]
fn processes_are_noticed() {
    let source = "// std::process\nuse std::process::Command;\nfn a() { Command::new(\"b\") }\n";
    assert_eq!(
        processes(source),
        [
            "use std::process::Command;",
            "fn a() { Command::new(\"b\") }"
        ]
    );
    assert!(processes("fn process() { command() }").is_empty());
}

#[test]
fn names_are_noticed() {
    let source =
        "// \"github\"\nfn a() { b(\"github\") }\n#[cfg(test)]\nmod tests { \"github\" }\n";
    assert_eq!(named(source, &["github"]), ["fn a() { b(\"github\") }"]);
    assert_eq!(named("use mcpmark_github::git;", &["github"]).len(), 1);
    assert!(named("\"githubs\" \"mcpmark\"", &["github"]).is_empty());
    let manifest = "[dependencies]\nmcpmark-github.workspace = true\nmcpmark-github-x.workspace = true\n[dev-dependencies]\nmcpmark-filesystem.workspace = true\n";
    assert_eq!(
        dependencies(manifest, &["github", "filesystem"]),
        ["mcpmark-github.workspace = true"]
    );
    for named_inside in [
        "f(\"github/quay\")",
        "f(\"GITHUB_TOKEN\")",
        "f(\"  run github",
    ] {
        assert_eq!(named(named_inside, &["github"]), [named_inside.trim()]);
    }
    let services = ["filesystem", "github"];
    let in_a_service = foreign("services/github/src/lib.rs", &services);
    assert_eq!(in_a_service, ["filesystem"]);
    assert_eq!(foreign("services/service/src/lib.rs", &services), services);
    assert!(foreign("kinds/src/lib.rs", &services).is_empty());
}

/// Returns the top-level modules of the crate that a source file names in paths beginning with `crate::`.
fn imports(source: &str) -> BTreeSet<String> {
    let name = |text: &str| -> String {
        let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
        text.trim_start().chars().take_while(is_part).collect()
    };
    let code = code(source);
    let mut found = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        let Some(group) = path.strip_prefix('{') else {
            found.insert(name(path));
            continue;
        };
        // The modules of a group are at its outermost level: `use crate::{call, git::{Git, GitError}};`.
        let mut depth = 0_usize;
        for item in group.split_inclusive(['{', ',', '}']) {
            if depth == 0 {
                found.insert(name(item));
            }
            if item.ends_with('{') {
                depth += 1;
            } else if item.ends_with('}') {
                let Some(outer) = depth.checked_sub(1) else {
                    break;
                };
                depth = outer;
            }
        }
    }
    found.remove("");
    found
}

/// Removes modules that import only removed ones until none is left. Returns the remaining modules, among which there
/// is a circle.
fn circle(mut modules: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let before = modules.len();
        let remaining: BTreeSet<String> = modules.keys().cloned().collect();
        modules.retain(|_, imports| {
            imports.retain(|it| remaining.contains(it));
            !imports.is_empty()
        });
        if modules.len() == before {
            return modules;
        }
    }
}

/// Returns the top-level modules of a crate with those that they import.
fn modules(crate_dir: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = runtime().join(crate_dir).join("src");
    let mut all = Vec::new();
    files(&root, "", &mut all);
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in all.iter().filter(|path| path.ends_with(".rs")) {
        let top = path.split('/').next().unwrap_or_default();
        let top = top.strip_suffix(".rs").unwrap_or(top);
        let source = fs::read_to_string(root.join(path)).unwrap();
        let mut imported = imports(&source);
        imported.remove(top);
        modules.entry(top.to_owned()).or_default().extend(imported);
    }
    modules
}

#[test]
fn modules_have_no_cyclic_dependencies() {
    for (crate_dir, known) in [
        ("services/github", ("tools", "api")),
        ("cli", ("commands", "context")),
    ] {
        let modules = modules(crate_dir);
        assert!(
            modules.len() > 10 && modules[known.0].contains(known.1),
            "{crate_dir}: {modules:?}"
        );
        let circle = circle(modules);
        assert!(
            circle.is_empty(),
            "{crate_dir}: these modules import each other, see ARCHITECTURE.md: {circle:?}"
        );
    }
}

#[test]
fn imports_are_noticed() {
    let found = |source| imports(source).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(
        found("use crate::api::{Call, Page};\nfn a() { crate::view::b() }\n// crate::ci\n"),
        "api view"
    );
    assert_eq!(
        found(
            "use crate::{\n    call::{self, Added},\n    git::{Git, merge::{A, B}}, hub,\n};\nuse serde::{X, Y};"
        ),
        "call git hub"
    );
    let with_tests =
        "#[cfg(test)]\nmod tests;\nuse crate::a;\n#[cfg(test)]\nmod more {\n    use crate::b;\n}\n";
    assert_eq!(found(with_tests), "a");
}

#[test]
fn circles_are_noticed() {
    let graph = |edges: &[(&str, &[&str])]| {
        let edges = edges.iter().map(|(module, imports)| {
            let imports = imports.iter().map(|it| (*it).to_owned()).collect();
            ((*module).to_owned(), imports)
        });
        circle(edges.collect()).into_keys().collect::<Vec<_>>()
    };
    assert!(graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]).is_empty());
    let edges: [(&str, &[&str]); 4] =
        [("a", &["b"]), ("b", &["c"]), ("c", &["b", "d"]), ("d", &[])];
    assert_eq!(graph(&edges), ["a", "b", "c"]);
}

/// Returns the crates of this workspace that a manifest depends on, without development dependencies.
fn own_dependencies(manifest: &str) -> BTreeSet<String> {
    let mut is_dependency = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_dependency = line == "[dependencies]";
        } else if let Some(rest) = line.strip_prefix("mcpmark-")
            && is_dependency
        {
            let name = rest.split(['.', ' ', '=']).next().unwrap_or(rest);
            found.insert(name.replace('-', "_"));
        }
    }
    found
}

/// Returns the dependencies of each crate as ARCHITECTURE.md lists them: in the table, or in the list after it.
fn documented(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let section = page.split("\n## Crates\n").nth(1).unwrap();
    let section = section.split("\n### ").next().unwrap();
    let names = |list: &str| -> BTreeSet<String> {
        let names = list.split(',').map(|name| name.trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let mut found = BTreeMap::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        found.insert(cells[0].trim_matches('`').to_owned(), names(cells[2]));
    }
    for item in section.split("\n- ").skip(1) {
        let item = item.split("\n\n").next().unwrap().replace('\n', " ");
        let (name, list) = item.split_once(": ").unwrap();
        let listed = found.insert(
            name.trim_matches('`').to_owned(),
            names(list.trim_end_matches('.')),
        );
        assert!(
            listed.is_some_and(|it| it.contains("see below")),
            "{name} is not in the table"
        );
    }
    found
}

#[test]
fn architecture_lists_all_crates_with_their_dependencies() {
    let page = fs::read_to_string(runtime().join("../ARCHITECTURE.md")).unwrap();
    let documented = documented(&page);
    let mut all = Vec::new();
    files(&runtime(), "", &mut all);
    let actual: BTreeMap<String, BTreeSet<String>> = all
        .iter()
        .filter_map(|path| {
            let dir = path.strip_suffix("/Cargo.toml")?;
            let manifest = fs::read_to_string(runtime().join(path)).unwrap();
            Some((dir.to_owned(), own_dependencies(&manifest)))
        })
        .collect();
    for (name, dependencies) in &actual {
        let documented = documented.get(name);
        assert_eq!(
            documented,
            Some(dependencies),
            "{name} in ARCHITECTURE.md against its Cargo.toml"
        );
    }
    assert_eq!(documented.len(), actual.len());
}
