//! The programs that run for this process, so that none of them outlives it unasked.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The groups that run, or none once nothing may be started any more.
static RUNNING: Mutex<Option<Vec<Pid>>> = Mutex::new(Some(Vec::new()));

fn running() -> MutexGuard<'static, Option<Vec<Pid>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends what builders of this process have started, and lets them start nothing more.
///
/// For a process that is about to end. Cargo starts compilers of its own, so each program has a process
/// group, and does not hear the Ctrl-C of a terminal by itself.
pub fn stop() {
    for group in running().take().into_iter().flatten() {
        // One that has ended by now is what is wanted.
        let _ = kill_process_group(group, Signal::TERM);
    }
}

/// A program and all that it starts.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) leader: Child,
    id: Pid,
}

impl Group {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        // Held while it starts: it is either stopped with the others or not started at all.
        let mut running = running();
        let Some(groups) = running.as_mut() else {
            return Err(io::Error::other("this process is being stopped"));
        };
        let leader = command.process_group(0).spawn()?;
        let id = Pid::from_child(&leader);
        groups.push(id);
        Ok(Self { leader, id })
    }

    /// Waits until the program has ended.
    pub(super) fn wait(mut self) -> io::Result<ExitStatus> {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        retry_on_intr(|| waitid(WaitId::Pid(self.id), ended))?;
        self.forget();
        self.leader.wait()
    }

    /// Ends the program and all that it started.
    pub(super) fn kill(mut self) -> io::Result<()> {
        let _ = kill_process_group(self.id, Signal::KILL);
        self.forget();
        self.leader.wait().map(drop)
    }

    /// Before it is reaped: afterwards its number may be another's.
    fn forget(&mut self) {
        if let Some(groups) = running().as_mut() {
            groups.retain(|group| *group != self.id);
        }
    }
}
