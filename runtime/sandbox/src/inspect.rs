//! Inspection of a component: kind, imports and exports, read without compiling it.

use std::fmt;

use mcpmark_snapshot::Digest;
use serde::Serialize;
use wasmparser::{ComponentExternalKind, ComponentTypeRef, Parser, Payload, TypeBounds};

use crate::Interface;
use crate::component::{Kind, WASI};
use crate::wasi::RUN;
use crate::{CompileError, Limits, LoadError, Sandbox};

/// World that a guest belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuestKind {
    /// Verifier, which grades a final state.
    Verifier,
    /// Setup guest, which builds a starting state.
    Setup,
    /// Solution, which acts through tools.
    Solution,
    /// Interpreter, which runs scripts that grade a final state.
    Interpreter,
    /// Site, which answers requests of a browser.
    Site,
}

/// System interfaces that a guest imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// No WASI.
    Pure,
    /// WASI, as imported by guests in Python, JavaScript or C.
    Wasi,
}

/// Import of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capability {
    /// Name of the import.
    pub import: String,
    /// Description of what the import allows, or `None` if a guest of its kind does not get it.
    pub allows: Option<String>,
}

/// Export of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Export {
    /// Name of the export.
    pub name: String,
    /// Sort of the export: `function`, `instance` and so on.
    pub sort: &'static str,
}

/// Kind, imports and exports of a component, read without compiling or running it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// Digest of the component's bytes.
    pub digest: Digest,
    /// Size of the component, in bytes.
    pub bytes: u64,
    /// Kind of guest according to the exports, or `None` if they fit no kind.
    pub kind: Option<GuestKind>,
    /// Name of the export that makes the component a command of WASI, whose exit code is the verdict.
    pub command: Option<String>,
    /// WASI profile.
    pub profile: Profile,
    /// Imports in the order of the component. Types are left out, because they give a guest nothing.
    pub imports: Vec<Capability>,
    /// Exports in the order of the component.
    pub exports: Vec<Export>,
}

/// Reads the imports and exports of a component, given a sandbox with these `interfaces`. The component may still fail
/// to load. [`Sandbox::inspect`] does the same for a particular sandbox.
///
/// # Errors
///
/// Returns an error if the bytes are not a component.
pub fn inspect(bytes: &[u8], interfaces: &[Interface]) -> Result<Inspection, LoadError> {
    read(bytes, interfaces)
}

impl Sandbox {
    /// Reads the imports and exports of a component, given the interfaces of this sandbox. See [`inspect`].
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a component.
    pub fn inspect(&self, bytes: &[u8]) -> Result<Inspection, LoadError> {
        read(bytes, self.own_interfaces())
    }
}

fn read(bytes: &[u8], own: &[Interface]) -> Result<Inspection, LoadError> {
    crate::component::check_form(bytes)?;
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut depth = 0_u32;
    let broken = |error: wasmparser::BinaryReaderError| {
        LoadError::Compile(CompileError::Invalid(error.to_string()))
    };
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(broken)? {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    let import = import.map_err(broken)?;
                    if !matches!(import.ty, ComponentTypeRef::Type(TypeBounds::Eq(_))) {
                        imports.push(import.name.name.to_owned());
                    }
                }
            }
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section {
                    let export = export.map_err(broken)?;
                    exports.push(Export {
                        name: export.name.name.to_owned(),
                        sort: sort(export.kind),
                    });
                }
            }
            _ => {}
        }
    }
    let kind = GuestKind::of(&exports, &imports);
    let wasi = imports.iter().any(|name| name.starts_with(WASI));
    let capability = |import: String| Capability {
        allows: kind
            .and_then(|kind| kind.contract().allows(&import, own))
            .map(str::to_owned),
        import,
    };
    Ok(Inspection {
        digest: Digest::of(bytes),
        bytes: bytes.len() as u64,
        kind,
        command: command(&exports),
        profile: if wasi { Profile::Wasi } else { Profile::Pure },
        imports: imports.into_iter().map(capability).collect(),
        exports,
    })
}

impl Inspection {
    /// Returns the interfaces of WASI that the component imports, sorted and with a list for each package, such as
    /// `cli (environment, exit), io (streams)`.
    pub fn wasi(&self) -> String {
        let mut packages: Vec<(&str, Vec<&str>)> = Vec::new();
        for import in &self.imports {
            let Some(interface) = import.import.strip_prefix(WASI) else {
                continue;
            };
            let (package, rest) = interface.split_once('/').unwrap_or((interface, ""));
            let name = rest.split('@').next().unwrap_or(rest);
            match packages.iter_mut().find(|(found, _)| *found == package) {
                Some((_, names)) => names.push(name),
                None => packages.push((package, vec![name])),
            }
        }
        packages.sort_unstable_by_key(|(package, _)| *package);
        let packages = packages.iter_mut().map(|(package, names)| {
            names.sort_unstable();
            names.dedup();
            format!("{package} ({})", names.join(", "))
        });
        packages.collect::<Vec<String>>().join(", ")
    }

