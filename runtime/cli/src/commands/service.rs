//! `mcpmark service`: installation of the programs that a service needs.

use mcpmark_kinds::{Availability, InstallError, Machine, ServiceSettings, Services, plan};
use mcpmark_metadata::ExitCode;

use crate::args::ServiceCommand;
use crate::context::Context;
use crate::error::{CommandError, error_chain};
use crate::output;

pub(crate) fn service(
    context: &Context,
    command: ServiceCommand,
) -> Result<ExitCode, CommandError> {
    match command {
        ServiceCommand::Install { service, dry_run } => install(context, &service, dry_run),
    }
}

fn install(context: &Context, name: &str, is_dry: bool) -> Result<ExitCode, CommandError> {
    let kind = context.services().served(name).map_err(|error| {
        CommandError::usage(error).hint("`mcpmark doctor` lists the services with their programs")
    })?;
    let is_root = rustix::process::geteuid().is_root();
    let steps = plan(&kind.missing_programs(), Machine::of_this(is_root)).map_err(failed)?;
    if !is_dry && !steps.is_empty() && !context.allow_install() {
        let commands: Vec<_> = steps.iter().map(|step| format!("`{step}`")).collect();
        return Err(CommandError::usage(format!(
            "installing programs is not allowed, because --no-install or MCPMARK_NO_INSTALL is set; the steps are {}",
            commands.join(" and ")
        )));
    }
    for step in &steps {
        output::note(&format!("· {step}"));
        if !is_dry {
            step.run().map_err(failed)?;
        }
    }
    if is_dry {
        return Ok(ExitCode::Passed);
    }
    // The services of the context remember what they found before.
    let settings = ServiceSettings {
        cache: context.cache().to_owned(),
    };
    let services = Services::builtin_with(&settings);
    let now = services.served(name).map_err(CommandError::usage)?;
    match now.availability() {
        Availability::InProcess => {
            output::print(&format!("service {name} needs no other programs\n"))?;
            Ok(ExitCode::Passed)
        }
        Availability::Programs(how) | Availability::Weakened(how) => {
            output::print(&format!("service {name} is available: {how}\n"))?;
            Ok(ExitCode::Passed)
        }
        Availability::Missing(why) => Err(CommandError::infrastructure(format!(
            "service {name} is still not available: {why}"
        ))),
    }
}

fn failed(error: InstallError) -> CommandError {
    CommandError::infrastructure(error_chain(&error))
}
