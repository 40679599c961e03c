//! Sandbox configuration and wasmtime engine: settings, linked interfaces, instance pool and slots.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::component::{HasSelf, Linker};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OperatorCost, OptLevel,
    PoolingAllocationConfig,
};

use crate::bindings::mcpmark::guest;
use crate::bindings::site::mcpmark::site;
use crate::cache::Cache;
use crate::compiler::Form;
use crate::host::{Common, HasCommon, SetupHost, SiteGuestHost, SolutionHost, VerifierHost};
use crate::limits::{MAX_INSTANCES, MAX_MEMORIES, MAX_STACK_BYTES, MAX_TABLE_ELEMENTS, MAX_TABLES};
use crate::profile::profile;
use crate::wasi::{self, Wasi, interpreter_config};
use crate::{Cancel, Compiler, EngineKind, GradeData, GuestKind, Interface, Limits, LimitsError};

/// Interval of epoch ticks, which enforce time limits. A time limit is exact to one tick.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Fuel for an instruction that leaves the guest and does little itself. The engine charges the bytes that other
/// instructions move.
const CALL_OUT: u8 = 100;
/// Fuel for an instruction that the engine implements as a library call, which takes about 50 ns even if there is
/// nothing to do. At the price of an addition the time limit would decide a grade, not fuel.
const LIBRARY_CALL: u8 = 40;

/// Maximum size of the linear memory of a slot in the pool, in bytes. No limit can exceed it.
pub const MAX_MEMORY_BYTES: u64 = 1 << 30;

/// Settings of a [`Sandbox`].
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// Engine that executes guests.
    pub engine: EngineKind,
    /// True if the other engine computes each verdict a second time. If the two differ, the result is a fault.
    pub cross_check: bool,
    /// Child process that compiles components. Without it, a component loads only from the cache or through
    /// [`Sandbox::trusting`].
    pub compiler: Option<Compiler>,
    /// Private directory for the cache of compiled guests and interpreters. Without it, each process compiles them
    /// again.
    pub cache: Option<PathBuf>,
    /// Maximum size of the cached guests, in bytes. The least recently used ones are evicted first. Interpreters do not
    /// count.
    pub cache_bytes: u64,
    /// Upper bound of the limits of each run.
    pub ceiling: Limits,
    /// Name of the setting with which the operator raises the ceiling, for the message of a guest that reaches it.
    pub ceiling_setting: Option<&'static str>,
    /// Maximum number of guests that run at the same time. Further ones wait.
    pub slots: u32,
    /// True if the memory that a script has written stays mapped for the next one, up to 48 MiB per slot. From the
    /// second script in a slot on, this halves the cost of a grade, and concurrent grades no longer wait for each
    /// other; the first one costs more. Turn it off in a process that grades once.
    pub stays_warm: bool,
    /// Maximum size of a component, in bytes.
    pub max_component_bytes: u64,
    /// Interfaces that verifiers and setup guests may import in addition to those of their world.
    pub interfaces: Vec<Interface>,
    /// Data of the interfaces in every run. The data of a grade takes precedence.
    pub data: GradeData,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            engine: EngineKind::default(),
            cross_check: false,
            compiler: None,
            cache: None,
            cache_bytes: 2 << 30,
            ceiling: Limits::CEILING,
            ceiling_setting: None,
            slots: 64,
            stays_warm: true,
            max_component_bytes: 16 << 20,
            interfaces: Vec::new(),
            data: GradeData::none(),
        }
    }
}

