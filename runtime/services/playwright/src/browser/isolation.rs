//! Namespaces of the browser.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Checks what the supervisor does in its namespaces: mounts, a loopback interface, a low port, and the namespace for
/// users that the sandbox of the browser needs.
const PROBE: &str = "mount -n -t tmpfs -o mode=0755 mcpmark /tmp || exit 3\n\
                     mount -n -t proc proc /proc || exit 3\n\
                     ip link set lo up || exit 4\n\
                     echo 80 > /proc/sys/net/ipv4/ip_unprivileged_port_start || exit 5\n\
                     if [ -n \"$1\" ]; then set -- setpriv --reuid=65534 --regid=65534 --clear-groups; fi\n\
                     \"$@\" unshare --user true || exit 6";

/// Reports whether the namespaces of the browser can be created on this machine, or the reason why they cannot. It is
/// determined once.
///
/// # Errors
///
/// Returns the missing program or permission.
pub fn check_isolation() -> Result<(), &'static str> {
    static FOUND: OnceLock<Result<(), &'static str>> = OnceLock::new();
    *FOUND.get_or_init(probe)
}

fn probe() -> Result<(), &'static str> {
    let words = unshare();
    let mut command = Command::new("unshare");
    command
        .args(words.iter().skip(1))
        .args(["sh", "-c", PROBE, "sh"]);
    if is_root() {
        command.arg("root");
    }
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .current_dir("/")
        .status();
    match status.map(|status| status.code()) {
        Ok(Some(0)) => Ok(()),
        Ok(Some(3)) => Err("the kernel refuses mounts in a namespace"),
        Ok(Some(4)) => Err("`ip link set lo up` failed in a network namespace; install iproute2"),
        Ok(Some(5)) => Err("the kernel refuses a low port in a network namespace"),
        Ok(Some(6)) => {
            Err("the kernel refuses the user namespaces that the browser's sandbox needs")
        }
        Ok(_) => Err("the kernel refuses namespaces for users, mounts, network and processes"),
        Err(_) => Err("`unshare` cannot be started; install util-linux"),
    }
}

/// Returns the command that starts another one in new namespaces. Without the rights of root, a namespace for users is
/// needed.
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

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
