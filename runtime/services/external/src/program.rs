//! Servers that are programs of this machine.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use mcpmark_service::ToolClient;
use tokio::net::unix::pipe;

use crate::{ExternalError, shake_hands};

/// A child that goes when its owner does.
pub(crate) struct Process(Child);

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
    for key in env {
        child.env(key, variable(key)?);
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
    let connecting = ToolClient::over(Box::new(tokio::io::join(reading, writing)));
    let client = shake_hands(name, connecting).await?;
    Ok((client, process))
}
