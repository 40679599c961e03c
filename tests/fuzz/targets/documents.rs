#![no_main]

#[path = "../bodies/documents.rs"]
mod body;
#[path = "../bodies/bundle.rs"]
mod bundle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
