//! From a path as an agent writes it to a place in the world.

use std::io;

use icu_normalizer::ComposingNormalizerBorrowed;
use rustix::io::Errno;

use super::{Kind, Outcome, Place, World, join};
use crate::failure::Failure;
use crate::path;

/// The kernel follows as many symlinks for one path.
const MAX_HOPS: usize = 40;

/// Why a path could not be followed.
enum Lost {
    Missing,
    Outside(String),
    Errno(Errno),
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error).unwrap_or(Errno::IO) {
            Errno::NOENT => Self::Missing,
            errno => Self::Errno(errno),
        }
    }
}

impl World {
    /// Resolves a path as an agent writes it. Nothing need be there.
    pub(crate) fn resolve(&self, requested: &str) -> Outcome<Place> {
        let absolute = path::absolute(requested, self.profile)?;
        let below = path::below_root(&absolute).unwrap_or_default();
        match self.follow(below) {
            Ok((on_disk, kind)) => Ok(there(on_disk, kind)),
            Err(Lost::Missing) if self.profile.finds_what_is_meant() => self.meant(&absolute),
            Err(Lost::Missing) => {
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

    /// Resolves an entry that a listing gave: a path below the root, symlinks in it allowed.
    pub(crate) fn resolve_entry(&self, below: &str) -> Outcome<Place> {
        self.resolve(&path::shown(below))
    }

    /// Finds the entries that the names of a missing path mean: those whose composed form is the
    /// same. What comes after the last one found is yet to be made.
    fn meant(&self, absolute: &str) -> Outcome<Place> {
        let normalizer = ComposingNormalizerBorrowed::new_nfc();
        let below = path::below_root(absolute).unwrap_or_default();
        let mut rest = below.split('/').filter(|name| !name.is_empty());
        let (mut on_disk, mut kind) = (String::new(), Kind::Directory);
        while let Some(name) = rest.next() {
            let here = self.list(&there(on_disk.clone(), kind))?;
            let mut found = here.iter().filter(|entry| entry.name == name);
            let exact = found.next();
            let wanted = normalizer.normalize(name);
            let mut alike = here
                .iter()
                .filter(|entry| normalizer.normalize(&entry.name) == wanted);
            let found = match (exact, alike.next(), alike.next()) {
                (Some(exact), ..) => exact,
                (None, Some(_), Some(_)) => {
                    return Err(Failure::said(format!(
                        "Ambiguous Unicode path component: {name}"
                    )));
                }
                (None, Some(alike), None) => alike,
                (None, None, _) => {
                    let missing = rest.fold(name.to_owned(), |path, name| join(&path, name));
                    let on_disk = join(&on_disk, &missing);
                    return Ok(Place {
                        shown: path::shown(&on_disk),
                        on_disk,
                        kind: None,
                    });
                }
            };
            let next = join(&on_disk, &found.name);
            (on_disk, kind) = self.follow(&next).map_err(|error| match error {
                Lost::Missing => path::no_parent(path::parent(absolute)),
                error => lost(error, &path::shown(&next)),
            })?;
        }
        Ok(there(on_disk, kind))
    }

    /// The path without symlinks, and what is there.
    fn follow(&self, below: &str) -> Result<(String, Kind), Lost> {
        let mut on_disk = String::new();
        let mut kind = Kind::Directory;
        let mut ahead: Vec<String> = below.split('/').rev().map(str::to_owned).collect();
        let mut hops = 0;
        while let Some(name) = ahead.pop() {
            if kind == Kind::File {
                return Err(Lost::Errno(Errno::NOTDIR));
            }
            if name.is_empty() || name == "." {
                continue;
            }
            if name == ".." {
                if on_disk.is_empty() {
                    ahead.push("..".to_owned());
                    return Err(Lost::Outside(remainder(path::ROOT, ahead)));
                }
                on_disk.truncate(on_disk.rfind('/').unwrap_or(0));
                continue;
            }
            if name.len() > 255 {
                return Err(Lost::Errno(Errno::NAMETOOLONG));
            }
            let next = join(&on_disk, &name);
            let metadata = self.root.symlink_metadata(&next)?;
            if metadata.is_symlink() {
                hops += 1;
                if hops > MAX_HOPS {
                    return Err(Lost::Errno(Errno::LOOP));
                }
                let target = self.root.read_link_contents(&next)?;
                let target = target.to_string_lossy().into_owned();
                ahead.extend(target.split('/').rev().map(str::to_owned));
                if target.starts_with('/') {
                    return Err(Lost::Outside(remainder("/", ahead)));
                }
                continue;
            }
            kind = match metadata.is_dir() {
                true => Kind::Directory,
                false => Kind::File,
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

fn lost(error: Lost, absolute: &str) -> Failure {
    let errno = match error {
        Lost::Outside(target) => return path::outside("symlink target", &target),
        Lost::Missing => Errno::NOENT,
        Lost::Errno(errno) => errno,
    };
    Failure::errno(errno, &format!("realpath '{absolute}'"))
}

/// Where a path leads that leaves the world at `from`.
fn remainder(from: &str, ahead: Vec<String>) -> String {
    let names: Vec<String> = ahead.into_iter().rev().collect();
    path::resolve(&format!("{from}/{}", names.join("/")))
}
