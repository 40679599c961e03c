//! `bundle pack`: packs tasks into a bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use mcpmark_archive::states;
use mcpmark_bundle::{
    CERTIFICATE, CertificateConfig, CertificateContent, GuestConfig, JudgeContent, Packer, Parts,
    TaskContent, WorldConfig,
};
use mcpmark_certify::Certificate;
use mcpmark_experiment::Prepared;
use mcpmark_sandbox::Interface;
use mcpmark_snapshot::Digest;
use mcpmark_task::{BundleParts, ByRole, GuestSource, Task, TaskId, World};
use serde_json::json;

use super::{corpus, writing};
use crate::args::{EngineArgs, PackArgs};
use crate::context::{self, Context};
use crate::error::{CommandError, chain};
use crate::exit;
use crate::files;
use crate::operands;
use crate::output::build::BuildDisplay;
use crate::output::{self, sanitise};

/// Packs the selected tasks of a library or of a corpus.
pub(super) fn pack(context: &Context, args: &mut PackArgs) -> Result<u8, CommandError> {
    // Checked before the build, which may take long.
    writing::may_write(&args.output, args.force)?;
    operands::settle(&mut args.selection, &mut args.published)?;
    let (context, corpus) = &context.at_tasks(&mut args.published.tasks)?;
    if let Some(corpus) = corpus {
        args.published.states = Some(corpus.states.clone());
    }
    let made = match args.published.tasks.clone() {
        Some(corpus) => corpus::pack(context, &corpus, args)?,
        None => of_library(context, args)?,
    };
    let packed = made.packer.finish(args.name.as_deref());
    writing::write(&packed.layout, &args.output, args.force)?;
    let bytes = packed.layout.bytes();
    if args.json {
        output::print_json(&json!({
            "digest": packed.digest(),
            "tasks": made.tasks,
            "worlds": made.worlds,
            "bytes": bytes,
            "world_bytes": made.world_bytes,
        }))?;
    } else {
        output::print(&format!(
            "{}\n{} and {}, {}, {} of them worlds\n",
            packed.digest(),
            output::count(made.tasks, "task"),
            output::count(made.worlds, "world"),
            output::bytes(bytes),
            output::bytes(made.world_bytes)
        ))?;
    }
    Ok(exit::PASSED)
}

/// Content of a new bundle, with its counts.
#[derive(Default)]
pub(super) struct Made {
    pub(super) packer: Packer,
    pub(super) tasks: usize,
    pub(super) worlds: usize,
    /// Compressed size of the worlds, in bytes.
    pub(super) world_bytes: u64,
}

fn of_library(context: &Context, args: &PackArgs) -> Result<Made, CommandError> {
    let library = context.library()?;
    let tasks = context::select(&library, &args.selection)?;
    for task in &tasks {
        if let Some(held_back) = task.verifier.held_back() {
            return Err(context::held_back(&task.id, &held_back.verifier));
        }
    }
    let sandbox = context.sandbox(1, EngineArgs::default())?;
    let store = context.store()?;
    let prepared = context.prepare(&library, &tasks, &sandbox, &store)?;
    let mut worlds = BTreeMap::new();
    for task in &tasks {
        let world = library
            .world(&task.world)
            .map_err(|error| context::invalid(&error))?;
        worlds.insert(task.world.clone(), world);
    }
    let components = components(context, &library, &tasks, worlds.values())?;
    let mut made = Made {
        tasks: tasks.len(),
        worlds: worlds.len(),
        ..Made::default()
    };
    let mut packed = BTreeSet::new();
    let interfaces = context.services().guest_interfaces();
    for (task, prepared) in tasks.iter().zip(&prepared) {
        if !packed.insert(&task.world) {
            continue;
        }
        let world = &worlds[&task.world];
        let mut stream = Vec::new();
        let written = states::write(&store, &[prepared.start.digest], &[], &mut stream)
            .map_err(|error| CommandError::infrastructure(chain(&error)))?;
        made.world_bytes += stream.len() as u64;
        let start = &prepared.start;
        let guests = world.guests.iter();
        let guests: ByRole<&[u8]> = guests
            .filter_map(|(role, source)| Some((*role, components.get(source)?.as_slice())))
            .collect();
        let described: Result<ByRole<GuestConfig>, CommandError> = guests
            .iter()
            .map(|(role, component)| {
                let described = guest(role.as_str(), component, &interfaces);
                let described = described.map_err(|reason| {
                    let message = format!("world {}: {role}: {reason}", world.id);
                    CommandError::invalid(sanitise::block(&message))
                })?;
                Ok((role, described))
            })
            .collect();
        let config = WorldConfig {
            guests: described?,
            ..WorldConfig::new(world, start.seed, start.digest, written)
        };
        made.packer
            .world(&task.world, &config, stream, &guests)
            .map_err(CommandError::infrastructure)?;
    }
    for (task, prepared) in tasks.iter().zip(&prepared) {
        let world = &worlds[&task.world];
        let content = content(
            (task, world, prepared),
            &components,
            args.without_verifier,
            &interfaces,
        )?;
        made.packer
            .task(&task.world, content)
            .map_err(CommandError::infrastructure)?;
    }
    Ok(made)
}

