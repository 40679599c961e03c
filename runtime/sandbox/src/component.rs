//! Loading of components: size, form, unmetered features, imports, compilation and linking.

use std::sync::Arc;

use mcpmark_snapshot::Digest;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Precompiled};

use crate::bindings::{
    setup::SetupPre, site::SitePre, solution::SolutionPre, verifier::VerifierPre,
};
use crate::compiler::Form;
use crate::engine::Inner;
use crate::host::{SetupHost, SiteGuestHost, SolutionHost, VerifierHost, cut};
use crate::precompile::precompile;
use crate::profile::profile;
use crate::wasi::Command;
use crate::{CompileError, EngineKind, GuestKind, Interface, Sandbox, UnmeteredFeature, unmetered};

/// Verifier that is compiled, with imports and export checked.
#[derive(Clone)]
pub struct Verifier {
    pub(crate) digest: Digest,
    pub(crate) linked: Linked,
    /// Verifier for the other engine of a cross-check.
    pub(crate) twin: Option<Linked>,
    /// Start of the clock that it reads through WASI, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) clock: i64,
}

/// Verifier with its imports linked.
#[derive(Clone)]
pub(crate) enum Linked {
    /// Component that exports `verify` and does not import WASI.
    Pure(Arc<VerifierPre<VerifierHost>>),
    /// Component that exports `verify` and imports WASI.
    Wasi(Arc<VerifierPre<VerifierHost>>),
    /// Command of WASI.
    Command(Arc<Command>),
}

impl Verifier {
    /// Returns this verifier with a clock that starts at an instant, in seconds since 1970-01-01T00:00:00Z. It is also
    /// the time stamp of files that have none. The default is 2026-01-01T00:00:00Z. Only verifiers that import WASI
    /// read it.
    #[must_use]
    pub fn starting_at(self, clock: i64) -> Self {
        Self { clock, ..self }
    }

    /// Returns the start of the clock if the verifier imports WASI. The verdict of another does not depend on it.
    pub fn clock(&self) -> Option<i64> {
        match self.linked {
            Linked::Pure(_) => None,
            Linked::Wasi(_) | Linked::Command(_) => Some(self.clock),
        }
    }

    /// Reports whether the verifier is a command, whose exit code is the verdict.
    pub fn is_command(&self) -> bool {
        matches!(self.linked, Linked::Command(_))
    }
}

/// Setup guest that is compiled, with imports and export checked.
#[derive(Clone)]
pub struct Setup {
    pub(crate) digest: Digest,
    pub(crate) pre: Arc<SetupPre<SetupHost>>,
}

/// Solution that is compiled, with imports and export checked.
#[derive(Clone)]
pub struct Solution {
    pub(crate) digest: Digest,
    pub(crate) pre: Arc<SolutionPre<SolutionHost>>,
}

/// Site that is compiled, with imports and export checked.
#[derive(Clone)]
pub struct Site {
    pub(crate) digest: Digest,
    pub(crate) pre: Arc<SitePre<SiteGuestHost>>,
}

/// Errors of loading a component as a guest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The component is larger than the limit of the sandbox.
    #[error(
        "the component has {size} bytes, but the limit is {limit} (`max_component_bytes`, which the operator of this host may raise)"
    )]
    TooLarge {
        /// Size of the component, in bytes.
        size: u64,
        /// Maximum size, in bytes.
        limit: u64,
    },
    /// The interpreter is larger than the fixed maximum.
    #[error(
        "the script interpreter has {size} bytes, but the limit is {limit} (fixed, the same on every host)"
    )]
    InterpreterTooLarge {
        /// Size of the interpreter, in bytes.
        size: u64,
        /// Maximum size, in bytes.
        limit: u64,
    },
    /// The bytes are not WebAssembly.
    #[error("not a WebAssembly file: it does not start with \\0asm")]
    NotWasm,
    /// The bytes are a core module, which has no typed interface.
    #[error(
        "a core WebAssembly module, not a component; create a component with `mcpmark task build` or `wasm-tools component new`"
    )]
    CoreModule,
    /// The component uses a feature whose cost fuel does not cover.
    #[error("{0}")]
    Unmetered(UnmeteredFeature),
    /// The component cannot be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The component has imports that this kind of guest does not get.
    #[error("imports {}, which a {kind} may not import; it may import {offered}", list(.imports))]
    Imports {
        /// Kind of guest that was requested.
        kind: &'static str,
        /// Names of the imports that are not offered.
        imports: Vec<String>,
        /// List of the interfaces that are offered.
        offered: String,
    },
    /// An import or export has another type than the contract specifies, or is missing.
    #[error("does not fit the contract of a {kind}: {message}")]
    Contract {
        /// Kind of guest that was requested.
        kind: &'static str,
        /// Difference from the contract.
        message: String,
    },
}

