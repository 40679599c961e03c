use std::sync::Arc;

use mcpmark_snapshot::Digest;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Precompiled};

use crate::bindings::{setup::SetupPre, solution::SolutionPre, verifier::VerifierPre};
use crate::compiler::Form;
use crate::engine::Inner;
use crate::host::{SetupHost, SolutionHost, VerifierHost, cut};
use crate::precompile::precompile;
use crate::profile::profile;
use crate::{CompileError, EngineKind, GuestKind, Interface, Sandbox, UnmeteredFeature, unmetered};

/// A verifier, compiled and checked: its imports are offered and its export is right.
#[derive(Clone)]
pub struct Verifier {
    pub(crate) digest: Digest,
    pub(crate) pre: Arc<VerifierPre<VerifierHost>>,
    /// The same for the engine that makes verdicts a second time.
    pub(crate) twin: Option<Arc<VerifierPre<VerifierHost>>>,
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
    #[error(
        "the component has {size} bytes, more than the limit of {limit} (`max_component_bytes`; who runs this host may raise it)"
    )]
    TooLarge {
        /// Bytes it has.
        size: u64,
        /// Bytes it may have.
        limit: u64,
    },
    /// An interpreter of more bytes than any host takes.
    #[error(
        "the script interpreter has {size} bytes, more than the {limit} that one may have (fixed, the same on every host)"
    )]
    InterpreterTooLarge {
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
    /// It would have the engine do work that no fuel pays for.
    #[error("{0}")]
    Unmetered(UnmeteredFeature),
    /// It cannot be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It wants something that this kind of guest is not given.
    #[error("imports {}, which a {kind} is not given; it may import {offered}", list(.imports))]
    Imports {
        /// The kind of guest that was asked for.
        kind: &'static str,
        /// The names that are not offered.
        imports: Vec<String>,
        /// What is offered, in words.
        offered: String,
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

impl LoadError {
    /// Whether the host is to blame, and not the component.
    pub fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Compile(CompileError::Host(_)))
    }
}

/// Names that a component chose, as far as a person wants to read them.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = names.iter().take(SHOWN);
    let mut text: Vec<String> = shown
        .map(|name| format!("`{}`", cut(name.clone(), 200)))
        .collect();
    if names.len() > SHOWN {
        text.push(format!("{} more", names.len() - SHOWN));
    }
    text.join(" and ")
}

const PACKAGE: &str = "mcpmark:guest/";
const VERSION: &str = "@0.1.0";
/// What a kind of guest imports our interfaces by.
pub(crate) fn imports(kind: &Kind) -> impl Iterator<Item = String> {
    let names = kind.interfaces.iter();
    names.map(|name| format!("{PACKAGE}{name}{VERSION}"))
}

/// The name of an interface of ours in an import.
fn interface(import: &str) -> Option<&str> {
    import.strip_prefix(PACKAGE)?.strip_suffix(VERSION)
}

/// What a world of ours asks for and gives.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) export: &'static str,
    pub(crate) interfaces: &'static [&'static str],
    /// Those of others, from the beginnings of their names to what they allow.
    foreign: &'static [(&'static str, &'static str)],
    /// The interfaces of an embedder that are for it too.
    extended: Option<GuestKind>,
}

