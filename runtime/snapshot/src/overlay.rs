//! Overlay mounts without a mount point.
//!
//! The kernel combines a directory that is never written (the lower one) with the changes in another directory (the
//! upper one). The mount has no path. It is accessible only through its file descriptor, which child processes do not
//! inherit, and it is removed when the descriptor is closed. So nothing stays mounted, however the process ends.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use cap_std::fs::{FileTypeExt, Metadata, MetadataExt};
use rustix::fs::{Mode, OFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_flag,
    fsconfig_set_string, fsmount, fsopen,
};

use crate::Scratch;

/// Name of the world's directory within the lower directory. Other directories that must be on the same file system are
/// created next to it.
pub(crate) const WORLD: &str = "world";

/// Extended attributes in which the kernel stores its marks on entries of the upper directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    /// Attributes in `trusted.*`, which only the administrator of the machine can set.
    Trusted,
    /// Attributes in `user.*`, which the owner of a file can set. Used in a user namespace.
    User,
}

impl Marks {
    /// Returns the attribute of a directory that hides the entries of the lower directory.
    pub(crate) fn opaque(self) -> &'static str {
        match self {
            Self::Trusted => "trusted.overlay.opaque",
            Self::User => "user.overlay.opaque",
        }
    }
}

/// Overlay mount. It is removed when this is dropped and no file in it is open.
#[derive(Debug)]
pub(crate) struct Overlay {
    mount: OwnedFd,
    upper: PathBuf,
    marks: Marks,
}

impl Overlay {
    /// Mounts an empty upper directory, created in `layers`, over `lower`.
    pub(crate) fn mount(lower: &Path, layers: &Path, marks: Marks) -> io::Result<Self> {
        let (upper, work) = (layers.join("upper"), layers.join("work"));
        fs::create_dir(&upper)?;
        fs::create_dir(&work)?;
        let config = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
        // Kept open until the mount is created. The kernel gets paths of descriptors, because they are short and
        // contain no character that is special in mount options.
        let mut held = Vec::new();
        for (key, dir) in [
            ("lowerdir", lower),
            ("upperdir", &*upper),
            ("workdir", &*work),
        ] {
            let dir = open(dir)?;
            let name = format!("/proc/self/fd/{}", dir.as_raw_fd());
            fsconfig_set_string(&config, key, &*name)?;
            held.push(dir);
        }
        match marks {
            // Otherwise the kernel could store a directory as a reference to another place, and a file without its
            // bytes.
            Marks::Trusted => {
                for key in ["redirect_dir", "metacopy", "index"] {
                    fsconfig_set_string(&config, key, "off")?;
                }
            }
            // Disables `redirect_dir` and `metacopy` as well.
            Marks::User => fsconfig_set_flag(&config, "userxattr")?,
        }
        // The upper directory is not needed after a crash, so nothing is synced.
        fsconfig_set_flag(&config, "volatile")?;
        fsconfig_create(&config)?;
        let attributes = MountAttrFlags::MOUNT_ATTR_NODEV
            | MountAttrFlags::MOUNT_ATTR_NOSUID
            | MountAttrFlags::MOUNT_ATTR_NOATIME;
        let mount = fsmount(&config, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
        Ok(Self {
            mount,
            upper,
            marks,
        })
    }

    /// Opens a directory at the root of the mount.
    pub(crate) fn open(&self, name: &str) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.mount, name, flags, Mode::empty())?)
    }

    /// Creates a directory at the root of the mount.
    pub(crate) fn create(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(
            &self.mount,
            name,
            Mode::from_raw_mode(0o700),
        )?)
    }

    /// Returns the directory with the changes of the world. It does not exist before the first change.
    pub(crate) fn changes(&self) -> PathBuf {
        self.upper.join(WORLD)
    }

    pub(crate) fn marks(&self) -> Marks {
        self.marks
    }
}

fn open(dir: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(dir, flags, Mode::empty())?)
}

