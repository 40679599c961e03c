//! Tasks packed for others: the same sources give the same digests, and the same grades elsewhere.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text, write_files};
use crate::guests;
use crate::library::Library;
use crate::skip;

/// A command on a machine that has nothing but the binary and what it is given.
fn elsewhere(environment: &Environment, args: &[&str]) -> Command {
    let mut command = environment.command(args);
    command
        .env_remove("MCPMARK_ROOT")
        .env("XDG_CACHE_HOME", environment.path("cache"))
        .env("PATH", environment.path("no-toolchain"));
    command
}

fn there(environment: &Environment, args: &[&str]) -> Output {
    Output::of(&mut elsewhere(environment, args))
}

/// A library with two tasks, one of which fails, and a world with all that a world can have.
fn sample(environment: &Environment) -> Library<'_> {
    let library = Library::new(environment);
    library.easy_task("easy");
    library.task("hard", &guests::verdict(false, "never"));
    let world = library.world("office");
    write_files(&world, &[("files/empty/", ""), ("files/run.sh", "echo\n")]);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(world.join("files/run.sh"), mode).unwrap();
    std::os::unix::fs::symlink("../note.txt", world.join("files/letters/link")).unwrap();
    library
}

fn pack(library: &Library<'_>, to: &Path, more: &[&str]) -> Value {
    let args = ["bundle", "pack", "--json", "-o", to.to_str().unwrap()];
    library.run(args.iter().chain(more)).exits(0).json()
}

/// The receipts of an experiment of which each attempt does nothing.
fn receipts(run: impl Fn(&[&str]) -> Output) -> Vec<String> {
    let report = run(&["run", "--agent", "nop", "--json"]).exits(1).json();
    let attempts = report["attempts"].as_array().unwrap();
    let receipt = |attempt: &Value| {
        let args = ["receipt", "show", attempt["id"].as_str().unwrap()];
        run(&args).exits(0).stdout
    };
    attempts.iter().map(receipt).collect()
}

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

    // No sources, no toolchain, another home, another path: by the root, and by the tasks.
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
    // An experiment knows its bundle.
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

fn copy_tree_with_links(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let copied = Command::new("cp")
        .arg("-a")
        .args([from, to])
        .status()
        .unwrap();
    assert!(copied.success());
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

    there(&machine, &["run", "--agent", "nop", "--root", tar])
        .exits(4)
        .says(&["verifiers of 1 task are held back", "--held-back FILE"]);
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
    there(&machine, &args)
        .exits(2)
        .says(&["which no task of the bundle holds back"]);
}

fn receipts_of_one(run: impl Fn(&[&str]) -> Output) -> String {
    let report = run(&["run", "--agent", "nop", "--json"]).exits(0).json();
    let id = text(&report["attempts"][0]["id"]);
    run(&["receipt", "show", &id]).exits(0).stdout
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

    // The old library is as it is; the bundle judges.
    fs::write(task.join("verifier.wasm"), guests::verdict(true, "fine")).unwrap();
    library.easy_task("gone");
    let args = ["regrade", "e", "--bundle", paths[1], "--json"];
    let id = |index: usize| {
        let runs = library.run(["runs", "e", "--json"]).exits(0).json();
        text(&runs["attempts"][index]["id"])
    };
    let args = [args[0], &id(0), args[2], args[3], args[4]];
    let report = library.run(args).exits(1).json();
    assert_eq!(report["summary"]["flipped"], 1, "{report}");
}

/// Files of a layout, by their paths.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(dir.join("blobs/sha256"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.extend([dir.join("index.json"), dir.join("oci-layout")]);
    found.sort();
    found
}

