use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use wasmtime::component::{HasSelf, Linker};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
};

use crate::bindings::mcpmark::guest;
use crate::cache::Cache;
use crate::host::{Common, HasCommon, SetupHost, SolutionHost, VerifierHost};

/// How often the clock that guards the host ticks. A time limit is exact to one tick.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// The largest linear memory that a slot of the pool can hold; no limit goes past it.
pub const MAX_MEMORY_BYTES: u64 = 1 << 30;

/// How a [`Sandbox`] is set up.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// A private directory for compiled guests; without one each process compiles anew.
    pub cache: Option<PathBuf>,
    /// How many guests may run at once. Further ones wait.
    pub slots: u32,
    /// The largest component that is accepted, in bytes.
    pub max_component_bytes: u64,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            cache: None,
            slots: 64,
            max_component_bytes: 16 << 20,
        }
    }
}

/// Runs guests: one engine, the interfaces it offers, and the cache of compiled guests.
///
/// Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Sandbox {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) verifier: Linker<VerifierHost>,
    pub(crate) setup: Linker<SetupHost>,
    pub(crate) solution: Linker<SolutionHost>,
    pub(crate) cache: Option<Cache>,
    pub(crate) max_component_bytes: u64,
    slots: Slots,
}

/// The host itself cannot run guests.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the WebAssembly engine: {0}")]
pub struct EngineError(String);

impl Sandbox {
    /// Starts an engine.
    ///
    /// # Errors
    ///
    /// When the host refuses what the engine needs, address space for one.
    pub fn new(config: &SandboxConfig) -> Result<Self, EngineError> {
        let engine = Engine::new(&engine_config(config)).map_err(engine_error)?;
        let mut verifier = Linker::new(&engine);
        let mut setup = Linker::new(&engine);
        let mut solution = Linker::new(&engine);
        (|| {
            // What a kind of guest may import is exactly what is linked here.
            guest::state::add_to_linker::<_, HasSelf<_>>(&mut verifier, |host| host)?;
            guest::answer::add_to_linker::<_, HasSelf<_>>(&mut verifier, |host| host)?;
            add_common(&mut verifier)?;

            guest::builder::add_to_linker::<_, HasSelf<_>>(&mut setup, |host| host)?;
            guest::random::add_to_linker::<_, HasSelf<_>>(&mut setup, |host| host)?;
            guest::clock::add_to_linker::<_, HasSelf<_>>(&mut setup, |host| host)?;
            add_common(&mut setup)?;

            guest::tools::add_to_linker::<_, HasSelf<_>>(&mut solution, |host| host)?;
            add_common(&mut solution)
        })()
        .map_err(engine_error)?;
        start_ticker(&engine)?;
        let cache = config
            .cache
            .as_ref()
            .map(|dir| Cache::new(dir.clone(), &profile(&engine)));
        Ok(Self {
            inner: Arc::new(Inner {
                engine,
                verifier,
                setup,
                solution,
                cache,
                max_component_bytes: config.max_component_bytes,
                slots: Slots {
                    free: Mutex::new(config.slots.max(1)),
                    freed: Condvar::new(),
                },
            }),
        })
    }

    /// A short name for everything about the engine that compiled code depends on.
    /// Artefacts of one profile are not used under another.
    pub fn profile(&self) -> String {
        profile(&self.inner.engine)
    }
}

impl Inner {
    /// Waits until a guest may run. The pool itself fails when it is full.
    pub(crate) fn slot(&self) -> Slot<'_> {
        let mut free = self
            .slots
            .free
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self
                .slots
                .freed
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Slot(&self.slots)
    }
}

struct Slots {
    free: Mutex<u32>,
    freed: Condvar,
}

pub(crate) struct Slot<'a>(&'a Slots);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

/// Links what every kind of guest may import.
fn add_common<H: HasCommon>(linker: &mut Linker<H>) -> wasmtime::Result<()> {
    guest::parameters::add_to_linker::<_, HasSelf<Common>>(linker, |host| host.common())?;
    guest::log::add_to_linker::<_, HasSelf<Common>>(linker, |host| host.common())
}

fn engine_error(error: impl std::fmt::Debug) -> EngineError {
    EngineError(format!("{error:?}"))
}

fn engine_config(config: &SandboxConfig) -> Config {
    let slots = config.slots.max(1);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        .max_component_instance_size(1 << 20)
        .max_core_instances_per_component(20)
        .max_memories_per_component(4)
        .max_tables_per_component(8)
        .total_core_instances(slots * 20)
        .max_core_instance_size(1 << 20)
        .max_memories_per_module(4)
        .max_tables_per_module(8)
        .total_memories(slots * 4)
        .total_tables(slots * 8)
        .table_elements(100_000)
        .max_memory_size(MAX_MEMORY_BYTES as usize)
        // Zeroing the pages a small guest touched costs less than giving them back.
        .linear_memory_keep_resident(256 << 10)
        .table_keep_resident(16 << 10)
        .max_unused_warm_slots(slots)
        // Misses pages that were swapped out: the next guest could read what the last one left.
        .pagemap_scan(Enabled::No);

    let mut engine = Config::new();
    engine
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .memory_init_cow(false)
        .cranelift_opt_level(OptLevel::Speed)
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        .wasm_component_model(true)
        .wasm_memory64(false)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(512 << 10)
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false);
    engine
}

fn profile(engine: &Engine) -> String {
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{}-{:016x}", std::env::consts::ARCH, hasher.finish())
}

/// Moves the epoch on for as long as the engine lives.
fn start_ticker(engine: &Engine) -> Result<(), EngineError> {
    let engine = engine.weak();
    std::thread::Builder::new()
        .name("mcpmark-epoch".into())
        .spawn(move || {
            while let Some(engine) = engine.upgrade() {
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
            }
        })
        .map(drop)
        .map_err(|error| EngineError(format!("cannot start a thread: {error}")))
}
