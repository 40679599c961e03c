//! Trait of agents, and the agent `nop`.

use async_trait::async_trait;

use crate::{Attempt, End, EndKind, Halt, Reply};

/// Agent that acts on a world through tools.
#[async_trait]
pub trait Agent: Send + Sync {
    /// Returns the name, as in `--agent NAME`.
    fn name(&self) -> &'static str;

    /// Acts until the agent is done or the attempt ends.
    ///
    /// # Errors
    ///
    /// Returns a [`Halt`] from the [`Attempt`], or one for an invalid agent or a failure of the host.
    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt>;
}

/// Agent that does nothing. A task that it passes has no value.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nop;

#[async_trait]
impl Agent for Nop {
    fn name(&self) -> &'static str {
        "nop"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        attempt.reply(&Reply::default())?;
        Ok(End::new(EndKind::Completed))
    }
}
