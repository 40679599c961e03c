//! Each file in `samples/` contains changes to a small library and the expected result of loading it.
//!
//! `--- path` begins a file; the content `(absent)` removes it. `===` begins the expectation: `=== error` is followed
//! by the beginning of the error message, `=== loads` by lines that must all occur in the description of the result,
//! including every warning and guest if there is a `task` line.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use mcpmark_task::{
    BundleParts, Citation, GuestRole, Library, Meta, SelectError, Selector, Task, Tier, World,
    WorldContent, bundle_digest,
};
use tempfile::TempDir;

const BASE: &[(&str, &str)] = &[
    (
        "tasks/filesystem/garden/count-seeds/meta.json",
        r#"{"difficulty": "L1", "tags": ["counting"]}"#,
    ),
    (
        "tasks/filesystem/garden/count-seeds/description.md",
        "Count the seeds.\n",
    ),
    ("tasks/filesystem/garden/count-seeds/verifier.rs", "any"),
    ("tasks/filesystem/garden/count-seeds/Cargo.toml", "any"),
    (
        "worlds/filesystem/garden/world.json",
        r#"{"title": "Garden", "license": "CC0-1.0", "clock": "2026-03-02T09:00:00Z"}"#,
    ),
    (
        "worlds/filesystem/garden/files/beds/seeds.csv",
        "bed,seeds\n1,12\n",
    ),
];

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn base() -> (TempDir, Library) {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in BASE {
        write(dir.path(), path, content);
    }
    let library = Library::at(dir.path());
    (dir, library)
}

/// Applies a sample to the base library. Returns the kind of expectation and its lines.
fn apply(sample: &str, root: &Path) -> (String, Vec<String>) {
    let (files, expectation) = sample
        .split_once("=== ")
        .expect("a sample has an expectation");
    for file in files.split("--- ").skip(1) {
        let (path, content) = file.split_once('\n').expect("a path has a line of its own");
        if content.trim() == "(absent)" {
            let path = root.join(path);
            fs::remove_file(&path).unwrap();
            // Empty directories would still be found.
            for dir in path
                .ancestors()
                .skip(1)
                .take_while(|dir| fs::remove_dir(dir).is_ok())
            {
                assert!(dir.starts_with(root));
            }
        } else {
            write(root, path, content.strip_suffix('\n').unwrap_or(content));
        }
    }
    let mut lines = expectation.lines().map(str::to_owned);
    let kind = lines.next().expect("an expectation has a kind");
    (kind, lines.collect())
}

fn samples(kind: &str) -> Vec<(PathBuf, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/samples")
        .join(kind);
    let mut samples: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    samples.sort();
    samples
}

fn describe_task(task: &Task) -> Vec<String> {
    let meta = &task.meta;
    let mut lines = vec![format!(
        "task {} {:?} {} of {}",
        task.id, meta.task_name, meta.difficulty, task.world
    )];
    for guest in task.guests() {
        lines.push(format!(
            "guest {}",
            guest.path().strip_prefix(&task.dir).unwrap().display()
        ));
    }
    lines.push(match (meta.judged_on.state, meta.judged_on.answer) {
        (true, true) => "judged on state and answer".to_owned(),
        (true, false) => "judged on state".to_owned(),
        (false, true) => "judged on answer".to_owned(),
        (false, false) => "judged on nothing".to_owned(),
    });
    if let (Some(turns), Some(fuel)) = (meta.limits.turns, meta.limits.fuel) {
        lines.push(format!("limits turns {turns} fuel {fuel}"));
    }
    lines.push(format!(
        "parameters {}",
        serde_json::Value::Object(meta.parameters.clone())
    ));
    lines.extend(describe_declarations(meta));
    lines.extend(
        task.warnings
            .iter()
            .map(|warning| format!("warning: {warning}")),
    );
    lines
}