    /// Returns a description of the guest's capabilities as a phrase, such as `can write a log; nothing else`.
    pub fn summary(&self) -> String {
        let mut allowed: Vec<&str> = Vec::new();
        let mut refused = 0;
        for import in &self.imports {
            match import.allows.as_deref() {
                // Several interfaces may give the same capability.
                Some(words) if allowed.contains(&words) => {}
                Some(words) => allowed.push(words),
                None => refused += 1,
            }
        }
        let can = match allowed.as_slice() {
            [] => "can compute".to_owned(),
            allowed => format!("can {}", allowed.join("; can ")),
        };
        match refused {
            0 => format!("{can}; nothing else"),
            1 => format!("{can}; asks for one thing that it is not given"),
            refused => format!("{can}; asks for {refused} things that it is not given"),
        }
    }
}

impl GuestKind {
    /// Returns the kind of guest with these exports. A command of WASI is a verifier. An interpreter must also import a `mcpmark:script` interface,
    /// because many programs export a function `run`.
    fn of(exports: &[Export], imports: &[String]) -> Option<Self> {
        if command(exports).is_some() {
            return Some(Self::Verifier);
        }
        let has = |name: &str| exports_function(exports, name);
        [
            Self::Verifier,
            Self::Setup,
            Self::Solution,
            Self::Interpreter,
            Self::Site,
        ]
        .into_iter()
        .filter(|kind| has(kind.contract().export))
        .find(|kind| *kind != Self::Interpreter || imports.iter().any(|name| is_of_scripts(name)))
    }

    fn contract(self) -> &'static Kind {
        match self {
            Self::Verifier => &crate::component::VERIFIER,
            Self::Setup => &crate::component::SETUP,
            Self::Solution => &crate::component::SOLUTION,
            Self::Interpreter => &crate::component::INTERPRETER,
            Self::Site => &crate::component::SITE,
        }
    }

    /// Returns the default limits of such a guest.
    pub fn limits(self) -> Limits {
        match self {
            Self::Verifier => Limits::VERIFIER,
            Self::Setup => Limits::SETUP,
            Self::Solution => Limits::SOLUTION,
            Self::Interpreter => Limits::SCRIPT,
            Self::Site => Limits::SITE,
        }
    }
}

impl fmt::Display for GuestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.contract().name)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pure => "pure",
            Self::Wasi => "wasi",
        })
    }
}

/// Returns the export that makes a component a command. A component that also returns checks is none, and does not
/// load.
fn command(exports: &[Export]) -> Option<String> {
    if exports_function(exports, GuestKind::Verifier.contract().export) {
        return None;
    }
    let run = |export: &&Export| export.sort == "instance" && export.name.starts_with(RUN);
    exports.iter().find(run).map(|export| export.name.clone())
}

fn exports_function(exports: &[Export], name: &str) -> bool {
    exports
        .iter()
        .any(|export| export.name == name && export.sort == "function")
}

fn is_of_scripts(import: &str) -> bool {
    import.starts_with("mcpmark:script/")
}