#[test]
fn whatever_is_changed_in_a_bundle_is_noticed() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let dir = environment.path("bundle");
    let packed = pack(&library, &dir, &[]);
    let verify = || environment.run(["bundle", "verify", dir.to_str().unwrap(), "--json"]);
    assert_eq!(verify().exits(0).json()["digest"], packed["digest"]);
    for file in files(&dir) {
        let sound = fs::read(&file).unwrap();
        let step = (sound.len() / 12).max(1);
        for at in (0..sound.len()).step_by(step) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x01;
            fs::write(&file, &bytes).unwrap();
            let told = verify();
            // The index of a layout has no digest: what it names must be the same all the same.
            let same = told.code == Some(0) && told.json()["digest"] == packed["digest"];
            let of_layout = file.parent() == Some(&*dir);
            assert!(
                told.code == Some(4) || (same && of_layout),
                "{}, byte {at}: {told:?}",
                file.display()
            );
        }
        for bytes in [&sound[..sound.len() / 2], b"", b"{}", b"\0"] {
            fs::write(&file, bytes).unwrap();
            verify().exits(4);
        }
        fs::remove_file(&file).unwrap();
        verify().exits(4);
        // A link to the right bytes is one all the same.
        let aside = environment.path("aside");
        fs::write(&aside, &sound).unwrap();
        std::os::unix::fs::symlink(&aside, &file).unwrap();
        verify().exits(4).says(&["regular file"]);
        fs::remove_file(&file).unwrap();
        fs::write(&file, &sound).unwrap();
    }
    verify().exits(0);
}

#[test]
fn what_is_no_bundle_is_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let tar = environment.path("bundle.tar");
    pack(&library, &tar, &[]);
    let sound = fs::read(&tar).unwrap();
    let file = environment.path("bad.tar");
    let verify = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        environment.run(["bundle", "verify", file.to_str().unwrap()])
    };
    verify(&sound).exits(0);
    verify(&sound[..sound.len() / 2])
        .exits(4)
        .says(&["ends in the middle"]);
    verify(b"PK\x03\x04")
        .exits(4)
        .says(&["bad.tar", "ends in the middle"]);
    verify(&[b'x'; 2048]).exits(4).says(&["damaged at byte 0"]);
    verify(&[0; 1024]).exits(4).says(&["it has no oci-layout"]);
    environment
        .run(["bundle", "verify", "nowhere.tar"])
        .exits(2)
        .says(&["nowhere.tar"]);
    for (text, word) in [
        ("oci://", "names no repository"),
        ("oci://Host/UPPER", "repository has other than"),
        ("oci://host/a@sha256:1", "digest is none"),
    ] {
        environment
            .run(["bundle", "inspect", text])
            .exits(2)
            .says(&[word]);
    }
    let again = pack(&library, &environment.path("d"), &[]);
    assert!(again["digest"].is_string());
    let args = [
        "bundle",
        "pack",
        "-o",
        environment.path("d").to_str().unwrap(),
    ]
    .map(str::to_owned);
    library.run(args).exits(2).says(&["is not empty"]);
}

/// Debian's registry, on loopback and in a directory of its own.
struct Registry {
    process: Child,
    host: String,
    root: PathBuf,
}