/// Runs guests: one engine, its linked interfaces, and the cache of compiled guests.
///
/// Clones are cheap and share everything.
#[derive(Clone)]
pub struct Sandbox {
    pub(crate) inner: Arc<Inner>,
    /// True if components loaded through this handle may be compiled in this process.
    pub(crate) trusting: bool,
    /// Cancellation of the runs of this handle.
    pub(crate) cancel: Option<Cancel>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) kind: EngineKind,
    /// Sandbox of the other engine, for cross-checks.
    pub(crate) peer: Option<Sandbox>,
    pub(crate) compiler: Option<Compiler>,
    pub(crate) ceiling: Limits,
    pub(crate) ceiling_setting: Option<&'static str>,
    /// Slots of concurrent compilations.
    pub(crate) compiling: Slots,
    pub(crate) verifier: Linker<VerifierHost>,
    pub(crate) setup: Linker<SetupHost>,
    pub(crate) solution: Linker<SolutionHost>,
    pub(crate) site: Linker<SiteGuestHost>,
    pub(crate) cache: Option<Cache>,
    pub(crate) max_component_bytes: u64,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) data: GradeData,
    /// Engine for scripts.
    pub(crate) wasi: Wasi,
    slots: Slots,
}

/// Errors of starting a sandbox.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The host refuses a resource that the engine needs.
    #[error("cannot start the WebAssembly engine: {0}")]
    Start(String),
    /// The ceiling exceeds the maximum of every host.
    #[error("invalid ceiling: {0}")]
    Ceiling(#[from] LimitsError),
    /// An interface of the embedder cannot be linked.
    #[error("cannot link the interface {name:?}: {message}")]
    Interface {
        /// Import name of the interface.
        name: String,
        /// Reason of the refusal.
        message: String,
    },
}

impl Sandbox {
    /// Starts an engine.
    ///
    /// # Errors
    ///
    /// Returns an error if the host refuses a resource that the engine needs, such as address space, if the ceiling
    /// exceeds a fixed maximum, or if one of [`SandboxConfig::interfaces`] cannot be linked.
    pub fn new(config: &SandboxConfig) -> Result<Self, EngineError> {
        let ceiling = config.ceiling.as_ceiling()?;
        let peer = SandboxConfig {
            engine: config.engine.other(),
            cross_check: false,
            ..config.clone()
        };
        let peer = config.cross_check.then(|| Self::new(&peer)).transpose()?;
        let kind = config.engine;
        let engine = Engine::new(&engine_config(config)).map_err(engine_error)?;
        let mut verifier = Linker::new(&engine);
        let mut setup = Linker::new(&engine);
        let mut solution = Linker::new(&engine);
        let mut site = Linker::new(&engine);
        (|| {
            // The interfaces linked here are exactly those that a kind of guest may import.
            guest::state::add_to_linker::<_, HasSelf<_>>(&mut verifier, |host| host)?;
            guest::answer::add_to_linker::<_, HasSelf<_>>(&mut verifier, |host| host)?;
            add_common(&mut verifier)?;
            wasi::add_to_linker(&mut verifier)?;

            guest::builder::add_to_linker::<_, HasSelf<_>>(&mut setup, |host| host)?;
            guest::random::add_to_linker::<_, HasSelf<_>>(&mut setup, |host| host)?;
            guest::clock::add_to_linker::<_, HasSelf<_>>(&mut setup, |host| host)?;
            add_common(&mut setup)?;

            guest::tools::add_to_linker::<_, HasSelf<_>>(&mut solution, |host| host)?;
            add_common(&mut solution)?;

            site::store::add_to_linker::<_, HasSelf<_>>(&mut site, |host| host)?;
            site::clock::add_to_linker::<_, HasSelf<_>>(&mut site, |host| host)?;
            site::random::add_to_linker::<_, HasSelf<_>>(&mut site, |host| host)?;
            site::log::add_to_linker::<_, HasSelf<_>>(&mut site, |host| host)
        })()
        .map_err(engine_error)?;
        for (number, interface) in config.interfaces.iter().enumerate() {
            let earlier = &config.interfaces[..number];
            interface.add_to((&mut verifier, &mut setup), earlier)?;
        }
        start_ticker(&engine)?;
        let cache = config
            .cache
            .as_ref()
            .map(|dir| Cache::new(dir.clone(), profile(&engine, kind), config.cache_bytes));
        Ok(Self {
            trusting: false,
            cancel: None,
            inner: Arc::new(Inner {
                engine,
                kind,
                peer,
                compiler: config.compiler.clone(),
                ceiling,
                ceiling_setting: config.ceiling_setting,
                compiling: Slots::new(cores()),
                verifier,
                setup,
                solution,
                site,
                cache,
                max_component_bytes: config.max_component_bytes,
                interfaces: config.interfaces.clone(),
                data: config.data.clone(),
                wasi: Wasi::new(config),
                slots: Slots::new(config.slots.max(1)),
            }),
        })
    }

