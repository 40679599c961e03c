//! Loading of the interpreter that runs scripts.

use std::sync::Arc;

use mcpmark_snapshot::Digest;
use wasmtime::Engine;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, ResourceType};

use super::bindings::interpreter::InterpreterPre;
use super::engine::Started;
use super::host::{ScriptHost, add_script_interfaces, add_to_linker};
use crate::compiler::Form;
use crate::component::{INTERPRETER, check_form, check_imports, deserialize, one_line};
use crate::host::Stop;
use crate::{CompileError, FaultKind, LoadError, Sandbox};

/// Maximum size of an interpreter, in bytes. Fixed, because interpreters do not come from untrusted authors.
pub const MAX_INTERPRETER_BYTES: u64 = 256 << 20;

/// Interpreter that is compiled, with imports and export checked. One interpreter can run every script.
#[derive(Clone)]
pub struct Interpreter {
    digest: Digest,
    pub(crate) pre: Arc<InterpreterPre<ScriptHost>>,
    pub(crate) started: Arc<Started>,
    /// Interpreter for the other engine of a cross-check.
    pub(crate) twin: Option<Box<Interpreter>>,
}

impl Interpreter {
    /// Returns the digest of the component's bytes. The result of a script also depends on it.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the name of the engine profile. If verdicts are cross-checked, it names both engines.
    pub fn profile(&self) -> String {
        let own = &self.started.profile;
        match &self.twin {
            Some(twin) => format!("{own}+{}", twin.profile()),
            None => own.clone(),
        }
    }
}

impl Sandbox {
    /// Reports whether a compiled interpreter with this digest is in the cache.
    pub fn has_interpreter(&self, digest: &Digest) -> bool {
        let started = self.inner.wasi.start().ok();
        let cache = started.as_ref().and_then(|started| started.cache.as_ref());
        cache.is_some_and(|cache| cache.has(digest))
            && self.peer().is_none_or(|peer| peer.has_interpreter(digest))
    }

    /// Loads an interpreter: compiles it, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a component that fits the `interpreter` world, if it is too large, or if
    /// it cannot be compiled.
    pub fn interpreter(&self, bytes: &[u8]) -> Result<Interpreter, LoadError> {
        self.interpreter_of(Digest::of(bytes), || Ok(bytes.to_vec()))
    }

    /// Loads an interpreter by its digest. Calls `bytes` only if it is not in the cache. See
    /// [`interpreter`](Self::interpreter).
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`interpreter`](Self::interpreter), if `bytes` fails, or if the digest of the
    /// bytes differs.
    pub fn interpreter_of(
        &self,
        digest: Digest,
        bytes: impl Fn() -> std::io::Result<Vec<u8>>,
    ) -> Result<Interpreter, LoadError> {
        let checked = || {
            let bytes = bytes().map_err(CompileError::host)?;
            let (size, limit) = (bytes.len() as u64, MAX_INTERPRETER_BYTES);
            if size > limit {
                return Err(LoadError::InterpreterTooLarge { size, limit });
            }
            check_form(&bytes)?;
            if Digest::of(&bytes) != digest {
                return Err(CompileError::host(format!(
                    "the bytes do not have the digest {digest}"
                ))
                .into());
            }
            Ok(bytes)
        };
        let mut interpreter = self.load_interpreter(digest, &checked)?;
        if let Some(peer) = self.peer() {
            let twin = peer.load_interpreter(digest, &checked)?;
            interpreter.twin = Some(Box::new(twin));
        }
        Ok(interpreter)
    }

    fn load_interpreter(
        &self,
        digest: Digest,
        bytes: &dyn Fn() -> Result<Vec<u8>, LoadError>,
    ) -> Result<Interpreter, LoadError> {
        let started = self.inner.wasi.start().map_err(CompileError::host)?;
        let component = self.compile_interpreter(&started, &digest, bytes)?;
        check_imports(
            &component,
            &started.engine,
            &INTERPRETER,
            self.own_interfaces(),
        )?;
        let pre = link(&started, &component).map_err(|error| LoadError::Contract {
            kind: INTERPRETER.name,
            message: one_line(&error),
        })?;
        Ok(Interpreter {
            digest,
            pre: Arc::new(pre),
            started,
            twin: None,
        })
    }

    fn compile_interpreter(
        &self,
        started: &Started,
        digest: &Digest,
        bytes: &dyn Fn() -> Result<Vec<u8>, LoadError>,
    ) -> Result<Component, LoadError> {
        let Started { engine, cache, .. } = started;
        if let Some(component) = cache.as_ref().and_then(|cache| cache.get(engine, digest)) {
            return Ok(component);
        }
        let kind = (self.inner.kind, Form::Interpreter);
        let artefact = self.artefact(engine, kind, &bytes()?)?;
        // A cache that cannot be written to only costs time.
        let kept = cache
            .as_ref()
            .and_then(|cache| cache.put(engine, digest, &artefact).ok().flatten());
        match kept {
            Some(component) => Ok(component),
            None => Ok(deserialize(engine, &artefact)?),
        }
    }
}

/// Links the interfaces of the profile, and sockets that stop the script.
fn link(started: &Started, component: &Component) -> wasmtime::Result<InterpreterPre<ScriptHost>> {
    let mut linker = Linker::new(&started.engine);
    add_to_linker(&mut linker)?;
    add_script_interfaces(&mut linker)?;
    stop_at_sockets(&mut linker, &started.engine, component)?;
    InterpreterPre::new(linker.instantiate_pre(component)?)
}

/// Defines the imported functions of sockets so that calling one stops the script. Every interpreter contains a library
/// that can open sockets, so these imports must exist.
fn stop_at_sockets(
    linker: &mut Linker<ScriptHost>,
    engine: &Engine,
    component: &Component,
) -> wasmtime::Result<()> {
    for (name, import) in component.component_type().imports(engine) {
        let Some(interface) = name.strip_prefix(SOCKETS) else {
            continue;
        };
        let ComponentItem::ComponentInstance(instance) = import.ty else {
            continue;
        };
        let interface = interface.split('@').next().unwrap_or_default();
        let mut sockets = linker.instance(name)?;
        for (export, item) in instance.exports(engine) {
            match item.ty {
                ComponentItem::ComponentFunc(_) => {
                    let wanted = format!("{SOCKETS}{interface}#{export}");
                    sockets.func_new(export, move |_, _, _, _| {
                        Err(Stop::fault(
                            FaultKind::Link,
                            format!(
                                "the script wants the network ({wanted}), which no verifier has"
                            ),
                        ))
                    })?;
                }
                ComponentItem::Resource(_) if RESOURCES.contains(&(interface, export)) => {
                    sockets.resource(export, ResourceType::host::<Socket>(), |_, _| Ok(()))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

const SOCKETS: &str = "wasi:sockets/";

/// Resources that socket interfaces define, by interface. Other interfaces only refer to them.
const RESOURCES: &[(&str, &str)] = &[
    ("network", "network"),
    ("udp", "udp-socket"),
    ("udp", "incoming-datagram-stream"),
    ("udp", "outgoing-datagram-stream"),
    ("tcp", "tcp-socket"),
    ("ip-name-lookup", "resolve-address-stream"),
];

/// Uninhabited type: no socket is ever created.
enum Socket {}
