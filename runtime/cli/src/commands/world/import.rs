//! Published templates made worlds.

use mcpmark_experiment::PUBLISHED_CLOCK;
use mcpmark_github::GitError;
use mcpmark_github::world::{ImportError, Importer, WorldError, is_login};
use serde_json::json;

use crate::args::ImportArgs;
use crate::commands::directory;
use crate::context::Context;
use crate::error::{CommandError, chain};
use crate::exit;
use crate::output::{self, sanitise};

/// `mcpmark world import …`.
pub(super) fn import(context: &Context, args: &ImportArgs) -> Result<u8, CommandError> {
    if !args.template.is_dir() {
        return Err(
            CommandError::usage(format!("{} is no directory", args.template.display()))
                .hint("name the directory with repo/, issues.json, pulls.json and meta.json"),
        );
    }
    let logins = [
        ("--owner", Some(&args.owner)),
        ("--viewer", args.viewer.as_ref()),
    ];
    for (flag, login) in logins {
        if let Some(login) = login.filter(|login| !is_login(login)) {
            return Err(CommandError::usage(format!("{flag} {login:?} is no login"))
                .hint("letters, digits, hyphens and underscores, 39 at most"));
        }
    }
    directory::check("--output", &args.output)?;
    let store = context.store()?;
    let template = context.directory(&args.template, &store)?;
    let importer = Importer {
        owner: args.owner.clone(),
        viewer: args.viewer.clone().unwrap_or_else(|| args.owner.clone()),
        clock: PUBLISHED_CLOCK,
    };
    let scratch = mcpmark_snapshot::scratch_parent(None);
    let imported = importer
        .import(&template, &store, &scratch)
        .map_err(|error| {
            let place = args.template.display();
            let message = sanitise::block(&format!("{place}: {}", chain(&error))).into_owned();
            match error {
                ImportError::World(
                    WorldError::Git(GitError::Copy(_)) | WorldError::Read { .. },
                )
                | ImportError::Export(_) => CommandError::infrastructure(message),
                _ => CommandError::invalid(message),
            }
        })?;
    directory::write(
        "--output",
        &args.output,
        &imported.tree,
        &store,
        PUBLISHED_CLOCK,
    )?;
    if args.json {
        let skipped: Vec<_> = imported
            .skipped
            .iter()
            .map(|it| json!({"place": it.place, "title": it.title, "why": it.why}))
            .collect();
        output::print_json(&json!({
            "repository": imported.repository,
            "digest": imported.tree.digest(),
            "issues": imported.issues,
            "pulls": imported.pulls,
            "skipped": skipped,
        }))?;
        return Ok(exit::PASSED);
    }
    for skipped in &imported.skipped {
        output::note(&format!(
            "{} {} {:?}: {}",
            output::paint(output::WARN, "left out:"),
            skipped.place,
            sanitise::line(&skipped.title),
            sanitise::line(&skipped.why)
        ));
    }
    output::print(&format!(
        "{}, {}, {}\n",
        sanitise::line(&imported.repository),
        output::count(imported.issues, "issue"),
        output::count(imported.pulls, "pull request")
    ))?;
    Ok(exit::PASSED)
}
