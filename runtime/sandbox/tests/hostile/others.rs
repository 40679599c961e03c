//! Setup guests and solutions that misbehave.
//!
//! A file in `tests/hostile/setup` or `tests/hostile/solution` contains the part that is inserted into `frame.wat.in`
//! of its directory, or a whole component.

use libtest_mimic::{Failed, Trial};
use mcpmark_sandbox::{
    Limits, LoadError, Setup, SetupInput, Snapshot, Solution, Solved, ToolContent, ToolError,
    ToolHost, ToolInfo, ToolOutput,
};
use serde_json::{Map, Value, json};

use crate::arena::{Arena, fail};
use crate::cases::{self, Case, Outcome};

/// Low limits, so that endless guests end soon.
const LIMITS: &str =
    "fuel=20000000, memory_bytes=67108864, copy_bytes=33554432, output_bytes=262144";
const MAX_BYTES: u64 = 5_500_000;
const MAX_ENTRIES: u64 = 2_000;

/// Returns one test per file.
pub(crate) fn trials(kind: &'static str) -> Vec<Trial> {
    let trial = |case: Case| {
        Trial::test(format!("hostile::{kind}::{}", case.name), move || {
            judge(kind, &case)
        })
    };
    cases::of(kind).into_iter().map(trial).collect()
}

fn judge(kind: &str, case: &Case) -> Result<(), Failed> {
    let arena = Arena::shared();
    let component = case.component();
    let run: Box<dyn Fn() -> Outcome> = match kind {
        "setup" => match arena.sandbox.setup(&component) {
            Ok(guest) => Box::new(move || build(arena, &guest)),
            Err(error) => refused(error),
        },
        _ => match arena.sandbox.solution(&component) {
            Ok(guest) => Box::new(move || solve(arena, &guest)),
            Err(error) => refused(error),
        },
    };
    arena.between_honest_grades(|| case.judge(&run).or_else(fail))
}

fn refused(error: LoadError) -> Box<dyn Fn() -> Outcome> {
    let kind = if error.is_infrastructure() {
        "host"
    } else {
        "refused"
    };
    let outcome = Outcome {
        kind: kind.into(),
        message: error.to_string(),
        fuel: 0,
    };
    Box::new(move || outcome.clone())
}

fn build(arena: &Arena, guest: &Setup) -> Outcome {
    let input = SetupInput {
        seed: 7,
        clock: 0,
        parameters: "{}".into(),
        max_bytes: MAX_BYTES,
        max_entries: MAX_ENTRIES,
    };
    let limits = Limits::SETUP.with(LIMITS).unwrap();
    let run = arena.sandbox.build_world(guest, input, &limits);
    Outcome::of(run, |Snapshot { tree, .. }| {
        let bytes: u64 = tree.files().map(|(_, file)| file.size).sum();
        assert!(bytes <= MAX_BYTES);
        let entries = tree.files().count();
        (format!("built {entries} entries"), String::new())
    })
}

fn solve(arena: &Arena, guest: &Solution) -> Outcome {
    let limits = Limits::SOLUTION.with(LIMITS).unwrap();
    let tools = Box::new(Tools);
    let run = arena.sandbox.solve(guest, tools, "{}".into(), &limits);
    Outcome::of(run, |solved| match solved {
        Solved::Answer(answer) => (format!("answer {answer}"), String::new()),
        Solved::Stopped(reason) => ("stopped".into(), reason),
    })
}

/// Tools that echo, return much, stop the attempt, and panic.
struct Tools;

impl ToolHost for Tools {
    fn list(&mut self) -> Vec<ToolInfo> {
        let tool = |name: &str| ToolInfo {
            name: name.into(),
            description: "A tool.".into(),
            input_schema: json!({"type": "object"}),
        };
        ["echo", "large", "stop", "break"].map(tool).into()
    }

    fn call(&mut self, name: &str, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let text = match name {
            "echo" => Value::Object(arguments).to_string(),
            "large" => "x".repeat(1 << 20),
            "stop" => return Err(ToolError::Stop("the attempt is over".into())),
            "break" => panic!("the tool broke"),
            _ => return Err(ToolError::Failed(format!("there is no tool {name:?}"))),
        };
        Ok(ToolOutput {
            content: vec![ToolContent::Text(text)],
            structured: None,
            is_error: false,
        })
    }
}
