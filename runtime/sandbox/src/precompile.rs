//! Machine code of a component, made in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wasmtime::Engine;

use crate::compiler::Form;
use crate::component::one_line;
use crate::engine::compiler_config_of;
use crate::order::payload;
use crate::{CompileError, EngineKind};

/// Compiles with several threads, and once more with this one alone where that panics: a system
/// that starts no further thread makes it, and says nothing of the component. What panics both
/// times does.
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
