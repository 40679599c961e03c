//! Worlds of a library: loading of the manifest, the content and the guests of a starting state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use mcpmark_snapshot::Digest;

use crate::document::{Document, Place};
use crate::{Error, GuestRole, GuestSource, WorldId};

const KEYS: &[&str] = &[
    "title",
    "description",
    "license",
    "clock",
    "seed",
    "modified",
    "snapshot",
];
const SIGNS: &[&str] = &["world.json", "files", "setup.rs", "setup.wasm", STATES];

/// File with the starting state of a world that was unpacked from a bundle.
const STATES: &str = "states.tar.zst";

/// World: a starting state of one service.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct World {
    /// Id of the world.
    pub id: WorldId,
    /// Directory of the world.
    pub dir: PathBuf,
    /// Content of `world.json`.
    pub manifest: WorldManifest,
    /// Source of the tree.
    pub content: WorldContent,
    /// Guests of the world, by role.
    pub guests: BTreeMap<GuestRole, GuestSource>,
}

/// Content of `world.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorldManifest {
    /// Title.
    pub title: String,
    /// Description of the content.
    pub description: Option<String>,
    /// Licence, as an SPDX expression.
    pub license: String,
    /// Virtual time at the start, in whole seconds.
    pub clock: Timestamp,
    /// Seed for the setup guest and for the sessions of the world. Default: 1.
    pub seed: u64,
    /// Modification times, in whole seconds, of files of a `files/` world. Default: the clock.
    pub modified: BTreeMap<String, Timestamp>,
}

/// Source of a world's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorldContent {
    /// Directory with the tree.
    Files(PathBuf),
    /// Setup guest that builds the tree from the seed.
    Setup(GuestSource),
    /// Tree from a bundle.
    Packed {
        /// Archive with the states.
        file: PathBuf,
        /// Digest of the tree in the archive.
        snapshot: Digest,
    },
}

impl World {
    /// Iterates over the sources of all guests of the world: the setup guest, and the guests by role.
    pub fn sources(&self) -> impl Iterator<Item = &GuestSource> {
        let setup = match &self.content {
            WorldContent::Setup(source) => Some(source),
            WorldContent::Files(_) | WorldContent::Packed { .. } => None,
        };
        setup.into_iter().chain(self.guests.values())
    }

    /// Reports whether a directory looks like a world, complete or not.
    pub(crate) fn looks_like_world(dir: &Place) -> bool {
        let is_there = |name: &str| dir.join(name).path.exists();
        let mut roles = GuestRole::ALL.iter();
        SIGNS.iter().any(|name| is_there(name))
            || roles.any(|role| role.files().iter().any(|file| is_there(file)))
    }

    pub(crate) fn load(id: WorldId, dir: &Place) -> Result<Self, Error> {
        let file = dir.join("world.json");
        let text = file.text()?.ok_or_else(|| {
            dir.layout("no world.json; add one with \"title\", \"license\" and \"clock\"")
        })?;
        let document = Document::parse(&file.shown, &text)?;
        let content = content(dir, &document)?;
        let manifest = manifest(&document, &content)?;
        Ok(Self {
            guests: guests(dir)?,
            id,
            dir: dir.path.clone(),
            manifest,
            content,
        })
    }
}

/// Finds the guests of a world in its directory, by role.
pub(crate) fn guests(dir: &Place) -> Result<BTreeMap<GuestRole, GuestSource>, Error> {
    let mut guests = BTreeMap::new();
    for role in GuestRole::ALL {
        if let Some(source) = GuestSource::find(dir, role.as_str(), dir)? {
            guests.insert(*role, source);
        }
    }
    Ok(guests)
}

fn content(dir: &Place, document: &Document) -> Result<WorldContent, Error> {
    let (files, states) = (dir.join("files"), dir.join(STATES));
    let snapshot = document.string("snapshot")?;
    let setup = GuestSource::find(dir, "setup", dir)?;
    if states.path.is_file() {
        if files.path.is_dir() || setup.is_some() {
            return Err(dir.layout(format!(
                "{STATES} exists together with files/ or a setup guest; remove one of them"
            )));
        }
        let snapshot = document.required("snapshot", snapshot, "the digest of the tree")?;
        let snapshot = snapshot
            .parse()
            .map_err(|error| document.wrong("snapshot", format!("{error}")))?;
        return Ok(WorldContent::Packed {
            file: states.path,
            snapshot,
        });
    }
    if snapshot.is_some() {
        return Err(document.wrong("snapshot", format!("allowed only in worlds with {STATES}")));
    }
    match (files.path.is_dir(), setup) {
        (true, None) => Ok(WorldContent::Files(files.path)),
        (false, Some(setup)) => Ok(WorldContent::Setup(setup)),
        (true, Some(_)) => {
            Err(dir.layout("files/ and a setup guest both exist; remove one of them"))
        }
        (false, None) => Err(dir.layout("no content; add files/, setup.rs or setup.wasm")),
    }
}

fn manifest(document: &Document, content: &WorldContent) -> Result<WorldManifest, Error> {
    document.refuse_unknown(KEYS)?;
    let license = document.required(
        "license",
        document.string("license")?,
        "an SPDX expression like \"CC0-1.0\"",
    )?;
    spdx::Expression::parse(&license).map_err(|error| {
        document.wrong(
            "license",
            format!("invalid SPDX expression {license:?}: {}", error.reason),
        )
    })?;
    let clock = document.required(
        "clock",
        document.string("clock")?,
        "an RFC 3339 instant like \"2026-03-02T09:00:00Z\"",
    )?;
    Ok(WorldManifest {
        title: document.required("title", document.string("title")?, "the title of the world")?,
        description: document.string("description")?,
        license,
        clock: instant(document, "clock", &clock)?,
        seed: document.number("seed", 0..=u64::MAX)?.unwrap_or(1),
        modified: modified(document, content)?,
    })
}

fn modified(
    document: &Document,
    content: &WorldContent,
) -> Result<BTreeMap<String, Timestamp>, Error> {
    let Some(object) = document.object("modified")? else {
        return Ok(BTreeMap::new());
    };
    let WorldContent::Files(files) = content else {
        return Err(document.wrong(
            "modified",
            "allowed only in worlds with files/; other worlds store the times in their trees",
        ));
    };
    let mut times = BTreeMap::new();
    for path in object.map.keys() {
        let text = object.required(path, object.string(path)?, "an RFC 3339 instant")?;
        let inside =
            !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !inside || Path::new(path).is_absolute() || files.join(path).symlink_metadata().is_err()
        {
            return Err(object.wrong(
                path,
                "the file does not exist; expected a path below files/",
            ));
        }
        times.insert(path.clone(), instant(&object, path, &text)?);
    }
    Ok(times)
}

fn instant(document: &Document, key: &str, text: &str) -> Result<Timestamp, Error> {
    let instant = text.parse::<Timestamp>().map_err(|error| {
        document.wrong(
            key,
            format!("expected an RFC 3339 instant like \"2026-03-02T09:00:00Z\", found {text:?}: {error}"),
        )
    })?;
    if instant.subsec_nanosecond() != 0 {
        return Err(document.wrong(key, format!("expected a whole second, found {text:?}")));
    }
    Ok(instant)
}
