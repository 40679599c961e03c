//! Guest for Python scripts, built and compiled once, and functions that run scripts in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mcpmark_build::python::PythonSource;
use mcpmark_grading::{Script, ScriptContext, grade_script};
use mcpmark_journal::Outcome;
use mcpmark_sandbox::{
    Interpreter, Limits, Sandbox, SandboxConfig, ScriptInput, ScriptRun, Snapshot,
};
use mcpmark_test_support::{Need, skip};
use serde::Deserialize;

/// Clock of the scripts: 2024-05-06T07:08:09Z.
const CLOCK: i64 = 1_714_979_289;

pub(crate) struct Guest {
    pub(crate) sandbox: Sandbox,
    pub(crate) interpreter: Interpreter,
}

pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/python")
        .join(name)
}

/// Inputs of a script apart from its state.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Given {
    pub(crate) answer: Option<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
}

/// Returns all inputs of a script.
pub(crate) fn input(script: &Path, state: &Path, given: &Given) -> ScriptInput {
    Script::read(script).unwrap().input(ScriptContext {
        state: Snapshot::of_directory(state).unwrap(),
        answer: given.answer.clone(),
        arguments: given.arguments.clone(),
        environment: given.environment.clone().into_iter().collect(),
        clock: CLOCK,
        services: None,
    })
}

/// Returns the guest, or `None` if it cannot be built.
pub(crate) fn guest() -> Option<&'static Guest> {
    static GUEST: OnceLock<Option<Guest>> = OnceLock::new();
    GUEST.get_or_init(make).as_ref()
}

fn make() -> Option<Guest> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcpmark");
    let given = std::env::var("MCPMARK_PYTHON_GUEST").ok();
    let source = PythonSource {
        given: given.map(|text| text.parse().unwrap()),
        cache: cache.clone(),
        allow_install: true,
    };
    let made = match source.guest(&mut |event| drop(writeln!(std::io::stderr(), "{event}"))) {
        Ok(made) => made,
        Err(error) => {
            skip(
                Need::Python,
                format!("nothing about Python scripts is checked: {error}"),
            );
            return None;
        }
    };
    let config = SandboxConfig {
        cache: Some(cache.join("compiled")),
        ..SandboxConfig::default()
    };
    let sandbox = Sandbox::new(&config).unwrap();
    let interpreter = sandbox
        .trusting()
        .interpreter_of(made.digest, || std::fs::read(&made.file));
    Some(Guest {
        interpreter: interpreter.unwrap(),
        sandbox,
    })
}

impl Guest {
    /// Grades a directory with a script.
    pub(crate) fn grade(
        &self,
        script: &Path,
        state: &Path,
        limits: &Limits,
    ) -> (Outcome, ScriptRun) {
        self.judge(&input(script, state, &Given::default()), limits)
    }

    /// Grades with the inputs of a script.
    pub(crate) fn judge(&self, input: &ScriptInput, limits: &Limits) -> (Outcome, ScriptRun) {
        grade_script(&self.sandbox, &self.interpreter, input, limits)
    }
}
