//! Python scripts as verifiers: what they say here and on the Python of this machine, and
//! what hostile ones come to.
//!
//! The guest that runs them is made once, with a tool from Python's package index. Where that
//! cannot be reached and nobody names a guest, the tests say so and check nothing.
#![allow(clippy::print_stdout, reason = "tests tell what they found")]

mod agreement;
mod guest;
mod hostile;
mod repository;
mod services;
mod states;
