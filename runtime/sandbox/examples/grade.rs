//! Grades a directory: `cargo run --release --example grade`.
#![allow(clippy::print_stdout, reason = "its verdict is what it is for")]

use std::error::Error;

use mcpmark_sandbox::{Limits, RunError, Sandbox, SandboxConfig, Snapshot, VerifyInput};

fn main() -> Result<(), Box<dyn Error>> {
    // The starting state that an agent got, and the final state that it left.
    let (before, after) = (tempfile::tempdir()?, tempfile::tempdir()?);
    std::fs::write(after.path().join("greeting.txt"), "hello")?;
    let (start, end) = (
        Snapshot::of_directory(before)?,
        Snapshot::of_directory(after)?,
    );

    let sandbox = Sandbox::new(&SandboxConfig::default())?;
    // This guest is trusted. For an untrusted one, set `SandboxConfig::compiler` instead.
    let component = wat::parse_str(include_str!("guests/greeting.wat"))?;
    let verifier = sandbox.trusting().verifier(&component)?;

    let limits = Limits {
        fuel: 100_000,
        ..Limits::VERIFIER
    };
    let run = sandbox.verify(&verifier, VerifyInput::new(start, end), &limits);
    match run.result {
        Ok(verdict) => println!("score {}: {:?}", verdict.score(), verdict.checks()),
        Err(RunError::Fault(fault)) => println!("no score, the verifier broke: {fault}"),
        Err(RunError::World(message)) => println!("no score, the world is damaged: {message}"),
        Err(RunError::Host(message)) => println!("no score, this host failed: {message}"),
    }
    Ok(())
}