/// Describes what a task declares for its certification.
fn describe_declarations(meta: &Meta) -> Vec<String> {
    let cited = |citation: &Citation| {
        let place = citation.place.as_deref().unwrap_or("the instruction");
        format!("{place}: {}", citation.text)
    };
    let mut lines = Vec::new();
    for (name, check) in &meta.checks {
        lines.push(format!("check {name:?} is about {:?}", check.about));
        let cites = check.cites.iter().map(cited);
        lines.extend(cites.map(|cited| format!("check {name:?} cites {cited}")));
    }
    lines.extend(meta.context.iter().map(|text| format!("context {text:?}")));
    let variants = meta.variants.iter();
    lines.extend(variants.map(|(name, kind)| format!("variant {name} {}", kind.as_str())));
    let excluded = meta.excluded.iter();
    lines.extend(excluded.map(|(name, by)| format!("excluded {name} by {}", cited(by))));
    lines.extend(meta.split.map(|split| format!("split {}", split.as_str())));
    lines
}

fn describe_world(world: &World) -> Vec<String> {
    let manifest = &world.manifest;
    let content = match &world.content {
        WorldContent::Files(dir) => dir.strip_prefix(&world.dir).unwrap().display().to_string(),
        WorldContent::Packed { snapshot, .. } => snapshot.to_string(),
        WorldContent::Setup(guest) => format!(
            "setup {}",
            guest.path().strip_prefix(&world.dir).unwrap().display()
        ),
    };
    let mut lines = vec![format!(
        "world {} {:?} {} {} seed {} {content}",
        world.id, manifest.title, manifest.license, manifest.clock, manifest.seed
    )];
    lines.extend(
        manifest
            .modified
            .iter()
            .map(|(path, time)| format!("modified {path} {time}")),
    );
    lines
}

#[test]
fn valid_samples_load_as_they_say() {
    let samples = samples("valid");
    assert!(samples.len() >= 5);
    for (file, sample) in samples {
        let (dir, library) = base();
        let (kind, expected) = apply(&sample, dir.path());
        assert_eq!(kind, "loads", "{}", file.display());
        let (tasks, worlds) = (library.tasks().unwrap(), library.worlds().unwrap());
        assert!(
            tasks.broken.is_empty() && worlds.broken.is_empty(),
            "{}: {tasks:?} {worlds:?}",
            file.display()
        );
        let found: Vec<String> = tasks
            .tasks
            .iter()
            .flat_map(describe_task)
            .chain(worlds.worlds.iter().flat_map(describe_world))
            .collect();
        for line in &expected {
            assert!(
                found.contains(line),
                "{}: {line:?} is not in {found:#?}",
                file.display()
            );
        }
        for line in found
            .iter()
            .filter(|line| line.starts_with("warning") || line.starts_with("guest"))
        {
            let told =
                expected.contains(line) || expected.iter().all(|line| !line.starts_with("task"));
            assert!(told, "{}: {line:?} is not expected", file.display());
        }
    }
}