pub(crate) const VERIFIER: Kind = Kind {
    name: "verifier",
    export: "verify",
    interfaces: &["state", "answer", "parameters", "log"],
    foreign: &[],
    extended: Some(GuestKind::Verifier),
};
pub(crate) const SETUP: Kind = Kind {
    name: "setup routine",
    export: "setup",
    interfaces: &["builder", "random", "clock", "parameters", "log"],
    foreign: &[],
    extended: Some(GuestKind::Setup),
};
pub(crate) const SOLUTION: Kind = Kind {
    name: "solution",
    export: "solve",
    interfaces: &["tools", "parameters", "log"],
    foreign: &[],
    extended: None,
};
/// Nobody but the host itself makes one; scripts are what it is given to run.
pub(crate) const INTERPRETER: Kind = Kind {
    name: "script interpreter",
    export: "run",
    interfaces: &[],
    foreign: &[
        (
            "mcpmark:script/services@0.1.0",
            "ask the services of the world, as far as they are there",
        ),
        (
            "mcpmark:script/gaps@0.1.0",
            "say what a script asked for in vain",
        ),
        (
            "wasi:cli/",
            "read the script's arguments and environment, and write its output",
        ),
        (
            "wasi:filesystem/",
            "read the files of the final state and of the script, which are made of snapshots",
        ),
        ("wasi:io/", "wait for its own streams"),
        ("wasi:clocks/", "read a clock of the run's own"),
        (
            "wasi:random/",
            "draw random numbers that are the same each time",
        ),
        (
            "wasi:sockets/",
            "ask for the network, which stops the script",
        ),
    ],
    extended: None,
};

impl Kind {
    /// What an import lets such a guest do; none where it is not offered. Names are compared
    /// whole: another version is another name. Only of WASI, which an interpreter is linked with
    /// one interface after another, versions that fit each other count as one.
    pub(crate) fn allows<'a>(&self, import: &str, own: &'a [Interface]) -> Option<&'a str> {
        if let Some(name) = interface(import)
            && self.interfaces.contains(&name)
        {
            return Some(words(name));
        }
        let mut foreign = self.foreign.iter();
        let foreign = foreign.find(|(name, _)| match name.strip_suffix('/') {
            Some(_) => import.starts_with(name),
            None => import == *name,
        });
        let own = || self.own(own).find(|own| own.name() == import);
        foreign
            .map(|(_, words)| *words)
            .or_else(|| own().map(Interface::allows))
    }

    fn own<'a>(&self, own: &'a [Interface]) -> impl Iterator<Item = &'a Interface> {
        let extended = self.extended;
        own.iter().filter(move |it| Some(it.guest()) == extended)
    }

    pub(crate) fn offered(&self, own: &[Interface]) -> String {
        if self.interfaces.is_empty() {
            let foreign = self.foreign.iter();
            let names: Vec<&str> = foreign
                .map(|(name, _)| name.trim_end_matches('/'))
                .collect();
            return names.join(", ");
        }
        let ours = match self.interfaces.split_last() {
            Some((last, others)) => {
                format!("{} and {last} of mcpmark:guest@0.1.0", others.join(", "))
            }
            None => String::new(),
        };
        let own = self
            .own(own)
            .map(|interface| format!(", and {}", interface.name()));
        own.fold(ours, |offered, more| offered + &more)
    }
}

/// What one of our interfaces lets a guest do.
fn words(interface: &str) -> &'static str {
    match interface {
        "state" => "read the starting and the final state",
        "answer" => "read the agent's last message, if the task is judged on it",
        "parameters" => "read the task's parameters",
        "log" => "write a log",
        "builder" => "write the files of a new world",
        "random" => "draw random numbers that follow from the seed",
        "clock" => "read the world's own clock",
        "tools" => "list and call the tools of the world",
        _ => unreachable!("interfaces are named in this file alone"),
    }
}

impl Sandbox {
    /// Compiles a verifier, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// When the bytes are no component, or one that does not fit the `verifier` world.
    pub fn verifier(&self, bytes: &[u8]) -> Result<Verifier, LoadError> {
        let (digest, pre) = self.verifier_pre(bytes)?;
        let twin = match self.peer() {
            Some(peer) => Some(peer.verifier_pre(bytes)?.1),
            None => None,
        };
        Ok(Verifier { digest, pre, twin })
    }

    fn verifier_pre(
        &self,
        bytes: &[u8],
    ) -> Result<(Digest, Arc<VerifierPre<VerifierHost>>), LoadError> {
        let (digest, component) = self.load(bytes, &VERIFIER)?;
        let pre = link(&self.inner.verifier, &component, &VERIFIER)?;
        let pre = VerifierPre::new(pre).map_err(|error| contract(&VERIFIER, &error))?;
        Ok((digest, Arc::new(pre)))
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
        check_form(bytes)?;
        unmetered::check(bytes)?;
        let digest = Digest::of(bytes);
        let component = self.compile(bytes, &digest)?;
        // Before wasmtime stops at the first of them.
        check_imports(&component, &self.inner.engine, kind, self.own_interfaces())?;
        Ok((digest, component))
    }

