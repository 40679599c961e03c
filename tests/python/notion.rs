//! Scripts in the form of the published verifiers of workspaces, in the sandbox and natively.
//!
//! Natively, Python runs with `notion-client` from PyPI, whose requests go to the HTTP interface of a session of the same
//! state. Exit code and standard output must be equal. `MCPMARK_PUBLISHED_TASKS` names a copy of the published
//! repository, and `MCPMARK_PUBLISHED_STATES` a directory with states `<suite>/<category>/<task>/<state>/`; with both,
//! the published scripts are compared on these states.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_grading::{Script, ScriptJudge};
use mcpmark_journal::Outcome;
use mcpmark_kinds::{ServiceKind, Services, WorldGuests};
use mcpmark_sandbox::{Limits, Snapshot};
use mcpmark_service::{SessionLimits, WorldState};
use mcpmark_snapshot::{CaptureOptions, ScratchSpace, Store, capture};
use mcpmark_task::TaskId;
use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::guest::{Guest, directory, guest};
use crate::pypi::Packages;

/// Clock of the states: 2026-01-01T00:00:00Z.
const CLOCK: i64 = 1_767_225_600;

/// Version that the published repository pins.
const CLIENT: Packages = Packages {
    dir: "notion-client",
    module: "notion_client",
    installs: &[&["notion-client==2.4.0", "python-dotenv==1.1.1"]],
};

/// Script with its states.
struct Case {
    /// Path below `tasks/notion/`.
    name: String,
    script: PathBuf,
    /// Directories of the states. The first one is the starting state.
    states: Vec<PathBuf>,
}

/// Standard output and exit code of a run.
#[derive(Debug, PartialEq, Eq)]
struct Ended {
    output: String,
    code: Option<i32>,
}

/// Comparison of one state.
struct Compared {
    state: String,
    code: Option<i32>,
    output: String,
    difference: Option<String>,
}

struct Bench<'a> {
    guest: &'a Guest,
    kind: Arc<dyn ServiceKind>,
    store: Arc<Store>,
    home: &'a Path,
    /// Directories of Python modules of native runs.
    modules: Vec<PathBuf>,
    runtime: tokio::runtime::Runtime,
}

impl<'a> Bench<'a> {
    /// Returns `None` if the guest or the library cannot be installed. `modules` has the package `tasks`.
    fn new(home: &'a Path, modules: PathBuf) -> Option<Self> {
        let guest = guest()?;
        let client = match CLIENT.install() {
            Ok(client) => client,
            Err(problem) => {
                skip(Need::Python, format!("notion-client from PyPI: {problem}"));
                return None;
            }
        };
        let services = Services::builtin();
        Some(Self {
            guest,
            kind: services.kind("notion").unwrap().clone(),
            store: Arc::new(Store::open(home.join("store")).unwrap()),
            home,
            modules: vec![directory("notion/site"), client, modules],
            runtime: tokio::runtime::Runtime::new().unwrap(),
        })
    }

    fn snapshot(&self, dir: &Path) -> Snapshot {
        let tree = capture(dir, &self.store, &CaptureOptions::default()).unwrap();
        Snapshot::new(tree, self.store.clone())
    }

    fn compare(&self, case: &Case) -> Vec<Compared> {
        let start = self.snapshot(&case.states[0]);
        // Ids of tasks have three parts here; the suite is not one of them.
        let category = case.name.rsplit('/').nth(1).unwrap();
        let task: TaskId = format!("notion/{category}/task").parse().unwrap();
        let invocation = self.kind.script_invocation(&task, Some(&start)).unwrap();
        let page = invocation.arguments[0].clone();
        let judge = ScriptJudge {
            script: Script::read(&case.script).unwrap(),
            interpreter: self.guest.interpreter.clone(),
            invocation,
            clock: CLOCK,
            kind: Some(self.kind.clone()),
            guests: WorldGuests::default(),
        };
        let states = case.states.iter().map(|dir| {
            let state = self.snapshot(dir);
            let native = self.natively(&case.script, &page, &state);
            let graded = judge.grade(&self.guest.sandbox, state, None, &Limits::SCRIPT);
            let printed = graded.printed.unwrap();
            let here = Ended {
                output: String::from_utf8(printed.stdout).unwrap(),
                code: printed.exit_code.map(i32::from),
            };
            let is_verdict = matches!(graded.outcome, Outcome::Graded { .. });
            let difference = (!is_verdict || here != native).then(|| {
                format!(
                    "{:?}\n  natively: {native:?}\n  here: {here:?}",
                    graded.outcome
                )
            });
            Compared {
                state: dir.file_name().unwrap().to_str().unwrap().to_owned(),
                code: native.code,
                output: native.output,
                difference,
            }
        });
        states.collect()
    }

