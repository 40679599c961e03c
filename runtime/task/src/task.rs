//! Tasks of a library: loading of metadata, instruction and guests from the directory of a task.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::document::{Document, Place};
use crate::meta::{self, ParsedMeta};
use crate::{Error, GuestSource, HeldBack, Meta, TaskId, WorldId};

/// Files that identify a directory as a task; any one of them is sufficient.
const SIGNS: &[&str] = &[
    "meta.json",
    "description.md",
    "verifier.rs",
    "verifier.wasm",
    "solution.rs",
    "solution.wasm",
];

/// Task: an instruction, a world to start from, and a verifier.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Task {
    /// Id of the task.
    pub id: TaskId,
    /// Directory of the task.
    pub dir: PathBuf,
    /// Content of `meta.json`.
    pub meta: Meta,
    /// Id of the world it starts from.
    pub world: WorldId,
    /// Instruction for the agent, from `description.md`.
    pub instruction: String,
    /// Verifier, which grades the final state.
    pub verifier: GuestSource,
    /// Solution, which the oracle plays.
    pub solution: Option<GuestSource>,
    /// Cheats, wrong solutions that the verifier must reject: name and guest, sorted by name.
    pub cheats: Vec<(String, GuestSource)>,
    /// Variants of the solution, which the verifier must accept: name and guest, sorted by name.
    pub variants: Vec<(String, GuestSource)>,
    /// Warnings, which do not prevent attempts.
    pub warnings: Vec<String>,
}

impl Task {
    /// Iterates over all guests of the task: verifier, solution, cheats, variants.
    pub fn guests(&self) -> impl Iterator<Item = &GuestSource> {
        std::iter::once(&self.verifier)
            .chain(&self.solution)
            .chain(self.only_certified())
    }

    /// Iterates over the guests that only certification uses: cheats and variants.
    pub fn only_certified(&self) -> impl Iterator<Item = &GuestSource> {
        let named = self.cheats.iter().chain(&self.variants);
        named.map(|(_, source)| source)
    }

    /// Reports whether a directory looks like a task, complete or not.
    pub(crate) fn looks_like_task(dir: &Place) -> bool {
        SIGNS.iter().any(|name| dir.join(name).path.exists())
    }

    pub(crate) fn load(id: TaskId, dir: &Place, worlds: &[WorldId]) -> Result<Self, Error> {
        let file = dir.join("meta.json");
        let text = file
            .text()?
            .ok_or_else(|| dir.layout("no meta.json; add one with at least \"difficulty\""))?;
        let document = Document::parse(&file.shown, &text)?;
        let ParsedMeta {
            meta,
            world,
            warnings,
        } = meta::parse(document, &id, worlds)?;

        let description = dir.join("description.md");
        let instruction = description
            .text()?
            .ok_or_else(|| dir.layout("no description.md; add the instruction for the agent"))?;
        if instruction.trim().is_empty() {
            return Err(description.layout("is empty; write the instruction for the agent"));
        }
        let verifier = match GuestSource::find(dir, "verifier", dir)? {
            Some(verifier) => verifier,
            None => GuestSource::HeldBack {
                verifier: HeldBack::find(dir)?
                    .ok_or_else(|| dir.layout("no verifier; add verifier.rs or verifier.wasm"))?,
                place: dir.join(HeldBack::FILE).path,
            },
        };
        let solution = GuestSource::find(dir, "solution", dir)?;
        let cheats = guests_in(dir, "cheats")?;
        let variants = guests_in(dir, "variants")?;
        Ok(Self {
            id,
            dir: dir.path.clone(),
            meta,
            world,
            instruction,
            verifier,
            solution,
            cheats,
            variants,
            warnings,
        })
    }
}

/// Returns the guests in a folder of a task, sorted by name.
fn guests_in(dir: &Place, folder: &str) -> Result<Vec<(String, GuestSource)>, Error> {
    let folder = dir.join(folder);
    let mut names = BTreeSet::new();
    match std::fs::read_dir(&folder.path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(folder.unreadable(error)),
        Ok(entries) => {
            for entry in entries {
                let path =
                    PathBuf::from(entry.map_err(|error| folder.unreadable(error))?.file_name());
                let kind = path.extension().and_then(|kind| kind.to_str());
                if let (Some(stem), Some("rs" | "wasm")) =
                    (path.file_stem().and_then(|stem| stem.to_str()), kind)
                {
                    names.insert(stem.to_owned());
                }
            }
        }
    }
    let mut guests = Vec::new();
    for name in names {
        if let Some(source) = GuestSource::find(&folder, &name, dir)? {
            guests.push((name, source));
        }
    }
    Ok(guests)
}
