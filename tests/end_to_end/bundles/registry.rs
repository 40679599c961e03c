//! Bundles in a real registry (Docker's `registry`).

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcpmark_test_support::{Need, skip};

use super::{files, pack, receipts, sample, there};
use crate::environment::{Environment, text};
use crate::guests;

/// Debian's `docker-registry`, on loopback and with its own directory.
pub(super) struct Registry {
    process: Child,
    pub(super) host: String,
    root: PathBuf,
}

impl Registry {
    /// Starts a registry. Returns `None` if the program is not installed.
    pub(super) fn start(environment: &Environment) -> Option<Self> {
        Self::start_with(environment, "")
    }

    /// Starts a registry with additional configuration.
    pub(super) fn start_with(environment: &Environment, more: &str) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let root = environment.path("registry");
        let config = environment.path("registry.yml");
        let text = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\n\
             http: {{addr: \"127.0.0.1:{port}\"}}\n{more}",
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
                skip(Need::DockerRegistry, &error);
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
    // Nothing is sent twice.
    let again = push();
    assert_eq!(again["transferred"]["blobs"], 0, "{again}");
    assert_eq!(
        again["transferred"]["present"],
        sent["transferred"]["blobs"]
    );

    // `inspect` fetches no layers.
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

    // Cached blobs are not fetched: another suite with the same world transfers only its task.
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
    // The index, the manifest and the config of the task, and its verifier.
    assert_eq!(told["transferred"]["blobs"], 4, "{told}");

    // A damaged blob in the cache is fetched again, and no other.
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

    // Pulled into a layout by digest: byte for byte as packed.
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

    let refused = there(
        &machine,
        &["bundle", "pull", &format!("oci://{}/none", registry.host)],
    )
    .exits(5);
    insta::assert_snapshot!(refused.message(), @"error: oci://127.0.0.1:[port]/none: manifest latest: not found in the registry");
    // Changes a blob in the storage of the registry.
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

/// Programs that copy only images leave out the artifact types and annotations of a suite.
#[test]
fn a_bundle_that_another_program_copied_can_be_used() {
    let environment = Environment::new();
    let library = sample(&environment);
    let own = receipts(|args| library.run(args));
    let dir = environment.path("suite");
    pack(&library, &dir, &["--name", "office"]);
    let copy = |from: &str, to: &str| {
        let copied = Command::new("skopeo")
            .args([
                "copy",
                "--all",
                "--src-tls-verify=false",
                "--dest-tls-verify=false",
            ])
            .args([from, to])
            .output();
        match copied {
            Ok(copied) => {
                let told = String::from_utf8_lossy(&copied.stderr);
                assert!(copied.status.success(), "{to}: {told}");
                true
            }
            Err(error) => {
                skip(Need::Skopeo, &error);
                false
            }
        }
    };
    let tasks = |place: &str| {
        let told = environment.run(["bundle", "inspect", place, "--json"]);
        let tasks = told.exits(0).json()["tasks"].clone();
        let tasks = tasks.as_array().unwrap().iter();
        let parts = tasks.map(|it| (text(&it["id"]), text(&it["bundle"])));
        parts.collect::<Vec<_>>()
    };
    let aside = environment.path("copied");
    let from = format!("oci:{}", dir.display());
    if !copy(&from, &format!("oci:{}:v1", aside.display())) {
        return;
    }
    let mut places = vec![aside.display().to_string()];
    let registry = Registry::start(&environment);
    if let Some(registry) = &registry {
        let remote = format!("{}/suites/office:v1", registry.host);
        assert!(copy(&from, &format!("docker://{remote}")));
        places.push(format!("oci://{remote}"));
    }
    for place in &places {
        environment.run(["bundle", "verify", place]).exits(0);
        assert_eq!(tasks(place), tasks(dir.to_str().unwrap()), "{place}");
        let machine = Environment::bare();
        let run = |args: &[&str]| there(&machine, &[args, &["--root", place]].concat());
        assert_eq!(receipts(run), own, "{place}");
    }
}

/// Asserts that `skopeo` can read the layout and the registry.
fn others_read(registry: &Registry, dir: &Path, digest: &str) {
    let layout = format!("oci:{}", dir.display());
    let remote = format!("docker://{}/suites/office:v1", registry.host);
    for place in [layout, remote] {
        let read = Command::new("skopeo")
            .args(["inspect", "--raw", "--tls-verify=false", &place])
            .output();
        match read {
            Err(error) => skip(Need::Skopeo, &error),
            Ok(read) => {
                let told = String::from_utf8_lossy(&read.stderr);
                assert!(read.status.success(), "{place}: {told}");
                let found = mcpmark_snapshot::Digest::of(&read.stdout);
                assert_eq!(found.to_string(), digest);
            }
        }
    }
}
