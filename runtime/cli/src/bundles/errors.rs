//! Messages, hints and exit codes of errors of bundles.

use std::io::ErrorKind;

use mcpmark_bundle::open::{LockSourceError, OpenError};
use mcpmark_bundle::trust::policy::TrustError;
use mcpmark_bundle::trust::{KeyFileError, PolicyError};
use mcpmark_bundle::{BadReference, BundleError, LockError, LoginError, Reference, RegistryError};
use mcpmark_packing::{MachineError, PackError};

use super::{HOST, PASSWORD, USER};
use crate::error::{CommandError, error_chain, held_back};
use crate::output::sanitise;

/// Hint for a suite that differs from its lock.
pub(crate) const UPDATE: &str =
    "`mcpmark bundle update` shows the changes, and asks whether to accept them";

const DIGESTS: &str = "`mcpmark bundle inspect` prints the digests of verifiers";

/// Converts an error of opening a bundle.
pub(crate) fn open_error(error: impl Into<OpenError>) -> CommandError {
    use OpenError as E;
    let error: OpenError = error.into();
    // Messages may quote a bundle or a lock, so they are sanitised.
    let message = error.to_string();
    match &error {
        E::Absent { .. } => CommandError::usage(sanitise::line(&message)).hint(
            "expected a directory of tasks, a bundle (a directory, `suite.tar` or \
             `oci://HOST/REPOSITORY:TAG`) or a lock file (`mcpmark.lock`)",
        ),
        E::Bundle(error) => bundle_error(error),
        E::Reference(error) => reference_error(error),
        E::Registry { reference, source } => registry_error(reference, source),
        E::Login(error) => login_error(error),
        E::ReadLock { source, .. } if source.kind() == ErrorKind::NotFound => {
            CommandError::usage(message).hint("`mcpmark bundle lock` creates one")
        }
        E::ReadLock { .. } => CommandError::usage(message),
        E::Lock { source, .. } => {
            CommandError::invalid(sanitise::block(&message)).hint(match source {
                LockError::Suite { .. } => UPDATE,
                _ => "remove it, and create it again with `mcpmark bundle lock`",
            })
        }
        E::LockedReference { .. } => CommandError::invalid(sanitise::block(&message)),
        E::LockedLock { .. } => CommandError::invalid(sanitise::block(&message))
            .hint("lock the bundle itself with `mcpmark bundle lock`"),
        E::Policy(error) => policy_error(error),
        E::UnwantedVerifier { .. } | E::NoVerifiers { .. } => {
            CommandError::usage(message).hint(DIGESTS)
        }
        E::Unpacked { dir, source } => match &**source {
            error @ BundleError::Unpacked { .. } => bundle_error(error).hint(format!(
                "remove {}; it is then unpacked again",
                dir.display()
            )),
            error => bundle_error(error),
        },
        E::OtherTask(_) => CommandError::invalid(message)
            .hint("the bundle was made by another version of mcpmark, or edited by hand"),
    }
}

/// Converts an error of reading or writing a bundle.
fn bundle_error(error: &BundleError) -> CommandError {
    let message = error_chain(error);
    let message = sanitise::block(&message);
    match error {
        BundleError::Read { .. } => CommandError::usage(message),
        error if error.is_infrastructure() => CommandError::infrastructure(message),
        _ => CommandError::invalid(message),
    }
}

/// Converts the error of a reference that the user gave.
pub(crate) fn reference_error(error: &BadReference) -> CommandError {
    CommandError::usage(sanitise::line(&error_chain(error)))
        .hint("write it as oci://HOST/REPOSITORY:TAG")
}

