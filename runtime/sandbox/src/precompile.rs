//! Compilation of a component to machine code in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wasmtime::Engine;

use crate::compiler::Form;
use crate::component::one_line;
use crate::engine::compiler_config_of;
use crate::order::payload;
use crate::{CompileError, EngineKind};

/// Compiles with several threads, and retries on this thread alone if that panics: the cause may be that the system
/// starts no further thread, which says nothing about the component. A panic in both attempts counts as an error of the
/// component.
pub(crate) fn precompile(
    kind: EngineKind,
    form: Form,
    component: &[u8],
) -> Result<Vec<u8>, CompileError> {
    let compile = |parallel| {
        let mut config = compiler_config_of(kind, form);
        config.parallel_compilation(parallel);
        let engine = Engine::new(&config).map_err(|error| CompileError::host(one_line(&error)))?;
        let made = engine.precompile_component(component);
        made.map_err(|error| CompileError::Invalid(one_line(&error)))
    };
    let attempt = |parallel| catch_unwind(AssertUnwindSafe(|| compile(parallel)));
    attempt(true)
        .or_else(|_| attempt(false))
        .unwrap_or_else(|panic| Err(CompileError::Crashed(payload(&*panic).to_owned())))
}