    /// Returns a handle that compiles components missing from the cache in this process. Use it only for components
    /// whose source is as trusted as this program: compiling a crafted one can use all memory or take forever.
    pub fn trusting(&self) -> Self {
        Self {
            trusting: true,
            ..self.clone()
        }
    }

    /// Starts another sandbox with the same settings and with slots of its own, for guests that run while a guest of
    /// this sandbox waits for them. If they needed slots of this sandbox, the guests that hold its slots could wait for
    /// each other forever.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`new`](Self::new).
    pub fn with_own_slots(&self) -> Result<Self, EngineError> {
        Ok(Self {
            trusting: self.trusting,
            cancel: self.cancel.clone(),
            ..Self::new(self.inner.wasi.config())?
        })
    }

    /// Returns the sandbox of the other engine, with the trust and the cancellation of this handle.
    pub(crate) fn peer(&self) -> Option<Self> {
        self.inner.peer.as_ref().map(|peer| Self {
            inner: Arc::clone(&peer.inner),
            trusting: self.trusting,
            cancel: self.cancel.clone(),
        })
    }

    /// Returns the default limits of a kind of guest, lowered to the ceiling of this sandbox.
    pub fn limits(&self, kind: GuestKind) -> Limits {
        kind.limits().below(&self.inner.ceiling)
    }

    /// Returns the ceiling: the upper bound of the limits of each run.
    pub fn ceiling(&self) -> Limits {
        self.inner.ceiling
    }

    /// Returns a short name for everything that a verdict depends on apart from the guest and its input: engine,
    /// version, settings, processor. If verdicts are cross-checked, it names both engines.
    pub fn profile(&self) -> String {
        let own = profile(&self.inner.engine, self.inner.kind);
        match &self.inner.peer {
            Some(peer) => format!("{own}+{}", peer.profile()),
            None => own,
        }
    }
}

impl Inner {
    /// Waits for a free slot. Returns `None` if the run is cancelled while it waits. The slot is needed because the
    /// pool fails when it is full.
    pub(crate) fn slot(&self, cancel: Option<&Cancel>) -> Option<Slot<'_>> {
        self.slots.take(cancel)
    }
}

/// Semaphore that can be cancelled.
pub(crate) struct Slots {
    state: Mutex<SlotsState>,
    freed: Condvar,
}

struct SlotsState {
    free: u32,
    waiting: u32,
}

impl Slots {
    fn new(count: u32) -> Self {
        Self {
            state: Mutex::new(SlotsState {
                free: count,
                waiting: 0,
            }),
            freed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, SlotsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a free slot. Returns `None` if `cancel` is cancelled meanwhile, which is checked once per tick.
    pub(crate) fn take(&self, cancel: Option<&Cancel>) -> Option<Slot<'_>> {
        let mut state = self.lock();
        while state.free == 0 {
            state.waiting += 1;
            state = match cancel {
                None => self
                    .freed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(_) => {
                    self.freed
                        .wait_timeout(state, TICK)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
            state.waiting -= 1;
            if cancel.is_some_and(Cancel::is_cancelled) {
                // This thread may have consumed the wake-up of another thread that waits for a slot.
                if state.free > 0 && state.waiting > 0 {
                    self.freed.notify_one();
                }
                return None;
            }
        }
        state.free -= 1;
        Some(Slot(self))
    }
}

pub(crate) struct Slot<'a>(&'a Slots);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.free += 1;
        // Skips the notification if no thread waits, because it costs a system call even then.
        if state.waiting > 0 {
            self.0.freed.notify_one();
        }
    }
}

