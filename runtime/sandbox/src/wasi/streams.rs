//! `wasi:io/error` and `wasi:io/streams`: standard streams, and files that are read as streams.
//!
//! Not the implementation of `wasmtime-wasi`: its blocking functions and each drop of a stream enter the runtime of
//! tokio, although nothing here waits, and panic on a thread that runs asynchronous tasks. Blocking writes of more than
//! 4096 bytes trap there, and so does dropping a stream before a pollable of it. A program may do both here, and its
//! stored verdict would change.
#![expect(
    unreachable_pub,
    reason = "the bindings re-export the types of resources"
)]

use wasmtime::component::Resource;

use super::bindings::wasi::io::{error, streams};
use super::clock::Pollable;
use super::files::Entry;
use super::host::WasiHost;
use crate::FaultKind;
use crate::host::Stop;

/// Maximum number of bytes in one read, and the number that `check_write` permits.
const CHUNK: u64 = 64 << 10;

/// Uninhabited type: streams of this profile fail only by closing.
#[derive(Debug)]
pub enum Error {}

/// Input stream.
#[derive(Debug)]
pub enum Input {
    /// Standard input, which is empty.
    Empty,
    /// File, from an offset on.
    File(Entry, u64),
}

/// Output stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Output of a script, up to the limit `output_bytes` of both streams together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes of standard output.
    pub stdout: Vec<u8>,
    /// Bytes of standard error.
    pub stderr: Vec<u8>,
}

type Answer<T> = wasmtime::Result<Result<T, streams::StreamError>>;

impl error::Host for WasiHost<'_> {}

impl error::HostError for WasiHost<'_> {
    fn to_debug_string(&mut self, error: Resource<Error>) -> wasmtime::Result<String> {
        match *self.wasi.table.get(&error)? {}
    }

    fn drop(&mut self, error: Resource<Error>) -> wasmtime::Result<()> {
        self.wasi.table.delete(error)?;
        Ok(())
    }
}

impl streams::Host for WasiHost<'_> {}

impl streams::HostInputStream for WasiHost<'_> {
    fn read(&mut self, stream: Resource<Input>, length: u64) -> Answer<Vec<u8>> {
        self.common.charge(0)?;
        let Input::File(entry, offset) = self.wasi.table.get_mut(&stream)? else {
            return Ok(Err(streams::StreamError::Closed));
        };
        let Some(file) = entry.node.as_file() else {
            return Ok(Err(streams::StreamError::Closed));
        };
        let read = self
            .wasi
            .files
            .read(entry.mount, file, *offset, length.min(CHUNK));
        let bytes = read.map_err(Stop::host)?.to_vec();
        *offset += bytes.len() as u64;
        let loaded = self.charge_loaded()?;
        self.common.charge_bytes(loaded.max(bytes.len() as u64))?;
        if bytes.is_empty() && length > 0 {
            return Ok(Err(streams::StreamError::Closed));
        }
        Ok(Ok(bytes))
    }

    fn blocking_read(&mut self, stream: Resource<Input>, length: u64) -> Answer<Vec<u8>> {
        self.read(stream, length)
    }

    fn skip(&mut self, stream: Resource<Input>, length: u64) -> Answer<u64> {
        let skipped = self.read(stream, length)?;
        Ok(skipped.map(|bytes| bytes.len() as u64))
    }

    fn blocking_skip(&mut self, stream: Resource<Input>, length: u64) -> Answer<u64> {
        self.skip(stream, length)
    }

    fn subscribe(&mut self, stream: Resource<Input>) -> wasmtime::Result<Resource<Pollable>> {
        self.wasi.table.get(&stream)?;
        self.pollable(Pollable::Ready)
    }

    fn drop(&mut self, stream: Resource<Input>) -> wasmtime::Result<()> {
        self.wasi.table.delete(stream)?;
        Ok(())
    }
}

