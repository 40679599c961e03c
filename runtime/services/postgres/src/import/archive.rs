//! Dumps of the custom format, which `pg_restore` converts to SQL.
//!
//! The program reads the archive from a file without a name and writes to another one. It runs as the user of servers
//! if this process is root, without an environment, and without a connection to a server.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{DumpImportError, MAX_DUMP_BYTES};
use crate::Installation;

/// First bytes of an archive.
const MAGIC: &[u8] = b"PGDMP";
/// Time limit of the conversion.
const TIME: Duration = Duration::from_secs(300);
/// Time between two looks at the program.
const POLL: Duration = Duration::from_millis(20);
/// Maximum size of the message of the program, in bytes.
const MAX_MESSAGE_BYTES: u64 = 4096;
/// User and group of the program if this process is root.
const UNPRIVILEGED_ID: u32 = 65534;

/// Reports whether a dump is an archive.
pub(super) fn is_archive(dump: &[u8]) -> bool {
    dump.starts_with(MAGIC)
}

/// Returns the statements of an archive.
pub(super) fn statements(
    installation: &Installation,
    archive: &[u8],
) -> Result<Vec<u8>, DumpImportError> {
    let program = installation.bin().join("pg_restore");
    if !program.is_file() {
        return Err(DumpImportError::NoProgram { program });
    }
    let run = || -> io::Result<_> {
        let (input, output, messages) = (file(archive)?, file(b"")?, file(b"")?);
        let mut command = Command::new(&program);
        command
            .args(["--no-password", "-f", "-"])
            .env_clear()
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(output.try_clone()?))
            .stderr(Stdio::from(messages.try_clone()?));
        if rustix::process::geteuid().is_root() {
            command.uid(UNPRIVILEGED_ID).gid(UNPRIVILEGED_ID);
        }
        let mut child = command.spawn()?;
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            let written = output.metadata()?.len().max(messages.metadata()?.len());
            if began.elapsed() > TIME || written > MAX_DUMP_BYTES {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(POLL);
        };
        Ok((status, output, messages))
    };
    let (status, mut output, messages) = run().map_err(DumpImportError::Run)?;
    let Some(status) = status else {
        let is_large = output
            .metadata()
            .is_ok_and(|metadata| metadata.len() > MAX_DUMP_BYTES);
        return Err(if is_large {
            DumpImportError::TooLarge
        } else {
            DumpImportError::Slow {
                seconds: TIME.as_secs(),
            }
        });
    };
    if !status.success() {
        let message = message(messages).map_err(DumpImportError::Run)?;
        return Err(DumpImportError::Archive(message));
    }
    let mut statements = Vec::new();
    output
        .rewind()
        .and_then(|()| output.take(MAX_DUMP_BYTES + 1).read_to_end(&mut statements))
        .map_err(DumpImportError::Run)?;
    Ok(statements)
}

/// Returns a file without a name, with a content.
fn file(content: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

/// Returns the first messages of the program.
fn message(mut messages: File) -> io::Result<String> {
    let mut text = Vec::new();
    messages.rewind()?;
    messages.take(MAX_MESSAGE_BYTES).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(|line| {
        let line = line.strip_prefix("pg_restore: ").unwrap_or(line);
        line.strip_prefix("error: ").unwrap_or(line)
    });
    Ok(lines.collect::<Vec<_>>().join("; "))
}
