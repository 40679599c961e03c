use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use mcpmark_experiment::{CiGuest, PUBLISHED_CLOCK, service};
use mcpmark_service::{STOP_GRACE, ServeHandle, ServiceError, Session, SessionLimits, WorldState};
use mcpmark_snapshot::{Snapshot, Tree};

use super::directory;
use crate::args::{McpCommand, ServeArgs};
use crate::context::{self, Context, Named};
use crate::error::CommandError;
use crate::exit;
use crate::interruption;
use crate::output;
use crate::settings;

/// `mcpmark mcp …`.
pub(crate) fn mcp(context: &Context, command: McpCommand) -> Result<u8, CommandError> {
    match command {
        McpCommand::Serve(args) => serve(context, &args),
    }
}

/// Serves a private copy of a world over standard input and output. Whatever people
/// should read goes to standard error.
fn serve(context: &Context, args: &ServeArgs) -> Result<u8, CommandError> {
    if let Some(dir) = &args.export {
        directory::check("--export", dir)?;
    }
    let rest = args.rest.map(listen).transpose()?;
    let store = context.store()?;
    let mut profile = args.profile.clone();
    let mut ci = None;
    let (name, world) = match (&args.task, &args.world) {
        (Some(task), _) => {
            let library = context.library()?;
            let task = context::one_task(&library, task)?;
            let start = context.start_world(&library, &task.world, &store)?;
            let mut limits = SessionLimits::default();
            if let Some(bytes) = task.meta.limits.world_bytes {
                limits.max_bytes = bytes;
            }
            if let Some(entries) = task.meta.limits.world_files {
                limits.max_files = entries;
            }
            ci = start.ci.clone();
            profile = profile.or_else(|| task.meta.profile.clone());
            (
                task.id.service().to_owned(),
                (start.tree, start.seed, start.clock, limits),
            )
        }
        (None, Some(world)) => match context.tree(world, &store)? {
            Named::World(id, start) => {
                let own = id.service();
                if let Some(other) = args.service.as_deref().filter(|name| *name != own) {
                    return Err(CommandError::usage(format!(
                        "--service {other}: {id} is a world of the service {own}"
                    )));
                }
                ci = start.ci.clone();
                let world = (
                    start.tree,
                    start.seed,
                    start.clock,
                    SessionLimits::default(),
                );
                (id.service().to_owned(), world)
            }
            Named::Directory(tree) | Named::State(tree) => {
                let name = args.service.as_deref().unwrap_or("filesystem");
                if service(name).is_none() {
                    return Err(CommandError::usage(format!(
                        "--service {name}: there is no such service; `mcpmark doctor` names them"
                    )));
                }
                let world = (tree, 1, PUBLISHED_CLOCK, SessionLimits::default());
                (name.to_owned(), world)
            }
        },
        (None, None) => return Err(CommandError::usage("name a --task or a --world")),
    };
    let plain = service(&name)
        .ok_or_else(|| CommandError::invalid(format!("there is no service named {name:?}")))?;
    let service = ci.map_or(plain, CiGuest::service);
    if let Some(profile) = &profile {
        service
            .check_profile(profile)
            .map_err(|error| match args.profile {
                Some(_) => CommandError::usage(format!("--profile: {error}")),
                None => CommandError::invalid(format!("key \"profile\" of the task: {error}")),
            })?;
    }
    let (tree, seed, clock, limits) = world;
    let limits = granted(limits, &tree)?;
    settings::bound_memory()?;
    let store = Arc::new(store);
    let state = WorldState {
        tree,
        store: Arc::clone(&store),
        seed,
        clock,
        profile,
        limits,
        scratch: context.scratch()?,
    };
    let runtime = super::runtime(1)?;
    let served = runtime.block_on(async {
        let mut listening = interruption::listen();
        let session = service.open(state).await.map_err(failed)?;
        let served = session.serve(Box::new(tokio::io::join(
            tokio::io::stdin(),
            tokio::io::stdout(),
        )));
        let http = match rest {
            None => None,
            Some(listener) => Some(serve_http(&*session, &name, listener)?),
        };
        output::note(&format!(
            "serving {name} over stdio; close standard input to end"
        ));
        let interrupted = tokio::select! {
            served = served.join() => { served.map_err(failed)?; false }
            () = listening.asked_to_stop() => true,
        };
        if let Some(http) = http {
            http.abort();
        }
        // Who asks to stop once more does not wait for the final state.
        let tree = tokio::select! {
            tree = end(session) => Some(tree?),
            () = listening.asked_to_stop() => None,
        };
        Ok::<_, CommandError>((tree, interrupted))
    });
    let (tree, interrupted) = served?;
    let Some(tree) = tree else {
        output::note("stopped at once; the final state is lost");
        return Ok(exit::INTERRUPTED);
    };
    output::note(&format!("final state {}", tree.digest()));
    if let Some(dir) = &args.export {
        let state = Snapshot::new(tree, store);
        let scratch = mcpmark_snapshot::scratch_parent(None);
        let shown = service.exported(&state, &scratch).map_err(failed)?;
        directory::write("--export", dir, &shown.tree, &*shown.blobs, clock)?;
        output::note(&format!("wrote the final state to {}", dir.display()));
    }
    Ok(if interrupted {
        exit::INTERRUPTED
    } else {
        exit::PASSED
    })
}

