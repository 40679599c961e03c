//! Limit of the memory of a session as a sum: of all processes of its server and of its private file system.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Variable with a directory of cgroup version 2 in which this program may create groups.
pub const CGROUP_VARIABLE: &str = "MCPMARK_CGROUP";

/// Start of the names of groups.
const PREFIX: &str = "mcpmark";

/// Directory in which groups with a limit of memory can be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CgroupParent {
    dir: PathBuf,
    version: Version,
}

/// Version of the interface of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V1,
    V2,
}

impl CgroupParent {
    /// Returns the directory of this machine, if there is one. It is determined once.
    ///
    /// It is that of [`CGROUP_VARIABLE`], or the group of this process if groups below it can have a limit of memory. In
    /// version 2 this is rarely so, because the processes of such a group must be in groups below it.
    pub fn of_machine() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<CgroupParent>> = OnceLock::new();
        FOUND.get_or_init(Self::find).as_ref()
    }

    fn find() -> Option<Self> {
        let chosen = std::env::var_os(CGROUP_VARIABLE).filter(|dir| !dir.is_empty());
        let own = || {
            let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
            let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
            of_process(&groups, &mounts)
        };
        let candidates = match chosen {
            Some(dir) => vec![Self {
                dir: dir.into(),
                version: Version::V2,
            }],
            None => own(),
        };
        candidates.into_iter().find(Self::works)
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Creates a group, lets a process enter it, and removes it.
    fn works(&self) -> bool {
        let Ok(group) = Cgroup::create(self, 1 << 30) else {
            return false;
        };
        let entered = Command::new("sh")
            .args(["-c", "echo \"$$\" > \"$1/cgroup.procs\"", "sh"])
            .arg(group.dir())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        group.remove().is_ok() && entered.is_ok_and(|status| status.success())
    }
}

/// Group of one server. Its scripts enter it, and remove it at their end.
#[derive(Debug)]
pub(super) struct Cgroup {
    dir: PathBuf,
    version: Version,
}

impl Cgroup {
    /// Creates a group with a limit of memory in bytes.
    pub(super) fn create(parent: &CgroupParent, bytes: u64) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}-{}-{count}", std::process::id());
        let group = Self {
            dir: parent.dir.join(name),
            version: parent.version,
        };
        // A killed process with the same number can have left it.
        let _ = fs::remove_dir(&group.dir);
        fs::create_dir(&group.dir)?;
        group.limit(bytes)?;
        Ok(group)
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Sets the limit, in bytes.
    pub(super) fn limit(&self, bytes: u64) -> io::Result<()> {
        let file = match self.version {
            Version::V1 => "memory.limit_in_bytes",
            Version::V2 => {
                // The kernel may have no swap, or no accounting of it.
                let _ = write(&self.dir.join("memory.swap.max"), "0");
                "memory.max"
            }
        };
        write(&self.dir.join(file), &bytes.to_string())
    }

    fn remove(&self) -> io::Result<()> {
        fs::remove_dir(&self.dir)
    }
}

impl Drop for Cgroup {
    /// Removes the group if it has no processes. Usually the scripts of the server have removed it.
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

/// Writes to an existing file of the kernel.
fn write(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    let mut file = fs::File::options().write(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// Returns the groups of a process that have a controller of memory, in the syntax of `/proc/self/cgroup` and
/// `/proc/self/mountinfo`.
fn of_process(groups: &str, mounts: &str) -> Vec<CgroupParent> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let version = match controllers {
            "" => Version::V2,
            _ if controllers.split(',').any(|name| name == "memory") => Version::V1,
            _ => continue,
        };
        let Some((root, point)) = mounts.lines().find_map(|line| mount(line, version)) else {
            continue;
        };
        // A container sees its group as the root of the mount.
        let below = Path::new(path)
            .strip_prefix(root)
            .or_else(|_| Path::new(path).strip_prefix("/"));
        if let Ok(below) = below {
            found.push(CgroupParent {
                dir: Path::new(point).join(below),
                version,
            });
        }
    }
    found
}

/// Returns the root and the place of a mount of the hierarchy with the controller of memory.
fn mount(line: &str, version: Version) -> Option<(&str, &str)> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let mut kind = kind.split(' ');
    let is_wanted = match (version, kind.next()?) {
        (Version::V2, "cgroup2") => true,
        (Version::V1, "cgroup") => kind.nth(1)?.split(',').any(|option| option == "memory"),
        _ => false,
    };
    let found = (place.next()?, place.next()?);
    is_wanted.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
24 1 254:0 / / rw - ext4 /dev/vda rw
30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
31 24 0:27 /docker/abc /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
";

    #[test]
    fn groups_of_a_process_are_found() {
        let found = of_process("9:cpu:/x\n4:memory:/docker/abc/one\n0::/two\n", MOUNTS);
        let expected = [
            ("/sys/fs/cgroup/memory/one", Version::V1),
            ("/sys/fs/cgroup/unified/two", Version::V2),
        ]
        .map(|(dir, version)| CgroupParent {
            dir: dir.into(),
            version,
        });
        assert_eq!(found, expected);
        assert_eq!(of_process("0::/two\n", ""), []);
        assert_eq!(of_process("", MOUNTS), []);
    }

    #[test]
    fn a_directory_that_is_no_group_does_not_work() {
        let dir = tempfile::tempdir().unwrap();
        let parent = CgroupParent {
            dir: dir.path().to_owned(),
            version: Version::V2,
        };
        // The file of the limit does not appear.
        assert!(!parent.works());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
