//! Refusal of components with features whose cost fuel does not cover.
//!
//! If one part of a component calls another with strings or lists, the engine copies and transcodes between their
//! memories. If a component has resources of its own, the engine keeps their handles. Both cost almost no fuel, so that
//! a guest could keep the host busy until the time limit, and time would decide a grade.

use std::fmt;

use wasmparser::{
    CanonicalFunction, CanonicalOption, ComponentAlias, ComponentExternalKind, ComponentInstance,
    ComponentTypeRef, Encoding, Parser, Payload,
};

use crate::{CompileError, LoadError};

/// Feature of components whose cost fuel does not cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmeteredFeature {
    /// Calls with strings or lists between components inside the guest.
    Exchange,
    /// Handles to resources that the guest defines.
    Resources,
}

impl fmt::Display for UnmeteredFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exchange => {
                "an inner component passes strings or lists to another, which fuel does not cover; link them into one module, or pass only numbers between them"
            }
            Self::Resources => {
                "it creates handles to resources that it defines, which fuel does not cover; keep them as numbers in its memory"
            }
        })
    }
}

/// Index spaces of one nesting level of a component. `true` marks a definition of the host.
#[derive(Default)]
struct Level {
    functions: Vec<bool>,
    instances: Vec<bool>,
    /// True for a nested component. Its imports come from the component around it, and may be exports of another part.
    is_inner: bool,
}

/// Refuses a component that makes handles to resources of its own, or that lowers a function with a memory option
/// unless the function is certainly the host's.
///
/// Strings and lists need a memory; without one, only numbers pass between parts. All imports of a nested component
/// count as another part's. Handles to resources of the host cost a host call each, which is charged.
pub(crate) fn check(bytes: &[u8]) -> Result<(), LoadError> {
    let broken = |error: wasmparser::BinaryReaderError| {
        LoadError::Compile(CompileError::Invalid(error.to_string()))
    };
    let mut levels: Vec<Level> = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(broken)?;
        match payload {
            Payload::Version { encoding, .. } => levels.push(Level {
                is_inner: encoding == Encoding::Component && !levels.is_empty(),
                ..Level::default()
            }),
            Payload::End(_) => drop(levels.pop()),
            payload => {
                if let Some(level) = levels.last_mut()
                    && let Some(feature) = level.follow(payload).map_err(broken)?
                {
                    return Err(LoadError::Unmetered(feature));
                }
            }
        }
    }
    Ok(())
}