fn sort(kind: ComponentExternalKind) -> &'static str {
    match kind {
        ComponentExternalKind::Module => "module",
        ComponentExternalKind::Func => "function",
        ComponentExternalKind::Value => "value",
        ComponentExternalKind::Type => "type",
        ComponentExternalKind::Instance => "instance",
        ComponentExternalKind::Component => "component",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Inspection {
        inspect(&wat::parse_str(text).unwrap(), &[]).unwrap()
    }

    #[test]
    fn a_verifier_is_told_by_its_export_and_its_imports_by_what_they_allow() {
        let inspection = told(
            r#"(component
                (import "mcpmark:guest/state@0.1.0" (instance))
                (import "mcpmark:guest/log@0.1.0" (instance))
                (component
                    (import "wasi:cli/environment@0.2.0" (instance))
                    (export "solve" (instance 0)))
                (core module $m (func (export "f")))
                (core instance $i (instantiate $m))
                (func $f (canon lift (core func $i "f")))
                (export "verify" (func $f)))"#,
        );
        assert_eq!(inspection.kind, Some(GuestKind::Verifier));
        assert_eq!(inspection.profile, Profile::Pure);
        assert_eq!(inspection.exports.len(), 1);
        assert_eq!(
            inspection.summary(),
            "can read the starting and the final state; can write a log; nothing else"
        );
    }

    #[test]
    fn unavailable_imports_are_counted() {
        let inspection = told(
            r#"(component
                (import "mcpmark:guest/tools@0.1.0" (instance))
                (import "mcpmark:guest/tools@0.2.0" (instance))
                (import "wasi:sockets/tcp@0.2.0" (instance))
                (core module $m (func (export "f")))
                (core instance $i (instantiate $m))
                (func $f (canon lift (core func $i "f")))
                (export "solve" (func $f)))"#,
        );
        assert_eq!(inspection.kind, Some(GuestKind::Solution));
        assert_eq!(inspection.profile, Profile::Wasi);
        let refused: Vec<_> = inspection
            .imports
            .iter()
            .filter(|capability| capability.allows.is_none())
            .map(|capability| capability.import.as_str())
            .collect();
        assert_eq!(
            refused,
            ["mcpmark:guest/tools@0.2.0", "wasi:sockets/tcp@0.2.0"]
        );
        assert_eq!(
            inspection.summary(),
            "can list and call the tools of the world; asks for 2 things that it is not given"
        );
    }

    #[test]
    fn an_interpreter_is_told_in_words_of_its_own() {
        let interpreter = |imports: &str| {
            told(&format!(
                r#"(component
                    {imports}
                    (import "wasi:filesystem/types@0.2.6" (instance))
                    (import "wasi:filesystem/preopens@0.2.6" (instance))
                    (import "wasi:random/random@0.2.6" (instance))
                    (core module $m (func (export "f")))
                    (core instance $i (instantiate $m))
                    (func $f (canon lift (core func $i "f")))
                    (export "run" (func $f)))"#
            ))
        };
        let inspection = interpreter(
            r#"(import "mcpmark:script/gaps@0.1.0" (instance)) (import "wasi:http/types@0.2.6" (instance))"#,
        );
        assert_eq!(inspection.kind, Some(GuestKind::Interpreter));
        assert_eq!(
            inspection.summary(),
            "can say what a script asked for in vain; can read the files of the final state and of the \
             script, which are made of snapshots; can draw random numbers that are the same each time; \
             asks for one thing that it is not given"
        );
        // Another program with an export `run` is not a guest.
        assert_eq!(interpreter("").kind, None);
    }

    #[test]
    fn a_command_is_told_with_the_interfaces_of_wasi_that_it_imports() {
        let exports = |verify: &str| {
            told(&format!(
                r#"(component
                    (import "wasi:io/streams@0.2.6" (instance))
                    (import "wasi:cli/exit@0.2.6" (instance))
                    (import "wasi:cli/environment@0.2.3" (instance))
                    (import "mcpmark:guest/log@0.1.0" (instance))
                    (core module $m (func (export "f")))
                    (core instance $i (instantiate $m))
                    (func $f (canon lift (core func $i "f")))
                    {verify}
                    (instance $run (export "run" (func $f)))
                    (export "wasi:cli/run@0.2.6" (instance $run)))"#
            ))
        };
        let command = exports("");
        assert_eq!(command.kind, Some(GuestKind::Verifier));
        assert_eq!(command.command.as_deref(), Some("wasi:cli/run@0.2.6"));
        assert_eq!(command.wasi(), "cli (environment, exit), io (streams)");
        let both = exports(r#"(export "verify" (func $f))"#);
        assert_eq!((both.kind, both.command), (command.kind, None));
    }

    /// Inspection agrees with loading.
    #[test]
    fn an_interface_that_lies_beside_this_crate_is_refused_without_it() {
        let text = r#"(component (import "mcpmark:guest/git@0.1.0" (instance))
            (core module $m (func (export "f")))
            (core instance $i (instantiate $m))
            (func $f (canon lift (core func $i "f")))
            (export "verify" (func $f)))"#;
        let bytes = wat::parse_str(text).unwrap();
        let sandbox = Sandbox::new(&crate::SandboxConfig::default()).unwrap();
        let inspection = sandbox.inspect(&bytes).unwrap();
        assert_eq!(
            inspection.summary(),
            "can compute; asks for one thing that it is not given"
        );
        let refused = sandbox.trusting().verifier(&bytes).err().unwrap();
        assert!(matches!(refused, LoadError::Imports { .. }), "{refused}");
    }

    #[test]
    fn a_resource_is_asked_for_and_a_type_is_not() {
        let inspection = told(
            r#"(component
                (type $check (record (field "name" string)))
                (import "check" (type (eq $check)))
                (import "socket" (type (sub resource)))
                (core module $m (func (export "f")))
                (core instance $i (instantiate $m))
                (func $f (canon lift (core func $i "f")))
                (export "verify" (func $f)))"#,
        );
        let names = inspection.imports.iter().map(|it| it.import.as_str());
        assert!(names.eq(["socket"]));
        assert_eq!(
            inspection.summary(),
            "can compute; asks for one thing that it is not given"
        );
    }

    #[test]
    fn bytes_that_are_no_component_are_an_error() {
        let module = wat::parse_str("(module)").unwrap();
        assert_eq!(inspect(&module, &[]), Err(LoadError::CoreModule));
        assert_eq!(inspect(b"\x7fELF", &[]), Err(LoadError::NotWasm));
        let whole = wat::parse_str(r#"(component (import "a" (func)))"#).unwrap();
        for end in 8..whole.len() {
            // A prefix may be valid by chance, but none may panic.
            let _ = inspect(&whole[..end], &[]);
        }
        assert!(matches!(
            inspect(&whole[..whole.len() - 1], &[]),
            Err(LoadError::Compile(CompileError::Invalid(_)))
        ));
    }
}
