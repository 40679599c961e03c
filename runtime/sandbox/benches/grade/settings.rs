//! Cost of each engine setting, changed one at a time and measured in turn.

use std::time::Duration;

use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, ResourceLimiter, Store,
};

use crate::fixture::{guest, wat};
use crate::{micros, ratio};

/// Number of rounds. The system counts processor time in ticks, so that small differences need many rounds.
const ROUNDS: u32 = 50;

/// Engine settings of one variant. The defaults are those of the sandbox.
#[derive(Clone)]
struct Setting {
    name: &'static str,
    pooling: bool,
    cow: bool,
    keep: usize,
    /// Maximum number of unused slots that stay reserved for the guest that used them last.
    warm: u32,
    reservation: Option<u64>,
    fuel: bool,
    epoch: bool,
}

const BASE: Setting = Setting {
    name: "as it is",
    pooling: true,
    cow: false,
    keep: 4 << 20,
    warm: 2,
    reservation: None,
    fuel: true,
    epoch: true,
};

fn settings() -> Vec<Setting> {
    let keep = |name, keep| Setting { name, keep, ..BASE };
    vec![
        BASE,
        Setting {
            name: "copy on write",
            cow: true,
            ..BASE
        },
        keep("keep nothing", 0),
        keep("keep 256 KiB", 256 << 10),
        keep("keep 1 MiB", 1 << 20),
        keep("keep 64 MiB", 64 << 20),
        Setting {
            name: "a slot for each guest",
            warm: 64,
            ..BASE
        },
        Setting {
            name: "explicit bounds checks",
            reservation: Some(1 << 30),
            ..BASE
        },
        Setting {
            name: "explicit checks, keep nothing",
            reservation: Some(1 << 30),
            keep: 0,
            ..BASE
        },
        Setting {
            name: "no pool",
            pooling: false,
            ..BASE
        },
        Setting {
            name: "no pool, copy on write",
            pooling: false,
            cow: true,
            ..BASE
        },
        Setting {
            name: "no fuel",
            fuel: false,
            ..BASE
        },
        Setting {
            name: "no epoch",
            epoch: false,
            ..BASE
        },
        Setting {
            name: "neither",
            fuel: false,
            epoch: false,
            ..BASE
        },
    ]
}

/// Limiter that grants everything. It is called as often as the one of the sandbox.
struct Limiter;

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}

impl Setting {
    fn engine(&self) -> Engine {
        let mut config = Config::new();
        config
            .memory_init_cow(self.cow)
            .cranelift_nan_canonicalization(true)
            .consume_fuel(self.fuel)
            .epoch_interruption(self.epoch)
            .generate_address_map(false);
        if self.pooling {
            let mut pool = PoolingAllocationConfig::new();
            pool.total_component_instances(64)
                .total_core_instances(1280)
                .total_memories(256)
                .total_tables(512)
                .max_memories_per_module(4)
                .max_tables_per_module(8)
                .table_elements(100_000)
                .max_memory_size(1 << 30)
                .linear_memory_keep_resident(self.keep)
                .table_keep_resident(16 << 10)
                .max_unused_warm_slots(self.warm);
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        }
        if let Some(bytes) = self.reservation {
            config.memory_reservation(bytes).memory_guard_size(0);
        }
        Engine::new(&config).unwrap()
    }

    fn grade(&self, engine: &Engine, guest: &InstancePre<Limiter>) {
        let mut store = Store::new(engine, Limiter);
        store.limiter(|limiter| limiter);
        if self.fuel {
            store.set_fuel(u64::MAX / 4).unwrap();
        }
        if self.epoch {
            store.set_epoch_deadline(1_000_000);
        }
        let instance = guest.instantiate(&mut store).unwrap();
        let verify = instance.get_func(&mut store, "verify").unwrap();
        let mut results = [wasmtime::component::Val::Bool(false)];
        verify.call(&mut store, &[], &mut results).unwrap();
    }
}

pub(crate) fn compare() {
    let settings = settings();
    let engines: Vec<Engine> = settings.iter().map(Setting::engine).collect();
    for (name, bytes, different, times) in [
        ("one page of memory", wat("well-behaved"), 1, 200),
        ("a verifier in Rust", guest("empty.rs"), 1, 200),
        ("40 verifiers in Rust in turn", guest("empty.rs"), 40, 200),
        ("2 MiB written", touching(32), 1, 40),
        ("40 in turn that write 2 MiB", touching(32), 40, 40),
        ("16 MiB written", touching(256), 1, 10),
        ("a loop over memory", looping(), 1, 2),
    ] {
        let guests: Vec<_> = engines
            .iter()
            .map(|engine| -> Vec<_> {
                let load = || {
                    let component = Component::new(engine, &bytes).unwrap();
                    let mut linker = Linker::new(engine);
                    linker.define_unknown_imports_as_traps(&component).unwrap();
                    linker.instantiate_pre(&component).unwrap()
                };
                std::iter::repeat_with(load).take(different).collect()
            })
            .collect();
        let mut found = vec![Duration::ZERO; settings.len()];
        for _ in 0..ROUNDS {
            for ((setting, engine), (guests, found)) in settings
                .iter()
                .zip(&engines)
                .zip(guests.iter().zip(&mut found))
            {
                let start = on_processor();
                for guest in guests.iter().cycle().take(times as usize) {
                    setting.grade(engine, guest);
                }
                *found += (on_processor() - start) / (times * ROUNDS);
            }
        }
        println!("\n{name:34}    mean     ratio");
        for (setting, time) in settings.iter().zip(&found) {
            let by = ratio(*time, found[0]);
            println!("{:34} {:>9} {by:>7.2}x", setting.name, micros(*time));
        }
    }
}

/// Returns the processor time of this thread. On a shared machine it is more precise than wall-clock time.
fn on_processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds = stat.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap())
}

/// Returns a guest that grows its memory by this many pages and writes to each of them.
fn touching(pages: u32) -> Vec<u8> {
    let bytes = pages << 16;
    component(&format!(
        "(drop (memory.grow (i32.const {pages})))
         (memory.fill (i32.const 65536) (i32.const 1) (i32.const {bytes}))"
    ))
}

/// Returns a guest that loads and stores a million times.
fn looping() -> Vec<u8> {
    component(
        "(local $i i32)
         (loop $again
           (i32.store offset=200 (i32.and (local.get $i) (i32.const 0x7ffc))
             (i32.add (i32.load offset=200 (i32.and (i32.mul (local.get $i) (i32.const 28)) (i32.const 0x7ffc)))
               (local.get $i)))
           (local.set $i (i32.add (local.get $i) (i32.const 1)))
           (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000))))",
    )
}

fn component(body: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32) {body} (i32.const 16)))
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)"#
    );
    wat::parse_str(text).unwrap()
}
