//! SDK for verifiers, setup routines and solutions of mcpmark in Rust.
//!
//! A guest is a library of the kind `cdylib`, built for `wasm32-unknown-unknown`. It passes one
//! function to one of three macros:
//!
//! - [`verifier!`] takes `fn(&mut Verifier)`. It reads the starting and the final [`Tree`] and adds
//!   named checks. Each helper returns a [`Condition`] with the expected and the found value. If
//!   something cannot be read, the check fails instead of the verifier.
//! - [`setup!`] takes `fn(&mut World)`. It builds the starting tree from a seed.
//! - [`solution!`] takes `fn(&mut Tools) -> String`. It solves the task through its MCP tools and
//!   returns the last message.
//!
//! A panic in any of them is reported to the host with its message and its place in the source. A
//! verifier that panics is a fault and never a grade.
//!
//! A complete verifier:
//!
//! ```
//! use mcpmark_guest::{Verifier, numbers, rust_decimal::Decimal};
//!
//! mcpmark_guest::verifier!(verify);
//!
//! /// `reports/overdue.csv` lists the loans of more than 30 days with their fee and a total.
//! fn verify(task: &mut Verifier) {
//!     let loans = task.start().file("loans.csv").csv().required();
//!     let mut total = Decimal::ZERO;
//!     let mut expected: Vec<[String; 3]> = Vec::new();
//!     for loan in loans.rows() {
//!         let days = numbers::parse(loan.get("days")).expect("loans.csv has numbers of days");
//!         if days > Decimal::from(30) {
//!             let fee = (days - Decimal::from(30)) * Decimal::new(25, 2);
//!             total += fee;
//!             expected.push([loan.get("id").into(), loan.get("title").into(), numbers::fixed(fee, 2)]);
//!         }
//!     }
//!
//!     let report = task.file("reports/overdue.csv");
//!     let rows = report.csv().header(["id", "title", "fee"]);
//!     task.check("the report exists", report.exists());
//!     task.check("one row per overdue loan", rows.count_is(expected.len()));
//!     task.check("the rows are right and in order", rows.equal(&expected));
//!     task.check("the total is stated", task.file("reports/total.txt").equals(&format!("{}\n", numbers::fixed(total, 2))));
//!     task.unchanged_except(["reports/"]);
//! }
//!
//! // The same function as an ordinary test on the author's machine.
//! use mcpmark_guest::testing::{self, MemoryTree};
//! let start = MemoryTree::from([("loans.csv", "id,title,days\n1,\"Moby-Dick, or the Whale\",34\n2,Emma,3\n")]);
//! let mut end = start.clone();
//! end.write("reports/overdue.csv", "id,title,fee\n1,\"Moby-Dick, or the Whale\",1.00\n");
//! end.write("reports/total.txt", "1.0\n");
//! let checks = testing::verify(verify, &start, &end, None);
//! let failed: Vec<&str> = checks.iter().filter(|check| !check.passed).map(|check| check.detail.as_str()).collect();
//! assert_eq!(failed, [r#"reports/total.txt: line 1: expected "1.00", found "1.0""#]);
//! ```

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

mod bindings;
mod condition;
pub mod content;
pub mod dates;
mod found;
pub mod github;
mod host;
mod json;
mod markdown;
pub mod numbers;
pub mod prose;
mod random;
mod reader;
mod sequence;
mod table;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod text;
mod tools;
mod tree;
mod verifier;
mod world;

/// A hash map that costs little fuel, for sums and counts by key over many rows.
///
/// Iteration order is the same on every machine, but arbitrary: sort the items before use. The map
/// is meant for the rows of the starting tree. For keys that an agent writes, a
/// [`std::collections::BTreeMap`] is safer, because no choice of keys makes it slow.
pub type HashMap<K, V> = std::collections::HashMap<K, V, rustc_hash::FxBuildHasher>;

pub use bindings::verifier::Check;
pub use condition::Condition;
pub use found::Found;
pub use json::Numbers;
pub use markdown::{Block, Document};
pub use random::Random;
pub use reader::{Reader, plain};
pub use table::{Csv, Row, Table};
pub use tools::{Content, Output, Tool, Tools};
pub use tree::{Change, ChangeKind, Entry, File, Kind, Tree};
pub use verifier::Verifier;
pub use world::{NewFile, World};

pub use jiff;
pub use rust_decimal;
pub use serde_json;

/// Exports a `fn(&mut Verifier)` as the verifier of this library.
#[macro_export]
macro_rules! verifier {
    ($verify:path) => {
        const _: () = {
            struct Guest;
            impl $crate::__private::verifier::Guest for Guest {
                fn verify() -> ::std::vec::Vec<$crate::Check> {
                    $crate::__private::run_verifier($verify)
                }
            }
            $crate::__private::verifier::export_verifier!(Guest with_types_in $crate::__private::verifier);
        };
    };
}

/// Exports a `fn(&mut World)` as the setup routine of this library.
#[macro_export]
macro_rules! setup {
    ($setup:path) => {
        const _: () = {
            struct Guest;
            impl $crate::__private::setup::Guest for Guest {
                fn setup() {
                    $crate::__private::run_setup($setup)
                }
            }
    $crate::__private::setup::export_setup!(Guest with_types_in $crate::__private::setup);
        };
    };
}

/// Exports a `fn(&mut Tools) -> String` as the solution of this library.
#[macro_export]
macro_rules! solution {
    ($solve:path) => {
        const _: () = {
            struct Guest;
            impl $crate::__private::solution::Guest for Guest {
                fn solve() -> ::std::string::String {
                    $crate::__private::run_solution($solve)
                }
            }
            $crate::__private::solution::export_solution!(Guest with_types_in $crate::__private::solution);
        };
    };
}

/// Items used by the expansion of the macros.
#[doc(hidden)]
pub mod __private {
    pub use crate::bindings::{setup, solution, verifier};
    use crate::{Check, Tools, Verifier, World, host};

    pub fn run_verifier(verify: fn(&mut Verifier)) -> Vec<Check> {
        report_panics();
        let mut task = Verifier::default();
        verify(&mut task);
        task.into_checks()
    }

    pub fn run_setup(setup: fn(&mut World)) {
        report_panics();
        setup(&mut World::new());
    }

    pub fn run_solution(solve: fn(&mut Tools) -> String) -> String {
        report_panics();
        solve(&mut Tools::default())
    }

    fn report_panics() {
        std::panic::set_hook(Box::new(|info| {
            let message = info.payload_as_str().unwrap_or("a panic without a message");
            let place = info
                .location()
                .map(|place| format!(" ({}:{})", place.file(), place.line()));
            host::panic(&format!("{message}{}", place.unwrap_or_default()));
        }));
    }
}
