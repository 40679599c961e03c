use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::component::{HasSelf, Linker};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OperatorCost, OptLevel,
    PoolingAllocationConfig,
};

use crate::bindings::mcpmark::guest;
use crate::cache::Cache;
use crate::compiler::Form;
use crate::host::{Common, HasCommon, SetupHost, SolutionHost, VerifierHost};
use crate::limits::{MAX_INSTANCES, MAX_MEMORIES, MAX_STACK_BYTES, MAX_TABLE_ELEMENTS, MAX_TABLES};
use crate::profile::profile;
use crate::wasi::{Wasi, interpreter_config};
use crate::{Cancel, Compiler, EngineKind, GradeData, GuestKind, Interface, Limits, LimitsError};

/// How often the clock that guards the host ticks. A time limit is exact to one tick.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Fuel for an instruction that leaves the guest and does nothing much; the bytes that others
/// move are charged by the engine itself.
const CALL_OUT: u8 = 100;
/// Fuel for an instruction that the engine carries out by a call of its own, some 50 ns even
/// where there is nothing to do: at the price of an addition the clock would decide, not fuel.
const LIBRARY_CALL: u8 = 40;

/// The largest linear memory that a slot of the pool can hold; no limit goes past it.
pub const MAX_MEMORY_BYTES: u64 = 1 << 30;

/// How a [`Sandbox`] is set up.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// What executes guests.
    pub engine: EngineKind,
    /// Whether each verdict is made a second time by the other engine; if the two
    /// disagree, there is none.
    pub cross_check: bool,
    /// What compiles components in a process of its own. Without it only those load that
    /// are in the cache, or that come through [`Sandbox::trusting`].
    pub compiler: Option<Compiler>,
    /// A private directory for compiled guests; without one each process compiles anew.
    pub cache: Option<PathBuf>,
    /// Bytes that the directory may hold; the least recently used go first.
    pub cache_bytes: u64,
    /// What a run may use at most, whatever limits it comes with.
    pub ceiling: Limits,
    /// What the host's operator sets to raise the ceiling, for the message of a guest that reaches it.
    pub ceiling_setting: Option<&'static str>,
    /// How many guests may run at once. Further ones wait.
    pub slots: u32,
    /// Whether the memory that a script has written stays mapped for the next one, up to 48 MiB a
    /// slot. From the second script on in a slot that halves what a grade costs, and grades at once no
    /// longer wait for each other; the first one costs more. Not for a process that grades once.
    pub stays_warm: bool,
    /// The largest component that is accepted, in bytes.
    pub max_component_bytes: u64,
    /// What verifiers and setup guests may import beside the interfaces of their world.
    pub interfaces: Vec<Interface>,
    /// Data for the interfaces in every run. The data of a grade takes precedence.
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

/// Runs guests: one engine, the interfaces it offers, and the cache of compiled guests.
///
/// Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Sandbox {
    pub(crate) inner: Arc<Inner>,
    /// Whether what this handle loads may be compiled in this process.
    pub(crate) trusting: bool,
    /// What ends the runs of this handle.
    pub(crate) cancel: Option<Cancel>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) kind: EngineKind,
    /// Makes verdicts a second time.
    pub(crate) peer: Option<Sandbox>,
    pub(crate) compiler: Option<Compiler>,
    pub(crate) ceiling: Limits,
    pub(crate) ceiling_setting: Option<&'static str>,
    /// Compilations at the same time.
    pub(crate) compiling: Slots,
    pub(crate) verifier: Linker<VerifierHost>,
    pub(crate) setup: Linker<SetupHost>,
    pub(crate) solution: Linker<SolutionHost>,
    pub(crate) cache: Option<Cache>,
    pub(crate) max_component_bytes: u64,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) data: GradeData,
    /// Runs scripts.
    pub(crate) wasi: Wasi,
    slots: Slots,
}

/// The host itself cannot run guests.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The host refuses what the engine needs.
    #[error("cannot start the WebAssembly engine: {0}")]
    Start(String),
    /// The ceiling is past what any host can grant.
    #[error("cannot have this ceiling: {0}")]
    Ceiling(#[from] LimitsError),
    /// An interface of the embedder's cannot be linked.
    #[error("cannot offer the interface {name:?} to guests: {message}")]
    Interface {
        /// The name under which it was to be imported.
        name: String,
        /// What stands in the way.
        message: String,
    },
}