impl LoadError {
    /// Reports whether the host is the cause, and not the component.
    pub fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Compile(CompileError::Host(_)))
    }
}

/// Formats names that a component chose: at most eight, each shortened.
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

/// Start of the clock of a verifier that imports WASI, unless a world determines it: 2026-01-01T00:00:00Z.
const DEFAULT_CLOCK: i64 = 1_767_225_600;

const PACKAGE: &str = "mcpmark:guest/";
const VERSION: &str = "@0.1.0";
/// Returns the names under which a kind of guest imports the interfaces of the contract.
pub(crate) fn imports(kind: &Kind) -> impl Iterator<Item = String> {
    let names = kind.interfaces.iter();
    names.map(|name| format!("{PACKAGE}{name}{VERSION}"))
}

/// Returns the name of an interface of the contract from its import.
fn interface(import: &str) -> Option<&str> {
    import.strip_prefix(PACKAGE)?.strip_suffix(VERSION)
}

/// Name, export and offered interfaces of a kind of guest.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) export: &'static str,
    pub(crate) interfaces: &'static [&'static str],
    /// Interfaces of other packages: names, or prefixes that end in `/` or `.`, with descriptions of what they allow.
    foreign: &'static [(&'static str, &'static str)],
    /// Kind of guest in [`Interface`]s of an embedder, if it may import them.
    extended: Option<GuestKind>,
}

pub(crate) const VERIFIER: Kind = Kind {
    name: "verifier",
    export: "verify",
    interfaces: &["state", "answer", "parameters", "log"],
    foreign: VERIFIER_WASI,
    extended: Some(GuestKind::Verifier),
};
/// Prefix of the packages of WASI.
pub(crate) const WASI: &str = "wasi:";
/// Interfaces of WASI 0.2 that a verifier may import.
const VERIFIER_WASI: &[(&str, &str)] = &[
    (
        "wasi:cli/environment@0.2.",
        "read its arguments and environment variables",
    ),
    ("wasi:cli/exit@0.2.", "end with an exit code"),
    ("wasi:cli/stdin@0.2.", "read a standard input that is empty"),
    ("wasi:cli/stdout@0.2.", "write an output, which is kept"),
    ("wasi:cli/stderr@0.2.", "write an output, which is kept"),
    ("wasi:cli/terminal-input@0.2.", TERMINAL),
    ("wasi:cli/terminal-output@0.2.", TERMINAL),
    ("wasi:cli/terminal-stdin@0.2.", TERMINAL),
    ("wasi:cli/terminal-stdout@0.2.", TERMINAL),
    ("wasi:cli/terminal-stderr@0.2.", TERMINAL),
    ("wasi:clocks/monotonic-clock@0.2.", CLOCK),
    ("wasi:clocks/wall-clock@0.2.", CLOCK),
    ("wasi:filesystem/types@0.2.", FILES),
    ("wasi:filesystem/preopens@0.2.", FILES),
    ("wasi:io/error@0.2.", STREAMS),
    ("wasi:io/poll@0.2.", STREAMS),
    ("wasi:io/streams@0.2.", STREAMS),
    ("wasi:random/random@0.2.", RANDOM),
    ("wasi:random/insecure@0.2.", RANDOM),
    ("wasi:random/insecure-seed@0.2.", RANDOM),
];
const TERMINAL: &str = "ask whether it has a terminal, which it has not";
const CLOCK: &str = "read a clock of the run's own";
const FILES: &str =
    "read the two states and the agent's last message as files, which it cannot change";
