//! Write verifiers, setup routines and solutions for mcpmark in Rust.
