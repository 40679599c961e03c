//! Packing of tasks of a published corpus, with their scripts and the interpreter.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use mcpmark_bundle::{
    GuestConfig, Packer, Parts, TaskContent, VerifierContent, WorldConfig, state_name,
};
use mcpmark_experiment::Prepared;
use mcpmark_grading::{Judge, ScriptJudge};
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::published::PublishedTask;
use mcpmark_task::{ByRole, GuestSource, PublishedParts, WorldId};

use crate::describe::{describe_guest, describe_solution, describe_task_guest, unchanged_parts};
use crate::{PackError, PackOptions, PackedSuite, pack_tree};

/// Licence of states whose owner does not declare one: the SPDX term for an unknown licence.
const UNKNOWN_LICENCE: &str = "NOASSERTION";

/// Description of the capabilities of a script, for readers of a bundle that does not contain it.
const SCRIPT: &str = "can do what its interpreter can, and change a copy of a repository that it judges; nothing else";

/// Checks that tasks can be packed: no verifier is held back, and all solutions are compiled. This does not need
/// prepared tasks.
///
/// # Errors
///
/// Returns [`PackError::HeldBack`] or [`PackError::SourceSolution`] for the first task that cannot be packed.
pub fn check_corpus_tasks(tasks: &[PublishedTask]) -> Result<(), PackError> {
    for task in tasks {
        if let Some(held_back) = &task.held_back {
            return Err(PackError::HeldBack {
                task: task.id.clone(),
                verifier: held_back.verifier,
            });
        }
        // The compiled solution would be unpacked next to the script, which sees all files of its directory.
        if let Some(GuestSource::Rust { source, .. }) = &task.solution {
            return Err(PackError::SourceSolution {
                task: task.id.clone(),
                file: source.clone(),
            });
        }
    }
    Ok(())
}

/// Packs tasks of a corpus with their states. `prepared` has the same order as the tasks. `interpreter` is the
/// component that runs their scripts.
///
/// # Errors
///
/// Returns an error if a guest is not valid, if the sources changed after the tasks were prepared, or if the store or a
/// file cannot be read.
pub fn pack_corpus(
    tasks: &[PublishedTask],
    prepared: &[Prepared],
    interpreter: Vec<u8>,
    store: &Store,
    options: PackOptions<'_>,
) -> Result<PackedSuite, PackError> {
    let described = describe_guest("interpreter", &interpreter, options.interfaces)
        .map_err(|problem| PackError::Interpreter(Box::new(problem)))?;
    let interpreter = Arc::new(interpreter);
    let mut packer = Packer::default();
    let mut world_bytes = 0;
    let mut worlds = BTreeSet::new();
    for (task, prepared) in tasks.iter().zip(prepared) {
        let start = &prepared.start;
        let world = state_name(&task.id, &start.digest, &start.guests.digests())?;
        if worlds.insert(world.clone()) {
            world_bytes += pack_state(&mut packer, &world, (task, prepared), store, options)?;
        }
        let content = content(task, prepared, store, options)?;
        let content = content.with_interpreter(&interpreter, described.clone());
        packer.task(&world, content).map_err(PackError::Compress)?;
    }
    Ok(PackedSuite {
        packed: packer.finish(options.name),
        tasks: tasks.len(),
        worlds: worlds.len(),
        world_bytes,
    })
}

/// Adds the starting state of a task as a world. Returns its compressed size, in bytes.
fn pack_state(
    packer: &mut Packer,
    id: &WorldId,
    (task, prepared): (&PublishedTask, &Prepared),
    store: &Store,
    options: PackOptions<'_>,
) -> Result<u64, PackError> {
    let start = &prepared.start;
    let (stream, written) = pack_tree(store, &start.digest)?;
    let size = stream.len() as u64;
    let title = task.world.as_deref().or(task.id.category());
    let clock = jiff::Timestamp::from_second(start.clock).map_err(PackError::Clock)?;
    let components: ByRole<&[u8]> = start
        .guests
        .iter()
        .map(|(role, guest)| (role, guest.component()))
        .collect();
    let described: Result<ByRole<GuestConfig>, PackError> = components
        .iter()
        .map(|(role, component)| {
            let name = role.as_str();
            let described = describe_task_guest(name, component, &task.id, options.interfaces)?;
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
    packer
        .world(id, &config, stream, &components)
        .map_err(PackError::Compress)?;
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
            judge: VerifierContent::Script {
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
    options: PackOptions<'_>,
) -> Result<Content, PackError> {
    let changed = || PackError::Changed(task.id.clone());
    let Judge::Script(judge) = &prepared.judge else {
        return Err(changed());
    };
    let ScriptJudge { script, .. } = &**judge;
    let solution = match &task.solution {
        Some(source) => Some(fs::read(source.path()).map_err(|problem| PackError::Read {
            file: source.path().to_owned(),
            problem,
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
    let parts = unchanged_parts(document, &task.id, prepared)?;
    let (beside, written) = pack_tree(store, &script.beside())?;
    let mut guests = vec![GuestConfig {
        role: "verifier".to_owned(),
        digest: script.beside(),
        bytes: written.bytes,
        held_back: options.without_verifier,
        imports: Vec::new(),
        can: SCRIPT.to_owned(),
    }];
    guests.extend(describe_solution(
        solution.as_deref(),
        &task.id,
        options.interfaces,
    )?);
    Ok(Content {
        parts,
        guests,
        instruction: task.instruction.clone().into_bytes(),
        beside,
        solution,
    })
}
