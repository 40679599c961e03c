//! Host bindings generated from `guest-sdk/wit`.
//!
//! The interfaces are generated once, through a world that imports all of them. The guest worlds then refer to them, so
//! that a shared interface has one Rust trait.
#![allow(missing_docs, unreachable_pub, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../../guest-sdk/wit",
    inline: "
        package mcpmark:host;
        world interfaces {
            import mcpmark:guest/state@0.1.0;
            import mcpmark:guest/answer@0.1.0;
            import mcpmark:guest/parameters@0.1.0;
            import mcpmark:guest/log@0.1.0;
            import mcpmark:guest/builder@0.1.0;
            import mcpmark:guest/random@0.1.0;
            import mcpmark:guest/clock@0.1.0;
            import mcpmark:guest/tools@0.1.0;
        }
    ",
    world: "mcpmark:host/interfaces",
    imports: { default: trappable },
});

// The exports of the worlds `verifier` and `setup`. Their imports are linked one interface at a time, because other
// crates implement some of them.
pub mod verifier {
    wasmtime::component::bindgen!({
        inline: "
            package mcpmark:exports;
            world verifier {
                record check { name: string, passed: bool, detail: string }
                export verify: func() -> list<check>;
            }
        ",
        world: "mcpmark:exports/verifier",
    });
}

pub mod setup {
    wasmtime::component::bindgen!({
        inline: "package mcpmark:exports; world setup { export setup: func(); }",
        world: "mcpmark:exports/setup",
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

pub mod site {
    wasmtime::component::bindgen!({
        path: "../../guest-sdk/site/wit",
        world: "mcpmark:site/site",
        imports: { default: trappable },
    });
}