    /// Runs a script with the library on a session of a state.
    fn natively(&self, script: &Path, page: &str, state: &Snapshot) -> Ended {
        let world = WorldState {
            tree: state.tree.clone(),
            store: self.store.clone(),
            seed: 0,
            clock: CLOCK,
            profile: None,
            limits: SessionLimits::default(),
            scratch: ScratchSpace::plain(self.home),
        };
        let service = self.kind.service(&WorldGuests::default()).unwrap();
        let (session, http, address) = self.runtime.block_on(async {
            let session = service.open(world).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let http = session.serve_http(listener).unwrap();
            (session, http, address)
        });
        let output = Command::new("python3")
            .arg(script)
            .arg(page)
            .env("PYTHONPATH", std::env::join_paths(&self.modules).unwrap())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONIOENCODING", "utf-8")
            .env("NOTION_SERVER", format!("http://{address}"))
            .env("NO_PROXY", "127.0.0.1")
            .env("EVAL_NOTION_API_KEY", "mcpmark")
            .output()
            .unwrap();
        self.runtime.block_on(async {
            http.abort();
            session.finish(Duration::from_secs(10)).await.unwrap();
            session.close().await.unwrap();
        });
        Ended {
            output: String::from_utf8(output.stdout).unwrap(),
            code: output.status.code(),
        }
    }
}

/// Writes a workspace with the documents of its pages and databases.
fn write_state(dir: &Path, documents: &[(String, Value)]) {
    for (path, document) in documents {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, document.to_string()).unwrap();
    }
}

