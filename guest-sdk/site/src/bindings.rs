//! Bindings that wit-bindgen generates from the contract in `guest-sdk/site/wit`.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    dead_code,
    clippy::all,
    reason = "generated"
)]

pub mod site {
    wit_bindgen::generate!({
        world: "site",
        path: "wit",
        pub_export_macro: true,
        export_macro_name: "export_site",
    });
}
