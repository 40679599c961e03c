//! The sandbox through the command line: inspection, engines, compilation in a child.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mcpmark_build::{Builder, Options};
use mcpmark_task::GuestSource;
use mcpmark_test_support::{Need, skip};
use serde_json::Value;
use tempfile::TempDir;

/// Directories of its own for each test.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A guest of the hostile corpus, in the binary format.
    fn guest(&self, name: &str) -> PathBuf {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile");
        let file = self.path(&format!("{name}.wasm"));
        let bytes = wat::parse_file(corpus.join(format!("{name}.wat"))).unwrap();
        fs::write(&file, bytes).unwrap();
        file
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcpmark"));
        command
            .args(arguments)
            .env_clear()
            .env("MCPMARK_HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn grade(&self, guest: &Path, more: &[&str]) -> (Output, Value) {
        let state = self.path("state");
        fs::create_dir_all(&state).unwrap();
        let (guest, state) = (guest.to_str().unwrap(), state.to_str().unwrap());
        let mut arguments = vec!["grade", "--json", "--verifier", guest, "--state", state];
        arguments.extend(more);
        let output = self.run(&arguments);
        let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output, report)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn inspect_says_what_a_guest_asks_for() {
    let place = Place::new();
    let guest = place.guest("well-behaved");
    let output = place.run(&["inspect", guest.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["kind"], "verifier");
    assert_eq!(report["profile"], "pure");
    assert_eq!(report["can"], "can compute; nothing else");
    assert_eq!(report["imports"], serde_json::json!([]));
    assert_eq!(report["bytes"], fs::metadata(&guest).unwrap().len());
    assert_eq!(report["exports"][0]["name"], "verify");
    assert_eq!(report["problem"], Value::Null);
    assert!(report["limits"]["fuel"].as_u64().unwrap() > 0);
    let digest = report["digest"].as_str().unwrap();
    assert!(digest.starts_with("sha256:"));

    let output = place.run(&["inspect", guest.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    for part in [digest, "can compute; nothing else", "verify (function)"] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn inspect_names_what_is_not_given() {
    let place = Place::new();
    let guest = place.path("wants.wasm");
    let wants = r#"(component
        (import "wasi:sockets/tcp@0.2.0" (instance))
        (core module $guest (func (export "verify")))
        (core instance $guest (instantiate $guest))
        (func (export "verify") (canon lift (core func $guest "verify"))))"#;
    fs::write(&guest, wat::parse_str(wants).unwrap()).unwrap();
    let output = place.run(&["inspect", guest.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(4));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["profile"], "wasi");
    assert_eq!(
        report["imports"],
        serde_json::json!([{ "import": "wasi:sockets/tcp@0.2.0", "allows": null }])
    );
    assert_eq!(
        report["can"],
        "can compute; asks for one thing that it is not given"
    );
    let problem = report["problem"].as_str().unwrap();
    assert!(problem.contains("`wasi:sockets/tcp@0.2.0`"), "{problem}");

    // The guest that runs scripts may be larger than those of strangers, and is read to be told.
    let guest = place.path("interpreter.wasm");
    let scripts = wants
        .replace("wasi:sockets/tcp@0.2.0", "mcpmark:script/gaps@0.1.0")
        .replace("\"verify\"", "\"run\"");
    let mut bytes = wat::parse_str(scripts).unwrap();
    // A section that nobody reads, of 17 MiB.
    let content = vec![0; 17 << 20];
    bytes.extend([0, 0x80, 0x80, 0xc0, 0x08]);
    bytes.extend(content);
    fs::write(&guest, bytes).unwrap();
    let output = place.run(&["inspect", guest.to_str().unwrap(), "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["kind"], "interpreter");
    assert_eq!(
        report["can"],
        "can say what a script asked for in vain; nothing else"
    );
    assert_eq!(report["limits"]["fuel"], 200_000_000_000_u64);
    let problem = report["problem"].as_str().unwrap();
    assert!(
        problem.starts_with("does not fit the contract of a script interpreter: "),
        "{problem}"
    );

    let guest = place.guest("no-export");
    let output = place.run(&["inspect", guest.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stdout).contains("not a guest"));

    let output = place.run(&["inspect", place.guest("core-module").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("a core WebAssembly module"));
    let output = place.run(&["inspect", place.path("missing.wasm").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn both_engines_grade_alike_and_check_each_other() {
    let place = Place::new();
    let guest = place.guest("well-behaved");
    let ways: [&[&str]; 4] = [
        &[],
        &["--engine", "pulley"],
        &["--cross-check"],
        &["--engine", "pulley", "--cross-check"],
    ];
    let reports = ways.map(|way| {
        let (output, report) = place.grade(&guest, way);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        report
    });
    assert!(reports.iter().all(|report| *report == reports[0]));

    // A fault that both engines come to stays what it is.
    let guest = place.guest("unreachable");
    let (output, report) = place.grade(&guest, &["--cross-check"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(report["fault"]["kind"], "trap");
}

#[test]
fn a_limit_of_the_compiler_is_named_with_the_way_to_raise_it() {
    let place = Place::new();
    let guest = place.guest("well-behaved");
    let guest = guest.to_str().unwrap();
    let output = place
        .command(&["inspect", guest])
        .env("MCPMARK_COMPILE_CODE_BYTES", "100")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stdout).contains("`code_bytes`"));

    let state = place.path("state");
    fs::create_dir(&state).unwrap();
    let grade = [
        "grade",
        "--verifier",
        guest,
        "--state",
        state.to_str().unwrap(),
    ];
    for (variable, value, message) in [
        ("MCPMARK_COMPILE_CODE_BYTES", "100", "`code_bytes`"),
        ("MCPMARK_MAX_COMPONENT_BYTES", "100", "but the limit is 100"),
    ] {
        let output = place.command(&grade).env(variable, value).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains(message), "{said}");
        assert!(
            said.contains(&format!("hint: if you trust the component, set {variable}")),
            "{said}"
        );
    }
    let output = place
        .command(&grade)
        .env("MCPMARK_COMPILE_CPU_SECONDS", "0")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("MCPMARK_COMPILE_CPU_SECONDS"));
}

#[test]
fn processes_share_a_private_cache() {
    let place = Place::new();
    let guests: Vec<PathBuf> = ["well-behaved", "no-checks", "unreachable", "equal-names"]
        .map(|name| place.guest(name))
        .into();
    // Room for one or two of them at a time.
    let running: Vec<_> = (0..12)
        .map(|number| {
            let guest = guests[number % guests.len()].to_str().unwrap();
            let mut command = place.command(&["inspect", guest]);
            command.env("MCPMARK_CACHE_BYTES", "30000");
            command.stdout(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let cache = place.path("cache/mcpmark/compiled");
    assert_eq!(
        fs::metadata(&cache).unwrap().permissions().mode() & 0o777,
        0o700
    );
    for entry in fs::read_dir(&cache).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.path());
    }

    // A cache that another user can write to is not used: each time, the component is compiled again.
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let before = fs::read_dir(&cache).unwrap().count();
    let guest = place.guest("copies-without-end");
    let output = place.run(&["inspect", guest.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read_dir(&cache).unwrap().count(), before);
}

#[test]
fn the_compiler_is_hidden_and_refuses_what_is_no_request() {
    let place = Place::new();
    let help = text(&place.run(&["--help"]).stdout);
    assert!(help.contains("inspect"));
    assert!(!help.contains("compile-guest"), "{help}");
    let output = place
        .command(&["compile-guest"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stdout).contains("the request is not valid"));
}

/// Directory with verifiers in several languages, which check that `answer.txt` has the number of lines of `log.txt`.
fn languages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/languages")
}

/// Lets a verifier grade a right answer, a wrong one and a missing one.
fn judges_all(place: &Place, guest: &Path) {
    let start = place.path("start");
    fs::create_dir_all(&start).unwrap();
    fs::write(start.join("log.txt"), "one\ntwo\nthree\n").unwrap();
    let more = [
        "--start",
        start.to_str().unwrap(),
        "--limits",
        "fuel=20000000000",
    ];
    let state = place.path("state");
    fs::create_dir_all(&state).unwrap();
    let answer = state.join("answer.txt");
    for (text, code) in [(Some("3\n"), 0), (Some("4\n"), 1), (None, 1)] {
        match text {
            Some(text) => fs::write(&answer, text).unwrap(),
            None => fs::remove_file(&answer).unwrap(),
        }
        let (output, report) = place.grade(guest, &more);
        let report = format!("{text:?}: {report:#} {}", crate::text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{report}");
    }
}

#[test]
fn a_program_of_wasi_grades_by_its_exit_code_and_its_output_is_kept() {
    let place = Place::new();
    let (output, report) = place.grade(&place.guest("command-passes"), &["--", "an argument"]);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_eq!(report["output"]["stdout"], "✓ hello\n");
    assert_eq!(report["output"]["exit_code"], 0);
    let names = report["checks"].as_array().unwrap().iter();
    assert!(names.map(|check| &check["name"]).eq(["hello", "exit code"]));

    let (output, report) = place.grade(&place.guest("command-exits"), &[]);
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    assert_eq!(report["checks"][0]["name"], "exit code");

    let (output, report) = place.grade(&place.guest("command-prints-without-end"), &[]);
    assert_eq!(output.status.code(), Some(3), "{report:#}");
    assert_eq!(report["fault"]["kind"], "output");
    let kept = report["output"]["stderr"].as_str().unwrap();
    assert_eq!(kept.len(), 256 << 10);

    // Only a program reads arguments.
    let (output, _) = place.grade(&place.guest("well-behaved"), &["--", "an argument"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a component that imports WASI"));
}

#[test]
fn inspect_says_what_a_program_of_wasi_can_do() {
    let place = Place::new();
    let guest = place.guest("command-reads-outside");
    let output = place.run(&["inspect", guest.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["kind"], "verifier");
    assert_eq!(report["profile"], "wasi");
    let run = report["command"].as_str().unwrap();
    assert!(run.starts_with("wasi:cli/run@0.2."), "{run}");
    let can = report["can"].as_str().unwrap();
    assert!(
        can.contains("read the two states and the agent's last message as files")
            && can.ends_with("; nothing else"),
        "{can}"
    );
    let output = place.run(&["inspect", guest.to_str().unwrap()]);
    let shown = text(&output.stdout);
    for part in [
        "kind      verifier: a command of WASI 0.2, whose exit code is the verdict\n",
        "profile   wasi: cli (",
        "filesystem (preopens, types), ",
    ] {
        assert!(shown.contains(part), "{shown}");
    }

    let guest = place.guest("command-wants-sockets");
    let output = place.run(&["inspect", guest.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4));
    let shown = text(&output.stdout);
    assert!(
        shown.contains("wasi:sockets/tcp@0.2.6: not available to guests of this kind"),
        "{shown}"
    );
}

#[test]
fn a_verifier_in_rust_uses_wasi() {
    let place = Place::new();
    let package_dir = place.path("package");
    fs::create_dir(&package_dir).unwrap();
    for name in ["Cargo.toml", "Cargo.lock", "verifier.rs"] {
        fs::copy(languages().join("rust").join(name), package_dir.join(name)).unwrap();
    }
    let source = GuestSource::Rust {
        source: package_dir.join("verifier.rs"),
        package_dir,
    };
    let mut builder = Builder::new(Options::new(place.path("guests")));
    let built = builder.build(&[source], &mut |_| {}).unwrap();
    judges_all(&place, &built[0].path);
}

#[test]
fn verifiers_in_c_and_zig_grade() {
    let place = Place::new();
    let (c, zig) = (place.path("c.wasm"), place.path("zig.wasm"));
    let target = ["-target", "wasm32-wasi"];
    let compile = |arguments: &[&str], to: &str| {
        Command::new("zig")
            .args(arguments)
            .args(target)
            .arg(to)
            .current_dir(languages())
            .env("ZIG_GLOBAL_CACHE_DIR", place.path("zig"))
            .env("ZIG_LOCAL_CACHE_DIR", place.path("zig"))
            .output()
    };
    let to = format!("-o{}", c.display());
    let built = match compile(&["cc", "-Os", "verify.c"], &to) {
        Ok(built) => built,
        Err(error) => {
            skip(Need::Zig, format!("verifiers in C and Zig: {error}"));
            return;
        }
    };
    assert!(built.status.success(), "{}", text(&built.stderr));
    judges_all(&place, &c);
    let to = format!("-femit-bin={}", zig.display());
    let built = compile(&["build-exe", "-OReleaseSmall", "verify.zig"], &to).unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
    judges_all(&place, &zig);
}

#[test]
fn a_verifier_in_go_grades() {
    let place = Place::new();
    let go = place.path("go.wasm");
    let targets = Command::new("go").args(["tool", "dist", "list"]).output();
    if !targets.is_ok_and(|it| text(&it.stdout).contains("wasip1/wasm")) {
        skip(Need::Go, "a verifier in Go: no Go that compiles for wasip1");
        return;
    }
    let built = Command::new("go")
        .args(["build", "-ldflags=-s", "-o", go.to_str().unwrap()])
        .arg("verify.go")
        .current_dir(languages())
        .env("GOOS", "wasip1")
        .env("GOARCH", "wasm")
        .env("GOCACHE", place.path("go-cache"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
    judges_all(&place, &go);
}
