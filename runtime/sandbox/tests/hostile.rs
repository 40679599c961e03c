//! Guests that misbehave: each gets the outcome it must get, and harms nobody else.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_sandbox::{Limits, RunError, Sandbox, SandboxConfig, Verdict, Verifier, VerifyInput};
use mcpmark_snapshot::{MemoryBlobs, Snapshot, Tree};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile")
}

fn component(name: &str) -> Vec<u8> {
    wat::parse_file(directory().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn grade(sandbox: &Sandbox, verifier: &Verifier) -> Result<Verdict, RunError> {
    let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
    let input = VerifyInput {
        start: empty.clone(),
        end: empty,
        answer: None,
        parameters: "{}".into(),
    };
    sandbox.verify(verifier, input, &Limits::VERIFIER).result
}

/// What became of a component, in the words of the corpus.
fn outcome(sandbox: &Sandbox, bytes: &[u8]) -> (String, String) {
    match sandbox
        .verifier(bytes)
        .map(|verifier| grade(sandbox, &verifier))
    {
        Ok(Ok(_)) => ("graded".into(), String::new()),
        Ok(Err(RunError::Fault(fault))) => (format!("fault {}", fault.kind), fault.message),
        Ok(Err(RunError::Host(message))) => ("host".into(), message),
        Err(error) => ("refused".into(), error.to_string()),
    }
}

#[test]
fn every_hostile_guest_gets_its_outcome_and_harms_nobody() {
    let sandbox = Sandbox::new(&SandboxConfig {
        slots: 1,
        ..SandboxConfig::default()
    })
    .unwrap();
    let good = sandbox.verifier(&component("well-behaved.wat")).unwrap();
    let mut files: Vec<_> = fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".wat"))
        .collect();
    files.sort();
    assert!(
        files.len() >= 20,
        "the corpus has shrunk to {}",
        files.len()
    );

    let mut wrong = Vec::new();
    for name in &files {
        let text = fs::read_to_string(directory().join(name)).unwrap();
        let header = |key: &str| {
            let prefix = format!(";; {key}: ");
            text.lines()
                .find_map(|line| line.strip_prefix(&prefix))
                .unwrap_or_default()
                .to_owned()
        };
        let (kind, message) = outcome(&sandbox, &component(name));
        if kind != header("expect") || !message.contains(&header("message")) {
            wrong.push(format!("{name}: {kind}: {message}"));
        }
        assert!(
            grade(&sandbox, &good).unwrap().passed(),
            "the grade after {name} is affected"
        );
    }
    assert!(
        wrong.is_empty(),
        "unexpected outcomes:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn what_is_no_component_is_refused_by_name() {
    let sandbox = Sandbox::new(&SandboxConfig {
        slots: 1,
        max_component_bytes: 1000,
        ..SandboxConfig::default()
    })
    .unwrap();
    let whole = component("no-checks.wat");
    for (bytes, expected) in [
        (&b""[..], "not a WebAssembly file"),
        (b"#!/bin/sh\n", "not a WebAssembly file"),
        (&whole[..whole.len() - 3], "not a valid component"),
        (
            &[0; 1001],
            "the component has 1001 bytes, more than the limit of 1000",
        ),
    ] {
        let (kind, message) = outcome(&sandbox, bytes);
        assert_eq!(kind, "refused");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_compiled_guest_comes_from_the_cache_and_grades_the_same() {
    let cache = tempfile::tempdir().unwrap();
    let config = SandboxConfig {
        cache: Some(cache.path().join("compiled")),
        slots: 1,
        ..SandboxConfig::default()
    };
    let bytes = component("well-behaved.wat");
    let verdict = || {
        let sandbox = Sandbox::new(&config).unwrap();
        let verifier = sandbox.verifier(&bytes).unwrap();
        grade(&sandbox, &verifier).unwrap()
    };
    let first = verdict();
    let profile = fs::read_dir(cache.path().join("compiled"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let artefact = fs::read_dir(profile.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert_eq!(verdict(), first);

    // A damaged artefact is not used, and is replaced.
    let whole = fs::read(&artefact).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&artefact, &damaged).unwrap();
    assert_eq!(verdict(), first);
    assert_eq!(fs::read(&artefact).unwrap(), whole);
}
