//! `bundle pack --tasks`: packs tasks of a published corpus with their scripts and the interpreter.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use mcpmark_bundle::{GuestConfig, JudgeContent, Parts, TaskContent, WorldConfig};
use mcpmark_experiment::Prepared;
use mcpmark_grading::{Judge, ScriptJudge};
use mcpmark_sandbox::Interface;
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::published::PublishedTask;
use mcpmark_task::{ByRole, GuestSource, PublishedParts, WorldId};

use super::pack::{self, Made};
use crate::args::{EngineArgs, PackArgs};
use crate::bundles::{packed, state_name};
use crate::commands::published;
use crate::context::{self, Context};
use crate::error::CommandError;

/// Licence of states whose owner does not declare one: the SPDX term for an unknown licence.
const UNKNOWN_LICENCE: &str = "NOASSERTION";

/// Description of the capabilities of a script, for readers of a bundle that does not contain it.
const SCRIPT: &str = "can do what its interpreter can, and change a copy of a repository that it judges; nothing else";

pub(super) fn pack(context: &Context, dir: &Path, args: &PackArgs) -> Result<Made, CommandError> {
    let corpus = context.corpus_at(dir)?;
    let tasks = published::select(&corpus, &args.selection)?;
    for task in &tasks {
        if let Some(held_back) = &task.held_back {
            return Err(context::held_back(&task.id, &held_back.verifier));
        }
        // The compiled solution would be unpacked next to the script, which sees all files of its directory.
        if let Some(GuestSource::Rust { source, .. }) = &task.solution {
            let message = format!(
                "task {}: {}: a task with a Python verifier can be packed only with a compiled solution",
                task.id,
                source.display()
            );
            return Err(CommandError::invalid(message).hint("replace it with solution.wasm"));
        }
    }
    let (sandbox, store) = (context.sandbox(1, EngineArgs::default())?, context.store()?);
    let states = args.published.states.as_deref();
    let prepared = context.prepare_published(&corpus, states, &tasks, &sandbox, &store)?;
    let interpreter = context.python_guest()?;
    let component = fs::read(&interpreter.file).map_err(|error| {
        CommandError::infrastructure(format!("{}: {error}", interpreter.file.display()))
    })?;
    let component = Arc::new(component);
    let interfaces = context.services().guest_interfaces();
    let described =
        pack::guest("interpreter", &component, &interfaces).map_err(CommandError::invalid)?;
    let mut made = Made {
        tasks: tasks.len(),
        ..Made::default()
    };
    let mut worlds = BTreeSet::new();
    for (task, prepared) in tasks.iter().zip(&prepared) {
        let world = state_name(&task.id, &prepared.start)?;
        if worlds.insert(world.clone()) {
            made.world_bytes +=
                add_world(&mut made, &world, (task, prepared), &store, &interfaces)?;
        }
        let content = content(task, prepared, &store, args.without_verifier, &interfaces)?;
        let content = content.with_interpreter(&component, described.clone());
        made.packer
            .task(&world, content)
            .map_err(CommandError::infrastructure)?;
    }
    made.worlds = worlds.len();
    Ok(made)
}

fn add_world(
    made: &mut Made,
    id: &WorldId,
    (task, prepared): (&PublishedTask, &Prepared),
    store: &Store,
    interfaces: &[Interface],
) -> Result<u64, CommandError> {
    let start = &prepared.start;
    let (stream, written) = packed(store, &start.digest)?;
    let size = stream.len() as u64;
    let title = task.world.as_deref().or(task.id.category());
    let clock = jiff::Timestamp::from_second(start.clock).map_err(CommandError::infrastructure)?;
    let components: ByRole<&[u8]> = start
        .guests
        .iter()
        .map(|(role, guest)| (role, guest.component()))
        .collect();
    let described: Result<ByRole<GuestConfig>, CommandError> = components
        .iter()
        .map(|(role, component)| {
            let name = role.as_str();
            let described = pack::described(name, component, false, &task.id, interfaces)?;
            Ok((role, described))
        })
        .collect();
    let config = WorldConfig {
        guests: described?,
        title: title.unwrap_or("nothing").to_owned(),
        license: UNKNOWN_LICENCE.to_owned(),
        clock: clock.to_string(),
        ..WorldConfig::nameless(id, start.seed, start.digest, written)
    };
    made.packer
        .world(id, &config, stream, &components)
        .map_err(CommandError::infrastructure)?;
    Ok(size)
}

/// Content of a task without its interpreter.
struct Content {
    parts: Parts,
    guests: Vec<GuestConfig>,
    instruction: Vec<u8>,
    beside: Vec<u8>,
    solution: Option<Vec<u8>>,
}

impl Content {
    fn with_interpreter(self, component: &Arc<Vec<u8>>, described: GuestConfig) -> TaskContent {
        let mut guests = self.guests;
        guests.push(described);
        TaskContent {
            parts: self.parts,
            guests,
            instruction: self.instruction,
            judge: JudgeContent::Script {
                beside: self.beside,
                interpreter: Arc::clone(component),
            },
            solution: self.solution,
            // The packed directory of the script already contains it.
            certificate: None,
        }
    }
}

fn content(
    task: &PublishedTask,
    prepared: &Prepared,
    store: &Store,
    without_verifier: bool,
    interfaces: &[Interface],
) -> Result<Content, CommandError> {
    let changed = || {
        let message = format!("task {}: changed while it was being packed", task.id);
        CommandError::infrastructure(message).hint("pack it again")
    };
    let Judge::Script(judge) = &prepared.judge else {
        return Err(changed());
    };
    let ScriptJudge { script, .. } = &**judge;
    let solution = match &task.solution {
        Some(source) => Some(fs::read(source.path()).map_err(|error| {
            CommandError::infrastructure(format!("{}: {error}", source.path().display()))
        })?),
        None => None,
    };
    let document = PublishedParts {
        task,
        snapshot: prepared.start.digest,
        clock: prepared.start.clock,
        script: script.digest(),
        beside: script.beside(),
        solution: solution.as_deref().map(Digest::of),
        guests: prepared.start.guests.digests(),
    }
    .document();
    let parts: Parts = serde_json::from_value(document).map_err(CommandError::infrastructure)?;
    if parts.digest() != prepared.bundle {
        return Err(changed());
    }
    let (beside, written) = packed(store, &script.beside())?;
    let mut guests = vec![GuestConfig {
        role: "verifier".to_owned(),
        digest: script.beside(),
        bytes: written.bytes,
        held_back: without_verifier,
        imports: Vec::new(),
        can: SCRIPT.to_owned(),
    }];
    if let Some(solution) = &solution {
        guests.push(pack::described(
            "solution", solution, false, &task.id, interfaces,
        )?);
    }
    Ok(Content {
        parts,
        guests,
        instruction: task.instruction.clone().into_bytes(),
        beside,
        solution,
    })
}