impl Registry {
    /// None where the program is not there.
    fn start(environment: &Environment) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let root = environment.path("registry");
        let config = environment.path("registry.yml");
        let text = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\n\
             http: {{addr: \"127.0.0.1:{port}\"}}\n",
            root.display()
        );
        fs::write(&config, text).unwrap();
        let started = Command::new("docker-registry")
            .arg("serve")
            .arg(&config)
            .env("OTEL_TRACES_EXPORTER", "none")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let process = match started {
            Ok(process) => process,
            Err(error) => {
                skip::tool("docker-registry", &error.to_string());
                return None;
            }
        };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no registry");
            std::thread::sleep(Duration::from_millis(50));
        }
        let host = format!("127.0.0.1:{port}");
        Some(Self {
            process,
            host,
            root,
        })
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_bundle_goes_through_a_registry_and_gives_the_same_receipts() {
    let environment = Environment::new();
    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let library = sample(&environment);
    let own = receipts(|args| library.run(args));
    let dir = environment.path("suite");
    let packed = pack(&library, &dir, &["--name", "office"]);
    let reference = format!("oci://{}/suites/office:v1", registry.host);
    let push = || {
        let args = [
            "bundle",
            "push",
            dir.to_str().unwrap(),
            &reference,
            "--json",
        ];
        environment.run(args).exits(0).json()
    };
    let sent = push();
    assert_eq!(sent["digest"], packed["digest"]);
    assert_eq!(sent["transferred"]["present"], 0);
    // Manifests are named again; no blob is sent twice.
    let again = push();
    assert_eq!(again["transferred"]["blobs"], 4, "{again}");

    // A review has no layer.
    let machine = Environment::bare();
    let told = there(&machine, &["bundle", "inspect", &reference, "--json"])
        .exits(0)
        .json();
    assert_eq!(told["digest"], packed["digest"]);
    let fetched = told["transferred"]["bytes"].as_u64().unwrap();
    assert!(
        told["transferred"]["blobs"] == 7 && fetched < 10_000,
        "{told}"
    );

    let pulled = there(&machine, &["bundle", "pull", &reference, "--json"])
        .exits(0)
        .json();
    assert_eq!(pulled["digest"], packed["digest"]);
    let run = |args: &[&str]| there(&machine, &[args, &["--root", &reference]].concat());
    assert_eq!(receipts(run), own);
    let run = |args: &[&str]| {
        let fresh = Environment::bare();
        let experiment = [args, &["--tasks", &reference, "--agent", "nop"]].concat();
        there(&fresh, &experiment)
    };
    run(&["run", "filesystem/office/easy"]).exits(0);

    // What is here is not fetched: another suite of the same world brings its task alone.
    fs::remove_dir_all(library.task_dir("hard")).unwrap();
    library.task("third", &guests::verdict(true, "third"));
    let other = environment.path("other");
    pack(&library, &other, &[]);
    let second = format!("oci://{}/suites/office:v2", registry.host);
    let args = ["bundle", "push", other.to_str().unwrap(), &second];
    environment.run(args).exits(0);
    let told = there(&machine, &["bundle", "pull", &second, "--json"])
        .exits(0)
        .json();
    // The index, the manifest and the config of the task, its verifier.
    assert_eq!(told["transferred"]["blobs"], 4, "{told}");

    // One that was damaged here is fetched again, alone.
    let kept = machine.path("cache/mcpmark/bundles/blobs/sha256");
    let entries = fs::read_dir(&kept)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let blob = entries.into_iter().find(|path| path.is_file()).unwrap();
    fs::write(&blob, "damaged").unwrap();
    there(&machine, &["bundle", "pull", &reference]).exits(0);
    there(&machine, &["bundle", "pull", &second]).exits(0);
    let found = mcpmark_snapshot::Digest::of(&fs::read(&blob).unwrap());
    assert!(blob.ends_with(found.hex()));

    // As a layout again: byte for byte what was packed, by its digest.
    let out = machine.path("pulled");
    let digest = text(&packed["digest"]);
    let exact = format!("oci://{}/suites/office@{digest}", registry.host);
    there(
        &machine,
        &["bundle", "pull", &exact, "-o", out.to_str().unwrap()],
    )
    .exits(0);
    for file in files(&dir) {
        let name = file.strip_prefix(&dir).unwrap();
        assert_eq!(
            fs::read(out.join(name)).unwrap(),
            fs::read(&file).unwrap(),
            "{name:?}"
        );
    }
    others_read(&registry, &dir, &digest);

    there(
        &machine,
        &["bundle", "pull", &format!("oci://{}/none", registry.host)],
    )
    .exits(5)
    .says(&["the registry does not have it"]);
    // The registry's own storage is tampered with.
    let hex = digest.strip_prefix("sha256:").unwrap();
    let blob = registry
        .root
        .join("docker/registry/v2/blobs/sha256")
        .join(&hex[..2])
        .join(hex);
    let mut bytes = fs::read(blob.join("data")).unwrap();
    bytes[40] ^= 1;
    fs::write(blob.join("data"), bytes).unwrap();
    let fresh = Environment::bare();
    let told = there(&fresh, &["bundle", "pull", &exact]);
    assert!([Some(4), Some(5)].contains(&told.code), "{told:?}");
}

/// Other people's tools read the layout and the registry.
fn others_read(registry: &Registry, dir: &Path, digest: &str) {
    let layout = format!("oci:{}", dir.display());
    let remote = format!("docker://{}/suites/office:v1", registry.host);
    for place in [layout, remote] {
        let read = Command::new("skopeo")
            .args(["inspect", "--raw", "--tls-verify=false", &place])
            .output();
        match read {
            Err(error) => skip::tool("skopeo", &error.to_string()),
            Ok(read) => {
                let told = String::from_utf8_lossy(&read.stderr);
                assert!(read.status.success(), "{place}: {told}");
                let found = mcpmark_snapshot::Digest::of(&read.stdout);
                assert_eq!(found.to_string(), digest);
            }
        }
    }
}

/// A pair of keys, made by another program; none where that is not there.
fn keys(environment: &Environment, name: &str) -> Option<[PathBuf; 2]> {
    let files = ["pem", "pub"].map(|end| environment.path(&format!("{name}.{end}")));
    let openssl = |args: &[&str]| Command::new("openssl").args(args).output();
    let [private, public] = files.each_ref().map(|file| file.to_str().unwrap());
    let made = openssl(&["genpkey", "-algorithm", "ed25519", "-out", private]);
    if let Err(error) = made {
        skip::tool("openssl", &error.to_string());
        return None;
    }
    let told = openssl(&["pkey", "-in", private, "-pubout", "-out", public]).unwrap();
    assert!(told.status.success(), "{told:?}");
    Some(files)
}

#[test]
fn signatures_say_who_vouches_and_the_policy_whose_count() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let (Some([private, public]), Some([_, other])) =
        (keys(&environment, "ours"), keys(&environment, "other"))
    else {
        return;
    };
    let [private, public, other] = [&private, &public, &other].map(|file| file.to_str().unwrap());
    for place in ["suite.tar", "suite"] {
        let bundle = environment.path(place);
        let packed = pack(&library, &bundle, &["--name", "office"]);
        let bundle = bundle.to_str().unwrap();
        let verify =
            |key: &str| environment.run(["bundle", "verify", bundle, "--key", key, "--json"]);
        verify(public).exits(4).says(&["is not signed"]);
        let args = ["bundle", "sign", bundle, "--key", private, "--json"];
        let signed = environment.run(args).exits(0).json();
        assert_eq!(signed["digest"], packed["digest"]);
        let told = verify(public).exits(0).json();
        assert_eq!(
            (&told["signed_by"], &told["digest"]),
            (&json!([public]), &packed["digest"])
        );
        verify(other).exits(4).says(&["none of the keys"]);
        let told = environment
            .run(["bundle", "inspect", bundle, "--json"])
            .exits(0)
            .json();
        assert_eq!(told["signatures"], json!([signed["key"]]));

        // Once is enough, and only private keys sign.
        environment.run(args).exits(0);
        let told = environment
            .run(["bundle", "inspect", bundle, "--json"])
            .exits(0)
            .json();
        assert_eq!(told["signatures"].as_array().unwrap().len(), 1);
        environment
            .run(["bundle", "sign", bundle, "--key", public])
            .exits(2)
            .says(&["private key"]);

        let policy = |text: &str, code: i32| {
            let file = environment.path("config/mcpmark/trust.toml");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
            environment
                .run(["task", "list", "--root", bundle])
                .exits(code)
        };
        let rule =
            |name: &str, key: &str| format!("[[trust]]\nnames = [{name:?}]\nkeys = [{key:?}]\n");
        policy(&rule("office", public), 0);
        policy(&rule("off*", public), 0);
        policy(&rule("office", other), 4).says(&["none of the keys", "trust.toml"]);
        policy(&rule("shop", public), 4).says(&["no name that is trusted"]);
        policy(&format!("unsigned = \"allow\"\n{}", rule("shop", other)), 0);
        policy("unsigned = \"maybe\"", 2).says(&["trust.toml", "maybe"]);
        fs::remove_file(environment.path("config/mcpmark/trust.toml")).unwrap();
    }
    by_openssl(&environment, public);

    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let reference = format!("oci://{}/suites/office", registry.host);
    let dir = environment.path("suite");
    for _ in 0..2 {
        let args = ["bundle", "push", dir.to_str().unwrap(), &reference];
        environment.run(args).exits(0);
    }
    let machine = Environment::bare();
    let out = machine.path("pulled.tar");
    there(&machine, &["bundle", "verify", &reference, "--key", public]).exits(0);
    there(&machine, &["bundle", "verify", &reference, "--key", other]).exits(4);
    there(
        &machine,
        &["bundle", "pull", &reference, "-o", out.to_str().unwrap()],
    )
    .exits(0);
    there(
        &machine,
        &["bundle", "verify", out.to_str().unwrap(), "--key", public],
    )
    .exits(0);
}

