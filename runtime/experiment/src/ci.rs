//! The guest that runs the workflows of a github world, in the sandbox.

use std::fmt;
use std::sync::Arc;

use mcpmark_github::GitHub;
use mcpmark_github::ci::{Event, Reported, Runner, RunnerError};
use mcpmark_sandbox::{Limits, LoadError, RunError, Sandbox, Verifier, VerifyInput};
use mcpmark_service::Service;
use mcpmark_snapshot::Digest;

/// Runs workflows. It is a verifier like any other, under the limits of one.
#[derive(Clone)]
pub struct CiGuest {
    sandbox: Sandbox,
    guest: Verifier,
}

impl CiGuest {
    /// Loads the guest of a world.
    ///
    /// # Errors
    ///
    /// When the component is no verifier.
    pub fn load(sandbox: &Sandbox, component: &[u8]) -> Result<Self, LoadError> {
        Ok(Self {
            guest: sandbox.verifier(component)?,
            sandbox: sandbox.clone(),
        })
    }

    /// The digest of the component.
    pub fn digest(&self) -> Digest {
        self.guest.digest()
    }

    /// The service whose worlds have workflows run by this guest.
    pub fn service(self) -> Arc<dyn Service> {
        Arc::new(GitHub::with_runner(Arc::new(self)))
    }
}

impl fmt::Debug for CiGuest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CiGuest").field(&self.digest()).finish()
    }
}

impl Runner for CiGuest {
    fn run(&self, event: Event) -> Result<Vec<Reported>, RunnerError> {
        let mut input = VerifyInput::new(event.before, event.after);
        input.parameters = event.parameters;
        let run = self.sandbox.verify(&self.guest, input, &Limits::VERIFIER);
        match run.result {
            Ok(verdict) => Ok(verdict
                .checks()
                .iter()
                .map(|check| Reported {
                    name: check.name.clone(),
                    passed: check.passed,
                    output: check.detail.clone(),
                })
                .collect()),
            Err(RunError::Fault(fault)) => Err(RunnerError::Guest(fault.to_string())),
            Err(RunError::World(message) | RunError::Host(message)) => {
                Err(RunnerError::Host(message))
            }
        }
    }
}
