//! Bindings that wit-bindgen generates from the package in `wit`.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    dead_code,
    clippy::all,
    reason = "generated"
)]

wit_bindgen::generate!({
    world: "client",
    path: "wit",
    additional_derives: [PartialEq, Eq],
});
