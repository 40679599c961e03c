//! `wasi:filesystem` over snapshots: everything is readable, nothing can be changed.
//!
//! Not the implementation of `wasmtime-wasi`, whose descriptors are open files and directories of the host. A snapshot
//! would have to be written to a directory first, and listings, times and inode numbers would be those of that
//! directory.
#![expect(
    unreachable_pub,
    reason = "the bindings re-export the types of resources"
)]

use std::collections::VecDeque;

use mcpmark_snapshot::Node;
use wasmtime::component::Resource;

use super::bindings::wasi::clocks::wall_clock::Datetime;
use super::bindings::wasi::filesystem::preopens;
use super::bindings::wasi::filesystem::types::{
    self, Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, ErrorCode,
    MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use super::clock::seconds;
use super::files::ResolvedPath;
use super::host::WasiHost;
use super::streams::{Error, Input, Output};
use crate::host::Stop;

/// Bytes charged for an entry of a directory, in addition to its name.
const ENTRY_COST: u64 = 128;
/// Bytes charged for each name in a path.
const SEGMENT_COST: u64 = 64;
/// Maximum number of bytes that one read returns.
const READ_LIMIT: u64 = 1 << 20;

/// Maximum cost of the directory listings that a script holds open together, in bytes. They are in the memory of the
/// host, not in that of the guest.
const MAX_LISTING_COST: u64 = 64 << 20;

/// Open directory listing.
#[derive(Debug)]
pub struct Entries {
    /// Entries that were not read yet.
    ahead: VecDeque<DirectoryEntry>,
    cost: u64,
}

/// Size of a directory, as most file systems of Linux report it. Scripts add up and sort sizes.
const DIRECTORY_SIZE: u64 = 4096;

type Answer<T> = wasmtime::Result<Result<T, ErrorCode>>;
type Descriptor = Resource<ResolvedPath>;

impl WasiHost<'_> {
    fn place(&mut self, descriptor: &Descriptor) -> wasmtime::Result<ResolvedPath> {
        let place = self.wasi.table.get(descriptor)?.clone();
        self.light(place.depth() as u64 * SEGMENT_COST)?;
        Ok(place)
    }

    fn find(&mut self, base: &Descriptor, flags: PathFlags, path: &str) -> Answer<ResolvedPath> {
        self.common.charge(path.len() as u64)?;
        let base = self.wasi.table.get(base)?;
        let follow = flags.contains(PathFlags::SYMLINK_FOLLOW);
        let found = self.wasi.files.resolve(base, path, follow);
        let walked = self.wasi.files.take_walked();
        self.common.charge_bytes(walked * SEGMENT_COST)?;
        Ok(found)
    }

    /// Refuses to create something, with the error that takes precedence.
    fn refuse_new<T>(&mut self, base: &Descriptor, path: &str) -> Answer<T> {
        Ok(Err(match self.find(base, PathFlags::empty(), path)? {
            Ok(_) => ErrorCode::Exist,
            Err(_) => self
                .wasi
                .files
                .refuse_creation(self.wasi.table.get(base)?, path),
        }))
    }

    /// Refuses to change something, as read-only if it exists and with the error of the lookup if it does not.
    fn refuse_change<T>(&mut self, base: &Descriptor, path: &str) -> Answer<T> {
        let found = self.find(base, PathFlags::empty(), path)?;
        Ok(found.and(Err(ErrorCode::ReadOnly)))
    }

    fn stat_of(&self, place: &ResolvedPath) -> DescriptorStat {
        let node = place.entry().map(|entry| &entry.node);
        let (size, modified) = match node {
            Some(Node::File(file)) => (file.size, file.modified),
            Some(Node::Symlink(link)) => (link.target.len() as u64, None),
            Some(Node::Directory(_)) | None => (DIRECTORY_SIZE, None),
        };
        let time = Datetime {
            seconds: seconds(modified.unwrap_or(self.wasi.started)),
            nanoseconds: 0,
        };
        DescriptorStat {
            type_: node.map_or(DescriptorType::Directory, kind),
            link_count: 1,
            size,
            data_access_timestamp: Some(time),
            data_modification_timestamp: Some(time),
            status_change_timestamp: Some(time),
        }
    }
}

fn kind(node: &Node) -> DescriptorType {
    match node {
        Node::Directory(_) => DescriptorType::Directory,
        Node::File(_) => DescriptorType::RegularFile,
        Node::Symlink(_) => DescriptorType::SymbolicLink,
    }
}

fn hash(place: &ResolvedPath) -> MetadataHashValue {
    let (lower, upper) = place.number();
    MetadataHashValue { lower, upper }
}

impl preopens::Host for WasiHost<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Descriptor, String)>> {
        self.light(0)?;
        Ok(vec![(
            self.wasi.table.push(ResolvedPath::default())?,
            "/".to_owned(),
        )])
    }
}

