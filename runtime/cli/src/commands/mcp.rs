//! `mcpmark mcp`: serves a world to MCP clients, and connects stdio clients to HTTP servers.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_experiment::{PUBLISHED_CLOCK, WorldLimit};
use mcpmark_kinds::{ServiceUnavailable, WorldGuests};
use mcpmark_metadata::ExitCode;
use mcpmark_service::{
    BoxedStream, Introduction, STOP_GRACE, ServeHandle, Service, ServiceError, Session,
    SessionLimits, WorldState, serve_mcp,
};
use mcpmark_snapshot::{Snapshot, Store, Tree};
use mcpmark_task::Task;
use tokio_util::sync::CancellationToken;

use super::{directory, mcp_attempt};
use crate::args::{McpCommand, ServeArgs};
use crate::context::{self, Context, ResolvedState};
use crate::error::CommandError;
use crate::interruption;
use crate::output;
use crate::settings;

/// Runs `mcpmark mcp`.
pub(crate) fn mcp(context: &Context, command: McpCommand) -> Result<ExitCode, CommandError> {
    match command {
        McpCommand::Serve(args) => serve(context, &args),
        McpCommand::Connect { url } => {
            let proxied = mcpmark_experiment::proxy(&url, tokio::io::stdin(), tokio::io::stdout());
            super::runtime(1)?
                .block_on(proxied)
                .map_err(|error| CommandError::infrastructure(format!("{url}: {error}")))?;
            Ok(ExitCode::Passed)
        }
    }
}

/// URL path of the MCP server of `--http`.
pub(super) const HTTP_PATH: &str = "/mcp";

/// Serves a private copy of a world over standard input and output, or over HTTP. Messages for the user go to standard
/// error.
fn serve(context: &Context, args: &ServeArgs) -> Result<ExitCode, CommandError> {
    if let Some(dir) = &args.export {
        directory::check("--export", dir)?;
    }
    let rest = args.rest.map(|address| listen("--rest", address));
    let rest = rest.transpose()?;
    let http = args.http.map(|address| listen("--http", address));
    let http = http.transpose()?;
    if let (Some(task), true) = (&args.task, args.attempt || args.grade) {
        return mcp_attempt::serve(context, args, task, http);
    }
    let store = context.store()?;
    let mut profile = args.profile.clone();
    let mut guests = WorldGuests::default();
    let mut introduced = None;
    let (name, world) = match (&args.task, &args.world) {
        (Some(task), _) => {
            let library = context.library()?;
            let task = context::one_task(&library, task)?;
            introduced = Some(introduction(&task));
            let start = context.start_world(&library, &task.world, &store)?;
            let mut limits = SessionLimits::default();
            if let Some(bytes) = task.meta.limits.world_bytes {
                limits.max_bytes = bytes;
            }
            if let Some(entries) = task.meta.limits.world_files {
                limits.max_files = entries;
            }
            guests = start.guests.clone();
            profile = profile.or_else(|| task.meta.profile.clone());
            (
                task.id.service().to_owned(),
                (start.tree, start.seed, start.clock, limits),
            )
        }
        (None, Some(world)) => match resolve(context, world, args.service.as_deref(), &store)? {
            ResolvedState::World(id, start) => {
                guests = start.guests.clone();
                let world = (
                    start.tree,
                    start.seed,
                    start.clock,
                    SessionLimits::default(),
                );
                (id.service().to_owned(), world)
            }
            ResolvedState::Directory(tree) | ResolvedState::State(tree) => {
                let by_default = context.services().of_any_directory();
                let by_default = by_default.map_or("", |kind| kind.name());
                let name = args.service.as_deref().unwrap_or(by_default);
                context.service_named(name)?;
                let world = (tree, 1, PUBLISHED_CLOCK, SessionLimits::default());
                (name.to_owned(), world)
            }
        },
        (None, None) => return Err(CommandError::usage("--task or --world is required")),
    };
    let service = context.services().kind(&name);
    let service: Arc<dyn Service> = service
        .and_then(|kind| kind.service(&guests))
        .ok_or_else(|| CommandError::invalid(ServiceUnavailable::Unknown(name.clone())))?;
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
        let session = Arc::new(service.open(state).await.map_err(failed)?);
        if let Some(introduction) = introduced {
            session.introduce(introduction);
        }
        let over = CancellationToken::new();
        let ending = over.clone().drop_guard();
        let idle = args.idle_timeout.map(Duration::from_secs);
        let (http, left) = match http {
            Some(listener) => {
                let listener = to_tokio("--http", listener)?;
                let (served, left) = serve_over_http(&session, listener, idle, over);
                (Some(served), left)
            }
            None => (None, session.serve(stdio())),
        };
        let is_http = http.is_some();
        let rest = match rest {
            None => None,
            Some(listener) => Some(serve_rest(&**session, &name, listener)?),
        };
        output::note(
            &(if is_http {
                format!("serving {name}; press Ctrl-C to end")
            } else {
                format!("serving {name} over stdio; close standard input to end")
            }),
        );
        let interrupted = tokio::select! {
            left = left.join() => { left.map_err(failed)?; false }
            // Over HTTP, Ctrl-C is the regular end of a session that its client does not close.
            () = listening.asked_to_stop() => !is_http,
        };
        // A second interrupt does not wait for the final state.
        let tree = tokio::select! {
            tree = session.finish(STOP_GRACE) => Some(tree.map_err(failed)?),
            () = listening.asked_to_stop() => None,
        };
        drop(ending);
        if let Some(rest) = rest {
            rest.abort();
        }
        if let Some(http) = http {
            http.join().await.map_err(failed)?;
        }
        // If a connection still holds the session, the private copy is removed when the process exits.
        if let (Some(_), Some(session)) = (&tree, Arc::into_inner(session)) {
            session.close().await.map_err(failed)?;
        }
        Ok::<_, CommandError>((tree, interrupted))
    });
    let (tree, interrupted) = served?;
    let Some(tree) = tree else {
        output::note("stopped immediately; the final state is lost");
        return Ok(ExitCode::Interrupted);
    };
    output::note(&format!("final state {}", tree.digest()));
    if let Some(dir) = &args.export {
        export(&*service, Snapshot::new(tree, store), dir, clock)?;
    }
    Ok(if interrupted {
        ExitCode::Interrupted
    } else {
        ExitCode::Passed
    })
}