/// Reports whether an entry of the upper directory is a whiteout, that is, marks a removed entry of the lower
/// directory.
pub(crate) fn is_whiteout(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

/// Tests whether a mount in `parent` works and leaves the marks that a capture reads.
pub(crate) fn probe(parent: &Path) -> io::Result<Marks> {
    let trusted = attempt(parent, Marks::Trusted);
    trusted.or_else(|first| attempt(parent, Marks::User).map_err(|_| first))
}

fn attempt(parent: &Path, marks: Marks) -> io::Result<Marks> {
    let scratch = Scratch::new(parent)?;
    let lower = scratch.path().join("lower");
    fs::create_dir_all(lower.join(WORLD).join("kept/inner"))?;
    fs::write(lower.join(WORLD).join("gone"), "")?;
    let overlay = Overlay::mount(&lower, scratch.path(), marks)?;
    let world = cap_std::fs::Dir::from_std_file(overlay.open(WORLD)?.into());
    world.remove_file("gone")?;
    world.remove_dir_all("kept")?;
    world.create_dir("kept")?;
    world.write("kept/new", "new")?;

    let changes = overlay.changes();
    let changed = cap_std::fs::Dir::open_ambient_dir(&changes, cap_std::ambient_authority())?;
    let mut value = [0; 1];
    rustix::fs::lgetxattr(changes.join("kept"), marks.opaque(), &mut value)?;
    let is_marked = value == *b"y" && is_whiteout(&changed.symlink_metadata("gone")?);
    if is_marked && changed.read("kept/new")? == b"new" && lower.join("world/gone").exists() {
        Ok(marks)
    } else {
        Err(io::Error::other(
            "the kernel marks changes in an unknown way",
        ))
    }
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a child tells that it is ready")]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use mcpmark_test_support::{Need, skip};
    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    const LAYERS: &str = "MCPMARK_TEST_LAYERS";
    const ENDING: &str = "MCPMARK_TEST_ENDING";

    /// Returns the kind of marks that works on this machine, or skips the test if none does.
    fn marks(home: &Path) -> Option<Marks> {
        probe(home)
            .inspect_err(|error| skip(Need::Overlay, error))
            .ok()
    }

    /// Reports whether a mount uses the upper directory. A mount with an index refuses to share it.
    fn is_held(home: &Path) -> bool {
        let work = tempfile::tempdir_in(home).unwrap();
        let config = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC).unwrap();
        for (key, dir) in [
            ("lowerdir", &*home.join("lower")),
            ("upperdir", &*home.join("upper")),
            ("workdir", work.path()),
        ] {
            fsconfig_set_string(&config, key, dir).unwrap();
        }
        fsconfig_set_string(&config, "index", "on").unwrap();
        match fsconfig_create(&config) {
            Ok(()) => false,
            Err(Errno::BUSY) => true,
            Err(error) => panic!("{error}"),
        }
    }

    fn mounts() -> String {
        fs::read_to_string("/proc/self/mountinfo").unwrap()
    }

    #[test]
    fn a_mount_hangs_in_no_path_and_goes_when_dropped() {
        let home = tempfile::tempdir().unwrap();
        let Some(marks) = marks(home.path()) else {
            return;
        };
        let before = mounts();
        let lower = home.path().join("lower");
        fs::create_dir_all(lower.join(WORLD)).unwrap();
        let overlay = Overlay::mount(&lower, home.path(), marks).unwrap();
        let world = overlay.open(WORLD).unwrap();
        assert_eq!(mounts(), before);
        if marks == Marks::Trusted {
            assert!(is_held(home.path()));
        }
        drop((world, overlay));
        assert_eq!(mounts(), before);
        if marks == Marks::Trusted {
            assert!(!is_held(home.path()));
        }
        // A second mount with the same directories would find the files of the first one.
        assert!(Overlay::mount(&lower, home.path(), marks).is_err());
    }

    /// Child process of the next test.
    #[test]
    #[ignore = "started by however_a_process_ends_its_mounts_go"]
    fn holds_a_mount() {
        let Some(layers) = std::env::var_os(LAYERS).map(PathBuf::from) else {
            return;
        };
        let _overlay = Overlay::mount(&layers.join("lower"), &layers, Marks::Trusted).unwrap();
        println!("\nmounted");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        assert_ne!(std::env::var(ENDING).unwrap(), "panic", "as it was told");
    }

    fn start(layers: &Path, ending: &str) -> Child {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "overlay::tests::holds_a_mount"])
            .args(["--ignored", "--nocapture"])
            .env(LAYERS, layers)
            .env(ENDING, ending)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        assert!(said.map_while(Result::ok).any(|line| line == "mounted"));
        child
    }

    #[test]
    fn however_a_process_ends_its_mounts_go() {
        for ending in ["return", "panic", "SIGTERM", "SIGKILL"] {
            let home = tempfile::tempdir().unwrap();
            if marks(home.path()) != Some(Marks::Trusted) {
                skip(
                    Need::Mount,
                    "only the administrator sees whether a mount is left",
                );
                return;
            }
            fs::create_dir_all(home.path().join("lower").join(WORLD)).unwrap();
            let mut child = start(home.path(), ending);
            assert!(is_held(home.path()), "{ending}");
            let signal = match ending {
                "SIGTERM" => Some(Signal::TERM),
                "SIGKILL" => Some(Signal::KILL),
                _ => None,
            };
            if let Some(signal) = signal {
                kill_process(Pid::from_child(&child), signal).unwrap();
            }
            drop(child.stdin.take());
            let status = child.wait().unwrap();
            assert_eq!(status.success(), ending == "return", "{ending}");
            // The kernel removes the mount asynchronously.
            let is_gone = (0..500).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                !is_held(home.path())
            });
            assert!(is_gone, "{ending}");
        }
    }
}
