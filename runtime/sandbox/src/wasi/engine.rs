//! Engine of the WASI profile. It compiles to different code than the engine of other guests: an interpreter starts
//! from a large image of its memory, which is mapped instead of copied, and needs a deep stack. Therefore it has an
//! engine profile of its own.

use std::sync::{Arc, Mutex, PoisonError};

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::artefacts::Artefacts;
use super::threads::Threads;
use crate::engine::{compiler_config, engine_error, start_ticker};
use crate::profile::profile;
use crate::{EngineError, EngineKind, MAX_MEMORY_BYTES, SandboxConfig};

/// Stack size of an interpreter's functions, in bytes. With less, a script would reach it before the recursion limit of
/// the interpreter.
pub(crate) const STACK_BYTES: usize = 32 << 20;
/// Maximum number of core instances in an interpreter, including adapters that only forward calls.
const MAX_INSTANCES: u32 = 64;
const MAX_TABLES: u32 = 4;
/// Bytes of a slot's memory that stay mapped for the next script. Most scripts use less.
const KEPT_BYTES: usize = 48 << 20;
const MAX_TABLE_ELEMENTS: usize = 200_000;

/// Engine for scripts, started when the first one is graded.
pub(crate) struct Wasi {
    config: SandboxConfig,
    started: Mutex<Option<Arc<Started>>>,
}

pub(crate) struct Started {
    pub(crate) engine: Engine,
    pub(crate) cache: Option<Artefacts>,
    pub(crate) profile: String,
    /// Pool of threads that run scripts.
    pub(crate) threads: Threads,
}

impl Wasi {
    pub(crate) fn new(config: &SandboxConfig) -> Self {
        Self {
            config: config.clone(),
            started: Mutex::new(None),
        }
    }

    /// Returns the settings of the sandbox.
    pub(crate) fn config(&self) -> &SandboxConfig {
        &self.config
    }

    pub(crate) fn start(&self) -> Result<Arc<Started>, EngineError> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(started) = &*started {
            return Ok(Arc::clone(started));
        }
        let config = &self.config;
        let mut settings = interpreter_config(config.engine);
        settings.allocation_strategy(pool(config));
        let engine = Engine::new(&settings).map_err(engine_error)?;
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
            threads: Threads::default(),
        });
        *started = Some(Arc::clone(&new));
        Ok(new)
    }
}

/// Returns a pool whose slots stay mapped. Mapping memory for each grade, or unmapping the pages that a script has
/// written, makes concurrent grades wait for each other, and each unmapped page is a page fault for the next script.
/// Copying the memory image over written pages is cheaper than both.
fn pool(config: &SandboxConfig) -> InstanceAllocationStrategy {
    let slots = config.slots.max(1);
    let kept = if config.stays_warm { KEPT_BYTES } else { 0 };
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        .max_component_instance_size(1 << 20)
        .max_core_instances_per_component(MAX_INSTANCES)
        .max_memories_per_component(1)
        .max_tables_per_component(MAX_TABLES)
        .total_core_instances(slots * MAX_INSTANCES)
        .max_core_instance_size(1 << 20)
        .max_memories_per_module(1)
        .max_tables_per_module(MAX_TABLES)
        .total_memories(slots)
        .total_tables(slots * MAX_TABLES)
        .table_elements(MAX_TABLE_ELEMENTS)
        .max_memory_size(MAX_MEMORY_BYTES as usize)
        .linear_memory_keep_resident(kept)
        .table_keep_resident(256 << 10)
        // A pagemap scan misses pages that were swapped out, so that the next script could read data of the previous
        // one.
        .pagemap_scan(Enabled::No);
    InstanceAllocationStrategy::Pooling(pool)
}

/// Returns the settings that the machine code of an interpreter and its execution depend on.
pub(crate) fn interpreter_config(kind: EngineKind) -> Config {
    let mut engine = compiler_config(kind);
    engine
        .memory_init_cow(true)
        .max_wasm_stack(STACK_BYTES)
        // No code runs on an async stack, but wasmtime refuses one that is smaller than the WebAssembly stack.
        .async_stack_size(STACK_BYTES);
    engine
}