#[test]
fn receipts_are_signed_by_who_vouches_for_them() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let (Some([private, public]), Some([_, other])) =
        (keys(&environment, "ours"), keys(&environment, "other"))
    else {
        return;
    };
    let report = library
        .run(["run", "--agent", "nop", "--json"])
        .exits(0)
        .json();
    let id = text(&report["attempts"][0]["id"]);
    let plain = library.run(["receipt", "show", &id]).exits(0).stdout;
    let file = environment.path("receipt.json");
    let path = file.to_str().unwrap();
    let [private, public, other] = [&private, &public, &other].map(|file| file.to_str().unwrap());
    let args = ["receipt", "show", &id, "--sign", private, "-o", path];
    library.run(args).exits(0);
    library
        .run(["receipt", "verify", path])
        .exits(4)
        .says(&["it is signed", "--key"]);
    library
        .run(["receipt", "verify", path, "--key", public])
        .exits(0);
    library
        .run(["receipt", "verify", path, "--key", other])
        .exits(4)
        .says(&["the key did not sign it"]);
    fs::write(&file, plain).unwrap();
    library.run(["receipt", "verify", path]).exits(0);
    library
        .run(["receipt", "verify", path, "--key", public])
        .exits(4)
        .says(&["it is not signed"]);
}

#[test]
fn a_store_is_mended_from_a_bundle() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let bundle = environment.path("suite.tar");
    pack(&library, &bundle, &[]);
    library.run(["run", "--agent", "nop"]).exits(0);
    let check = |more: &[&str]| {
        let args = ["store", "check", "--json"];
        library.run(args.iter().chain(more))
    };
    check(&[]).exits(0);
    // Half of the blobs are gone, the others are damaged.
    let store = environment.home().join("store/blobs");
    for (index, shard) in fs::read_dir(store).unwrap().enumerate() {
        for entry in fs::read_dir(shard.unwrap().path()).unwrap() {
            let file = entry.unwrap().path();
            if index % 2 == 0 {
                fs::remove_file(file).unwrap();
            } else {
                let mut bytes = fs::read(&file).unwrap();
                bytes[0] ^= 1;
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
                fs::set_permissions(&file, mode).unwrap();
                fs::write(&file, bytes).unwrap();
            }
        }
    }
    let faults = check(&[]).exits(5).json()["faults"]
        .as_array()
        .unwrap()
        .len();
    assert!(faults >= 2, "{faults}");
    let mended = check(&["--repair", bundle.to_str().unwrap()])
        .exits(0)
        .says(&["mended"]);
    assert_eq!(mended.json()["faults"], json!([]));
    check(&[]).exits(0);
    library
        .run(["store", "check", "--repair", "nowhere.tar"])
        .exits(2);
}

