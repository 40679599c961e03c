//! Verifiers that use WASI: commands, whose exit code is the verdict, and components that return checks.

use std::sync::Arc;

use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};
use serde_json::json;
use wasmtime::component::types::{ComponentItem, Type};
use wasmtime::component::{Component, ComponentExportIndex, InstancePre};
use wasmtime::{Engine, Store};

use super::host::{HasWasi, Program, WasiHost, WasiState};
use super::streams::Written;
use super::verdict::verdict;
use crate::component::VERIFIER;
use crate::host::{VerifierHost, cut};
use crate::limits::Allowed;
use crate::{Fault, Mount, Verdict, VerifyInput};

/// Prefix of the name of the export that makes a component a command.
pub(crate) const RUN: &str = "wasi:cli/run@0.2.";
/// Function of that export.
const RUN_FUNCTION: &str = "run";

/// Maximum size of the values that a verifier with WASI passes in one call, in bytes. Its writes to a stream are larger
/// than any verdict.
pub(crate) const CALL_BYTES: u64 = 16 << 20;

/// Mount of the final state.
const STATE: &str = "state";
/// Mount of the starting state.
const START: &str = "start";
/// Mount of the agent's last message.
const MESSAGES: &str = "messages";
/// File with the last message in the format of the published benchmark.
const MESSAGES_FILE: &str = "messages.json";
/// File with the text of the last message, if the task is judged on it.
const ANSWER_FILE: &str = "answer.txt";
/// Name of the program, the first argument.
const PROGRAM: &str = "verifier";

/// Bytes of the output that the detail of a failed exit code shows.
const SHOWN_BYTES: usize = 4 << 10;

/// Command with its imports linked.
#[derive(Clone)]
pub(crate) struct Command {
    pre: InstancePre<VerifierHost>,
    run: ComponentExportIndex,
}

impl Command {
    /// Returns the command that a component exports, or `None` if it exports none of WASI 0.2.
    ///
    /// # Errors
    ///
    /// Returns the difference if the export has another type than WASI specifies, or if the component also exports
    /// `verify`: the verdict would be its checks or its exit code, and only its author knows which one is meant.
    pub(crate) fn of(
        engine: &Engine,
        component: &Component,
        pre: &InstancePre<VerifierHost>,
    ) -> Result<Option<Self>, String> {
        let exports = component.component_type();
        let Some((name, export)) = exports
            .exports(engine)
            .find(|(name, _)| name.starts_with(RUN))
        else {
            return Ok(None);
        };
        if let Some(ComponentItem::ComponentFunc(_)) =
            exports.get_export(engine, VERIFIER.export).map(|it| it.ty)
        {
            return Err(format!(
                "expected one of two exports, `{}`, which returns the checks, or `{name}`, whose exit code is the verdict, but found both; remove one of them from the world that the component is built for",
                VERIFIER.export
            ));
        }
        let wrong = || format!("expected `{name}` to export a function `run: func() -> result`");
        let ComponentItem::ComponentInstance(instance) = export.ty else {
            return Err(wrong());
        };
        let run = instance.get_export(engine, RUN_FUNCTION);
        let Some(ComponentItem::ComponentFunc(run)) = run.map(|it| it.ty) else {
            return Err(wrong());
        };
        let mut results = run.results();
        let is_plain = |ty: Type| match ty {
            Type::Result(result) => result.ok().is_none() && result.err().is_none(),
            _ => false,
        };
        if run.params().len() > 0
            || !results.next().is_some_and(is_plain)
            || results.next().is_some()
        {
            return Err(wrong());
        }
        let run = component
            .get_export_index(None, name)
            .and_then(|instance| component.get_export_index(Some(&instance), RUN_FUNCTION))
            .ok_or_else(wrong)?;
        let pre = pre.clone();
        Ok(Some(Self { pre, run }))
    }

    /// Runs the command and returns its exit code. Its export has a result that is success or failure; an exit has a
    /// code.
    pub(crate) fn call(&self, store: &mut Store<VerifierHost>) -> wasmtime::Result<u8> {
        let instance = self.pre.instantiate(&mut *store)?;
        let run = instance.get_typed_func::<(), (Result<(), ()>,)>(&mut *store, self.run)?;
        match run.call(&mut *store, ()) {
            Ok((result,)) => Ok(u8::from(result.is_err())),
            Err(error) => {
                let wasi = store.data().wasi.as_ref();
                wasi.and_then(|wasi| wasi.exited).ok_or(error)
            }
        }
    }
}

