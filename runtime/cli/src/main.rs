//! The `mcpmark` command: subcommands over the libraries, progress output and exit codes.

mod args;
mod bundles;
mod commands;
mod context;
mod diagnosis;
mod engine;
mod environment;
mod error;
mod files;
mod interruption;
mod operands;
mod output;
mod runtime;
mod settings;
mod single_flight;

use std::process;

use mcpmark_metadata::ExitCode;

use crate::args::{Cli, Command};
use crate::context::Context;
use crate::error::CommandError;

fn main() -> process::ExitCode {
    let cli = match args::parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            let code = if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::Passed
            };
            return code.into();
        }
    };
    if let Command::CompileGuest = cli.command {
        return mcpmark_sandbox::serve_compiler(std::io::stdin(), std::io::stdout());
    }
    let ended = run(cli);
    interruption::settle();
    match ended {
        Ok(code) => code.into(),
        Err(CommandError {
            code,
            message,
            hint,
            ..
        }) => {
            output::note(&format!(
                "{} {message}",
                output::paint(output::BAD, "error:")
            ));
            if let Some(hint) = hint {
                output::note(&format!("{} {hint}", output::paint(output::BOLD, "hint:")));
            }
            code.into()
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode, CommandError> {
    let context = Context::new(cli.global)?;
    let ended = execute(&context, cli.command);
    context.services().shutdown();
    ended
}

fn execute(context: &Context, command: Command) -> Result<ExitCode, CommandError> {
    match command {
        Command::Run(args) => commands::run::run(context, *args),
        Command::Resume(args) => commands::run::resume(context, args),
        Command::Grade(args) => commands::grade::grade(context, args),
        Command::Inspect(args) => commands::inspect::inspect(context, args),
        Command::Task(command) => commands::task::task(context, command),
        Command::World(command) => commands::world::world(context, command),
        Command::Mcp(command) => commands::mcp::mcp(context, command),
        Command::Runs(args) => commands::runs::runs(context, args),
        Command::Show(args) => commands::show::show(context, args),
        Command::Report(args) => commands::report::report(context, args),
        Command::Compare(args) => commands::report::compare(context, args),
        Command::Export(args) => commands::report::export(context, args),
        Command::Regrade(args) => commands::regrade::regrade(context, args),
        Command::Receipt(command) => commands::receipt::receipt(context, command),
        Command::Store(command) => commands::store::store(context, command),
        Command::Bundle(command) => commands::bundle::bundle(context, command),
        Command::Service(command) => commands::service::service(context, command),
        Command::Doctor(args) => commands::doctor::doctor(context, args),
        Command::Completions { shell } => commands::complete::script(shell),
        Command::Complete { words } => commands::complete::names(context, &words),
        // `main` handles it before the environment is read, because the sandbox starts it.
        Command::CompileGuest => Ok(ExitCode::Usage),
    }
}
