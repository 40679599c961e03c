//! Packing of tasks of a library.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use mcpmark_bundle::{
    CERTIFICATE, CertificateContent, GuestConfig, Packer, TaskContent, VerifierContent,
    WorldConfig, files,
};
use mcpmark_experiment::Prepared;
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::{BundleParts, ByRole, GuestSource, Library, Task, World, WorldId};

use crate::describe::{
    describe_certificate, describe_guest, describe_solution, describe_task_guest, unchanged_parts,
};
use crate::{PackError, PackOptions, PackedSuite, pack_tree};

/// Checks that no verifier of the tasks is held back. This does not need prepared tasks.
///
/// # Errors
///
/// Returns [`PackError::HeldBack`] for the first task with such a verifier.
pub fn check_library_tasks(tasks: &[Task]) -> Result<(), PackError> {
    let mut held_back = tasks
        .iter()
        .filter_map(|task| Some((task, task.verifier.held_back()?)));
    match held_back.next() {
        Some((task, held_back)) => Err(PackError::HeldBack {
            task: task.id.clone(),
            verifier: held_back.verifier,
        }),
        None => Ok(()),
    }
}

/// Packer of tasks of a library.
#[derive(Debug)]
pub struct LibraryPacker<'a> {
    tasks: &'a [Task],
    worlds: BTreeMap<WorldId, World>,
}

impl<'a> LibraryPacker<'a> {
    /// Loads the worlds of the tasks.
    ///
    /// # Errors
    ///
    /// Returns an error if a world is not valid.
    pub fn new(library: &Library, tasks: &'a [Task]) -> Result<Self, PackError> {
        let mut worlds = BTreeMap::new();
        for task in tasks {
            worlds.insert(task.world.clone(), library.world(&task.world)?);
        }
        Ok(Self { tasks, worlds })
    }

    /// Returns the guests of the tasks and of their worlds, whose components [`pack`](Self::pack) needs.
    pub fn guests(&self) -> Vec<GuestSource> {
        let worlds = self.worlds.values();
        let sources: BTreeSet<GuestSource> = self
            .tasks
            .iter()
            .flat_map(|task| std::iter::once(&task.verifier).chain(&task.solution))
            .chain(worlds.flat_map(|world| world.guests.values()))
            .cloned()
            .collect();
        sources.into_iter().collect()
    }

    /// Packs the tasks with their worlds. `prepared` has the same order as the tasks. `components` contains the
    /// compiled [`guests`](Self::guests).
    ///
    /// # Errors
    ///
    /// Returns an error if a guest or a certificate is not valid, if the sources changed after the tasks were prepared,
    /// or if the store or a file cannot be read.
    pub fn pack(
        &self,
        prepared: &[Prepared],
        components: &BTreeMap<GuestSource, Vec<u8>>,
        store: &Store,
        options: PackOptions<'_>,
    ) -> Result<PackedSuite, PackError> {
        let mut packer = Packer::default();
        let mut world_bytes = 0;
        let mut packed = BTreeSet::new();
        for (task, prepared) in self.tasks.iter().zip(prepared) {
            if packed.insert(&task.world) {
                let world = &self.worlds[&task.world];
                world_bytes +=
                    pack_world(&mut packer, world, prepared, components, store, options)?;
            }
        }
        for (task, prepared) in self.tasks.iter().zip(prepared) {
            let world = &self.worlds[&task.world];
            let content = content((task, world, prepared), components, options)?;
            packer
                .task(&task.world, content)
                .map_err(PackError::Compress)?;
        }
        Ok(PackedSuite {
            packed: packer.finish(options.name),
            tasks: self.tasks.len(),
            worlds: self.worlds.len(),
            world_bytes,
        })
    }
}

/// Adds a world. Returns the compressed size of its states, in bytes.
fn pack_world(
    packer: &mut Packer,
    world: &World,
    prepared: &Prepared,
    components: &BTreeMap<GuestSource, Vec<u8>>,
    store: &Store,
    options: PackOptions<'_>,
) -> Result<u64, PackError> {
    let start = &prepared.start;
    let (stream, written) = pack_tree(store, &start.digest)?;
    let size = stream.len() as u64;
    let guests = world.guests.iter();
    let guests: ByRole<&[u8]> = guests
        .filter_map(|(role, source)| Some((*role, components.get(source)?.as_slice())))
        .collect();
    let described: Result<ByRole<GuestConfig>, PackError> = guests
        .iter()
        .map(|(role, component)| {
            let described = describe_guest(role.as_str(), component, options.interfaces);
            let described = described.map_err(|problem| PackError::WorldGuest {
                world: world.id.clone(),
                role: role.to_string(),
                problem: Box::new(problem),
            })?;
            Ok((role, described))
        })
        .collect();
    let config = WorldConfig {
        guests: described?,
        ..WorldConfig::new(world, start.seed, start.digest, written)
    };
    packer
        .world(&world.id, &config, stream, &guests)
        .map_err(PackError::Compress)?;
    Ok(size)
}

fn content(
    (task, world, prepared): (&Task, &World, &Prepared),
    components: &BTreeMap<GuestSource, Vec<u8>>,
    options: PackOptions<'_>,
) -> Result<TaskContent, PackError> {
    let changed = || PackError::Changed(task.id.clone());
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
    let parts = unchanged_parts(document, &task.id, prepared)?;
    let mut guests = vec![GuestConfig {
        held_back: options.without_verifier,
        ..describe_task_guest("verifier", &verifier, &task.id, options.interfaces)?
    }];
    guests.extend(describe_solution(
        solution.as_deref(),
        &task.id,
        options.interfaces,
    )?);
    let certificate = certificate(&task.dir)?;
    Ok(TaskContent {
        parts,
        guests,
        instruction: task.instruction.clone().into_bytes(),
        judge: VerifierContent::Component(verifier),
        solution,
        certificate,
    })
}

/// Returns the certificate in the directory of a task, if it has one.
fn certificate(dir: &Path) -> Result<Option<CertificateContent>, PackError> {
    let file = dir.join(CERTIFICATE);
    let bytes = match files::read(&file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(problem) => return Err(PackError::Read { file, problem }),
    };
    match describe_certificate(&bytes) {
        Ok(described) => Ok(Some(CertificateContent { bytes, described })),
        Err(problem) => Err(PackError::Certificate { file, problem }),
    }
}