/// Builds the guests of all tasks and worlds, and returns their components.
fn components<'w>(
    context: &Context,
    library: &mcpmark_task::Library,
    tasks: &[Task],
    worlds: impl Iterator<Item = &'w World>,
) -> Result<BTreeMap<GuestSource, Vec<u8>>, CommandError> {
    let sources: BTreeSet<GuestSource> = tasks
        .iter()
        .flat_map(|task| std::iter::once(&task.verifier).chain(&task.solution))
        .chain(worlds.flat_map(|world| world.guests.values()))
        .cloned()
        .collect();
    let sources: Vec<GuestSource> = sources.into_iter().collect();
    let mut display = BuildDisplay::default();
    let built = context
        .builder(library)
        .build(&sources, &mut |event| display.show(event))
        .map_err(|error| context::prepare_error(&error.into()))?;
    built
        .into_iter()
        .map(|built| match fs::read(&built.path) {
            Ok(bytes) => Ok((built.source, bytes)),
            Err(error) => Err(CommandError::infrastructure(format!(
                "{}: {error}",
                built.path.display()
            ))),
        })
        .collect()
}

fn content(
    (task, world, prepared): (&Task, &World, &Prepared),
    components: &BTreeMap<GuestSource, Vec<u8>>,
    without_verifier: bool,
    interfaces: &[Interface],
) -> Result<TaskContent, CommandError> {
    let changed = || {
        let message = format!("task {}: changed while it was being packed", task.id);
        CommandError::infrastructure(message).hint("pack it again")
    };
    let component = |source| components.get(source).cloned().ok_or_else(changed);
    let verifier = component(&task.verifier)?;
    let solution = task.solution.as_ref().map(component).transpose()?;
    let document = BundleParts {
        task,
        world: &world.manifest,
        seed: prepared.start.seed,
        snapshot: prepared.start.digest,
        verifier: Digest::of(&verifier),
        solution: solution.as_deref().map(Digest::of),
        guests: prepared.start.guests.digests(),
    }
    .document();
    let parts: Parts = serde_json::from_value(document).map_err(CommandError::infrastructure)?;
    if parts.digest() != prepared.bundle {
        return Err(changed());
    }
    let mut guests = vec![described(
        "verifier",
        &verifier,
        without_verifier,
        &task.id,
        interfaces,
    )?];
    if let Some(solution) = &solution {
        guests.push(described(
            "solution", solution, false, &task.id, interfaces,
        )?);
    }
    let certificate = certificate(&task.dir)?;
    Ok(TaskContent {
        parts,
        guests,
        instruction: task.instruction.clone().into_bytes(),
        judge: JudgeContent::Component(verifier),
        solution,
        certificate,
    })
}

/// Returns the certificate in the directory of a task, if it has one.
fn certificate(dir: &Path) -> Result<Option<CertificateContent>, CommandError> {
    let file = dir.join(CERTIFICATE);
    let bytes = match files::read(&file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let message = format!("{}: {error}", file.display());
            return Err(CommandError::infrastructure(message));
        }
    };
    match certified(&bytes) {
        Ok(described) => Ok(Some(CertificateContent { bytes, described })),
        Err(error) => {
            let message = format!("{}: {error}", file.display());
            Err(CommandError::invalid(sanitise::block(&message))
                .hint("`mcpmark task check --write` creates a new one"))
        }
    }
}

/// Returns the description of a certificate in the config of its task.
pub(super) fn certified(bytes: &[u8]) -> Result<CertificateConfig, serde_json::Error> {
    let certificate: Certificate = serde_json::from_slice(bytes)?;
    let (mutants, rejected) = certificate.mutants;
    Ok(CertificateConfig {
        task: certificate.task,
        world: certificate.world,
        verifier: certificate.verifier,
        checks: certificate.checks.len() as u64,
        mutants: mutants as u64,
        rejected: rejected as u64,
    })
}

pub(super) fn described(
    role: &str,
    component: &[u8],
    held_back: bool,
    task: &TaskId,
    interfaces: &[Interface],
) -> Result<GuestConfig, CommandError> {
    let mut guest = guest(role, component, interfaces).map_err(|reason| {
        let message = format!("task {task}: {role}: {reason}");
        CommandError::invalid(sanitise::block(&message))
    })?;
    guest.held_back = held_back;
    Ok(guest)
}

/// Returns the description of a guest in the config of its task or world.
pub(super) fn guest(
    role: &str,
    component: &[u8],
    interfaces: &[Interface],
) -> Result<GuestConfig, String> {
    let inspection =
        mcpmark_sandbox::inspect(component, interfaces).map_err(|error| error.to_string())?;
    let can = match role {
        // Its further imports are emulated in memory, and only scripts use them.
        "interpreter" => "can run a Python script on what that is given; nothing else".to_owned(),
        _ => inspection.summary(),
    };
    Ok(GuestConfig {
        role: role.to_owned(),
        digest: inspection.digest,
        bytes: inspection.bytes,
        held_back: false,
        can,
        imports: inspection.imports.into_iter().map(|it| it.import).collect(),
    })
}