impl types::Host for WasiHost<'_> {
    fn filesystem_error_code(
        &mut self,
        error: Resource<Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        match *self.wasi.table.get(&error)? {}
    }
}

impl types::HostDescriptor for WasiHost<'_> {
    fn read_via_stream(&mut self, descriptor: Descriptor, offset: u64) -> Answer<Resource<Input>> {
        let place = self.place(&descriptor)?;
        match place.entry() {
            Some(entry) if entry.node.as_file().is_some() => Ok(Ok(self
                .wasi
                .table
                .push(Input::File(entry.clone(), offset))?)),
            _ => Ok(Err(ErrorCode::IsDirectory)),
        }
    }

    fn write_via_stream(&mut self, descriptor: Descriptor, _: u64) -> Answer<Resource<Output>> {
        self.place(&descriptor)?;
        Ok(Err(ErrorCode::BadDescriptor))
    }

    fn append_via_stream(&mut self, descriptor: Descriptor) -> Answer<Resource<Output>> {
        self.place(&descriptor)?;
        Ok(Err(ErrorCode::BadDescriptor))
    }

    fn advise(&mut self, descriptor: Descriptor, _: u64, _: u64, _: Advice) -> Answer<()> {
        self.place(&descriptor)?;
        Ok(Ok(()))
    }

    fn sync_data(&mut self, descriptor: Descriptor) -> Answer<()> {
        self.place(&descriptor)?;
        Ok(Ok(()))
    }

    fn get_flags(&mut self, descriptor: Descriptor) -> Answer<DescriptorFlags> {
        self.place(&descriptor)?;
        Ok(Ok(DescriptorFlags::READ))
    }

    fn get_type(&mut self, descriptor: Descriptor) -> Answer<DescriptorType> {
        let place = self.place(&descriptor)?;
        Ok(Ok(self.stat_of(&place).type_))
    }

    fn set_size(&mut self, descriptor: Descriptor, _: u64) -> Answer<()> {
        self.place(&descriptor)?;
        Ok(Err(ErrorCode::ReadOnly))
    }

    fn set_times(
        &mut self,
        descriptor: Descriptor,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> Answer<()> {
        self.place(&descriptor)?;
        Ok(Err(ErrorCode::ReadOnly))
    }

    fn read(
        &mut self,
        descriptor: Descriptor,
        length: u64,
        offset: u64,
    ) -> Answer<(Vec<u8>, bool)> {
        let place = self.place(&descriptor)?;
        let Some((mount, file)) = place
            .entry()
            .and_then(|entry| Some((entry.mount, entry.node.as_file()?)))
        else {
            return Ok(Err(ErrorCode::IsDirectory));
        };
        let read = self
            .wasi
            .files
            .read(mount, file, offset, length.min(READ_LIMIT));
        let bytes = read.map_err(Stop::host)?.to_vec();
        let loaded = self.charge_loaded()?;
        self.common.charge(loaded.max(bytes.len() as u64))?;
        let end = offset.saturating_add(bytes.len() as u64) >= file.size;
        Ok(Ok((bytes, end)))
    }

    fn write(&mut self, descriptor: Descriptor, _: Vec<u8>, _: u64) -> Answer<u64> {
        self.place(&descriptor)?;
        Ok(Err(ErrorCode::BadDescriptor))
    }

    fn read_directory(&mut self, descriptor: Descriptor) -> Answer<Resource<Entries>> {
        let place = self.place(&descriptor)?;
        let Some(directory) = place.directory() else {
            return Ok(Err(ErrorCode::NotDirectory));
        };
        let entries = self.wasi.files.list(&directory);
        let names: usize = entries.iter().map(|(name, _)| name.len()).sum();
        let cost = names as u64 + ENTRY_COST * entries.len() as u64;
        self.common.charge(cost)?;
        let entries = entries.into_iter().map(|(name, node)| DirectoryEntry {
            type_: kind(&node),
            name,
        });
        if self.wasi.listed.saturating_add(cost) > MAX_LISTING_COST {
            return Ok(Err(ErrorCode::InsufficientMemory));
        }
        self.wasi.listed += cost;
        let entries = Entries {
            ahead: entries.collect(),
            cost,
        };
        Ok(Ok(self.wasi.table.push(entries)?))
    }

    fn sync(&mut self, descriptor: Descriptor) -> Answer<()> {
        self.sync_data(descriptor)
    }

    fn create_directory_at(&mut self, base: Descriptor, path: String) -> Answer<()> {
        self.refuse_new(&base, &path)
    }

    fn stat(&mut self, descriptor: Descriptor) -> Answer<DescriptorStat> {
        let place = self.place(&descriptor)?;
        Ok(Ok(self.stat_of(&place)))
    }

    fn stat_at(
        &mut self,
        base: Descriptor,
        flags: PathFlags,
        path: String,
    ) -> Answer<DescriptorStat> {
        let found = self.find(&base, flags, &path)?;
        Ok(found.map(|place| self.stat_of(&place)))
    }

    fn set_times_at(
        &mut self,
        base: Descriptor,
        flags: PathFlags,
        path: String,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> Answer<()> {
        let found = self.find(&base, flags, &path)?;
        Ok(found.and(Err(ErrorCode::ReadOnly)))
    }

    fn link_at(
        &mut self,
        base: Descriptor,
        _: PathFlags,
        path: String,
        _: Descriptor,
        _: String,
    ) -> Answer<()> {
        self.refuse_change(&base, &path)
    }

    fn open_at(
        &mut self,
        base: Descriptor,
        path_flags: PathFlags,
        path: String,
        open: OpenFlags,
        flags: DescriptorFlags,
    ) -> Answer<Descriptor> {
        let exclusive = open.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE);
        // An exclusive creation fails at a symlink, regardless of its target.
        let path_flags = if exclusive {
            PathFlags::empty()
        } else {
            path_flags
        };
        let place = match self.find(&base, path_flags, &path)? {
            Ok(place) => place,
            Err(ErrorCode::NoEntry) if open.contains(OpenFlags::CREATE) => {
                return Ok(Err(self
                    .wasi
                    .files
                    .refuse_creation(self.wasi.table.get(&base)?, &path)));
            }
            Err(error) => return Ok(Err(error)),
        };
        let directory = place.directory().is_some();
        let changes = flags.contains(DescriptorFlags::WRITE) || open.contains(OpenFlags::TRUNCATE);
        let link = place
            .entry()
            .is_some_and(|entry| entry.node.as_symlink().is_some());
        let refusal = if exclusive {
            Some(ErrorCode::Exist)
        } else if link {
            Some(ErrorCode::Loop)
        } else if open.contains(OpenFlags::DIRECTORY) && !directory {
            Some(ErrorCode::NotDirectory)
        } else if directory && (changes || open.contains(OpenFlags::CREATE)) {
            Some(ErrorCode::IsDirectory)
        } else if changes {
            Some(ErrorCode::ReadOnly)
        } else {
            None
        };
        match refusal {
            Some(error) => Ok(Err(error)),
            None => Ok(Ok(self.wasi.table.push(place)?)),
        }
    }

    fn readlink_at(&mut self, base: Descriptor, path: String) -> Answer<String> {
        let found = self.find(&base, PathFlags::empty(), &path)?;
        let target = found.and_then(|place| {
            let link = place.entry().and_then(|entry| entry.node.as_symlink());
            link.map(|link| link.target.clone())
                .ok_or(ErrorCode::Invalid)
        });
        let bytes = target.as_ref().map_or(0, String::len);
        self.common.charge_bytes(bytes as u64)?;
        Ok(target)
    }

    fn remove_directory_at(&mut self, base: Descriptor, path: String) -> Answer<()> {
        self.refuse_change(&base, &path)
    }

    fn rename_at(
        &mut self,
        base: Descriptor,
        path: String,
        _: Descriptor,
        _: String,
    ) -> Answer<()> {
        self.refuse_change(&base, &path)
    }

    fn symlink_at(&mut self, base: Descriptor, _: String, path: String) -> Answer<()> {
        self.refuse_new(&base, &path)
    }

    fn unlink_file_at(&mut self, base: Descriptor, path: String) -> Answer<()> {
        self.refuse_change(&base, &path)
    }

    fn is_same_object(&mut self, one: Descriptor, other: Descriptor) -> wasmtime::Result<bool> {
        Ok(self.place(&one)?.number() == self.place(&other)?.number())
    }

    fn metadata_hash(&mut self, descriptor: Descriptor) -> Answer<MetadataHashValue> {
        Ok(Ok(hash(&self.place(&descriptor)?)))
    }

    fn metadata_hash_at(
        &mut self,
        base: Descriptor,
        flags: PathFlags,
        path: String,
    ) -> Answer<MetadataHashValue> {
        Ok(self.find(&base, flags, &path)?.map(|place| hash(&place)))
    }

    fn drop(&mut self, descriptor: Descriptor) -> wasmtime::Result<()> {
        self.wasi.table.delete(descriptor)?;
        Ok(())
    }
}

impl types::HostDirectoryEntryStream for WasiHost<'_> {
    fn read_directory_entry(
        &mut self,
        stream: Resource<Entries>,
    ) -> Answer<Option<DirectoryEntry>> {
        // The whole listing was charged when it was opened, but not repeated calls at its end.
        self.light(0)?;
        Ok(Ok(self.wasi.table.get_mut(&stream)?.ahead.pop_front()))
    }

    fn drop(&mut self, stream: Resource<Entries>) -> wasmtime::Result<()> {
        let entries = self.wasi.table.delete(stream)?;
        self.wasi.listed = self.wasi.listed.saturating_sub(entries.cost);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