/// Returns the state that `--world` names. The service is compared first, because the guests of a world can take
/// minutes to build.
fn resolve(
    context: &Context,
    world: &str,
    service: Option<&str>,
    store: &Store,
) -> Result<ResolvedState, CommandError> {
    if let (Some(service), Some(id)) = (service, context.world_named(world))
        && service != id.service()
    {
        let own = id.service();
        return Err(CommandError::usage(format!(
            "--service {service}: {id} is a world of the service {own}"
        )));
    }
    context.tree(world, store)
}

/// Returns the instruction of a task for MCP clients.
pub(super) fn introduction(task: &Task) -> Introduction {
    Introduction {
        name: "task".to_owned(),
        title: task.meta.task_name.clone(),
        instruction: task.instruction.clone(),
    }
}

/// Joins standard input and output into one stream.
pub(super) fn stdio() -> BoxedStream {
    Box::new(tokio::io::join(tokio::io::stdin(), tokio::io::stdout()))
}

/// Serves a session over streamable HTTP until `over` is cancelled. The second handle completes when all clients have
/// disconnected, or after the idle timeout.
fn serve_over_http(
    session: &Arc<Box<dyn Session>>,
    listener: tokio::net::TcpListener,
    idle: Option<Duration>,
    over: CancellationToken,
) -> (ServeHandle, ServeHandle) {
    let shared = Arc::clone(session);
    let until = over.cancelled_owned();
    let (served, activity) = serve_mcp(listener, HTTP_PATH, until, move |io| shared.serve(io));
    let left = tokio::spawn(async move {
        activity.until_gone(idle).await;
        Ok(())
    });
    (served, ServeHandle::new(left))
}

/// Writes a final state to a directory.
pub(super) fn export(
    service: &dyn Service,
    state: Snapshot,
    dir: &Path,
    clock: i64,
) -> Result<(), CommandError> {
    let scratch = mcpmark_snapshot::scratch_parent(None);
    let shown = service.exported(&state, &scratch).map_err(failed)?;
    directory::write("--export", dir, &shown.tree, &*shown.blobs, clock)?;
    output::note(&format!("wrote the final state to {}", dir.display()));
    Ok(())
}

/// Lowers the limits of a world to the ceiling of this host. Returns an error if the world exceeds the ceiling at the
/// start.
fn granted(limits: SessionLimits, tree: &Tree) -> Result<SessionLimits, CommandError> {
    let ceiling = settings::world_ceiling()?;
    if let Some((limit, found, most)) = WorldLimit::exceeded(tree, &ceiling).next() {
        let (name, unit) = (limit.name(), limit.unit());
        return Err(CommandError::invalid(format!(
            "the starting world exceeds limit `{name}`: it has {found} {unit}, but this host grants {most}"
        ))
        .hint(settings::raise(name, found)));
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

/// Binds a loopback address. Other addresses are refused, because clients are not authenticated.
fn listen(option: &str, address: SocketAddr) -> Result<TcpListener, CommandError> {
    if !address.ip().is_loopback() {
        return Err(CommandError::usage(format!(
            "{option} {address}: the address is reachable from other machines"
        ))
        .hint("use a loopback address, such as 127.0.0.1:8080"));
    }
    let taken = |error| CommandError::usage(format!("{option} {address}: {error}"));
    let listener = TcpListener::bind(address).map_err(taken)?;
    listener.set_nonblocking(true).map_err(taken)?;
    Ok(listener)
}

/// Converts a listener for tokio. Prints the URL of the MCP server for `--http`.
pub(super) fn to_tokio(
    option: &str,
    listener: TcpListener,
) -> Result<tokio::net::TcpListener, CommandError> {
    let broken = |error| CommandError::infrastructure(format!("{option}: {error}"));
    let address = listener.local_addr().map_err(broken)?;
    if option == "--http" {
        output::note(&format!("MCP server at http://{address}{HTTP_PATH}"));
    }
    tokio::net::TcpListener::from_std(listener).map_err(broken)
}

fn serve_rest(
    session: &dyn Session,
    name: &str,
    listener: TcpListener,
) -> Result<ServeHandle, CommandError> {
    let address = listener.local_addr();
    let listener = to_tokio("--rest", listener)?;
    let handle = session.serve_http(listener).ok_or_else(|| {
        CommandError::usage(format!("--rest: service {name} has no REST interface"))
    })?;
    if let Ok(address) = address {
        output::note(&format!("serving its REST interface at http://{address}"));
    }
    Ok(handle)
}

fn failed(error: ServiceError) -> CommandError {
    super::service_error(&error, None)
}