#[test]
fn invalid_samples_fail_with_their_error() {
    let samples = samples("invalid");
    assert!(samples.len() >= 30);
    let mut wrong = Vec::new();
    for (file, sample) in samples {
        let (dir, library) = base();
        let (kind, expected) = apply(&sample, dir.path());
        assert_eq!(kind, "error", "{}", file.display());
        let (tasks, worlds) = (library.tasks().unwrap(), library.worlds().unwrap());
        let tasks = tasks.broken.iter().map(|broken| broken.error.to_string());
        let worlds = worlds.broken.iter().map(|broken| broken.error.to_string());
        let errors: Vec<String> = tasks.chain(worlds).collect();
        if !matches!(&errors[..], [error] if error.starts_with(&expected.join("\n"))) {
            wrong.push(format!(
                "{}: expected {expected:#?}, found {errors:#?}",
                file.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pipes_and_odd_names_hide_no_other_task() {
    let (dir, library) = base();
    let good = library.tasks().unwrap().tasks.len();
    let garden = dir.path().join("tasks/filesystem/garden");
    for name in ["odd name", "pipe"] {
        std::fs::create_dir(garden.join(name)).unwrap();
    }
    std::fs::write(garden.join("odd name/meta.json"), "{}").unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        garden.join("pipe/meta.json"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let tasks = library.tasks().unwrap();
    assert_eq!(tasks.tasks.len(), good);
    let mut errors = tasks.broken.iter().map(|broken| broken.error.to_string());
    assert!(errors.next().unwrap().contains("\"odd name\" contains ' '"));
    assert_eq!(
        errors.next().unwrap(),
        "tasks/filesystem/garden/pipe/meta.json: not a regular file"
    );
}

#[test]
fn files_that_are_no_text_or_too_large_are_refused() {
    let (dir, library) = base();
    let path = dir
        .path()
        .join("tasks/filesystem/garden/count-seeds/description.md");
    let error = |content: &[u8]| {
        fs::write(&path, content).unwrap();
        library.tasks().unwrap().broken[0].error.to_string()
    };
    let name = "tasks/filesystem/garden/count-seeds/description.md";
    assert_eq!(
        error(b"seeds\xff"),
        format!("{name}: not valid UTF-8: invalid character at byte 5")
    );
    assert_eq!(
        error(&vec![b'x'; (1 << 20) + 1]),
        format!("{name}: exceeds the limit of 1048576 bytes")
    );
}

#[test]
fn a_broken_task_does_not_hide_the_others() {
    let (dir, library) = base();
    write(dir.path(), "tasks/filesystem/garden/broken/meta.json", "{");
    let tasks = library.tasks().unwrap();
    assert_eq!(tasks.tasks.len(), 1);
    assert_eq!(tasks.broken.len(), 1);
    assert_eq!(tasks.broken[0].id.to_string(), "filesystem/garden/broken");
    let chosen = select(&library, &["*/*/count-*"], &[], &[]).unwrap();
    assert_eq!(chosen, ["filesystem/garden/count-seeds"]);
    let error = select(&library, &["filesystem"], &[], &[]).unwrap_err();
    assert!(
        matches!(&error, SelectError::Broken { id, .. } if id.ends_with("/broken")),
        "{error}"
    );
}

#[test]
fn a_library_is_found_from_below() {
    let (dir, library) = base();
    let below = dir.path().join("tasks/filesystem/garden/count-seeds");
    assert_eq!(Library::discover(&below).unwrap().root, library.root);
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(Library::discover(elsewhere.path()).is_err());
    assert!(
        library
            .task(&"filesystem/garden/count-seeds".parse().unwrap())
            .is_ok()
    );
    let error = library
        .task(&"filesystem/garden/none".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"unknown task "filesystem/garden/none"; available: filesystem/garden/count-seeds"#
    );
    let error = library
        .world(&"filesystem/none".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"unknown world "filesystem/none"; available: filesystem/garden"#
    );
}

fn select(
    library: &Library,
    selectors: &[&str],
    tiers: &[Tier],
    tags: &[&str],
) -> Result<Vec<String>, SelectError> {
    let selectors: Vec<Selector> = selectors.iter().map(|text| text.parse().unwrap()).collect();
    let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
    let chosen = library.tasks().unwrap().select(&selectors, tiers, &tags)?;
    Ok(chosen.iter().map(|task| task.id.to_string()).collect())
}

#[test]
fn selectors_choose_by_prefix_and_glob() {
    let (dir, library) = base();
    for (task, tier) in [("garden/water-beds", "L2"), ("garden2/count-pots", "L3")] {
        let own = format!("tasks/filesystem/{task}");
        write(
            dir.path(),
            &format!("{own}/meta.json"),
            &format!(r#"{{"difficulty": "{tier}", "world": "garden"}}"#),
        );
        write(dir.path(), &format!("{own}/description.md"), "Do it.");
        write(dir.path(), &format!("{own}/verifier.wasm"), "any");
    }
    let (seeds, beds, pots) = (
        "filesystem/garden/count-seeds",
        "filesystem/garden/water-beds",
        "filesystem/garden2/count-pots",
    );
    let choose = |selectors: &[&str]| select(&library, selectors, &[], &[]).unwrap();
    assert_eq!(choose(&[]), [seeds, beds, pots]);
    assert_eq!(choose(&["filesystem"]), [seeds, beds, pots]);
    assert_eq!(choose(&["filesystem/garden"]), [seeds, beds]);
    assert_eq!(choose(&["filesystem/garden/"]), [seeds, beds]);
    assert_eq!(choose(&[beds]), [beds]);
    assert_eq!(choose(&["*/garden?"]), [pots]);
    assert_eq!(choose(&["filesystem/*/count-*"]), [seeds, pots]);
    assert_eq!(choose(&["**/count-*"]), [seeds, pots]);
    assert_eq!(choose(&["*"]), [seeds, beds, pots]);
    assert_eq!(
        choose(&["filesystem/{garden,garden2}/count-*", beds]),
        [seeds, beds, pots]
    );
    assert_eq!(
        select(&library, &[], &[Tier::L2, Tier::L3], &[]).unwrap(),
        [beds, pots]
    );
    assert_eq!(select(&library, &[], &[], &["counting"]).unwrap(), [seeds]);

    let refused = |selectors: &[&str], tiers: &[Tier], tags: &[&str]| {
        select(&library, selectors, tiers, tags)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(&["files/garden"], &[], &[]),
        r#"selector "files/garden" matches no task; did you mean filesystem/garden or filesystem/garden2?"#
    );
    assert_eq!(
        refused(&[beds, "count-seed"], &[], &[]),
        r#"selector "count-seed" matches no task; did you mean filesystem/garden/count-seeds or filesystem/garden2/count-pots?"#
    );
    assert_eq!(
        refused(&["*-seeds"], &[], &[]),
        r#"selector "*-seeds" matches no task; did you mean filesystem/garden/count-seeds?"#
    );
    assert_eq!(
        refused(&["*"], &[Tier::L2], &["counting"]),
        r#"none of the 3 selected tasks has tier L2 and tag "counting""#
    );
    assert_eq!(
        "a[".parse::<Selector>().unwrap_err().to_string(),
        r#"invalid selector "a[": unclosed character class; missing ']'"#
    );
    assert!("".parse::<Selector>().is_err());
}

#[test]
fn a_bundle_digest_depends_on_all_parts_and_on_nothing_else() {
    let digest = |change: &dyn Fn(&mut Task, &mut World, &mut BundleParts<'_>)| {
        let (_dir, library) = base();
        let mut task = library
            .task(&"filesystem/garden/count-seeds".parse().unwrap())
            .unwrap();
        let mut world = library.world(&task.world).unwrap();
        let (spare_task, spare_world) = (task.clone(), world.manifest.clone());
        let mut parts = BundleParts {
            task: &spare_task,
            world: &spare_world,
            seed: 1,
            snapshot: Digest::of(b"tree"),
            verifier: Digest::of(b"verifier"),
            solution: None,
            guests: Vec::new(),
        };
        change(&mut task, &mut world, &mut parts);
        let (seed, snapshot, verifier, solution, guests) = (
            parts.seed,
            parts.snapshot,
            parts.verifier,
            parts.solution,
            parts.guests,
        );
        bundle_digest(&BundleParts {
            task: &task,
            world: &world.manifest,
            seed,
            snapshot,
            verifier,
            solution,
            guests,
        })
    };
    let base = digest(&|_, _, _| {});
    assert_eq!(
        digest(&|_, _, _| {}),
        base,
        "another directory, the same digest"
    );
    let same = digest(&|task, _, _| {
        let reversed = task
            .meta
            .document
            .iter()
            .rev()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        task.meta.document = reversed;
    });
    assert_eq!(same, base, "the order of keys does not count");
    let other = [
        digest(&|task, _, _| task.instruction.push(' ')),
        digest(&|task, _, _| drop(task.meta.document.insert("x".to_owned(), 1.into()))),
        digest(&|_, world, _| world.manifest.clock += jiff::SignedDuration::from_secs(1)),
        digest(&|_, _, parts| parts.seed = 2),
        digest(&|_, _, parts| parts.guests.push((GuestRole::CI, Digest::of(b"ci")))),
        digest(&|_, _, parts| parts.snapshot = Digest::of(b"another tree")),
        digest(&|_, _, parts| parts.verifier = Digest::of(b"another verifier")),
        digest(&|_, _, parts| parts.solution = Some(Digest::of(b"a solution"))),
    ];
    for (index, digest) in other.iter().enumerate() {
        assert_ne!(*digest, base, "{index}");
    }
}