/// Returns the id with a number.
fn id(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// Returns the documents of a garden club, with the two changes of a solution.
fn club(rows: &Value, meeting: &Value) -> Vec<(String, Value)> {
    let (bot, club, swap, page) = (id(1), id(2), id(3), id(4));
    let created = json!({"at": "2025-09-01T08:00:00Z", "by": bot});
    let kinds = json!([
        {"id": id(10), "name": "Bean", "color": "green"},
        {"id": id(11), "name": "Herb", "color": "default"},
    ]);
    let properties = json!([
        {"id": "title", "name": "Variety", "type": "title"},
        {"id": "kInd", "name": "Kind", "type": "select", "options": kinds},
        {"id": "pAck", "name": "Packets", "type": "number", "format": "number"},
        {"id": "sWap", "name": "Swapped", "type": "checkbox"},
        {"id": "sOwn", "name": "Sown", "type": "date"},
        {"id": "vErf", "name": "Verification", "type": "verification"},
    ]);
    let users = json!([{"id": bot, "name": "Clerk", "bot": true}]);
    let top = json!([{"page": club}]);
    vec![
        (
            "workspace.json".to_owned(),
            json!({"format": 1, "name": "Club", "bot": bot, "users": users, "top": top}),
        ),
        (
            format!("pages/{club}.json"),
            json!({"id": club, "title": "Garden Club", "created": created, "blocks": [
                {"id": id(5), "toggle": {"text": "Lists"}, "blocks": [{"database": swap}]},
                {"page": page},
            ]}),
        ),
        (
            format!("pages/{page}.json"),
            json!({"id": page, "title": "Autumn meeting", "created": created, "blocks": meeting}),
        ),
        (
            format!("databases/{swap}.json"),
            json!({
                "id": swap, "title": "Seed swap", "created": created, "properties": properties, "rows": rows,
            }),
        ),
    ]
}

/// Returns rows of the swap: the variety, the kind if it is known, the packets, and whether they are swapped.
fn rows(rows: &[(&str, Option<&str>, u32, bool)]) -> Value {
    let row = |(at, (variety, kind, packets, swapped)): (u32, &(&str, Option<&str>, u32, bool))| {
        let mut values = json!({"Variety": variety, "Packets": packets});
        // The first verification has expired at the clock of the state, and the second one never does.
        let verified = [
            json!({"start": "2025-03-01", "end": "2025-06-01"}),
            json!("2025-03-01"),
        ];
        if let Some(date) = verified.get(at as usize) {
            values["Verification"] = json!({"by": id(1), "date": date});
        }
        if let Some(kind) = kind {
            values["Kind"] = json!(kind);
        }
        if *swapped {
            values["Swapped"] = json!(true);
            values["Sown"] = json!("2025-04-12");
        }
        json!({"id": id(20 + at), "values": values})
    };
    (0..).zip(rows).map(row).collect()
}

/// Returns the blocks of the meeting.
fn meeting(widths: [f64; 2], is_done: bool) -> Value {
    let column = |at: u32, width: f64, blocks: Value| json!({"id": id(at), "column": {"width": width}, "blocks": blocks});
    let todo = if is_done {
        json!({"text": "Book the hall", "checked": true})
    } else {
        json!({"text": "Book the hall"})
    };
    let date = json!([{"date": "2025-10-04", "bold": true}, ", 7 pm"]);
    json!([
        {"id": id(40), "callout": {"text": "Bring cuttings", "icon": "🍂", "color": "brown_background"}},
        {"id": id(41), "paragraph": {"text": date}},
        {"id": id(42), "column_list": {}, "blocks": [
            column(43, widths[0], json!([{"id": id(44), "to_do": todo}])),
            column(45, widths[1], json!([{"id": id(46), "code": {"text": "a\n  b", "language": "go"}}])),
        ]},
    ])
}

const SEEDS: [(&str, Option<&str>, u32, bool); 4] = [
    ("Borlotti", Some("Bean"), 3, false),
    ("Crimson-flowered", Some("Bean"), 1, true),
    ("Greek basil", Some("Herb"), 9, false),
    ("Yin Yang", Some("Bean"), 7, false),
];

#[test]
fn scripts_of_workspaces_see_the_same_with_the_library_and_with_the_stand_in() {
    let home = tempfile::tempdir().unwrap();
    let shims = directory("../../guest-sdk/python/shims");
    // The directory of the stand-ins comes after the library, so that only `tasks` and `dotenv` come from it.
    let Some(bench) = Bench::new(home.path(), shims) else {
        return;
    };
    let mut few = SEEDS;
    few[3].3 = true;
    few[3].2 = 2;
    let mut unknown = SEEDS;
    unknown[2].1 = None;
    let states: [(&str, Vec<(String, Value)>); 4] = [
        (
            "0-solved",
            club(&rows(&SEEDS), &meeting([0.25, 0.75], true)),
        ),
        ("1-few", club(&rows(&few), &meeting([0.25, 0.75], false))),
        (
            "2-unknown",
            club(&rows(&unknown), &meeting([0.5, 0.5], true)),
        ),
        ("3-empty", club(&json!([]), &json!([]))),
    ];
    let dirs = states.iter().map(|(name, documents)| {
        let dir = home.path().join("states").join(name);
        write_state(&dir, documents);
        dir
    });
    let dirs: Vec<PathBuf> = dirs.collect();
    // Scripts that meet a missing value end with an exception, whose exit code is 1, too.
    for (task, codes, line) in [
        ("seed_swap", [0, 1, 1, 1], "Yin Yang: 7 packets, sown None"),
        ("autumn_meeting", [0, 1, 1, 1], "widths: [0.25, 0.75]"),
    ] {
        let name = format!("own/garden_club/{task}");
        let script = directory("notion/tasks/notion")
            .join(&name)
            .join("verify.py");
        let case = Case {
            name,
            script,
            states: dirs.clone(),
        };
        let compared = bench.compare(&case);
        for it in &compared {
            assert_eq!(it.difference, None, "{task} on {}", it.state);
        }
        let found: Vec<_> = compared.iter().filter_map(|it| it.code).collect();
        assert_eq!(found, codes, "{task}");
        assert!(compared[0].output.contains(line), "{}", compared[0].output);
    }
}

/// Returns the published scripts that have states.
fn published(tasks: &Path, states: &Path) -> Vec<Case> {
    let entries = |dir: &Path| {
        let entries = std::fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
        let mut dirs: Vec<PathBuf> = entries.filter(|it| it.is_dir()).collect();
        dirs.sort();
        dirs
    };
    let suites = entries(states).into_iter();
    let of_tasks = suites
        .flat_map(|suite| entries(&suite))
        .flat_map(|category| entries(&category));
    let cases = of_tasks.map(|dir| {
        let name = dir.strip_prefix(states).unwrap().to_str().unwrap();
        Case {
            name: name.to_owned(),
            script: tasks.join("tasks/notion").join(name).join("verify.py"),
            states: entries(&dir),
        }
    });
    cases.collect()
}

#[test]
fn published_scripts_of_workspaces_have_the_verdicts_of_native_python() {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(tasks), Some(states)) = (
        variable("MCPMARK_PUBLISHED_TASKS"),
        variable("MCPMARK_PUBLISHED_STATES"),
    ) else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let Some(bench) = Bench::new(home.path(), tasks.clone()) else {
        return;
    };
    let (mut differences, mut runs, mut passing, mut both) = (String::new(), 0, 0, 0);
    let cases = published(&tasks, &states);
    for case in &cases {
        let compared = bench.compare(case);
        let passed = compared.iter().filter(|it| it.code == Some(0)).count();
        println!("{}: {} states, {passed} pass", case.name, compared.len());
        runs += compared.len();
        passing += passed;
        both += usize::from(0 < passed && passed < compared.len());
        for it in compared {
            if let Some(difference) = it.difference {
                let _ = writeln!(differences, "{} on {}: {difference}", case.name, it.state);
            }
        }
    }
    println!(
        "{} scripts, of which {both} pass and fail; {runs} states, of which {passing} pass",
        cases.len()
    );
    assert!(!cases.is_empty(), "{} has no states", states.display());
    assert!(differences.is_empty(), "{differences}");
}
