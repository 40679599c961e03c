//! Servers that are programs of this machine.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use mcpmark_http::{Secret, Secrets, may_be_secret};
use mcpmark_service::{BoundedLines, MAX_MESSAGE_BYTES, ToolClient};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::net::unix::pipe;

use crate::scrub::Scrubbed;
use crate::{ExternalError, shake_hands};

/// A child that goes when its owner does.
pub(crate) struct Process(Child);

/// How often, and how long at a time, a program that closed its output is waited for.
const WAITS: (u32, Duration) = (50, Duration::from_millis(10));

impl Process {
    /// How it ended, where it does so at once.
    async fn end(&mut self) -> Option<ExitStatus> {
        for _ in 0..WAITS.0 {
            // Whoever cannot be waited for has not ended here.
            if let Some(status) = self.0.try_wait().ok()? {
                return Some(status);
            }
            tokio::time::sleep(WAITS.1).await;
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have gone by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a program and speaks MCP with it over its standard input and output.
pub(crate) async fn start(
    name: &str,
    command: &[String],
    env: &[String],
    variable: impl Fn(&str) -> Result<String, ExternalError>,
) -> Result<(ToolClient, Process), ExternalError> {
    // A spec whose command is empty does not exist; an empty name cannot be started.
    let (program, arguments) = match command.split_first() {
        Some((program, arguments)) => (program.as_str(), arguments),
        None => ("", command),
    };
    let mut child = Command::new(program);
    child
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut secrets = Vec::new();
    for key in env {
        let value = variable(key)?;
        if may_be_secret(key, &value) {
            secrets.push(Secret::new(value.as_str()));
        }
        child.env(key, value);
    }
    let cannot_start = |source| ExternalError::Start {
        name: name.to_owned(),
        program: program.to_owned(),
        source,
    };
    let mut process = Process(child.spawn().map_err(cannot_start)?);
    let pipes = process.0.stdin.take().zip(process.0.stdout.take());
    let (stdin, stdout) = pipes.ok_or_else(|| cannot_start(io::ErrorKind::BrokenPipe.into()))?;
    let writing = pipe::Sender::from_owned_fd(OwnedFd::from(stdin)).map_err(cannot_start)?;
    let reading = pipe::Receiver::from_owned_fd(OwnedFd::from(stdout)).map_err(cannot_start)?;
    let transport = Scrubbed {
        inner: AsyncRwTransport::new(BoundedLines::new(reading), writing)
            .with_max_line_length(MAX_MESSAGE_BYTES),
        secrets: Secrets::new(&secrets),
    };
    match shake_hands(name, ToolClient::through(transport)).await {
        Ok(client) => Ok((client, process)),
        Err(error @ ExternalError::Handshake { .. }) => Err(match process.end().await {
            Some(status) => ExternalError::Ended {
                name: name.to_owned(),
                program: program.to_owned(),
                how: match status.code() {
                    Some(code) => format!("exit status {code}"),
                    None => status.to_string(),
                },
            },
            None => error,
        }),
        Err(error) => Err(error),
    }
}
