//! Compiler program for embedders that have no subcommand for it.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcpmark_sandbox::serve_compiler(std::io::stdin(), std::io::stdout())
}