#[test]
fn an_experiment_goes_on_at_another_machine() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let args = ["run", "--agent", "nop", "-k", "3", "--experiment", "e"];
    library.run(args).exits(0);
    library.run(["regrade", "e"]).exits(0);
    // As if it had been stopped in its last attempt.
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let stopped = "UPDATE attempts SET status = 'running', outcome = NULL, state = NULL
                   WHERE position = 2";
    assert_eq!(journal.execute(stopped, []).unwrap(), 1);
    let file = environment.path("e.mcpmark");
    let path = file.to_str().unwrap();
    library.run(["store", "export", "e", "-o", path]).exits(0);
    library
        .run(["store", "export", "none", "-o", path])
        .exits(2)
        .says(&["none"]);
    library
        .run(["store", "import", path])
        .exits(2)
        .says(&["is there already"]);

    let other = Environment::new();
    let root = other.path("library");
    copy_tree_with_links(&library.root, &root);
    let there = |args: &[&str]| {
        let mut command = other.command(args);
        Output::of(command.env("MCPMARK_ROOT", &root))
    };
    // Something is there already, so that numbers differ.
    there(&["run", "--agent", "nop", "--experiment", "own"]).exits(0);
    there(&["store", "import", path]).exits(0);
    there(&["store", "check"]).exits(0);
    let here = library.run(["runs", "e", "--json"]).exits(0).json();
    let mut taken = there(&["runs", "e", "--json"]).exits(0).json();
    assert_eq!(taken, here);
    let id = text(&taken["attempts"][0]["id"]);
    assert_eq!(
        there(&["receipt", "show", &id]).exits(0).stdout,
        library.run(["receipt", "show", &id]).exits(0).stdout
    );
    let resumed = there(&["resume", "e", "--json"]).exits(0);
    assert!(resumed.stderr.contains("made again"), "{}", resumed.stderr);
    assert_eq!(resumed.json()["summary"]["passed"], 3);
    taken = there(&["regrade", "e", "--json"]).exits(0).json();
    assert_eq!(taken["summary"]["same"], 3);

    // What is cut off or changed is no experiment, and leaves none.
    let sound = fs::read(&file).unwrap();
    let mut fresh = Environment::new();
    let bad = environment.path("bad");
    for at in (0..sound.len()).step_by(sound.len() / 60) {
        let mut flipped = sound.clone();
        flipped[at] ^= 0x10;
        for bytes in [&flipped[..], &sound[..at]] {
            fs::write(&bad, bytes).unwrap();
            let told = fresh.run(["store", "import", bad.to_str().unwrap()]);
            if told.code == Some(0) {
                // Some bits of a compressed stream mean nothing.
                let runs = fresh.run(["runs", "e", "--json"]).exits(0).json();
                assert_eq!(runs, here, "byte {at}");
                fresh = Environment::new();
            } else {
                assert_eq!(told.code, Some(4), "byte {at}: {told:?}");
                fresh.run(["runs", "e"]).exits(2);
            }
        }
    }
}

