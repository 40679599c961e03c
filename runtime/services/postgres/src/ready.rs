//! Test whether a server accepts connections.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Version 3.0 of the protocol.
const PROTOCOL: u32 = 3 << 16;
/// Time limit for the answer of a server.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// State of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// Accepts connections.
    Ready,
    /// Does not accept connections yet.
    Starting,
}

/// Asks the server at a socket for a connection, as a role that does not exist, without logging in.
pub(crate) fn probe(socket: &Path) -> Readiness {
    match answer(socket) {
        Ok(true) => Readiness::Ready,
        Ok(false) | Err(_) => Readiness::Starting,
    }
}

/// Reports whether the server answers with a request for authentication or an error other than "the database system is
/// starting up".
fn answer(socket: &Path) -> io::Result<bool> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    stream.set_write_timeout(Some(ANSWER_LIMIT))?;
    let parameters = b"user\0postgres\0database\0postgres\0\0";
    let length = u32::try_from(parameters.len() + 8).unwrap_or(u32::MAX);
    stream.write_all(&length.to_be_bytes())?;
    stream.write_all(&PROTOCOL.to_be_bytes())?;
    stream.write_all(parameters)?;
    let mut kind = [0; 1];
    stream.read_exact(&mut kind)?;
    Ok(kind[0] == b'R')
}
