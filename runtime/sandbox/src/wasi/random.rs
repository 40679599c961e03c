//! `wasi:random`: random numbers that follow from a seed.
//!
//! Not the implementation of `wasmtime-wasi`: it draws a word of 32 bits for each byte, so that the same seed gives
//! other bytes than the programs of stored grades have seen. Its `insecure-seed` is a constant of the context, and one
//! call may ask for 64 MiB, which are not charged.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest as _, Sha256};

use super::bindings::wasi::random::{insecure, insecure_seed, random};
use super::host::WasiHost;

/// Maximum number of random bytes in one call.
const MAX_RANDOM: u64 = 1 << 20;

/// Returns a random source that depends only on the seed.
pub(crate) fn random_source(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(Sha256::digest(format!("mcpmark:script:{seed}")).into())
}

impl random::Host for WasiHost<'_> {
    fn get_random_bytes(&mut self, length: u64) -> wasmtime::Result<Vec<u8>> {
        if length > MAX_RANDOM {
            return Err(wasmtime::Error::msg(format!(
                "the {} requested {length} random bytes at once, but the limit is {MAX_RANDOM}",
                self.wasi.program.noun()
            )));
        }
        self.light(length)?;
        let mut bytes = vec![0; length as usize];
        self.wasi.random.fill_bytes(&mut bytes);
        Ok(bytes)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.light(8)?;
        Ok(self.wasi.random.next_u64())
    }
}

impl insecure::Host for WasiHost<'_> {
    fn get_insecure_random_bytes(&mut self, length: u64) -> wasmtime::Result<Vec<u8>> {
        random::Host::get_random_bytes(self, length)
    }

    fn get_insecure_random_u64(&mut self) -> wasmtime::Result<u64> {
        random::Host::get_random_u64(self)
    }
}

impl insecure_seed::Host for WasiHost<'_> {
    fn insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        self.light(16)?;
        Ok((self.wasi.random.next_u64(), self.wasi.random.next_u64()))
    }
}
