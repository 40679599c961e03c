//! Bindings that wit-bindgen generates from the contract in `guest-sdk/wit`.
//!
//! Each WIT world is generated separately. Its export macro adds the part of the component type
//! that names the exports, so that a guest carries only the exports of the world that it
//! implements.
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    dead_code,
    clippy::all,
    reason = "generated"
)]

pub mod verifier {
    wit_bindgen::generate!({
        world: "verifier",
        path: "../wit",
        pub_export_macro: true,
        export_macro_name: "export_verifier",
        additional_derives: [PartialEq, Eq],
    });
}

pub mod setup {
    wit_bindgen::generate!({
        world: "setup",
        path: "../wit",
        pub_export_macro: true,
        export_macro_name: "export_setup",
        with: {
            "mcpmark:guest/parameters@0.1.0": crate::bindings::verifier::mcpmark::guest::parameters,
            "mcpmark:guest/log@0.1.0": crate::bindings::verifier::mcpmark::guest::log,
        },
    });
}

pub mod solution {
    wit_bindgen::generate!({
        world: "solution",
        path: "../wit",
        pub_export_macro: true,
        export_macro_name: "export_solution",
        with: {
            "mcpmark:guest/parameters@0.1.0": crate::bindings::verifier::mcpmark::guest::parameters,
            "mcpmark:guest/log@0.1.0": crate::bindings::verifier::mcpmark::guest::log,
        },
    });
}
