//! Host bindings of the interfaces, generated from `guest-sdk/wit` and `guest-sdk/sql/wit`.
#![allow(missing_docs, unreachable_pub, reason = "generated code")]

mcpmark_sandbox::wasmtime::component::bindgen!({
    path: ["../../guest-sdk/wit", "../../guest-sdk/sql/wit"],
    inline: "
        package mcpmark:interfaces;
        world offered {
            import mcpmark:guest/git@0.1.0;
            import mcpmark:guest/git-builder@0.1.0;
            import mcpmark:sql/database@0.1.0;
        }
    ",
    world: "mcpmark:interfaces/offered",
    imports: { default: trappable },
    with: { "mcpmark:guest/state@0.1.0": mcpmark_sandbox::contract::state },
    wasmtime_crate: mcpmark_sandbox::wasmtime,
});
