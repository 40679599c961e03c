//! Verifiers in JavaScript: one ES module, compiled to a component by a tool from npm.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use mcpmark_test_support::{Need, skip};
use serde_json::Value;

use crate::environment::{Environment, copy_tree, repository, text};
use crate::npm;

/// Returns the builder in a directory with its npm packages, or the reason why they cannot be installed.
fn builder() -> Result<PathBuf, String> {
    let sources = repository().join("guest-sdk/javascript");
    let read = |name: &str| fs::read_to_string(sources.join(name)).map_err(|it| it.to_string());
    let manifest: Value =
        serde_json::from_str(&read("package.json")?).map_err(|error| error.to_string())?;
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("differential")
        .join("componentize-js");
    let package = "@bytecodealliance/componentize-js/package.json";
    npm::install(&home, &manifest, package)?;
    for name in ["build.mjs", "frame.mjs"] {
        fs::write(home.join(name), read(name)?).map_err(|error| error.to_string())?;
    }
    Ok(home.join("build.mjs"))
}

fn build(builder: &Path, source: &Path, target: &Path) {
    let built = Command::new("node")
        .args([builder, source, target])
        .env(
            "MCPMARK_GUEST_WIT",
            repository().join("guest-sdk/wit/guest.wit"),
        )
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{words}");
}

/// A module that reads files through WASI, built with the WIT packages of the sandbox.
#[test]
fn a_program_in_javascript_grades_by_its_exit_code() {
    let builder = match builder() {
        Ok(builder) => builder,
        Err(reason) => {
            skip(Need::Npm, format!("programs in JavaScript: {reason}"));
            return;
        }
    };
    let environment = Environment::bare();
    let languages = repository().join("tests/languages");
    let packages = packages_of_wasi();
    let wit = environment.directory("wit", &[("deps/wasi.wit", packages.as_str())]);
    fs::copy(languages.join("verifier.wit"), wit.join("verifier.wit")).unwrap();
    let program = environment.path("program.wasm");
    let source = languages.join("verify.mjs");
    let script = builder.with_file_name("program.mjs");
    fs::write(&script, PROGRAM).unwrap();
    let built = Command::new("node")
        .args([&script, &source, &wit, &program])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{words}");

    let start = environment.directory("start", &[("log.txt", "one\ntwo\n")]);
    let grade = |answer: &str| {
        let state = environment.directory("state", &[("answer.txt", answer)]);
        let [program, state, start] = [&program, &state, &start].map(|it| it.to_str().unwrap());
        environment.run([
            "grade",
            "--verifier",
            program,
            "--state",
            state,
            "--start",
            start,
        ])
    };
    grade("2\n").exits(0);
    grade("3\n").exits(1);
}

/// Program that builds a component of WASI from a module, a directory with WIT, and the path of the component.
const PROGRAM: &str = r#"
import { componentize } from "@bytecodealliance/componentize-js";
import { writeFile } from "node:fs/promises";
const [sourcePath, witPath, target] = process.argv.slice(2);
const disableFeatures = ["http", "fetch-event"];
const options = { sourcePath, witPath, worldName: "verifier", disableFeatures };
await writeFile(target, (await componentize(options)).component);
"#;

/// Returns the packages of WASI in the WIT of the sandbox, without the world of interpreters.
fn packages_of_wasi() -> String {
    let wit = repository().join("runtime/sandbox/src/wasi/wasi.wit");
    let wit = fs::read_to_string(wit).unwrap();
    let (before, world) = wit.split_once("world profile {").unwrap();
    let (_, after) = world.split_once("\n}\n").unwrap();
    format!("{before}{after}")
}

#[test]
fn a_module_judges_without_a_system_around_it() {
    let builder = match builder() {
        Ok(builder) => builder,
        Err(reason) => {
            skip(Need::Npm, format!("verifiers in JavaScript: {reason}"));
            return;
        }
    };
    let environment = Environment::bare();
    // One module for both parts of the test, because it contains an engine, which takes long to compile.
    let example = repository().join("guest-sdk/javascript/example/verify.mjs");
    let example = fs::read_to_string(example).unwrap();
    let verify = "export function verify() {\n";
    assert!(example.contains(verify));
    let chance = r#"
        if (walk("final", "").some((entry) => entry.path === "chance.txt")) {
            console.log("so far", { good: [1] });
            return [{ name: "luck", passed: Math.random() < 2 }];
        }
    "#;
    let module = example.replace(verify, &format!("{verify}{chance}"));
    let module = environment.directory("module", &[("verify.mjs", module.as_str())]);
    let verifier = environment.path("verifier.wasm");
    build(&builder, &module.join("verify.mjs"), &verifier);
    let verifier = verifier.to_str().unwrap();
    let imports = environment.run(["inspect", verifier, "--json"]);
    let imports = imports.exits(0).stdout;
    assert!(!imports.contains("wasi:"), "{imports}");

    let state = environment.path("state");
    copy_tree(
        &repository().join("tests/published/suites/states/harbour"),
        &state,
    );
    let plain = ["grade", "--verifier", verifier, "--state"];
    let plain = || environment.run(plain.iter().chain(&[state.to_str().unwrap()]));
    let json = ["grade", "--json", "--verifier", verifier, "--state"];
    let json = || environment.run(json.iter().chain(&[state.to_str().unwrap()]));
    let untouched = json().exits(1).json();
    assert_eq!(untouched["checks"][1]["detail"], "expected 2, found null");
    fs::write(state.join("answer.txt"), "2\n").unwrap();
    json().exits(0);

    fs::write(state.join("chance.txt"), "").unwrap();
    let fault = json().exits(3).json();
    let message = text(&fault["fault"]["message"]);
    assert!(message.contains("a verifier has no chance"), "{message}");
    let plain = plain().exits(3).stdout;
    assert!(plain.contains(r#"log: so far {"good":[1]}"#), "{plain}");
}
