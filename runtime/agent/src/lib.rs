//! Agents that act on a world through MCP tools, with limits and a recorded trajectory.
//!
//! An [`Agent`] acts in an [`Attempt`]: it replies and calls tools, and each [`Event`] is passed to a [`Recorder`] at
//! once. [`Nop`] does nothing, [`Random`] calls tools at random, [`Echo`],
//! [`AnswerOnly`] and [`ErrorOnly`] only seem to work on the task, [`Replay`] repeats an earlier attempt, [`Command`]
//! runs an external program, [`Client`] is the MCP client of a served world, and [`Manual`] makes the calls of a person
//! or a program one by one. Models act through [`Functions`] or [`React`], which differ in the form of tool calls. All
//! agents act under the same [`AttemptLimits`].
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
mod manual;
mod model;
mod negative;
mod random;
mod react;
mod relay;
mod replay;
mod retries;
mod single_call;
mod trajectory;
mod view;

pub use crate::agents::{Agent, Nop};
pub use crate::attempt::{Attempt, AttemptLimits, Halt, NoResult};
pub use crate::budget::{Allowance, Budget, Reached, Spent};
pub use crate::client::{Client, ClientTransport};
pub use crate::command::{Command, CommandSpec, TRY_AGAIN};
pub use crate::end::{End, EndKind};
pub use crate::functions::Functions;
pub use crate::gate::Gate;
pub use crate::manual::{Manual, ManualControls, ManualResult, ManualStep};
pub use crate::model::Asking;
pub use crate::negative::{AnswerOnly, Echo, ErrorOnly};
pub use crate::random::Random;
pub use crate::react::React;
pub use crate::replay::{Replay, Step};
pub use crate::retries::Retries;
pub use crate::trajectory::{
    CallStatus, Event, ModelCall, Purpose, RecordError, Recorder, Reply, ToolCall,
};
pub use crate::view::ResultView;
pub use mcpmark_model::{Cost, Usage};
