#![no_main]

#[path = "../bodies/wasi.rs"]
mod body;
#[path = "../bodies/wasi_guest.rs"]
mod wasi_guest;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
