use std::sync::Arc;

use mcpmark_snapshot::Digest;
use wasmtime::Precompiled;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker};

use crate::Sandbox;
use crate::bindings::{setup::SetupPre, solution::SolutionPre, verifier::VerifierPre};
use crate::host::{SetupHost, SolutionHost, VerifierHost};

/// A verifier, compiled and checked: its imports are offered and its export is right.
#[derive(Clone)]
pub struct Verifier {
    pub(crate) digest: Digest,
    pub(crate) pre: Arc<VerifierPre<VerifierHost>>,
}

/// A setup routine, compiled and checked.
#[derive(Clone)]
pub struct Setup {
    pub(crate) digest: Digest,
    pub(crate) pre: Arc<SetupPre<SetupHost>>,
}

/// A solution, compiled and checked.
#[derive(Clone)]
pub struct Solution {
    pub(crate) digest: Digest,
    pub(crate) pre: Arc<SolutionPre<SolutionHost>>,
}

/// Why a component cannot serve as a guest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// More bytes than the host takes.
    #[error("the component has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Bytes it has.
        size: u64,
        /// Bytes it may have.
        limit: u64,
    },
    /// Not WebAssembly at all.
    #[error("not a WebAssembly file: it does not start with \\0asm")]
    NotWasm,
    /// A core module, which has no typed interface.
    #[error(
        "a core WebAssembly module, not a component; `mcpmark task build` or `wasm-tools component new` makes one of it"
    )]
    CoreModule,
    /// Malformed, or it uses a feature that is switched off.
    #[error("not a valid component: {0}")]
    Invalid(String),
    /// It wants something that this kind of guest is not given.
    #[error("imports {}, which a {kind} is not given; it may import {offered}", .imports.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and "))]
    Imports {
        /// The kind of guest that was asked for.
        kind: &'static str,
        /// The names that are not offered.
        imports: Vec<String>,
        /// What is offered, in words.
        offered: &'static str,
    },
    /// An import or export has another type than the contract says, or is missing.
    #[error("does not fit the contract of a {kind}: {message}")]
    Contract {
        /// The kind of guest that was asked for.
        kind: &'static str,
        /// What differs.
        message: String,
    },
}

const PACKAGE: &str = "mcpmark:guest/";
const VERSION: &str = "@0.1.0";

struct Kind {
    name: &'static str,
    interfaces: &'static [&'static str],
    offered: &'static str,
}

const VERIFIER: Kind = Kind {
    name: "verifier",
    interfaces: &["state", "answer", "parameters", "log"],
    offered: "state, answer, parameters and log of mcpmark:guest@0.1.0",
};
const SETUP: Kind = Kind {
    name: "setup routine",
    interfaces: &["builder", "random", "clock", "parameters", "log"],
    offered: "builder, random, clock, parameters and log of mcpmark:guest@0.1.0",
};
const SOLUTION: Kind = Kind {
    name: "solution",
    interfaces: &["tools", "parameters", "log"],
    offered: "tools, parameters and log of mcpmark:guest@0.1.0",
};

impl Sandbox {
    /// Compiles a verifier, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// When the bytes are no component, or one that does not fit the `verifier` world.
    pub fn verifier(&self, bytes: &[u8]) -> Result<Verifier, LoadError> {
        let (digest, component) = self.load(bytes, &VERIFIER)?;
        let pre = link(&self.inner.verifier, &component, &VERIFIER)?;
        let pre = VerifierPre::new(pre).map_err(|error| contract(&VERIFIER, &error))?;
        Ok(Verifier {
            digest,
            pre: Arc::new(pre),
        })
    }

    /// Compiles a setup routine, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// When the bytes are no component, or one that does not fit the `setup` world.
    pub fn setup(&self, bytes: &[u8]) -> Result<Setup, LoadError> {
        let (digest, component) = self.load(bytes, &SETUP)?;
        let pre = link(&self.inner.setup, &component, &SETUP)?;
        let pre = SetupPre::new(pre).map_err(|error| contract(&SETUP, &error))?;
        Ok(Setup {
            digest,
            pre: Arc::new(pre),
        })
    }

