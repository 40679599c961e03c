//! Operations that change the world. Each is applied completely or not at all.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use cap_std::fs::{OpenOptions, OpenOptionsExt};
use mcpmark_snapshot::{Digest, TreePath};
use rustix::io::Errno;

use super::{
    Kind, Outcome, Place, STAGED, Usage, World, above, disk, is_below, join, move_by_copy,
};
use crate::failure::Failure;

/// Maximum length of the name of an entry, in bytes.
const MAX_NAME: usize = 255;

impl World {
    /// Writes a file, and replaces an existing one.
    pub(crate) fn write(&mut self, place: &Place, bytes: &[u8]) -> Outcome<()> {
        let shown = &place.shown;
        let before = self.weigh(&place.on_disk);
        if before.entries == 0 {
            let during = format!("open '{shown}'");
            if self.weigh(above(&place.on_disk)).entries == 0 {
                return Err(Failure::errno(place.missing(), &during));
            }
            self.creatable(&place.on_disk, &during)?;
        } else {
            self.replaceable(place)?;
        }
        let during = format!("write '{shown}'");
        if place.kind.is_none() && before.entries > 0 {
            // The dangling symlink is replaced.
            self.keep_symlinks_inside(|path| (path != place.on_disk).then(|| path.to_owned()))?;
        }
        let after = Usage {
            bytes: bytes.len() as u64,
            entries: 1,
        };
        let usage = self.charge(before, after, &during)?;
        let executable = self.profile.keeps_permissions()
            && place.kind == Some(Kind::File)
            && self.status(place)?.executable;
        let written = self.stage(bytes, executable).and_then(|()| {
            self.staging
                .rename(STAGED, &self.root, disk(&place.on_disk))
        });
        if let Err(error) = written {
            // If removal fails, the staged file remains until the private copy is removed. It is outside the world.
            let _ = self.staging.remove_file(STAGED);
            return Err(Failure::io(&error, &during));
        }
        self.usage = usage;
        Ok(())
    }

    /// Checks that the published server could replace the entry: it writes a temporary file with a longer name in the
    /// same directory and renames it.
    fn replaceable(&mut self, place: &Place) -> Outcome<()> {
        let shown = &place.shown;
        let staged = self.staged_name(shown);
        let name = staged.rsplit('/').next().unwrap_or_default();
        if name.len() > MAX_NAME {
            return Err(Failure::errno(
                Errno::NAMETOOLONG,
                &format!("open '{staged}'"),
            ));
        }
        match place.kind {
            Some(Kind::Directory) => Err(Failure::errno(
                Errno::ISDIR,
                &format!("rename '{staged}' -> '{shown}'"),
            )),
            _ => Ok(()),
        }
    }

    /// Derives a temporary name, which the published server draws at random.
    fn staged_name(&mut self, shown: &str) -> String {
        self.staged_names += 1;
        let origin = format!("{} {} {shown}", self.seed, self.staged_names);
        let drawn = Digest::of(origin.as_bytes()).hex();
        format!("{shown}.{}.tmp", &drawn[..32])
    }