/// The limits of a world below the ceiling of this host, which the world must not have passed already.
fn granted(limits: SessionLimits, tree: &Tree) -> Result<SessionLimits, CommandError> {
    let ceiling = settings::world_ceiling()?;
    for (name, found, most) in [
        ("world_bytes", tree.total_size(), ceiling.max_bytes),
        ("world_files", tree.len(), ceiling.max_files),
    ] {
        if found > most {
            return Err(CommandError::invalid(format!(
                "the world is beyond `{name}` at the start: it has {found}, and this host grants {most}"
            ))
            .hint(settings::raise(name, found)));
        }
    }
    let (mut asked, mut granted) = (limits.clone(), limits.below(&ceiling));
    for ((name, asked), (_, granted)) in asked.named().into_iter().zip(granted.named()) {
        if granted < asked {
            output::warn(&format!(
                "limit `{name}` is lowered from {asked} to {granted}, the ceiling of this host ({})",
                settings::CEILING
            ));
        }
    }
    Ok(granted)
}

/// Ends a session: cancels the calls that still run, and captures the final state.
async fn end(session: Box<dyn Session>) -> Result<Tree, CommandError> {
    let tree = session.finish(STOP_GRACE).await.map_err(failed)?;
    session.close().await.map_err(failed)?;
    Ok(tree)
}

/// Takes the address for the service's own interface, which is of this machine alone: nobody proves there who asks.
fn listen(address: SocketAddr) -> Result<TcpListener, CommandError> {
    if !address.ip().is_loopback() {
        return Err(CommandError::usage(format!(
            "--rest {address} can be reached from other machines"
        ))
        .hint("name an address of this machine alone, such as 127.0.0.1:8080"));
    }
    let taken = |error| CommandError::usage(format!("--rest {address}: {error}"));
    let listener = TcpListener::bind(address).map_err(taken)?;
    listener.set_nonblocking(true).map_err(taken)?;
    Ok(listener)
}

fn serve_http(
    session: &dyn Session,
    name: &str,
    listener: TcpListener,
) -> Result<ServeHandle, CommandError> {
    let broken = |error| CommandError::infrastructure(format!("--rest: {error}"));
    let address = listener.local_addr().map_err(broken)?;
    let listener = tokio::net::TcpListener::from_std(listener).map_err(broken)?;
    let handle = session.serve_http(listener).ok_or_else(|| {
        CommandError::usage(format!(
            "--rest: the service {name} has no interface of its own over HTTP"
        ))
    })?;
    output::note(&format!("serving its REST interface at http://{address}"));
    Ok(handle)
}

fn failed(error: ServiceError) -> CommandError {
    super::service_error(&error, None)
}