    /// Compiles a solution, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// When the bytes are no component, or one that does not fit the `solution` world.
    pub fn solution(&self, bytes: &[u8]) -> Result<Solution, LoadError> {
        let (digest, component) = self.load(bytes, &SOLUTION)?;
        let pre = link(&self.inner.solution, &component, &SOLUTION)?;
        let pre = SolutionPre::new(pre).map_err(|error| contract(&SOLUTION, &error))?;
        Ok(Solution {
            digest,
            pre: Arc::new(pre),
        })
    }

    fn load(&self, bytes: &[u8], kind: &Kind) -> Result<(Digest, Component), LoadError> {
        let (size, limit) = (bytes.len() as u64, self.inner.max_component_bytes);
        if size > limit {
            return Err(LoadError::TooLarge { size, limit });
        }
        match bytes.get(..8) {
            Some([0, b'a', b's', b'm', _, _, 0, 0]) => return Err(LoadError::CoreModule),
            Some([0, b'a', b's', b'm', ..]) => {}
            _ => return Err(LoadError::NotWasm),
        }
        let digest = Digest::of(bytes);
        let component = self.compile(bytes, &digest)?;
        self.check_imports(&component, kind)?;
        Ok((digest, component))
    }

    fn compile(&self, bytes: &[u8], digest: &Digest) -> Result<Component, LoadError> {
        let engine = &self.inner.engine;
        let invalid = |error: wasmtime::Error| LoadError::Invalid(one_line(&error));
        let cache = self.inner.cache.as_ref();
        let artefact = cache.and_then(|cache| cache.get(digest));
        if let Some(component) = artefact.and_then(|artefact| deserialize(engine, &artefact)) {
            return Ok(component);
        }
        let artefact = engine.precompile_component(bytes).map_err(invalid)?;
        if let Some(cache) = cache {
            // A cache that cannot be written to costs time and nothing else.
            let _ = cache.put(digest, &artefact);
        }
        deserialize(engine, &artefact)
            .ok_or_else(|| LoadError::Invalid("the compiled component cannot be loaded".into()))
    }

    /// Names what is not offered, before wasmtime stops at the first of them.
    fn check_imports(&self, component: &Component, kind: &Kind) -> Result<(), LoadError> {
        let imports: Vec<String> = component
            .component_type()
            .imports(&self.inner.engine)
            // A type gives a guest nothing; the types of a world are imports of its components.
            .filter(|(_, item)| !matches!(item.ty, ComponentItem::Type(_)))
            .map(|(name, _)| name.to_owned())
            .filter(|name| {
                let interface = name
                    .strip_prefix(PACKAGE)
                    .and_then(|name| name.strip_suffix(VERSION));
                !interface.is_some_and(|name| kind.interfaces.contains(&name))
            })
            .collect();
        if imports.is_empty() {
            Ok(())
        } else {
            Err(LoadError::Imports {
                kind: kind.name,
                imports,
                offered: kind.offered,
            })
        }
    }
}

macro_rules! digest {
    ($($guest:ty),*) => {$(
        impl $guest {
            /// The digest of the component's bytes.
            pub fn digest(&self) -> Digest {
                self.digest
            }
        }
    )*};
}
digest!(Verifier, Setup, Solution);

fn link<T: 'static>(
    linker: &Linker<T>,
    component: &Component,
    kind: &Kind,
) -> Result<wasmtime::component::InstancePre<T>, LoadError> {
    linker
        .instantiate_pre(component)
        .map_err(|error| contract(kind, &error))
}

fn contract(kind: &Kind, error: &wasmtime::Error) -> LoadError {
    LoadError::Contract {
        kind: kind.name,
        message: one_line(error),
    }
}

/// An error and its causes on one line.
pub(crate) fn one_line(error: &wasmtime::Error) -> String {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    causes.join(": ").replace('\n', " ")
}

#[allow(unsafe_code, reason = "wasmtime maps compiled code as it is")]
fn deserialize(engine: &wasmtime::Engine, artefact: &[u8]) -> Option<Component> {
    if wasmtime::Engine::detect_precompiled(artefact) != Some(Precompiled::Component) {
        return None;
    }
    // SAFETY: the artefact was made by this engine's compiler: either just now, or by an
    // earlier process of this user, and then the cache has checked the file's owner,
    // directory and digest. wasmtime itself checks version and settings.
    unsafe { Component::deserialize(engine, artefact) }.ok()
}
