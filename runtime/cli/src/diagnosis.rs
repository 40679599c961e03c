//! Errors of states and homes, with hints.

use std::path::Path;

use mcpmark_experiment::{HomeError, JournalError};
use mcpmark_snapshot::{CaptureError, Digest, InvalidDigest};

use crate::error::{CommandError, error_chain};
use crate::output::sanitise;

/// Hint for a missing or invalid state.
pub(crate) const STATE_HINT: &str = "name a directory, or the digest of a stored state";

const HOME_HINT: &str =
    "free disk space there, or name another directory with --home (or MCPMARK_HOME)";

/// Returns the error for a directory that cannot be captured.
pub(crate) fn capture_error(dir: &Path, error: &CaptureError) -> CommandError {
    use CaptureError as E;
    let message = match error {
        // The error contains the directory.
        E::Open { .. } => error_chain(error),
        _ => format!("{}: {}", dir.display(), error_chain(error)),
    };
    let message = sanitise::line(&message);
    let result = match error {
        E::Store(_) => CommandError::infrastructure(message),
        E::Open { .. } => CommandError::usage(message),
        _ => CommandError::invalid(message),
    };
    result.hint(capture_hint(error))
}

/// Returns the hint for a directory that cannot be captured.
pub(crate) fn capture_hint(error: &CaptureError) -> &'static str {
    use CaptureError as E;
    match error {
        E::Store(_) => HOME_HINT,
        E::Open { .. } => STATE_HINT,
        E::Io { .. } => "make it readable, or remove it",
        E::NotUtf8 { .. } | E::Path(_) => "rename it, or remove it",
        E::Special { .. } => "remove it",
        E::TargetNotUtf8 { .. } | E::Symlink(_) => {
            "remove the symlink, or let it point to a path inside the directory"
        }
        E::TooManyFiles { .. } | E::TooManyBytes { .. } => {
            "reduce its size, or raise `limits.world_bytes` or `limits.world_files` of the task"
        }
    }
}

/// Returns the parse error of a text that has the prefix of a digest but is not a valid one.
pub(crate) fn malformed_digest(text: &str) -> Option<InvalidDigest> {
    let meant = text.starts_with("sha256:");
    text.parse::<Digest>().err().filter(|_| meant)
}

pub(crate) fn digest_error(error: &InvalidDigest) -> CommandError {
    CommandError::usage(error).hint(
        "`mcpmark show ATTEMPT` and --json print full digests; a directory is accepted as well",
    )
}

/// Returns the error for a home that cannot be opened.
pub(crate) fn home_error(error: &HomeError) -> CommandError {
    let result = CommandError::infrastructure(sanitise::line(&error_chain(error)));
    match error {
        // The error contains its own hint.
        HomeError::Journal {
            source: JournalError::Format { .. },
            ..
        } => result,
        HomeError::Journal { file, source } if source.is_malformed() => result.hint(format!(
            "restore {} from a backup, or move it away: the states in the store remain, but the experiments are lost",
            file.display()
        )),
        HomeError::Running { name } => result.hint(format!(
            "wait for it, or stop it; `mcpmark runs {}` shows its progress",
            sanitise::line(name)
        )),
        _ => result.hint("name a writable directory with --home (or MCPMARK_HOME)"),
    }
}
