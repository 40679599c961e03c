//! Host bindings generated from `wasi.wit` and the contract of script guests.
#![allow(missing_docs, unreachable_pub, reason = "generated code")]

wasmtime::component::bindgen!({
    path: ["../../guest-sdk/python/wit", "src/wasi/wasi.wit"],
    world: "mcpmark:wasi-profile/profile",
    imports: { default: trappable },
    with: {
        "wasi:io/error.error": crate::wasi::streams::Error,
        "wasi:io/poll.pollable": crate::wasi::clock::Pollable,
        "wasi:io/streams.input-stream": crate::wasi::streams::Input,
        "wasi:io/streams.output-stream": crate::wasi::streams::Output,
        "wasi:cli/terminal-input.terminal-input": crate::wasi::cli::Terminal,
        "wasi:cli/terminal-output.terminal-output": crate::wasi::cli::Terminal,
        "wasi:filesystem/types.descriptor": crate::wasi::files::ResolvedPath,
        "wasi:filesystem/types.directory-entry-stream": crate::wasi::descriptor::Entries,
    },
});

pub mod interpreter {
    wasmtime::component::bindgen!({
        path: "../../guest-sdk/python/wit",
        world: "mcpmark:script/interpreter",
        imports: { default: trappable },
        with: { "mcpmark:script": super::mcpmark::script },
    });
}