/// Another program checks the signature of a layout by the rules of DSSE.
fn by_openssl(environment: &Environment, public: &str) {
    let index = fs::read_to_string(environment.path("suite/index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let blob = |digest: &Value| {
        let hex = text(digest).strip_prefix("sha256:").unwrap().to_owned();
        let bytes = fs::read(environment.path("suite/blobs/sha256").join(hex)).unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()
    };
    let manifest = blob(&index["manifests"][1]["digest"]);
    assert_eq!(
        manifest["subject"]["digest"],
        index["manifests"][0]["digest"]
    );
    let envelope = blob(&manifest["layers"][0]["digest"])["dsseEnvelope"].clone();
    let decode = |value: &Value| {
        let file = environment.path("base64");
        fs::write(&file, text(value)).unwrap();
        let decoded = Command::new("base64")
            .arg("-d")
            .arg(&file)
            .output()
            .unwrap();
        assert!(decoded.status.success());
        decoded.stdout
    };
    let payload = decode(&envelope["payload"]);
    let kind = text(&envelope["payloadType"]);
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    let (signed, signature) = (environment.path("signed"), environment.path("signature"));
    fs::write(&signed, [head.as_bytes(), &payload].concat()).unwrap();
    fs::write(&signature, decode(&envelope["signatures"][0]["sig"])).unwrap();
    let verified = Command::new("openssl")
        .args([
            "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in",
        ])
        .arg(&signed)
        .arg("-sigfile")
        .arg(&signature)
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

/// How a registry lies about blobs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lie {
    /// It stops half-way, and goes on when asked for the rest.
    Half,
    /// The same, and it always begins at the beginning.
    HalfWithoutRanges,
    /// It stops at once, each time.
    Nothing,
    /// Other bytes of the same length.
    OtherBytes,
    /// A body without end.
    Endless,
    /// It says that there are more bytes than it gives.
    WrongLength,
    /// The manifest of another digest.
    OtherManifest,
    /// It sends from one place to the next.
    Circle,
}

/// A registry of a layout that lies about the blobs that are large enough.
fn lying(dir: &Path, root: &str, lie: Lie) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let (blobs, root) = (dir.join("blobs/sha256"), root.to_owned());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (blobs, root, count) = (blobs.clone(), root.clone(), Arc::clone(&count));
            // Whoever asked may have gone.
            std::thread::spawn(move || drop(answer(stream.unwrap(), &blobs, &root, lie, &count)));
        }
    });
    (host, asked)
}

