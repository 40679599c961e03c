//! Resolution of path arguments to entries of the world.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, OnceLock};

use icu_normalizer::ComposingNormalizerBorrowed;
use mcpmark_service::{Interrupted, checkpoint};
use rustix::io::Errno;

use super::{Entry, Kind, Outcome, Place, World, join};
use crate::failure::Failure;
use crate::path;

/// Maximum number of symlinks in one path, as in the kernel.
const MAX_HOPS: usize = 40;

/// Maximum length of a path argument, in bytes. After normalisation, the kernel's limit of 4,096 bytes applies.
const MAX_WRITTEN: usize = 64 * 1024;

/// Error of following a path.
enum ResolveError {
    Missing,
    Outside(String),
    Interrupted(Interrupted),
    Errno(Errno),
}

/// Names of a directory.
#[derive(Debug)]
pub(crate) struct Names {
    /// Names, sorted by their bytes.
    names: Vec<String>,
    /// Indices of the names by their NFC form. `None` if several names have the same form.
    composed: OnceLock<HashMap<String, Option<usize>>>,
}

impl Names {
    fn new(entries: Vec<Entry>) -> Self {
        Self {
            names: entries.into_iter().map(|entry| entry.name).collect(),
            composed: OnceLock::new(),
        }
    }

    /// Finds a name: an equal one, or the only one with the same NFC form. Fails if several names have that form.
    fn meant(&self, name: &str) -> Outcome<Option<&str>> {
        if let Ok(at) = self.names.binary_search_by(|known| (**known).cmp(name)) {
            return Ok(Some(&self.names[at]));
        }
        let normalizer = ComposingNormalizerBorrowed::new_nfc();
        let composed = self.composed.get_or_init(|| {
            let mut composed = HashMap::new();
            for (at, name) in self.names.iter().enumerate() {
                composed
                    .entry(normalizer.normalize(name).into_owned())
                    .and_modify(|only| *only = None)
                    .or_insert(Some(at));
            }
            composed
        });
        match composed.get(&*normalizer.normalize(name)) {
            None => Ok(None),
            Some(Some(at)) => Ok(Some(&self.names[*at])),
            Some(None) => Err(Failure::tool_error(format!(
                "Ambiguous Unicode path component: {name}"
            ))),
        }
    }
}

impl From<io::Error> for ResolveError {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error).unwrap_or(Errno::IO) {
            Errno::NOENT => Self::Missing,
            errno => Self::Errno(errno),
        }
    }
}

impl World {
    /// Resolves a path argument. The entry need not exist.
    pub(crate) fn resolve(&self, requested: &str) -> Outcome<Place> {
        checkpoint()?;
        if requested.len() > MAX_WRITTEN {
            return Err(Failure::tool_error(format!(
                "ENAMETOOLONG: name too long, a path of {} bytes is longer than the limit of {MAX_WRITTEN} bytes",
                requested.len()
            )));
        }
        let absolute = path::absolute(requested, self.profile)?;
        let below = path::below_root(&absolute).unwrap_or_default();
        match self.follow(below) {
            Ok((on_disk, kind)) => Ok(there(on_disk, kind)),
            Err(ResolveError::Missing) if self.profile.matches_unicode_forms() => {
                self.meant(&absolute)
            }
            Err(ResolveError::Missing) => {
                let parent = path::parent(&absolute);
                let directory = path::below_root(parent).map(|below| self.follow(below));
                let Some(Ok((directory, Kind::Directory))) = directory else {
                    return Err(path::no_parent(parent));
                };
                let name = absolute.rsplit('/').next().unwrap_or_default();
                Ok(Place {
                    on_disk: join(&directory, name),
                    kind: None,
                    shown: absolute,
                })
            }
            Err(error) => Err(lost(error, &absolute)),
        }
    }

    /// Resolves an entry of a listed directory.
    pub(crate) fn resolve_entry(&self, directory: &Place, entry: &Entry) -> Outcome<Place> {
        let on_disk = join(&directory.on_disk, &entry.name);
        let shown = path::shown(&on_disk);
        // In other directories than the root, no name is refused, and no prefix of the path is a symlink.
        if entry.is_symlink || directory.on_disk.is_empty() {
            return self.resolve(&shown);
        }
        let kind = if entry.is_directory {
            Kind::Directory
        } else {
            Kind::File
        };
        Ok(Place {
            shown,
            on_disk,
            kind: Some(kind),
        })
    }