/// Converts an error of a registry.
pub(crate) fn registry_error(reference: &Reference, error: &RegistryError) -> CommandError {
    let message = format!("{reference}: {}", error_chain(error));
    let message = sanitise::block(&message);
    match error {
        RegistryError::Refused { .. } => CommandError::infrastructure(message).hint(format!(
            "log in with `docker login`, or set {USER}, {PASSWORD} and {HOST}"
        )),
        RegistryError::Status { status: 429, .. } => CommandError::infrastructure(message).hint(
            "the request was retried; received data is stored, so repeat the command later to continue",
        ),
        RegistryError::Stopped { .. } => CommandError::infrastructure(message)
            .hint("received data is stored; repeat the command to continue"),
        error if error.is_away() => CommandError::infrastructure(message).hint(
            "check its name, and whether it is running; without it, only a locked bundle \
             (`mcpmark bundle lock`) that was fetched before can be used",
        ),
        error if error.is_infrastructure() => CommandError::infrastructure(message),
        _ => CommandError::invalid(message),
    }
}

fn login_error(error: &LoginError) -> CommandError {
    match error {
        LoginError::NoHost => {
            let message = format!("{USER} and {PASSWORD} are set, but {HOST} is not");
            CommandError::usage(message)
                .hint("set it to the registry that they are for, such as `registry.example:5000`")
        }
        LoginError::Incomplete => CommandError::usage(format!(
            "only one of {USER} and {PASSWORD} is set, but both are required"
        )),
        LoginError::Read { .. } => CommandError::usage(error),
        LoginError::Docker { .. } => CommandError::usage(error).hint(format!(
            "{USER}, {PASSWORD} and {HOST} take precedence over this file"
        )),
    }
}

fn policy_error(error: &PolicyError) -> CommandError {
    match error {
        PolicyError::Read { .. } => CommandError::usage(error),
        PolicyError::Invalid { file, source } => {
            CommandError::usage(format!("{}: {}", file.display(), error_chain(source)))
        }
        PolicyError::Refused { file, source } => not_trusted(source).hint(format!(
            "the trust policy {} determines which keys are accepted for which names",
            file.display()
        )),
    }
}

/// Converts the reason why a bundle is not trusted.
pub(crate) fn not_trusted(error: &TrustError<KeyFileError>) -> CommandError {
    match error {
        TrustError::Key(error) => CommandError::usage(error),
        other => CommandError::invalid(other),
    }
}

/// Converts an error of naming a bundle in a lock.
pub(crate) fn lock_source_error(error: &LockSourceError) -> CommandError {
    match error {
        LockSourceError::Reference(error) => reference_error(error),
        LockSourceError::NoTag(_) => CommandError::usage(error)
            .hint("name the bundle by a tag, so that an update can follow it"),
        LockSourceError::NotUtf8 { .. } | LockSourceError::Path { .. } => {
            CommandError::usage(error)
        }
    }
}

/// Converts an error of creating a lock or of comparing it with this machine.
pub(crate) fn machine_error(error: MachineError) -> CommandError {
    use MachineError as E;
    match error {
        E::Scratch(error) => CommandError::infrastructure(error),
        E::Bundle(error) => open_error(error),
        E::Mismatch(mismatch) => CommandError::invalid(mismatch).hint(UPDATE),
        E::State { .. } | E::Guests { .. } | E::Clock { .. } | E::Service { .. } => {
            CommandError::invalid(sanitise::block(&error_chain(&error)))
        }
    }
}

/// Converts an error of packing.
pub(crate) fn pack_error(error: &PackError) -> CommandError {
    use PackError as E;
    let message = error_chain(error);
    let message = sanitise::block(&message);
    let result = if error.is_infrastructure() {
        CommandError::infrastructure(message)
    } else {
        CommandError::invalid(message)
    };
    match error {
        E::HeldBack { task, verifier } => held_back(task, verifier),
        E::SourceSolution { .. } => result.hint("replace it with solution.wasm"),
        E::Changed(_) => result.hint("pack it again"),
        E::Certificate { .. } => result.hint("`mcpmark task check --write` creates a new one"),
        E::Task(_)
        | E::TaskGuest { .. }
        | E::WorldGuest { .. }
        | E::Interpreter(_)
        | E::Read { .. }
        | E::States(_)
        | E::Clock(_)
        | E::Parts(_)
        | E::Compress(_) => result,
    }
}
