//! Host bindings generated from `guest-sdk/wit`.
//!
//! The interfaces are generated once, through a world that imports them all; each
//! guest world then refers to them, so that a shared interface has one Rust trait.
#![allow(missing_docs, unreachable_pub, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../../guest-sdk/wit",
    inline: "
        package mcpmark:host;
        world interfaces {
            import mcpmark:guest/state@0.1.0;
            import mcpmark:guest/git@0.1.0;
            import mcpmark:guest/answer@0.1.0;
            import mcpmark:guest/parameters@0.1.0;
            import mcpmark:guest/log@0.1.0;
            import mcpmark:guest/builder@0.1.0;
            import mcpmark:guest/git-builder@0.1.0;
            import mcpmark:guest/random@0.1.0;
            import mcpmark:guest/clock@0.1.0;
            import mcpmark:guest/tools@0.1.0;
        }
    ",
    world: "mcpmark:host/interfaces",
    imports: { default: trappable },
});

pub mod verifier {
    wasmtime::component::bindgen!({
        path: "../../guest-sdk/wit",
        world: "mcpmark:guest/verifier",
        imports: { default: trappable },
        with: { "mcpmark:guest": super::mcpmark::guest },
    });
}

pub mod setup {
    wasmtime::component::bindgen!({
        path: "../../guest-sdk/wit",
        world: "mcpmark:guest/setup",
        imports: { default: trappable },
        with: { "mcpmark:guest": super::mcpmark::guest },
    });
}

pub mod solution {
    wasmtime::component::bindgen!({
        path: "../../guest-sdk/wit",
        world: "mcpmark:guest/solution",
        imports: { default: trappable },
        with: { "mcpmark:guest": super::mcpmark::guest },
    });
}