const STREAMS: &str = "wait for its own streams";
const RANDOM: &str = "draw random numbers that are the same each time";

pub(crate) const SETUP: Kind = Kind {
    name: "setup guest",
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
pub(crate) const SITE: Kind = Kind {
    name: "site",
    export: "answer",
    interfaces: &[],
    foreign: &[
        (
            "mcpmark:site/store@0.1.0",
            "read and change the rows of its own database",
        ),
        ("mcpmark:site/clock@0.1.0", "read the world's own clock"),
        (
            "mcpmark:site/random@0.1.0",
            "draw random numbers that follow from the seed",
        ),
        ("mcpmark:site/log@0.1.0", "write a log"),
    ],
    extended: None,
};
/// Only the host supplies interpreters. The scripts that they run come from others.
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
    /// Returns a description of what an import allows, or `None` if it is not offered. Names are compared as a whole:
    /// another version is another name. WASI imports of an interpreter are compared by the prefix of their package; the
    /// linker then checks interface and version.
    pub(crate) fn allows<'a>(&self, import: &str, own: &'a [Interface]) -> Option<&'a str> {
        if let Some(name) = interface(import)
            && self.interfaces.contains(&name)
        {
            return Some(words(name));
        }
        let mut foreign = self.foreign.iter();
        let foreign = foreign.find(|(name, _)| {
            if name.ends_with(['/', '.']) {
                import.starts_with(name)
            } else {
                import == *name
            }
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
        let wasi = if self.foreign.is_empty() {
            ""
        } else {
            ", and cli, clocks, filesystem, io and random of WASI 0.2"
        };
        own.fold(ours, |offered, more| offered + &more) + wasi
    }
}

/// Returns a description of what an interface of the contract allows.
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
        _ => unreachable!("all interfaces of the contract are listed in this file"),
    }
}

impl Sandbox {
    /// Loads a verifier: compiles it, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are neither a component that fits the `verifier` world nor a command of WASI 0.2, if
    /// the component is too large or uses an [unmetered feature](UnmeteredFeature), or if it cannot be compiled.
    pub fn verifier(&self, bytes: &[u8]) -> Result<Verifier, LoadError> {
        let (digest, linked) = self.linked_verifier(bytes)?;
        let twin = match self.peer() {
            Some(peer) => Some(peer.linked_verifier(bytes)?.1),
            None => None,
        };
        Ok(Verifier {
            digest,
            linked,
            twin,
            clock: DEFAULT_CLOCK,
        })
    }

    fn linked_verifier(&self, bytes: &[u8]) -> Result<(Digest, Linked), LoadError> {
        let (digest, component) = self.load(bytes, &VERIFIER)?;
        let engine = &self.inner.engine;
        let pre = link(&self.inner.verifier, &component, &VERIFIER)?;
        let command =
            Command::of(engine, &component, &pre).map_err(|message| LoadError::Contract {
                kind: VERIFIER.name,
                message,
            })?;
        if let Some(command) = command {
            return Ok((digest, Linked::Command(Arc::new(command))));
        }
        let has_wasi = component
            .component_type()
            .imports(engine)
            .any(|(name, _)| name.starts_with(WASI));
        let pre = VerifierPre::new(pre).map_err(|error| contract(&VERIFIER, &error))?;
        let pre = Arc::new(pre);
        let linked = if has_wasi {
            Linked::Wasi(pre)
        } else {
            Linked::Pure(pre)
        };
        Ok((digest, linked))
    }

