//! Servers that run as programs on this machine.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use mcpmark_http::{Secret, Secrets, may_be_secret};
use mcpmark_service::{BoundedLines, ToolClient};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::net::unix::pipe;

use crate::process::Process;
use crate::scrub::Scrubbed;
use crate::{ExternalError, MAX_MESSAGE_BYTES, with_timeout};

/// Starts a program and connects to it over its standard input and output.
pub(crate) async fn start(
    name: &str,
    command: &[String],
    env: &[String],
    variable: impl Fn(&str) -> Result<String, ExternalError>,
) -> Result<ToolClient, ExternalError> {
    // A spec never has an empty command. If it did, starting the empty name would fail.
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
    let mut process = Process::start(&mut child).map_err(cannot_start)?;
    let program_pipes = &mut process.program;
    let pipes = program_pipes.stdin.take().zip(program_pipes.stdout.take());
    let (stdin, stdout) = pipes.ok_or_else(|| cannot_start(io::ErrorKind::BrokenPipe.into()))?;
    let writing = pipe::Sender::from_owned_fd(OwnedFd::from(stdin)).map_err(cannot_start)?;
    let reading = pipe::Receiver::from_owned_fd(OwnedFd::from(stdout)).map_err(cannot_start)?;
    let transport = Scrubbed {
        inner: AsyncRwTransport::new(BoundedLines::new(reading), writing)
            .with_max_line_length(MAX_MESSAGE_BYTES),
        secrets: Secrets::new(&secrets),
    };
    match with_timeout(name, ToolClient::through(transport)).await {
        Ok(client) => Ok(client.with_guard(process)),
        Err(error @ ExternalError::Handshake { .. }) => Err(match process.exit_status().await {
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