impl streams::HostOutputStream for WasiHost<'_> {
    fn check_write(&mut self, stream: Resource<Output>) -> Answer<u64> {
        self.light(0)?;
        self.wasi.table.get(&stream)?;
        Ok(Ok(CHUNK))
    }

    fn write(&mut self, stream: Resource<Output>, bytes: Vec<u8>) -> Answer<()> {
        self.common.charge(bytes.len() as u64)?;
        let stream = *self.wasi.table.get(&stream)?;
        let limit = self.common.allowed.limits.output_bytes;
        let Written { stdout, stderr } = &mut self.wasi.written;
        let room = limit.saturating_sub((stdout.len() + stderr.len()) as u64);
        let kept = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        match stream {
            Output::Stdout => stdout.extend_from_slice(&bytes[..kept]),
            Output::Stderr => stderr.extend_from_slice(&bytes[..kept]),
        }
        if kept < bytes.len() {
            return Err(Stop::fault(
                FaultKind::Output,
                format!(
                    "the {} printed more than {limit} bytes {}",
                    self.wasi.program.noun(),
                    self.common.allowed.limit_hint("output_bytes")
                ),
            ));
        }
        Ok(Ok(()))
    }

    fn blocking_write_and_flush(&mut self, stream: Resource<Output>, bytes: Vec<u8>) -> Answer<()> {
        self.write(stream, bytes)
    }

    fn flush(&mut self, stream: Resource<Output>) -> Answer<()> {
        self.light(0)?;
        self.wasi.table.get(&stream)?;
        Ok(Ok(()))
    }

    fn blocking_flush(&mut self, stream: Resource<Output>) -> Answer<()> {
        self.flush(stream)
    }

    fn write_zeroes(&mut self, stream: Resource<Output>, length: u64) -> Answer<()> {
        if length > CHUNK {
            return Err(wasmtime::Error::msg(format!(
                "the {} wrote {length} zeroes at once, but the limit is {CHUNK}",
                self.wasi.program.noun()
            )));
        }
        self.write(stream, vec![0; length as usize])
    }

    fn blocking_write_zeroes_and_flush(
        &mut self,
        stream: Resource<Output>,
        length: u64,
    ) -> Answer<()> {
        self.write_zeroes(stream, length)
    }

    fn splice(
        &mut self,
        target: Resource<Output>,
        source: Resource<Input>,
        length: u64,
    ) -> Answer<u64> {
        let bytes = match streams::HostInputStream::read(self, source, length)? {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error)),
        };
        let length = bytes.len() as u64;
        let written = self.write(target, bytes)?;
        Ok(written.map(|()| length))
    }

    fn blocking_splice(
        &mut self,
        target: Resource<Output>,
        source: Resource<Input>,
        length: u64,
    ) -> Answer<u64> {
        self.splice(target, source, length)
    }

    fn subscribe(&mut self, stream: Resource<Output>) -> wasmtime::Result<Resource<Pollable>> {
        self.wasi.table.get(&stream)?;
        self.pollable(Pollable::Ready)
    }

    fn drop(&mut self, stream: Resource<Output>) -> wasmtime::Result<()> {
        self.wasi.table.delete(stream)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcpmark_snapshot::{Digest, File, MemoryBlobs, Node, Snapshot, Tree};

    use super::*;
    use crate::limits::Allowed;
    use crate::wasi::bindings::wasi::io::streams::HostInputStream;
    use crate::wasi::host::{HasWasi, ScriptHost};
    use crate::{GuestKind, Limits, Mount, ScriptInput};

    #[test]
    fn a_byte_is_charged_with_all_that_was_read_for_it() {
        let blobs = MemoryBlobs::new();
        // More blobs than the number of cached windows.
        let contents: Vec<Digest> = (0..12).map(|byte| blobs.put(vec![byte; 1 << 20])).collect();
        let input = ScriptInput {
            script: String::new(),
            arguments: Vec::new(),
            environment: Vec::new(),
            mounts: vec![Mount {
                name: "state".into(),
                snapshot: Snapshot::new(Tree::empty(), Arc::new(blobs)),
            }],
            clock: 0,
            seed: 0,
            services: None,
        };
        let limits = Limits {
            copy_bytes: 10 << 20,
            ..Limits::SCRIPT
        };
        let allowed = Allowed::new(GuestKind::Verifier, &limits, &Limits::CEILING);
        let mut host = ScriptHost::new(allowed, &input);
        let mut host = host.wasi();
        let streams: Vec<u32> = contents
            .iter()
            .map(|content| {
                let node = Node::File(File {
                    size: 1 << 20,
                    executable: false,
                    modified: None,
                    content: *content,
                });
                let stream = Input::File(Entry { mount: 0, node }, 0);
                host.wasi.table.push(stream).unwrap().rep()
            })
            .collect();
        // A read within a cached window costs one call; a read that loads a window costs 1 MiB.
        let mut read = |stream: u32| host.read(Resource::new_own(stream), 1);
        for _ in 0..1000 {
            assert_eq!(read(streams[0]).unwrap().unwrap(), [0]);
        }
        let turns = (1..20).take_while(|turn| read(streams[turn % 12]).is_ok());
        assert_eq!(turns.count(), 8);
        // Ten windows were loaded; the bytes of the last one exceed the limit.
        assert_eq!(host.common.charged, 10 * (20_000 + (1 << 20)));
    }
}