    /// Loads a setup guest: compiles it, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a component that fits the `setup` world, if it is too large or uses an
    /// [unmetered feature](UnmeteredFeature), or if it cannot be compiled.
    pub fn setup(&self, bytes: &[u8]) -> Result<Setup, LoadError> {
        let (digest, component) = self.load(bytes, &SETUP)?;
        let pre = link(&self.inner.setup, &component, &SETUP)?;
        let pre = SetupPre::new(pre).map_err(|error| contract(&SETUP, &error))?;
        Ok(Setup {
            digest,
            pre: Arc::new(pre),
        })
    }

    /// Loads a solution: compiles it, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a component that fits the `solution` world, if it is too large or uses an
    /// [unmetered feature](UnmeteredFeature), or if it cannot be compiled.
    pub fn solution(&self, bytes: &[u8]) -> Result<Solution, LoadError> {
        let (digest, component) = self.load(bytes, &SOLUTION)?;
        let pre = link(&self.inner.solution, &component, &SOLUTION)?;
        let pre = SolutionPre::new(pre).map_err(|error| contract(&SOLUTION, &error))?;
        Ok(Solution {
            digest,
            pre: Arc::new(pre),
        })
    }

    /// Loads a site: compiles it, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a component that fits the world of the package `mcpmark:site`, if it is too
    /// large or uses an [unmetered feature](UnmeteredFeature), or if it cannot be compiled.
    pub fn site(&self, bytes: &[u8]) -> Result<Site, LoadError> {
        let (digest, component) = self.load(bytes, &SITE)?;
        let pre = link(&self.inner.site, &component, &SITE)?;
        let pre = SitePre::new(pre).map_err(|error| contract(&SITE, &error))?;
        Ok(Site {
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
        // Must come before linking, because wasmtime reports only the first missing import.
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
            // A cache that cannot be written to only costs time.
            let _ = cache.put(digest, &artefact);
        }
        Ok(component)
    }

    /// Compiles in a child process, or in this process if the handle trusts its components.
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
                "this sandbox has no compiler for components that are not trusted; set `SandboxConfig::compiler`",
            )),
        }
    }

    /// Returns the interfaces of the embedder.
    pub(crate) fn own_interfaces(&self) -> &[Interface] {
        &self.inner.interfaces
    }
}

/// Refuses a component with imports that its kind of guest does not get.
pub(crate) fn check_imports(
    component: &Component,
    engine: &Engine,
    kind: &Kind,
    own: &[Interface],
) -> Result<(), LoadError> {
    let imports: Vec<String> = component
        .component_type()
        .imports(engine)
        // Types are skipped, because they give a guest nothing: the types of a world are imports of its components.
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

/// Distinguishes components from core modules and from other bytes, by the header.
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
            /// Returns the digest of the component's bytes.
            pub fn digest(&self) -> Digest {
                self.digest
            }
        }
    )*};
}
digest!(Verifier, Setup, Solution, Site);

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

/// Formats an error and its causes on one line.
pub(crate) fn one_line(error: &wasmtime::Error) -> String {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    cut(causes.join(": ").replace('\n', " "), 4096)
}

#[allow(unsafe_code, reason = "wasmtime maps compiled code as it is")]
pub(crate) fn deserialize(engine: &Engine, artefact: &[u8]) -> Result<Component, CompileError> {
    if Engine::detect_precompiled(artefact) != Some(Precompiled::Component) {
        return Err(CompileError::host(
            "the output of the compiler is not a compiled component",
        ));
    }
    // SAFETY: this engine's compiler made the artefact: in this process, in the child that the embedder configured, or
    // in an earlier process of this user, in which case the cache has checked owner and digest. wasmtime checks version
    // and settings.
    let component = unsafe { Component::deserialize(engine, artefact) };
    component.map_err(|error| {
        let message = one_line(&error);
        // The pool has no room for it: too many instances, memories, tables or globals.
        if message.contains("exceeds the") {
            CompileError::NoRoom(message)
        } else {
            CompileError::host(message)
        }
    })
}