    /// Clears the cache of directory names, which any change makes stale.
    pub(crate) fn forget_names(&self) {
        self.names.borrow_mut().clear();
    }

    /// Returns the names of a directory, which are read once per call.
    fn names(&self, place: &Place) -> Outcome<Arc<Names>> {
        if let Some(names) = self.names.borrow().get(&place.on_disk) {
            return Ok(Arc::clone(names));
        }
        let names = Arc::new(Names::new(self.list(place)?));
        let mut known = self.names.borrow_mut();
        known.insert(place.on_disk.clone(), Arc::clone(&names));
        Ok(names)
    }

    /// Resolves a missing path by the NFC forms of its names. Names after the last entry that was found do not exist
    /// yet.
    fn meant(&self, absolute: &str) -> Outcome<Place> {
        let below = path::below_root(absolute).unwrap_or_default();
        let mut rest = below.split('/').filter(|name| !name.is_empty());
        let (mut on_disk, mut kind) = (String::new(), Kind::Directory);
        while let Some(name) = rest.next() {
            let here = self.names(&there(on_disk.clone(), kind))?;
            let Some(found) = here.meant(name)? else {
                let missing: Vec<&str> = [name].into_iter().chain(rest).collect();
                let on_disk = join(&on_disk, &missing.join("/"));
                return Ok(Place {
                    shown: path::shown(&on_disk),
                    on_disk,
                    kind: None,
                });
            };
            let next = join(&on_disk, found);
            (on_disk, kind) = self.follow(&next).map_err(|error| match error {
                ResolveError::Missing => path::no_parent(path::parent(absolute)),
                error => lost(error, &path::shown(&next)),
            })?;
        }
        Ok(there(on_disk, kind))
    }

    /// Follows symlinks. Returns the path without symlinks and the kind of its entry.
    fn follow(&self, below: &str) -> Result<(String, Kind), ResolveError> {
        let mut on_disk = String::new();
        let mut kind = Kind::Directory;
        let mut ahead: Vec<Cow<'_, str>> = below.split('/').rev().map(Cow::Borrowed).collect();
        let mut hops = 0;
        while let Some(name) = ahead.pop() {
            if kind == Kind::File {
                return Err(ResolveError::Errno(Errno::NOTDIR));
            }
            if name.is_empty() || name == "." {
                continue;
            }
            if name == ".." {
                if on_disk.is_empty() {
                    ahead.push(Cow::Borrowed(".."));
                    return Err(ResolveError::Outside(remainder(path::ROOT, ahead)));
                }
                on_disk.truncate(on_disk.rfind('/').unwrap_or(0));
                continue;
            }
            if name.len() > 255 {
                return Err(ResolveError::Errno(Errno::NAMETOOLONG));
            }
            checkpoint().map_err(ResolveError::Interrupted)?;
            let next = join(&on_disk, &name);
            let metadata = self.root.symlink_metadata(&next)?;
            if metadata.is_symlink() {
                hops += 1;
                if hops > MAX_HOPS {
                    return Err(ResolveError::Errno(Errno::LOOP));
                }
                let target = self.root.read_link_contents(&next)?;
                let target = target.to_string_lossy().into_owned();
                ahead.extend(
                    target
                        .split('/')
                        .rev()
                        .map(|name| Cow::Owned(name.to_owned())),
                );
                if target.starts_with('/') {
                    return Err(ResolveError::Outside(remainder("/", ahead)));
                }
                continue;
            }
            kind = if metadata.is_dir() {
                Kind::Directory
            } else {
                Kind::File
            };
            on_disk = next;
        }
        Ok((on_disk, kind))
    }
}

fn there(on_disk: String, kind: Kind) -> Place {
    Place {
        shown: path::shown(&on_disk),
        on_disk,
        kind: Some(kind),
    }
}

fn lost(error: ResolveError, absolute: &str) -> Failure {
    let errno = match error {
        ResolveError::Outside(target) => return path::outside("symlink target", &target),
        ResolveError::Interrupted(interrupted) => return interrupted.into(),
        ResolveError::Missing => Errno::NOENT,
        ResolveError::Errno(errno) => errno,
    };
    Failure::errno(errno, &format!("realpath '{absolute}'"))
}

/// Returns the path that is reached when the world is left at `from`.
fn remainder(from: &str, ahead: Vec<Cow<'_, str>>) -> String {
    let names: Vec<Cow<'_, str>> = ahead.into_iter().rev().collect();
    path::resolve(&format!("{from}/{}", names.join("/")))
}
