//! `wasi:cli`: environment, exit, standard streams, and the terminal, which does not exist.
//!
//! Not the implementation of `wasmtime-wasi`. For the environment and the terminal it does the same, but without a
//! charge, and only as a part of a context that also has clocks, entropy and sockets of the host. Its exit is an error
//! with a code, which means something else for each [`Program`]. Its standard streams are those of its own
//! `wasi:io/streams` ([`streams`](super::streams)).
#![expect(
    unreachable_pub,
    reason = "the bindings re-export the types of resources"
)]

use wasmtime::component::Resource;

use super::bindings::wasi::cli::{
    environment, exit, stderr, stdin, stdout, terminal_input, terminal_output, terminal_stderr,
    terminal_stdin, terminal_stdout,
};
use super::host::{Program, WasiHost};
use super::streams::{Input, Output};
use crate::FaultKind;
use crate::host::Stop;

/// Uninhabited type: there is no terminal.
#[derive(Debug)]
pub enum Terminal {}

impl environment::Host for WasiHost<'_> {
    fn get_environment(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        let variables = self.wasi.environment.iter();
        let bytes: usize = variables
            .map(|(name, value)| name.len() + value.len())
            .sum();
        self.light(bytes as u64)?;
        Ok(self.wasi.environment.clone())
    }

    fn get_arguments(&mut self) -> wasmtime::Result<Vec<String>> {
        let bytes: usize = self.wasi.arguments.iter().map(String::len).sum();
        self.light(bytes as u64)?;
        Ok(self.wasi.arguments.clone())
    }

    fn initial_cwd(&mut self) -> wasmtime::Result<Option<String>> {
        self.light(0)?;
        Ok(None)
    }
}

impl exit::Host for WasiHost<'_> {
    fn exit(&mut self, status: Result<(), ()>) -> wasmtime::Result<()> {
        let code = if status.is_ok() {
            "exit code 0"
        } else {
            "an exit code other than 0"
        };
        self.end(u8::from(status.is_err()), code)
    }

    fn exit_with_code(&mut self, code: u8) -> wasmtime::Result<()> {
        self.end(code, &format!("exit code {code}"))
    }
}

impl WasiHost<'_> {
    /// Ends the program. Only the exit code of a command is a verdict.
    fn end(&mut self, code: u8, words: &str) -> wasmtime::Result<()> {
        let message = match self.wasi.program {
            Program::Command => {
                self.wasi.exited = Some(code);
                format!("the verifier ended with {words}")
            }
            Program::Checks => {
                format!("the verifier ended with {words} before it returned its checks")
            }
            Program::Script => format!(
                "the script ended the interpreter directly, with {words}, as `os._exit` does; only `sys.exit` and the end of the script give a verdict"
            ),
        };
        Err(Stop::fault(FaultKind::Trap, message))
    }
}

impl stdin::Host for WasiHost<'_> {
    fn get_stdin(&mut self) -> wasmtime::Result<Resource<Input>> {
        self.light(0)?;
        Ok(self.wasi.table.push(Input::Empty)?)
    }
}

impl stdout::Host for WasiHost<'_> {
    fn get_stdout(&mut self) -> wasmtime::Result<Resource<Output>> {
        self.light(0)?;
        Ok(self.wasi.table.push(Output::Stdout)?)
    }
}

impl stderr::Host for WasiHost<'_> {
    fn get_stderr(&mut self) -> wasmtime::Result<Resource<Output>> {
        self.light(0)?;
        Ok(self.wasi.table.push(Output::Stderr)?)
    }
}

impl terminal_input::Host for WasiHost<'_> {}

impl terminal_input::HostTerminalInput for WasiHost<'_> {
    fn drop(&mut self, terminal: Resource<Terminal>) -> wasmtime::Result<()> {
        self.wasi.table.delete(terminal)?;
        Ok(())
    }
}

impl terminal_output::Host for WasiHost<'_> {}

impl terminal_output::HostTerminalOutput for WasiHost<'_> {
    fn drop(&mut self, terminal: Resource<Terminal>) -> wasmtime::Result<()> {
        self.wasi.table.delete(terminal)?;
        Ok(())
    }
}

impl terminal_stdin::Host for WasiHost<'_> {
    fn get_terminal_stdin(&mut self) -> wasmtime::Result<Option<Resource<Terminal>>> {
        self.light(0)?;
        Ok(None)
    }
}

impl terminal_stdout::Host for WasiHost<'_> {
    fn get_terminal_stdout(&mut self) -> wasmtime::Result<Option<Resource<Terminal>>> {
        self.light(0)?;
        Ok(None)
    }
}

impl terminal_stderr::Host for WasiHost<'_> {
    fn get_terminal_stderr(&mut self) -> wasmtime::Result<Option<Resource<Terminal>>> {
        self.light(0)?;
        Ok(None)
    }
}
