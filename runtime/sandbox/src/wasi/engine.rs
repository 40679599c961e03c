//! The engine of the wasi profile. It compiles to other code than that of pure guests: a
//! script's interpreter starts from a large image of its memory, which is mapped and not
//! copied, and needs a deep stack. So it has a profile of its own.

use std::sync::{Arc, Mutex, PoisonError};

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::artefacts::Artefacts;
use super::threads::Threads;
use crate::engine::{compiler_config, engine_error, start_ticker};
use crate::profile::profile;
use crate::{EngineError, EngineKind, MAX_MEMORY_BYTES, SandboxConfig};

/// Bytes of stack of a script guest's functions: below this, an interpreter's own limit on
/// recursion does not speak first.
pub(crate) const STACK_BYTES: usize = 32 << 20;
/// Modules within an interpreter, those that only pass calls on among them.
const MAX_INSTANCES: u32 = 64;
const MAX_TABLES: u32 = 4;
/// Most scripts need less.
const KEPT_BYTES: usize = 48 << 20;
const MAX_TABLE_ELEMENTS: usize = 200_000;

/// An engine that is started when the first script is graded.
pub(crate) struct Wasi {
    config: SandboxConfig,
    started: Mutex<Option<Arc<Started>>>,
}

pub(crate) struct Started {
    pub(crate) engine: Engine,
    pub(crate) cache: Option<Artefacts>,
    pub(crate) profile: String,
    /// Run scripts, and are kept for the next ones.
    pub(crate) threads: Threads,
}

impl Wasi {
    pub(crate) fn new(config: &SandboxConfig) -> Self {
        Self {
            config: config.clone(),
            started: Mutex::new(None),
        }
    }

    /// How the sandbox is set up.
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

/// Slots that are kept: to map memory anew for each grade would have those that run at once wait for
/// each other. So would to unmap what a script has written, and each page of it is a fault for the next
/// one; to write the image over it is cheaper than both.
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
        // Misses pages that were swapped out: the next script could read what the last one left.
        .pagemap_scan(Enabled::No);
    InstanceAllocationStrategy::Pooling(pool)
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
