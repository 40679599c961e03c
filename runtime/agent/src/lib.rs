//! Agents and what drives them over MCP, with limits and a trajectory.
//!
//! An [`Agent`] acts in an [`Attempt`]: it replies, it calls tools, and what happens is
//! handed to a [`Recorder`] at once. [`Oracle`] plays a task's solution, [`Nop`] does
//! nothing, [`Random`] calls tools by chance, [`Replay`] plays an earlier attempt, [`Command`] runs somebody's program,
//! and [`Client`] is whoever connects to a served world. Models act through
//! [`Functions`] or [`React`], which differ in how tools are called. All take the same turns under
//! the same [`AttemptLimits`].
//!
//! ```no_run
//! use mcpmark_agent::{Agent, Attempt, AttemptLimits, Nop, Recorder};
//! use mcpmark_service::ToolClient;
//!
//! # async fn example(client: ToolClient, recorder: &mut dyn Recorder) {
//! let limits = AttemptLimits::default();
//! let mut attempt =
//!     Attempt::start("Tidy the attic.", &client, limits, recorder, Default::default()).unwrap();
//! let end = Nop.run(&mut attempt).await.unwrap();
//! assert_eq!(end.to_string(), "completed");
//! # }
//! ```

mod agents;
mod attempt;
mod budget;
mod client;
mod command;
mod end;
pub mod failure;
mod functions;
mod gate;
mod model;
mod random;
mod react;
mod relay;
mod replay;
mod retries;
mod trajectory;
mod view;

pub use crate::agents::{Agent, Nop, Oracle};
pub use crate::attempt::{Attempt, AttemptLimits, Halt, NoResult};
pub use crate::budget::{Allowance, Budget, Reached, Spent};
pub use crate::client::{Client, Door};
pub use crate::command::{Command, CommandSpec, TRY_AGAIN};
pub use crate::end::{End, EndKind};
pub use crate::functions::Functions;
pub use crate::gate::Gate;
pub use crate::model::Asking;
pub use crate::random::Random;
pub use crate::react::React;
pub use crate::replay::{Replay, Step};
pub use crate::retries::Retries;
pub use crate::trajectory::{
    CallStatus, Event, ModelCall, Purpose, RecordError, Recorder, Reply, ToolCall,
};
pub use crate::view::ResultView;
pub use mcpmark_model::{Cost, Usage};
