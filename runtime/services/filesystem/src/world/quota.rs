//! Disk usage of a world, and its quota.

use mcpmark_service::SessionLimits;

use super::{Outcome, Place, World, disk};
use crate::failure::Failure;

/// Disk usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) bytes: u64,
    /// Number of files, directories and symlinks.
    pub(crate) entries: u64,
}

impl Usage {
    /// Describes the exceeded quota, with the setting that raises it.
    fn exceeds(self, limits: &SessionLimits) -> Option<String> {
        let quota = |value: u64, what: &str, key: &str| {
            Some(format!(
                "the quota of {value} {what} for the world (raised by \"limits.{key}\" in meta.json)"
            ))
        };
        if self.bytes > limits.max_bytes {
            return quota(limits.max_bytes, "bytes", "world_bytes");
        }
        if self.entries > limits.max_files {
            return quota(limits.max_files, "files and directories", "world_files");
        }
        None
    }
}

/// Checks that a world is within its limits when it is opened.
pub(crate) fn within(usage: Usage, limits: &SessionLimits) -> Result<(), String> {
    let Usage { bytes, entries } = usage;
    match usage.exceeds(limits) {
        Some(quota) => Err(format!(
            "the world has {bytes} bytes in {entries} entries, which exceeds {quota}"
        )),
        None => Ok(()),
    }
}

impl World {
    /// Returns the maximum size in bytes of a file that replaces the entry at `place`.
    pub(crate) fn room(&self, place: &Place) -> u64 {
        let before = self.weigh(&place.on_disk).bytes;
        let free = (self.limits.max_bytes.saturating_add(before)).saturating_sub(self.usage.bytes);
        free.max(before)
    }

    /// Checks that writing a file of this size does not exceed the quota.
    pub(crate) fn check_room(&self, place: &Place, bytes: u64) -> Outcome<()> {
        let after = Usage { bytes, entries: 1 };
        let during = format!("write '{}'", place.shown);
        let before = self.weigh(&place.on_disk);
        self.charge(before, after, &during).map(drop)
    }

    /// Returns the usage of the entry at a path, without entries below it. It is zero if there is no entry.
    pub(crate) fn weigh(&self, on_disk: &str) -> Usage {
        match self.root.symlink_metadata(disk(on_disk)) {
            Ok(metadata) => Usage {
                bytes: if metadata.is_file() {
                    metadata.len()
                } else {
                    0
                },
                entries: 1,
            },
            Err(_) => Usage::default(),
        }
    }

    /// Returns the usage after a change. Fails if the change increases it beyond a quota.
    pub(super) fn charge(&self, before: Usage, after: Usage, during: &str) -> Outcome<Usage> {
        let usage = Usage {
            bytes: (self.usage.bytes + after.bytes).saturating_sub(before.bytes),
            entries: (self.usage.entries + after.entries).saturating_sub(before.entries),
        };
        // A change that does not increase the usage is allowed even in a full world.
        let grown = Usage {
            bytes: if after.bytes > before.bytes {
                usage.bytes
            } else {
                0
            },
            entries: if after.entries > before.entries {
                usage.entries
            } else {
                0
            },
        };
        match grown.exceeds(&self.limits) {
            Some(quota) => Err(Failure::tool_error(format!(
                "ENOSPC: {quota} would be exceeded, {during}"
            ))),
            None => Ok(usage),
        }
    }
}