    fn compile(&self, bytes: &[u8], digest: &Digest) -> Result<Component, CompileError> {
        let Inner { engine, cache, .. } = &*self.inner;
        if let Some(artefact) = cache.as_ref().and_then(|cache| cache.get(digest))
            && let Ok(component) = deserialize(engine, &artefact)
        {
            return Ok(component);
        }
        let artefact = self.artefact(engine, (self.inner.kind, Form::Guest), bytes)?;
        let component = deserialize(engine, &artefact)?;
        if let Some(cache) = cache {
            // A cache that cannot be written to costs time and nothing else.
            let _ = cache.put(digest, &artefact);
        }
        Ok(component)
    }

    /// Compiles in a process of its own, or here where this handle trusts what it loads.
    pub(crate) fn artefact(
        &self,
        engine: &Engine,
        kind: (EngineKind, Form),
        bytes: &[u8],
    ) -> Result<Vec<u8>, CompileError> {
        let inner = &*self.inner;
        match &inner.compiler {
            _ if self.trusting => precompile(kind.0, kind.1, bytes),
            Some(compiler) => {
                let cancel = self.cancel.as_ref();
                let _slot = inner
                    .compiling
                    .take(cancel)
                    .ok_or(CompileError::cancelled())?;
                compiler.compile(bytes, kind, &profile(engine, kind.0), cancel)
            }
            None => Err(CompileError::host(
                "this sandbox has no compiler for components that are not trusted (`SandboxConfig::compiler`)",
            )),
        }
    }

    /// The interfaces of the embedder.
    pub(crate) fn own_interfaces(&self) -> &[Interface] {
        &self.inner.interfaces
    }
}

/// Refuses a component that imports what its kind is not offered.
pub(crate) fn check_imports(
    component: &Component,
    engine: &Engine,
    kind: &Kind,
    own: &[Interface],
) -> Result<(), LoadError> {
    let imports: Vec<String> = component
        .component_type()
        .imports(engine)
        // A type gives a guest nothing; the types of a world are imports of its components.
        .filter(|(_, item)| !matches!(item.ty, ComponentItem::Type(_)))
        .map(|(name, _)| name.to_owned())
        .filter(|name| kind.allows(name, own).is_none())
        .collect();
    if imports.is_empty() {
        return Ok(());
    }
    Err(LoadError::Imports {
        kind: kind.name,
        imports,
        offered: kind.offered(own),
    })
}

/// Tells components from modules and from anything else.
pub(crate) fn check_form(bytes: &[u8]) -> Result<(), LoadError> {
    match bytes.get(..8) {
        Some([0, b'a', b's', b'm', _, _, 0, 0]) => Err(LoadError::CoreModule),
        Some([0, b'a', b's', b'm', ..]) => Ok(()),
        _ => Err(LoadError::NotWasm),
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
    cut(causes.join(": ").replace('\n', " "), 4096)
}

#[allow(unsafe_code, reason = "wasmtime maps compiled code as it is")]
pub(crate) fn deserialize(engine: &Engine, artefact: &[u8]) -> Result<Component, CompileError> {
    if Engine::detect_precompiled(artefact) != Some(Precompiled::Component) {
        return Err(CompileError::host("what the compiler made is no component"));
    }
    // SAFETY: the artefact was made by this engine's compiler: in this process, or in the
    // child that the embedder names, or by an earlier one of this user, and then the cache
    // has checked owner and digest. wasmtime itself checks version and settings.
    let component = unsafe { Component::deserialize(engine, artefact) };
    component.map_err(|error| {
        let message = one_line(&error);
        // What the pool has no room for: instances, memories, tables, globals.
        if message.contains("exceeds the") {
            CompileError::NoRoom(message)
        } else {
            CompileError::host(message)
        }
    })
}