fn answer(
    mut stream: TcpStream,
    blobs: &Path,
    root: &str,
    lie: Lie,
    count: &AtomicUsize,
) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? == 1 {
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).to_lowercase();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (kind, name) = path.rsplit_once('/').unwrap_or_default();
    let hex = match name {
        "latest" => root.strip_prefix("sha256:").unwrap(),
        name => name.strip_prefix("sha256:").unwrap_or_default(),
    };
    let Ok(mut bytes) = fs::read(blobs.join(hex)) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
    };
    if kind.ends_with("manifests") {
        if lie == Lie::OtherManifest && name != "latest" {
            bytes.push(b'\n');
        }
        let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ";
        write!(stream, "{head}{}\r\n\r\n", bytes.len())?;
        return stream.write_all(&bytes);
    }
    if bytes.len() < 600 {
        write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
        return stream.write_all(&bytes);
    }
    count.fetch_add(1, Ordering::SeqCst);
    let from: usize = request
        .split("range: bytes=")
        .nth(1)
        .and_then(|range| range.split('-').next()?.parse().ok())
        .filter(|_| lie != Lie::HalfWithoutRanges)
        .unwrap_or(0);
    let total = bytes.len();
    let status = match from {
        0 => "200 OK".to_owned(),
        from => format!(
            "206 Partial Content\r\ncontent-range: bytes {from}-{}/{total}",
            total - 1
        ),
    };
    let length = match lie {
        Lie::WrongLength => total - from + 100,
        _ => total - from,
    };
    match lie {
        Lie::Circle => {
            return write!(
                stream,
                "HTTP/1.1 307 Found\r\nconnection: close\r\nlocation: {path}\r\n\r\n"
            );
        }
        Lie::Endless => {
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
            loop {
                stream.write_all(&[b'x'; 4096])?;
            }
        }
        _ => write!(
            stream,
            "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        )?,
    }
    match lie {
        Lie::Nothing => Ok(()),
        Lie::Half | Lie::HalfWithoutRanges => {
            let once = count.load(Ordering::SeqCst) % 2 == 1;
            let end = if once {
                from + (total - from) / 2
            } else {
                total
            };
            stream.write_all(&bytes[from..end])
        }
        Lie::OtherBytes => {
            bytes[total / 2] ^= 1;
            stream.write_all(&bytes[from..])
        }
        _ => stream.write_all(&bytes[from..]),
    }
}

#[test]
fn a_registry_that_lies_or_stops_is_found_out() {
    let environment = Environment::new();
    let library = sample(&environment);
    let dir = environment.path("suite");
    let packed = pack(&library, &dir, &[]);
    let digest = text(&packed["digest"]);
    for (lie, code, word) in [
        (Lie::Half, 0, ""),
        (Lie::HalfWithoutRanges, 0, ""),
        (Lie::Nothing, 5, "cannot be reached"),
        (Lie::OtherBytes, 4, "is not what its digest says"),
        (Lie::Endless, 4, "does not have the"),
        (Lie::WrongLength, 0, ""),
        (Lie::OtherManifest, 4, "is not what its digest says"),
        (Lie::Circle, 4, "from one place to the next"),
    ] {
        let (host, asked) = lying(&dir, &digest, lie);
        let machine = Environment::bare();
        let reference = format!("oci://{host}/suite");
        let told = there(&machine, &["bundle", "pull", &reference, "--json"]);
        assert_eq!(told.code, Some(code), "{lie:?}: {told:?}");
        assert!(told.stderr.contains(word), "{lie:?}: {}", told.stderr);
        if code == 0 {
            assert_eq!(told.json()["digest"], packed["digest"]);
            let verified = there(&machine, &["bundle", "verify", &reference, "--json"]);
            assert_eq!(verified.exits(0).json()["digest"], packed["digest"]);
            assert!(asked.load(Ordering::SeqCst) >= 1, "{lie:?}");
        }
        // What is kept is what it is named.
        let kept = machine.path("cache/mcpmark/bundles/blobs/sha256");
        for entry in fs::read_dir(kept).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let found = mcpmark_snapshot::Digest::of(&fs::read(&path).unwrap());
                assert!(path.ends_with(found.hex()), "{lie:?}");
            }
        }
    }
    // Another machine without encryption, unless asked.
    environment
        .run(["bundle", "pull", "oci://registry.invalid/suite"])
        .exits(5)
        .says(&["cannot be reached"]);
}