/// Links the interfaces that every kind of guest may import.
fn add_common<H: HasCommon>(linker: &mut Linker<H>) -> wasmtime::Result<()> {
    guest::parameters::add_to_linker::<_, HasSelf<Common>>(linker, |host| host.common())?;
    guest::log::add_to_linker::<_, HasSelf<Common>>(linker, |host| host.common())
}

/// Number of guests that can run in parallel.
fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

pub(crate) fn engine_error(error: impl std::fmt::Debug) -> EngineError {
    EngineError::Start(format!("{error:?}"))
}

fn engine_config(config: &SandboxConfig) -> Config {
    let slots = config.slots.max(1);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        .max_component_instance_size(1 << 20)
        .max_core_instances_per_component(MAX_INSTANCES)
        .max_memories_per_component(MAX_MEMORIES)
        .max_tables_per_component(MAX_TABLES)
        .total_core_instances(slots * MAX_INSTANCES)
        .max_core_instance_size(1 << 20)
        .max_memories_per_module(MAX_MEMORIES)
        .max_tables_per_module(MAX_TABLES)
        .total_memories(slots * MAX_MEMORIES)
        .total_tables(slots * MAX_TABLES)
        .table_elements(MAX_TABLE_ELEMENTS as usize)
        .max_memory_size(MAX_MEMORY_BYTES as usize)
        // Zeroing the pages of a small guest costs less than returning them to the system, above all if threads share
        // the address space. The initial memory of a guest in Rust is 768 KiB.
        .linear_memory_keep_resident(4 << 20)
        .table_keep_resident(16 << 10)
        // The slot that was used last is still in the processor's caches, whichever guest comes next. One warm slot per
        // guest would be faster only if guests differ in size, and many guests in turn would touch more memory than a
        // cache holds. Therefore the number of guests that run at once bounds the memory that is kept between grades.
        .max_unused_warm_slots(slots.min(cores()))
        // A pagemap scan misses pages that were swapped out, so that the next guest could read data of the previous
        // one.
        .pagemap_scan(Enabled::No);

    let mut engine = compiler_config(config.engine);
    engine.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    engine
}

/// Returns the settings that machine code depends on. The allocation strategy of instances is not among them.
pub(crate) fn compiler_config(kind: EngineKind) -> Config {
    let mut engine = Config::new();
    engine
        .memory_init_cow(false)
        .cranelift_opt_level(OptLevel::Speed)
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        .wasm_component_model(true)
        .wasm_memory64(false)
        .consume_fuel(true)
        .operator_cost(OperatorCost {
            MemoryGrow: CALL_OUT,
            TableGrow: CALL_OUT,
            RefFunc: LIBRARY_CALL,
            MemoryFill: LIBRARY_CALL,
            MemoryCopy: LIBRARY_CALL,
            MemoryInit: LIBRARY_CALL,
            DataDrop: LIBRARY_CALL,
            ElemDrop: LIBRARY_CALL,
            TableFill: LIBRARY_CALL,
            TableCopy: LIBRARY_CALL,
            TableInit: LIBRARY_CALL,
            ..OperatorCost::new()
        })
        .epoch_interruption(true)
        .max_wasm_stack(MAX_STACK_BYTES as usize)
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false);
    if kind == EngineKind::Pulley {
        engine
            .target("pulley64")
            .expect("wasmtime is built with its interpreter");
    }
    engine
}

/// Returns the compiler settings for a form of guest.
pub(crate) fn compiler_config_of(kind: EngineKind, form: Form) -> Config {
    match form {
        Form::Guest => compiler_config(kind),
        Form::Interpreter => interpreter_config(kind),
    }
}

/// Starts a thread that increments the epoch every tick for as long as the engine lives.
pub(crate) fn start_ticker(engine: &Engine) -> Result<(), EngineError> {
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
        .map_err(|error| EngineError::Start(format!("cannot start a thread: {error}")))
}
