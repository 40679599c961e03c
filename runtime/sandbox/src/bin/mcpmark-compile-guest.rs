//! The compiler for programs that embed the sandbox and have no subcommand for it.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcpmark_sandbox::serve_compiler(std::io::stdin(), std::io::stdout())
}
