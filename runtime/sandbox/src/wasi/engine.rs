//! The engine of the wasi profile. It compiles to other code than that of pure guests: a
//! script's interpreter starts from a large image of its memory, which is mapped and not
//! copied, and needs a deep stack. So it has a profile of its own.

use std::sync::{Arc, Mutex, PoisonError};

use wasmtime::{Config, Engine};

use super::artefacts::Artefacts;
use crate::engine::{compiler_config, engine_error, start_ticker};
use crate::profile::profile;
use crate::{EngineError, EngineKind, SandboxConfig};

/// Bytes of stack of a script guest's functions: below this, an interpreter's own limit on
/// recursion does not speak first.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// An engine that is started when the first script is graded.
pub(crate) struct Wasi {
    config: SandboxConfig,
    started: Mutex<Option<Arc<Started>>>,
}

pub(crate) struct Started {
    pub(crate) engine: Engine,
    pub(crate) cache: Option<Artefacts>,
    pub(crate) profile: String,
}

impl Wasi {
    pub(crate) fn new(config: &SandboxConfig) -> Self {
        Self {
            config: config.clone(),
            started: Mutex::new(None),
        }
    }

    pub(crate) fn start(&self) -> Result<Arc<Started>, EngineError> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(started) = &*started {
            return Ok(Arc::clone(started));
        }
        let config = &self.config;
        let engine = Engine::new(&interpreter_config(config.engine)).map_err(engine_error)?;
        start_ticker(&engine)?;
        let profile = format!("wasi-{}", profile(&engine, config.engine));
        let cache = config
            .cache
            .as_ref()
            .map(|dir| Artefacts::new(dir.join("interpreters"), profile.clone()));
        let new = Arc::new(Started {
            engine,
            cache,
            profile,
        });
        *started = Some(Arc::clone(&new));
        Ok(new)
    }
}

/// What machine code of an interpreter depends on, and how it runs.
pub(crate) fn interpreter_config(kind: EngineKind) -> Config {
    let mut engine = compiler_config(kind);
    engine
        .memory_init_cow(true)
        .max_wasm_stack(STACK_BYTES)
        // Nothing runs on such a stack, and wasmtime refuses one that is smaller.
        .async_stack_size(STACK_BYTES);
    engine
}
