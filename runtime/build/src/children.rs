//! Registry of running child processes, so that they can be stopped before this process exits.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Ids of the running process groups, or `None` after [`stop`].
static RUNNING: Mutex<Option<Vec<Pid>>> = Mutex::new(Some(Vec::new()));

fn running() -> MutexGuard<'static, Option<Vec<Pid>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Terminates all programs that builders of this process have started, and prevents further starts.
///
/// Call it before the process exits. Each program has its own process group, because cargo starts compilers, so a
/// Ctrl-C in the terminal does not reach it.
pub fn stop() {
    for group in running().take().into_iter().flatten() {
        // The group may already have exited, so an error is ignored.
        let _ = kill_process_group(group, Signal::TERM);
    }
}

/// Child process with its process group, which includes its descendants.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) leader: Child,
    id: Pid,
}

impl Group {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        // The lock is held during the start, so that [`stop`] either terminates the program or prevents its start.
        let mut running = running();
        let Some(groups) = running.as_mut() else {
            return Err(io::Error::other("this process is being stopped"));
        };
        let leader = command.process_group(0).spawn()?;
        let id = Pid::from_child(&leader);
        groups.push(id);
        Ok(Self { leader, id })
    }

    /// Waits until the program has exited.
    pub(super) fn wait(mut self) -> io::Result<ExitStatus> {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        retry_on_intr(|| waitid(WaitId::Pid(self.id), ended))?;
        self.forget();
        self.leader.wait()
    }

    /// Kills the program and its descendants.
    pub(super) fn kill(mut self) -> io::Result<()> {
        let _ = kill_process_group(self.id, Signal::KILL);
        self.forget();
        self.leader.wait().map(drop)
    }

    /// Removes the group from the registry. Must be called before the child is reaped, because its id may be reused
    /// afterwards.
    fn forget(&mut self) {
        if let Some(groups) = running().as_mut() {
            groups.retain(|group| *group != self.id);
        }
    }
}
