//! Store data of an interpreter, and the linked interfaces.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use wasmtime::component::{HasSelf, Linker, ResourceTable};

use super::bindings::mcpmark::script::{gaps, services};
use super::bindings::wasi::{cli, clocks, filesystem, io, random};
use super::clock::{Clock, random_source};
use super::files::Files;
use super::run::ScriptInput;
use super::services::{ScriptServices, ScriptSession, ServiceAnswer};
use super::streams::Written;
use crate::host::{Common, HasCommon, Stop};
use crate::limits::{Allowed, MAX_OPEN};
use crate::{FaultKind, InterfaceVersions};

/// Bytes charged for a call that copies almost nothing.
const LIGHT_COST: u64 = 64;
/// Maximum size of the message about a missing feature, in bytes.
const MAX_MESSAGE_BYTES: usize = 4096;

/// Store data of one script.
pub(crate) struct WasiHost {
    pub(crate) common: Common,
    pub(crate) table: ResourceTable,
    pub(crate) files: Files,
    pub(crate) clock: Clock,
    /// Start time of the script, which is also the time stamp of files that have none.
    pub(crate) started: i64,
    pub(crate) random: ChaCha20Rng,
    pub(crate) written: Written,
    /// Cost of the directory listings that are open, in bytes.
    pub(crate) listed: u64,
    /// Backend of services, opened at the first request.
    services: Option<Arc<dyn ScriptServices>>,
    asked: Option<Box<dyn ScriptSession>>,
}

impl WasiHost {
    pub(crate) fn new(allowed: Allowed, input: &ScriptInput) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_OPEN);
        Self {
            common: Common::new(allowed, String::new()),
            table,
            files: Files::new(input.mounts.clone()),
            clock: Clock::new(input.clock),
            started: input.clock,
            random: random_source(input.seed),
            written: Written::default(),
            listed: 0,
            services: input.services.clone(),
            asked: None,
        }
    }

    /// Returns the servers that answered the script.
    pub(crate) fn interfaces(&self) -> InterfaceVersions {
        let asked = self.asked.as_ref();
        asked.map_or_else(InterfaceVersions::default, |session| session.interfaces())
    }

    /// Charges a call that costs little, and the bytes that pass with it.
    pub(crate) fn light(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.common.charge_bytes(bytes.saturating_add(LIGHT_COST))
    }
}

impl HasCommon for WasiHost {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }
}

impl services::Host for WasiHost {
    fn call(
        &mut self,
        service: String,
        request: String,
    ) -> wasmtime::Result<Result<String, String>> {
        self.common.charge((service.len() + request.len()) as u64)?;
        if self.asked.is_none() {
            self.asked = self.services.as_ref().map(|services| services.open());
        }
        let answer = match &mut self.asked {
            Some(session) => session.call(&service, &request, self.clock.now()),
            None => ServiceAnswer::Absent,
        };
        let service = crate::host::cut(service, 64);
        let (text, is_answer) = match answer {
            ServiceAnswer::Answer(text) => (text, true),
            ServiceAnswer::Error(text) => (text, false),
            ServiceAnswer::Absent => {
                return Err(Stop::fault(
                    FaultKind::Link,
                    format!(
                        "the script calls the service {service:?}, which is not available: the service of this state is unknown, or does not have this interface"
                    ),
                ));
            }
            ServiceAnswer::Exhausted { kind, message } => return Err(Stop::fault(kind, message)),
            ServiceAnswer::Broken(message) => {
                return Err(Stop::host(format!(
                    "the service {service:?} failed: {message}"
                )));
            }
        };
        self.common.charge(text.len() as u64)?;
        Ok(if is_answer { Ok(text) } else { Err(text) })
    }
}

impl gaps::Host for WasiHost {
    fn stop(&mut self, what: String) -> wasmtime::Result<()> {
        self.common.charge(what.len() as u64)?;
        let what = crate::host::cut(what, MAX_MESSAGE_BYTES);
        Err(Stop::fault(FaultKind::Link, format!("the script {what}")))
    }
}

/// Links all interfaces that an interpreter gets, except sockets.
pub(crate) fn add_to_linker(linker: &mut Linker<WasiHost>) -> wasmtime::Result<()> {
    macro_rules! add {
        ($($interface:path),* $(,)?) => {{
            $({
                use $interface as interface;
                interface::add_to_linker::<_, HasSelf<WasiHost>>(linker, |host| host)?;
            })*
        }};
    }
    add!(
        io::error,
        io::poll,
        io::streams,
        clocks::monotonic_clock,
        clocks::wall_clock,
        random::random,
        cli::environment,
        cli::exit,
        cli::stdin,
        cli::stdout,
        cli::stderr,
        cli::terminal_input,
        cli::terminal_output,
        cli::terminal_stdin,
        cli::terminal_stdout,
        cli::terminal_stderr,
        filesystem::types,
        filesystem::preopens,
        gaps,
        services,
    );
    Ok(())
}