    fn stage(&self, bytes: &[u8], executable: bool) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        options.mode(if executable { 0o755 } else { 0o644 });
        let mut file = self.staging.open_with(STAGED, &options)?;
        file.write_all(bytes)?;
        file.into_std().set_modified(system_time(self.clock))
    }

    /// Creates a directory, and its missing parents.
    pub(crate) fn create_directory(&mut self, place: &Place) -> Outcome<()> {
        let during = format!("mkdir '{}'", place.shown);
        match place.kind {
            Some(Kind::Directory) => return Ok(()),
            Some(Kind::File) => return Err(Failure::errno(Errno::EXIST, &during)),
            None => {}
        }
        if self.weigh(&place.on_disk).entries > 0 {
            return Err(Failure::errno(Errno::NOENT, &during));
        }
        self.creatable(&place.on_disk, &during)?;
        let mut missing = Vec::new();
        let mut directory = place.on_disk.as_str();
        while self.weigh(directory).entries == 0 {
            missing.push(directory);
            directory = above(directory);
        }
        let added = Usage {
            bytes: 0,
            entries: missing.len() as u64,
        };
        let usage = self.charge(Usage::default(), added, &during)?;
        for (made, directory) in missing.iter().rev().enumerate() {
            if let Err(error) = self.root.create_dir(directory) {
                for directory in &missing[missing.len() - made..] {
                    // The directories are empty, because they were created above.
                    let _ = self.root.remove_dir(directory);
                }
                return Err(Failure::io(&error, &during));
            }
        }
        self.usage = usage;
        Ok(())
    }

    /// Moves an entry.
    pub(crate) fn rename(&mut self, from: &Place, to: &Place) -> Outcome<()> {
        let during = format!("rename '{}' -> '{}'", from.shown, to.shown);
        let refused = |errno| Err(Failure::errno(errno, &during));
        let displaced = self.weigh(&to.on_disk);
        if !self.profile.moves_onto_files() {
            if displaced.entries > 0 {
                let text = format!("Destination already exists: {}", to.shown);
                return Err(Failure::tool_error(text));
            }
            if to.missing() != Errno::NOENT {
                return Err(Failure::errno(
                    to.missing(),
                    &format!("lstat '{}'", to.shown),
                ));
            }
        }
        if self.weigh(&from.on_disk).entries == 0 {
            return refused(from.missing());
        }
        if from.on_disk == to.on_disk {
            return Ok(());
        }
        if is_below(&from.on_disk, &to.on_disk) {
            return refused(Errno::NOTEMPTY);
        }
        if self.weigh(above(&to.on_disk)).entries == 0 {
            return refused(Errno::NOENT);
        }
        if is_below(&to.on_disk, &from.on_disk) {
            return refused(Errno::INVAL);
        }
        self.creatable(&to.on_disk, &during)?;
        if from.kind == Some(Kind::Directory) {
            self.fits(&from.on_disk, &to.on_disk, &during)?;
        }
        self.keep_symlinks_inside(|path| {
            if path == from.on_disk || is_below(path, &from.on_disk) {
                Some(format!("{}{}", to.on_disk, &path[from.on_disk.len()..]))
            } else if path == to.on_disk || is_below(path, &to.on_disk) {
                None
            } else {
                Some(path.to_owned())
            }
        })?;
        match self.root.rename(&from.on_disk, &self.root, &to.on_disk) {
            Ok(()) => {}
            Err(error) if move_by_copy::is_refused(&error) => {
                self.move_by_copy(&from.on_disk, &to.on_disk, &during)?;
            }
            Err(error) => return Err(Failure::io(&error, &during)),
        }
        self.usage.bytes -= displaced.bytes;
        self.usage.entries -= displaced.entries;
        Ok(())
    }

    /// Checks that a snapshot can contain an entry with this path.
    fn creatable(&self, on_disk: &str, during: &str) -> Outcome<()> {
        match TreePath::parse(on_disk) {
            Ok(_) => Ok(()),
            Err(_) => Err(Failure::errno(Errno::NAMETOOLONG, during)),
        }
    }

    /// Checks that a snapshot can contain everything below a directory after it is moved.
    fn fits(&self, from: &str, to: &str, during: &str) -> Outcome<()> {
        let mut directories = vec![String::new()];
        while let Some(below) = directories.pop() {
            for entry in self.entries(&join(from, &below), during)? {
                let below = join(&below, &entry.name);
                self.creatable(&join(to, &below), during)?;
                if entry.is_directory {
                    directories.push(below);
                }
            }
        }
        Ok(())
    }
}

fn system_time(seconds: i64) -> SystemTime {
    let span = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        SystemTime::UNIX_EPOCH - span
    } else {
        SystemTime::UNIX_EPOCH + span
    }
}
