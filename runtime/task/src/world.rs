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

/// The starting state of a world that comes from a bundle.
const STATES: &str = "states.tar.zst";

/// A starting state of one service.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct World {
    /// The name of the world.
    pub id: WorldId,
    /// Its directory.
    pub dir: PathBuf,
    /// What `world.json` says.
    pub manifest: WorldManifest,
    /// What it is made of.
    pub content: WorldContent,
    /// The guests that it brings along, by role.
    pub guests: BTreeMap<GuestRole, GuestSource>,
}

/// What `world.json` says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorldManifest {
    /// The title.
    pub title: String,
    /// What is in the world.
    pub description: Option<String>,
    /// Under which licence, as an SPDX expression.
    pub license: String,
    /// The instant at which the world stands still; whole seconds.
    pub clock: Timestamp,
    /// The seed where the task or the person gives none.
    pub seed: u64,
    /// When files of a `files/` world were modified, where it is not the clock; whole seconds.
    pub modified: BTreeMap<String, Timestamp>,
}

/// What a world is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorldContent {
    /// A directory that is the tree.
    Files(PathBuf),
    /// A guest that makes the tree from the seed.
    Setup(GuestSource),
    /// The tree as it comes in a bundle.
    Packed {
        /// The states of a store in one stream.
        file: PathBuf,
        /// The tree among them.
        snapshot: Digest,
    },
}

impl World {
    /// The sources of all guests that it takes to start from it: of its tree, and of each role.
    pub fn sources(&self) -> impl Iterator<Item = &GuestSource> {
        let setup = match &self.content {
            WorldContent::Setup(source) => Some(source),
            WorldContent::Files(_) | WorldContent::Packed { .. } => None,
        };
        setup.into_iter().chain(self.guests.values())
    }

    /// Whether a directory is meant as a world, finished or not.
    pub(crate) fn is_meant(dir: &Place) -> bool {
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

/// The guests in a directory that its world brings along.
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
                "has {STATES} and files/ or a setup guest; keep the one that is meant"
            )));
        }
        let snapshot = document.required("snapshot", snapshot, "the digest of its tree")?;
        let snapshot = snapshot
            .parse()
            .map_err(|error| document.wrong("snapshot", format!("{error}")))?;
        return Ok(WorldContent::Packed {
            file: states.path,
            snapshot,
        });
    }
    if snapshot.is_some() {
        return Err(document.wrong("snapshot", format!("is for worlds that have {STATES}")));
    }
    match (files.path.is_dir(), setup) {
        (true, None) => Ok(WorldContent::Files(files.path)),
        (false, Some(setup)) => Ok(WorldContent::Setup(setup)),
        (true, Some(_)) => {
            Err(dir.layout("has both files/ and a setup guest; keep the one that is meant"))
        }
        (false, None) => Err(dir.layout("has no content; add files/, setup.rs or setup.wasm")),
    }
}

fn manifest(document: &Document, content: &WorldContent) -> Result<WorldManifest, Error> {
    document.refuse_unknown(KEYS)?;
    let license = document.required(
        "license",
        document.string("license")?,
        "an SPDX expression, as in \"CC0-1.0\"",
    )?;
    spdx::Expression::parse(&license).map_err(|error| {
        document.wrong(
            "license",
            format!("{license:?} is no SPDX expression: {}", error.reason),
        )
    })?;
    let clock = document.required(
        "clock",
        document.string("clock")?,
        "an RFC 3339 instant, as in \"2026-03-02T09:00:00Z\"",
    )?;
    Ok(WorldManifest {
        title: document.required(
            "title",
            document.string("title")?,
            "the name of the world for people",
        )?,
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
            "is for worlds made of files/; others have the times in their trees",
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
                "names no file of the world; write it as a path below files/",
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
            format!("{text:?} is no RFC 3339 instant, as in \"2026-03-02T09:00:00Z\": {error}"),
        )
    })?;
    if instant.subsec_nanosecond() != 0 {
        return Err(document.wrong(key, format!("{text:?} is not a whole second")));
    }
    Ok(instant)
}
