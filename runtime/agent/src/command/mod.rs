//! Agent that is an external program.

mod output;
mod place;
mod process;

use std::time::Duration;

use async_trait::async_trait;
use mcpmark_http::{Secret, Secrets, may_be_secret};
use mcpmark_service::{random_path, serve_mcp};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::place::Place;
use self::process::{Exit, Process};
use crate::relay::Relay;
use crate::{Agent, Attempt, End, EndKind, Halt};

/// Exit code of a program that could not work and is to be run again: `EX_TEMPFAIL` of `sysexits.h`.
pub const TRY_AGAIN: i32 = 75;

/// Timeout for the remaining output of a program after its end.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// Environment variables that every program inherits if they are set, in addition to those whose names begin with
/// `LC_`.
const INHERITED: [&str; 4] = ["PATH", "LANG", "LANGUAGE", "TZ"];

/// Command line of an agent program, and the environment variables that it inherits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandSpec {
    /// Program and its arguments, with placeholders.
    pub command: Vec<String>,
    /// Names of further environment variables that the program inherits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

/// Agent that runs a program for each attempt. The program acts through an MCP server of that attempt.
#[derive(Debug, Clone)]
pub struct Command {
    spec: CommandSpec,
}

impl Command {
    /// Creates an agent that runs this program.
    pub fn new(spec: CommandSpec) -> Self {
        Self { spec }
    }

    /// Returns the environment variables that the program inherits, and the secrets among their values.
    fn environment(&self) -> (Vec<(String, String)>, Secrets) {
        let inherited = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            let is_given = INHERITED.contains(&&*name)
                || name.starts_with("LC_")
                || self.spec.env.contains(&name);
            is_given.then_some((name, value))
        });
        let variables: Vec<(String, String)> = inherited.collect();
        let secrets: Vec<Secret> = variables
            .iter()
            .filter(|(name, value)| may_be_secret(name, value))
            .map(|(_, value)| Secret::new(value.as_str()))
            .collect();
        (variables, Secrets::new(&secrets))
    }
}

#[async_trait]
impl Agent for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    async fn run(&self, attempt: &mut Attempt<'_>) -> Result<End, Halt> {
        let host = |what: &str, error: std::io::Error| Halt::Host(format!("{what}: {error}"));
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .map_err(|error| host("cannot open a port for the agent's MCP server", error))?;
        let path = random_path()
            .map_err(|error| host("cannot create a path for the agent's MCP server", error))?;
        let address = listener
            .local_addr()
            .map_err(|error| host("cannot open a port for the agent's MCP server", error))?;
        let place = Place::new(attempt.instruction(), &format!("http://{address}{path}"))
            .map_err(|error| host("cannot create a directory for the agent", error))?;
        let (variables, secrets) = self.environment();

        let mut relay = Relay::new(attempt, None);
        let server = relay.server().clone();
        let over = CancellationToken::new();
        let _ends_serving = over.clone().drop_guard();
        let (_served, _) = serve_mcp(listener, &path, over.cancelled_owned(), move |io| {
            server.serve(io)
        });
        let command = self.spec.command.iter().map(|word| place.filled(word));
        let command: Vec<String> = command.collect();
        let mut process = Process::start(&command, &place, &variables).map_err(|error| {
            Halt::Host(format!("cannot start {}: {error}", program(&self.spec)))
        })?;
        let ended = process.ended();
        let time = attempt.over();
        tokio::pin!(time);
        let halt = loop {
            tokio::select! {
                biased;
                end = &mut time => break Some(Halt::End(end)),
                () = ended.cancelled() => break None,
                call = relay.next() => {
                    if let Err(halt) = call.make(attempt, ended.cancelled()).await {
                        break Some(halt);
                    }
                }
            }
        };
        process.kill();
        let took = attempt.elapsed();
        let exit = process.finish(LAST_OUTPUT).await;
        let scrub = |text: &str| secrets.scrub(text);
        attempt.note(&format!(
            "the program {} after {:.1} s",
            exit.how(halt.is_some()),
            took.as_secs_f64()
        ))?;
        for (name, output) in [("output", &exit.stdout), ("error", &exit.stderr)] {
            if !output.is_empty() {
                attempt.note(&format!(
                    "standard {name}{}:\n{}",
                    output.cut(),
                    scrub(&output.text())
                ))?;
            }
        }
        if let Some(halt) = halt {
            return Err(halt);
        }
        if exit.status == Some(TRY_AGAIN) {
            let said = scrub(&exit.last_words());
            return Err(Halt::Host(format!(
                "the agent's program requests a retry (exit status {TRY_AGAIN}){said}"
            )));
        }
        let answer = place.answer().unwrap_or_else(|| exit.stdout.text());
        attempt.conclude(scrub(answer.trim()))?;
        Ok(end(&exit, &scrub(&exit.last_words())))
    }
}

fn end(exit: &Exit, last_words: &str) -> End {
    match exit.status {
        Some(0) => End::new(EndKind::Completed),
        _ => End::with(
            EndKind::AgentError,
            format!("the program {}{last_words}", exit.how(false)),
        ),
    }
}

fn program(spec: &CommandSpec) -> &str {
    spec.command.first().map_or("", String::as_str)
}
