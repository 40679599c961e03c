//! Offers verifiers an interface of this program, in addition to `state`: `cargo run --release --example interface`.
#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::collections::BTreeMap;
use std::error::Error;

use mcpmark_sandbox::wasmtime::{self, component::HasSelf};
use mcpmark_sandbox::{
    Interface, Limits, Sandbox, SandboxConfig, Snapshot, VerifierHost, VerifyInput,
};

/// WIT of the interface. Guests in any language are built against it.
mod bindings {
    mcpmark_sandbox::wasmtime::component::bindgen!({
        inline: "
            package bakery:orders@1.0.0;
            interface today {
                /// None where the shop ordered nothing.
                loaves: func(shop: string) -> option<u32>;
            }
            world offered { import today; }
        ",
        imports: { default: trappable },
        wasmtime_crate: mcpmark_sandbox::wasmtime,
    });
}
use bindings::bakery::orders::today;

/// Data from which the interface answers. It differs from grade to grade.
struct Orders(BTreeMap<String, u32>);

impl today::Host for VerifierHost {
    fn loaves(&mut self, shop: String) -> wasmtime::Result<Option<u32>> {
        // Charges the call and its bytes, so that a guest that calls in an endless loop is stopped.
        self.charge(shop.len() as u64)?;
        let orders = self.data::<Orders>()?;
        // Charges the approximate cost of the search.
        self.charge_fuel(u64::from(orders.0.len().max(1).ilog2()) * 20)?;
        Ok(orders.0.get(&shop).copied())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (before, after) = (tempfile::tempdir()?, tempfile::tempdir()?);
    std::fs::write(after.path().join("delivery.txt"), "42 loaves\n")?;
    let (start, end) = (
        Snapshot::of_directory(before)?,
        Snapshot::of_directory(after)?,
    );
    let component = wat::parse_str(include_str!("guests/delivery.wat"))?;

    let orders = Interface::new(
        "bakery:orders/today@1.0.0",
        "read the orders of the day",
        |linker| today::add_to_linker::<_, HasSelf<VerifierHost>>(linker, |host| host),
    );
    let sandbox = Sandbox::new(&SandboxConfig {
        interfaces: vec![orders],
        cross_check: true,
        ..SandboxConfig::default()
    })?;
    println!("the verifier {}", sandbox.inspect(&component)?.summary());

    let verifier = sandbox.trusting().verifier(&component)?;
    for ordered in [42, 40] {
        let orders = Orders(BTreeMap::from([("corner".to_owned(), ordered)]));
        let input = VerifyInput::new(start.clone(), end.clone()).with(orders);
        let verdict = sandbox.verify(&verifier, input, &Limits::VERIFIER).result?;
        println!("42 of {ordered} loaves: passed is {}", verdict.passed());
    }

    let plain = Sandbox::new(&SandboxConfig::default())?.trusting();
    if let Err(error) = plain.verifier(&component) {
        println!("where it is not offered, the verifier is refused: it {error}");
    }
    Ok(())
}