impl HasWasi for VerifierHost {
    fn wasi(&mut self) -> WasiHost<'_> {
        let Some(wasi) = &mut self.wasi else {
            unreachable!("a verifier that imports WASI gets its state before it starts");
        };
        WasiHost {
            common: &mut self.common,
            wasi,
        }
    }
}

/// Returns the WASI state of a verifier: the two states and the answer as files, and the parameters in the environment.
pub(crate) fn state(program: Program, input: &VerifyInput, clock: i64) -> Box<WasiState> {
    let mount = |name: &str, snapshot| Mount {
        name: name.to_owned(),
        snapshot,
    };
    let mounts = vec![
        mount(STATE, input.end.clone()),
        mount(START, input.start.clone()),
        mount(MESSAGES, answer(input.answer.as_deref())),
    ];
    let mut state = WasiState::new(program, mounts, clock, 0);
    state.arguments = std::iter::once(PROGRAM.to_owned())
        .chain(input.arguments.iter().cloned())
        .collect();
    let own = [
        ("FILESYSTEM_TEST_DIR", format!("/{STATE}")),
        ("MCP_MESSAGES", format!("/{MESSAGES}/{MESSAGES_FILE}")),
        ("PLAYWRIGHT_WORK_DIR", format!("/{MESSAGES}")),
        ("MCPMARK_START_DIR", format!("/{START}")),
        ("MCPMARK_ANSWER", format!("/{MESSAGES}/{ANSWER_FILE}")),
        ("MCPMARK_PARAMETERS", input.parameters.clone()),
    ];
    let given = |name: &str| input.environment.iter().any(|(given, _)| given == name);
    state.environment = own
        .into_iter()
        .filter(|(name, _)| !given(name))
        .map(|(name, value)| (name.to_owned(), value))
        .chain(input.environment.iter().cloned())
        .collect();
    Box::new(state)
}

/// Returns the messages file in the published format. It contains at most the agent's last message.
pub fn messages(answer: Option<&str>) -> Vec<u8> {
    let messages: Vec<serde_json::Value> = answer
        .into_iter()
        .map(|text| {
            json!({
                "id": "__fake_id__",
                "content": [{"annotations": [], "text": text, "type": "output_text"}],
                "role": "assistant",
                "status": "completed",
                "type": "message",
            })
        })
        .collect();
    serde_json::Value::from(messages).to_string().into_bytes()
}

/// Returns the directory with the agent's last message.
fn answer(answer: Option<&str>) -> Snapshot {
    let blobs = MemoryBlobs::new();
    let mut tree = TreeBuilder::new();
    let mut put = |name: &str, bytes: Vec<u8>| {
        let file = File {
            size: bytes.len() as u64,
            executable: false,
            modified: None,
            content: blobs.put(bytes),
        };
        if let Ok(path) = TreePath::parse(name) {
            // The tree has no other file of this name.
            let _ = tree.insert_file(&path, file);
        }
    };
    put(MESSAGES_FILE, messages(answer));
    if let Some(text) = answer {
        put(ANSWER_FILE, text.as_bytes().to_vec());
    }
    Snapshot::new(tree.finish(), Arc::new(blobs))
}

/// Returns the verdict of a command. If it failed, the detail of the exit code shows the end of its output.
pub(crate) fn command_verdict(
    written: &Written,
    code: u8,
    allowed: &Allowed,
) -> Result<Verdict, Fault> {
    let stdout = String::from_utf8_lossy(&written.stdout);
    let plain = verdict(&stdout, code, allowed, Program::Command)?;
    if code == 0 {
        return Ok(plain);
    }
    let stderr = String::from_utf8_lossy(&written.stderr);
    let last = [&stderr, &stdout]
        .into_iter()
        .map(|text| text.trim())
        .find(|text| !text.is_empty());
    let mut checks = plain.checks().to_vec();
    if let (Some(exit), Some(last)) = (checks.last_mut(), last) {
        exit.detail = format!("{}:\n{}", exit.detail, end(last));
    }
    // Names of checks may have used up the room for details.
    Ok(Verdict::new(checks, allowed).unwrap_or(plain))
}

/// Returns the last lines of a text.
fn end(text: &str) -> String {
    if text.len() <= SHOWN_BYTES {
        return text.to_owned();
    }
    let from = (text.len() - SHOWN_BYTES..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len());
    let tail = &text[from..];
    let whole = tail.split_once('\n').map_or(tail, |(_, whole)| whole);
    cut(format!("…\n{whole}"), SHOWN_BYTES)
}
