//! Errors of tool calls, with the messages of Node.js.

use std::io;

use mcpmark_service::Interrupted;
use rustix::io::Errno;

/// Error of a tool call.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Error caused by the agent, which gets this text.
    ToolError(String),
    /// Cancellation, or too much memory. Nothing was changed.
    Interrupted(Interrupted),
    /// Error caused by the host, such as a full disk. The state of the world is unreliable afterwards.
    Host(String),
}

impl Failure {
    pub(crate) fn tool_error(text: impl Into<String>) -> Self {
        Self::ToolError(text.into())
    }

    /// Creates the error of a result that exceeds the limit in bytes.
    pub(crate) fn too_long(limit: u64) -> Self {
        Self::ToolError(format!(
            "result of more than {limit} bytes exceeds the limit of {limit} bytes for one tool result"
        ))
    }

    pub(crate) fn errno(errno: Errno, during: &str) -> Self {
        match describe(errno) {
            Some(text) => Self::ToolError(format!("{text}, {during}")),
            None => Self::Host(format!("{}, {during}", io::Error::from(errno))),
        }
    }

    /// Converts an I/O error. `during` is the system call with its paths, such as `open '/workspace/a.txt'`.
    pub(crate) fn io(error: &io::Error, during: &str) -> Self {
        match Errno::from_io_error(error) {
            Some(errno) => Self::errno(errno, during),
            None => Self::Host(format!("{error}, {during}")),
        }
    }
}

impl From<Interrupted> for Failure {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

/// Returns the code and the message of an error that an agent can cause.
fn describe(errno: Errno) -> Option<&'static str> {
    Some(match errno {
        Errno::EXIST => "EEXIST: file already exists",
        Errno::INVAL => "EINVAL: invalid argument",
        Errno::ISDIR => "EISDIR: illegal operation on a directory",
        Errno::LOOP => "ELOOP: too many symbolic links encountered",
        Errno::NAMETOOLONG => "ENAMETOOLONG: name too long",
        Errno::NOENT => "ENOENT: no such file or directory",
        Errno::NOTDIR => "ENOTDIR: not a directory",
        Errno::NOTEMPTY => "ENOTEMPTY: directory not empty",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_reads_only_what_it_can_cause() {
        let failure = Failure::io(&Errno::NOENT.into(), "open '/workspace/x'");
        let Failure::ToolError(text) = failure else {
            panic!("{failure:?}");
        };
        assert_eq!(
            text,
            "ENOENT: no such file or directory, open '/workspace/x'"
        );
        for error in [Errno::NOSPC.into(), io::Error::other("escape")] {
            let failure = Failure::io(&error, "open '/workspace/x'");
            assert!(matches!(failure, Failure::Host(_)), "{failure:?}");
        }
    }
}
