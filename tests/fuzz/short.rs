//! Short run of every fuzz target: its seeds, and some hundreds to thousands of inputs mutated from them.
//!
//! It needs no nightly toolchain, and the inputs are the same in each run. `MCPMARK_FUZZ=100` multiplies their number
//! by 100. An input that fails is written to a file, which the message names.

mod bodies;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use crate::bodies::{
    bundle, component, documents, filesystem, guest, kept, messages, metadata, repository, tree,
    vouching, wasi,
};

#[test]
fn bundle() {
    short("bundle", bundle::run, 500);
}

#[test]
fn component() {
    short("component", component::run, 4_000);
}

#[test]
fn documents() {
    short("documents", documents::run, 1_500);
}

#[test]
fn kept() {
    short("kept", kept::run, 3_000);
}

#[test]
fn guest() {
    short("guest", guest::run, 4_000);
}

#[test]
fn messages() {
    short("messages", messages::run, 2_000);
}

#[test]
fn metadata() {
    short("metadata", metadata::run, 3_000);
}

#[test]
fn repository() {
    short("repository", repository::run, 400);
}

#[test]
fn tree() {
    short("tree", tree::run, 3_000);
}

#[test]
fn vouching() {
    short("vouching", vouching::run, 20_000);
}

#[test]
fn filesystem() {
    short("filesystem", filesystem::run, 400);
}

#[test]
fn wasi() {
    short("wasi", wasi::run, 1_000);
}

fn short(target: &str, run: fn(&[u8]), inputs: usize) {
    let seeds = seeds(target);
    assert!(seeds.len() >= 3, "{target} has too few seeds");
    for seed in &seeds {
        check(target, run, seed);
    }
    let times = std::env::var("MCPMARK_FUZZ")
        .map_or(1, |text| text.parse().expect("MCPMARK_FUZZ is a number"));
    let mut random = Random(0x6d63_706d_6172_6b00);
    for _ in 0..inputs * times {
        check(target, run, &mutated(&seeds, &mut random));
    }
}

/// Reads the seeds in the order of their names, so that the mutated inputs are the same on every machine.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus");
    let mut files: Vec<_> = fs::read_dir(dir.join(target))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn check(target: &str, run: fn(&[u8]), input: &[u8]) {
    if catch_unwind(|| run(input)).is_err() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{target}"));
        fs::write(&file, input).unwrap();
        panic!("target {target} broke on the input in {}", file.display());
    }
}

/// Boundary values for mutations.
const EDGES: [u32; 12] = [
    0,
    1,
    7,
    8,
    0x7f,
    0xff,
    0x1_0000,
    0x2_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fff0,
    0xffff_ffff,
];

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(16) + 1).min(bytes.len());
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            2 => {
                bytes.drain(at..end);
            }
            3 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            4 => {
                let noise = (0..random.below(8)).map(|_| random.below(256) as u8);
                bytes.splice(at..at, noise.collect::<Vec<_>>());
            }
            5 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                bytes.splice(at.., other[from..].iter().copied());
            }
            6 => {
                let edge = EDGES[random.below(EDGES.len())].to_le_bytes();
                let at = at & !3;
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&edge[..end - at]);
            }
            7 => bytes.truncate(at),
            _ => {}
        }
    }
    bytes
}

/// SplitMix64 generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}