impl Level {
    /// Tracks one section, and returns the first unmetered feature in it.
    fn follow(
        &mut self,
        payload: Payload<'_>,
    ) -> Result<Option<UnmeteredFeature>, wasmparser::BinaryReaderError> {
        match payload {
            Payload::ComponentImportSection(section) => {
                for import in section {
                    match import?.ty {
                        ComponentTypeRef::Func(_) => self.functions.push(!self.is_inner),
                        ComponentTypeRef::Instance(_) => self.instances.push(!self.is_inner),
                        _ => {}
                    }
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section {
                    if let ComponentAlias::InstanceExport {
                        kind,
                        instance_index,
                        ..
                    } = alias?
                    {
                        self.define(kind, at(&self.instances, instance_index));
                    }
                }
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section {
                    let (ComponentInstance::Instantiate { .. } | ComponentInstance::FromExports(_)) =
                        instance?;
                    self.instances.push(false);
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section {
                    let export = export?;
                    let is_host = match export.kind {
                        ComponentExternalKind::Func => at(&self.functions, export.index),
                        _ => at(&self.instances, export.index),
                    };
                    self.define(export.kind, is_host);
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section {
                    match function? {
                        CanonicalFunction::Lift { .. } => self.functions.push(false),
                        CanonicalFunction::Lower {
                            func_index,
                            options,
                        } if !at(&self.functions, func_index) && has_memory(&options) => {
                            return Ok(Some(UnmeteredFeature::Exchange));
                        }
                        CanonicalFunction::ResourceNew { .. } => {
                            return Ok(Some(UnmeteredFeature::Resources));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(None)
    }

    fn define(&mut self, kind: ComponentExternalKind, is_host: bool) {
        match kind {
            ComponentExternalKind::Func => self.functions.push(is_host),
            ComponentExternalKind::Instance => self.instances.push(is_host),
            _ => {}
        }
    }
}

/// Returns false for an index that does not exist: the compiler refuses such a component as invalid.
fn at(space: &[bool], index: u32) -> bool {
    space.get(index as usize).copied().unwrap_or(false)
}

fn has_memory(options: &[CanonicalOption]) -> bool {
    options
        .iter()
        .any(|option| matches!(option, CanonicalOption::Memory(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a component with these definitions around a module that has a memory.
    fn verdict(text: &str) -> Result<(), LoadError> {
        let text = format!(
            r#"(component
                (import "host" (instance $host (export "say" (func (param "text" string)))))
                (core module $m (memory (export "memory") 1)
                    (func (export "say") (param i32 i32))
                    (func (export "add") (param i32)))
                (core instance $i (instantiate $m))
                {text})"#
        );
        check(&wat::parse_str(text).unwrap())
    }

    const PART: &str = r#"(component $part
        (core module $m (memory (export "memory") 1)
            (func (export "say") (param i32 i32)) (func (export "add") (param i32))
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0)))
        (core instance $i (instantiate $m))
        (func (export "say") (param "text" string) (canon lift (core func $i "say")
            (memory (core memory $i "memory")) (realloc (core func $i "realloc"))))
        (func (export "add") (param "number" u32) (canon lift (core func $i "add"))))
        (instance $part (instantiate $part))"#;

    #[test]
    fn functions_of_the_host_may_be_called_with_strings() {
        verdict(
            r#"(core func (canon lower (func $host "say") (memory (core memory $i "memory"))))"#,
        )
        .unwrap();
        // Aliases and exports of a host function still count as the host's.
        verdict(
            r#"(alias export $host "say" (func $say))
               (export $again "say" (func $say))
               (export $all "all" (instance $host))
               (core func (canon lower (func $again) (memory (core memory $i "memory"))))
               (core func (canon lower (func $all "say") (memory (core memory $i "memory"))))"#,
        )
        .unwrap();
    }

    #[test]
    fn another_part_may_be_called_with_numbers_alone() {
        let lowered = |name: &str, options: &str| {
            verdict(&format!(
                r#"{PART} (core func (canon lower (func $part "{name}") {options}))"#
            ))
        };
        let memory = r#"(memory (core memory $i "memory"))"#;
        lowered("add", "").unwrap();
        assert_eq!(
            lowered("say", memory),
            Err(LoadError::Unmetered(UnmeteredFeature::Exchange))
        );
        // Through an instance that is made from exports.
        let bag = format!(
            r#"{PART} (instance $bag (export "say" (func $part "say")))
               (core func (canon lower (func $bag "say") {memory}))"#
        );
        assert_eq!(
            verdict(&bag),
            Err(LoadError::Unmetered(UnmeteredFeature::Exchange))
        );
    }

    #[test]
    fn handles_to_resources_of_its_own_are_not_for_a_guest() {
        let own = "(type $thing (resource (rep i32)))";
        verdict(own).unwrap();
        verdict(&format!("{own} (core func (canon resource.drop $thing))")).unwrap();
        let made = verdict(&format!("{own} (core func (canon resource.new $thing))"));
        assert_eq!(made, Err(LoadError::Unmetered(UnmeteredFeature::Resources)));
        let inside = verdict(&format!(
            "(component {own} (core func (canon resource.new $thing)))"
        ));
        assert_eq!(inside, made);
    }

    #[test]
    fn imports_of_an_inner_component_may_come_from_another_part() {
        let inner = |options: &str, ty: &str| {
            verdict(&format!(
                r#"(component
                    (import "say" (func $say {ty}))
                    (core module $m (memory (export "memory") 1))
                    (core instance $i (instantiate $m))
                    (core func (canon lower (func $say) {options})))"#
            ))
        };
        let memory = r#"(memory (core memory $i "memory"))"#;
        assert_eq!(
            inner(memory, r#"(param "text" string)"#),
            Err(LoadError::Unmetered(UnmeteredFeature::Exchange))
        );
        inner("", r#"(param "number" u32)"#).unwrap();
    }
}
