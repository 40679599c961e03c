//! Running programs, each in a process group of its own, and the registry of these groups.
//!
//! The program of a configuration is often a wrapper, such as `npx` or a shell script, that starts the server as
//! another process. Killing only the wrapper would leave the server running.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Ids of the groups of running programs, or `None` after [`stop_programs`].
static RUNNING: Mutex<Option<Vec<Pid>>> = Mutex::new(Some(Vec::new()));

fn running() -> MutexGuard<'static, Option<Vec<Pid>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all programs of servers that this process has started, with their descendants, and prevents further starts.
///
/// Call it before the process exits without dropping its connections. A Ctrl-C in the terminal does not reach the
/// programs, because each has its own process group.
pub fn stop_programs() {
    for group in running().take().into_iter().flatten() {
        // All processes may have ended already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Program that is killed with all processes of its group when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) program: Child,
    /// Process group; `None` after the program is reaped, because its id may then be reused.
    group: Option<Pid>,
}

/// Number and length of the waits for the exit of a program that closed its output.
const EXIT_POLLS: (u32, Duration) = (50, Duration::from_millis(10));

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started, or after [`stop_programs`].
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        // The lock is held during the start, so that `stop_programs` either kills the program or prevents its start.
        let mut running = running();
        let Some(groups) = running.as_mut() else {
            return Err(io::Error::other("this process is being stopped"));
        };
        let program = command.process_group(0).spawn()?;
        let group = Pid::from_child(&program);
        groups.push(group);
        Ok(Self {
            program,
            group: Some(group),
        })
    }

    /// Returns the exit status if the program exits within half a second. The rest of its group is killed then.
    pub(crate) async fn exit_status(&mut self) -> Option<ExitStatus> {
        for _ in 0..EXIT_POLLS.0 {
            if self.has_exited() {
                return self.end().ok();
            }
            tokio::time::sleep(EXIT_POLLS.1).await;
        }
        None
    }

    /// Reports whether the program has exited, without reaping it.
    fn has_exited(&self) -> bool {
        let Some(group) = self.group else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let found = retry_on_intr(|| waitid(WaitId::Pid(group), options));
        matches!(found, Ok(Some(_)))
    }

    /// Kills all processes of the group and reaps the program.
    fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(group) = self.group.take() {
            // All processes may have ended already.
            let _ = kill_process_group(group, Signal::KILL);
            // The group is removed before the program is reaped, so that `stop_programs` kills no other processes.
            if let Some(groups) = running().as_mut() {
                groups.retain(|known| *known != group);
            }
        }
        self.program.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{ChildStdout, Stdio};
    use std::time::Instant;

    use super::*;

    /// Starts a shell that starts a longer process, as a wrapper does. Returns its output, which is open as long as any
    /// of the processes runs.
    fn wrapper(then: &str) -> (Process, BufReader<ChildStdout>) {
        let script = format!("sleep 60 & echo started; {then}");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]).stdout(Stdio::piped());
        let mut process = Process::start(&mut command).unwrap();
        let mut output = BufReader::new(process.program.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        (process, output)
    }

    /// Waits until all processes with this output have ended.
    fn assert_all_end(mut output: BufReader<ChildStdout>) {
        let began = Instant::now();
        output.read_to_end(&mut Vec::new()).unwrap();
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_wrapper_is_killed_with_what_it_has_started() {
        let (process, output) = wrapper("wait");
        drop(process);
        assert_all_end(output);
    }

    #[tokio::test]
    async fn a_wrapper_that_exits_leaves_nothing_behind() {
        let (mut process, output) = wrapper("exit 3");
        let status = process.exit_status().await.unwrap();
        assert_eq!(status.code(), Some(3));
        assert_all_end(output);
        let group = Pid::from_child(&process.program);
        assert!(!running().as_ref().unwrap().contains(&group));
        // The program was reaped, and its status is known.
        drop(process);
    }

    #[tokio::test]
    async fn a_program_that_goes_on_has_no_exit_status() {
        let (mut process, output) = wrapper("wait");
        assert!(process.exit_status().await.is_none());
        drop(process);
        assert_all_end(output);
    }
}
