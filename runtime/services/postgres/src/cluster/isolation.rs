//! Isolation of servers from the machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Library that replaces the clock of a program, of the package `faketime` of Debian and others.
const CLOCKS: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib64/faketime/libfaketime.so.1",
    "/usr/lib/faketime/libfaketime.so.1",
    "/usr/local/lib/faketime/libfaketime.so.1",
];

/// Mounts what a server needs, in a namespace of its own, and replaces the root directory.
const PROBE: &str = "mount -n -t tmpfs -o mode=0755 mcpmark /tmp && cd /tmp && mkdir lower upper work data root && \
                     : > lower/one && mount -n --bind lower lower || exit 2\n\
                     code=0\n\
                     { mount -n -t overlay -o lowerdir=lower,upperdir=upper,workdir=work$1 mcpmark data && \
                     umount -n lower && rm data/one && : > data/two && test ! -e data/one; } || code=3\n\
                     mount -n -t tmpfs -o mode=0755 mcpmark root && cd root && mkdir old usr && \
                     mount -n --rbind /usr usr || exit 2\n\
                     pivot_root . old || mount -n --move . / || exit 2\n\
                     exit $code";
/// Exit code of [`PROBE`] if everything but the overlay mount works.
const NO_OVERLAY: i32 = 3;

/// Isolation of a server from the machine. The server is unprivileged in all cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Namespaces for mounts, network, IPC and processes, and a root directory of its own.
    Namespaces {
        /// Private copies of data directories are overlay mounts.
        overlay: bool,
    },
    /// An unprivileged process, because the kernel refuses namespaces. Its files and sockets are in a private directory.
    Process,
}

impl Isolation {
    /// Returns the strongest isolation that works on this machine. It is determined once.
    pub fn of_machine() -> Self {
        static FOUND: OnceLock<Isolation> = OnceLock::new();
        *FOUND.get_or_init(Self::probe)
    }

    fn probe() -> Self {
        let mut words = unshare().into_iter();
        let Some(program) = words.next() else {
            return Self::Process;
        };
        let status = Command::new(program)
            .args(words)
            .args(["sh", "-c", PROBE, "sh", marks()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .status();
        match status.ok().and_then(|status| status.code()) {
            Some(0) => Self::Namespaces { overlay: true },
            Some(NO_OVERLAY) => Self::Namespaces { overlay: false },
            _ => Self::Process,
        }
    }

    /// Reports whether the server has namespaces of its own.
    pub(super) fn is_namespaces(self) -> bool {
        matches!(self, Self::Namespaces { .. })
    }
}

/// Returns the command that starts another one in new namespaces. Without the rights of root, a namespace for users is
/// needed, in which the server is neither root, which it refuses to be, nor the user of another namespace.
pub(super) fn unshare() -> Vec<&'static str> {
    let mut words = vec!["unshare"];
    if !is_root() {
        words.extend([
            "--user",
            "--map-user=65534",
            "--map-group=65534",
            "--keep-caps",
        ]);
    }
    words.extend([
        "--mount",
        "--net",
        "--ipc",
        "--uts",
        "--pid",
        "--fork",
        "--kill-child",
        "--",
    ]);
    words
}

/// Returns the options of overlay mounts that depend on the rights of this process.
pub(super) fn marks() -> &'static str {
    if is_root() {
        ",redirect_dir=off,metacopy=off,index=off"
    } else {
        ",userxattr"
    }
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns the library that sets the clock of a server, if it is installed.
pub fn clock_library() -> Option<PathBuf> {
    CLOCKS
        .iter()
        .map(Path::new)
        .find(|path| path.is_file())
        .map(Path::to_owned)
}