impl Sandbox {
    /// Starts an engine.
    ///
    /// # Errors
    ///
    /// When the host refuses what the engine needs, address space for one, when the ceiling is past
    /// what is fixed, or one of [`SandboxConfig::interfaces`] cannot be linked.
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
                cache,
                max_component_bytes: config.max_component_bytes,
                interfaces: config.interfaces.clone(),
                data: config.data.clone(),
                wasi: Wasi::new(config),
                slots: Slots::new(config.slots.max(1)),
            }),
        })
    }

    /// A handle that compiles in this process what is not in the cache. Only for
    /// components that come from a source as trusted as this program: a crafted one can
    /// take all memory, or never come to an end.
    pub fn trusting(&self) -> Self {
        Self {
            trusting: true,
            ..self.clone()
        }
    }

    /// Another sandbox of the same settings, with slots of its own: for guests that run while a guest of
    /// this one waits for them. If they waited for slots of this one, those who have them could all wait
    /// for each other.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn second(&self) -> Result<Self, EngineError> {
        Ok(Self {
            trusting: self.trusting,
            cancel: self.cancel.clone(),
            ..Self::new(self.inner.wasi.config())?
        })
    }

    /// What makes verdicts a second time, as this handle is.
    pub(crate) fn peer(&self) -> Option<Self> {
        self.inner.peer.as_ref().map(|peer| Self {
            inner: Arc::clone(&peer.inner),
            trusting: self.trusting,
            cancel: self.cancel.clone(),
        })
    }

    /// What a guest of a kind may use here where its task sets no limits.
    pub fn limits(&self, kind: GuestKind) -> Limits {
        kind.limits().below(&self.inner.ceiling)
    }

    /// What no run here gets past.
    pub fn ceiling(&self) -> Limits {
        self.inner.ceiling
    }

    /// A short name for everything that a verdict depends on beside the guest and its
    /// input: engine, version, settings, processor. Two, if verdicts are cross-checked.
    pub fn profile(&self) -> String {
        let own = profile(&self.inner.engine, self.inner.kind);
        match &self.inner.peer {
            Some(peer) => format!("{own}+{}", peer.profile()),
            None => own,
        }
    }
}

impl Inner {
    /// Waits until a guest may run; none when it was cancelled before. The pool itself fails
    /// when it is full.
    pub(crate) fn slot(&self, cancel: Option<&Cancel>) -> Option<Slot<'_>> {
        self.slots.take(cancel)
    }
}

/// How many may do something at once.
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

    /// Waits until one is free; none when that was cancelled, which is looked at once a tick.
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
                // It may have been woken for a slot that somebody else waits for.
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
        // To wake nobody is a call into the system all the same.
        if state.waiting > 0 {
            self.0.freed.notify_one();
        }
    }
}

/// Links what every kind of guest may import.
fn add_common<H: HasCommon>(linker: &mut Linker<H>) -> wasmtime::Result<()> {
    guest::parameters::add_to_linker::<_, HasSelf<Common>>(linker, |host| host.common())?;
    guest::log::add_to_linker::<_, HasSelf<Common>>(linker, |host| host.common())
}

/// Guests that can run at once without taking turns.
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
        // Zeroing the pages of a small guest costs less than giving them back, above all where
        // threads share the address space. Guests in Rust are linked to begin with 768 KiB.
        .linear_memory_keep_resident(4 << 20)
        .table_keep_resident(16 << 10)
        // A slot that was just left lies in the processor's caches, whichever guest comes next.
        // One for each guest would be faster only where guests differ in size, and many guests in
        // turn would go through more memory than a cache holds. So what is kept between grades is
        // bounded by those that run at once.
        .max_unused_warm_slots(slots.min(cores()))
        // Misses pages that were swapped out: the next guest could read what the last one left.
        .pagemap_scan(Enabled::No);

    let mut engine = compiler_config(config.engine);
    engine.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    engine
}

/// What machine code depends on. How instances are kept is not among it.
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

/// The same for either form of guest.
pub(crate) fn compiler_config_of(kind: EngineKind, form: Form) -> Config {
    match form {
        Form::Guest => compiler_config(kind),
        Form::Interpreter => interpreter_config(kind),
    }
}

/// Moves the epoch on for as long as the engine lives.
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
