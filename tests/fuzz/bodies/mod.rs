//! Bodies of the fuzz targets, as plain functions. libFuzzer calls them from `targets/`, and the short run of `cargo
//! test` from `short.rs`. They return nothing and assert their invariants.

pub(crate) mod bundle;
pub(crate) mod component;
pub(crate) mod documents;
pub(crate) mod filesystem;
pub(crate) mod guest;
pub(crate) mod kept;
pub(crate) mod messages;
pub(crate) mod metadata;
pub(crate) mod repository;
pub(crate) mod tree;
pub(crate) mod vouching;
pub(crate) mod wasi;
pub(crate) mod wasi_guest;
