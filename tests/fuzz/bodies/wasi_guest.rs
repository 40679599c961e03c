//! Guest of the fuzz target `wasi`, generated from the WIT of the profile. It executes the calls in its memory, and can
//! call every function that an interpreter of scripts may import, with arbitrary arguments.
//!
//! Its memory begins with the file `task/image`, a list of calls: a byte for the function, then its parameters as in
//! core WebAssembly, 4 or 8 bytes each. The byte [`END`] ends the script, and any other byte is skipped.

use mcpmark_build::componentize;
use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::abi::{AbiVariant, WasmType};
use wit_parser::{Resolve, TypeDefKind, WorldItem};

/// Size of the image, in bytes.
pub(crate) const IMAGE: usize = 65_536;
/// Opcode that ends the script. The next four bytes are the address of the result. If they are 0, the exit code is a
/// hash of the memory.
pub(crate) const END: u8 = 255;
/// Maximum number of calls in one run.
const STEPS: u32 = 300;

const WORLD: &str = "package fuzz:wasi;
world guest {
  include mcpmark:wasi-profile/profile;
  include mcpmark:script/interpreter@0.1.0;
}";

/// Host function.
pub(crate) struct Function {
    module: String,
    name: String,
    parameters: Vec<WasmType>,
    result: Option<WasmType>,
}

/// Guest component and the functions that it can call. The index of a function is its number in an image.
pub(crate) struct Guest {
    pub(crate) component: Vec<u8>,
    pub(crate) functions: Vec<Function>,
}

impl Guest {
    pub(crate) fn new() -> Self {
        let mut wit = Resolve::default();
        let script = include_str!("../../../guest-sdk/python/wit/script.wit");
        let profile = include_str!("../../../runtime/sandbox/src/wasi/wasi.wit");
        wit.push_str("script.wit", script).unwrap();
        wit.push_str("wasi.wit", profile).unwrap();
        let package = wit.push_str("fuzz.wit", WORLD).unwrap();
        let world = wit.select_world(&[package], Some("guest")).unwrap();
        let functions = functions(&wit, world);
        let mut module = wat::parse_str(text(&functions)).unwrap();
        embed_component_metadata(&mut module, &wit, world, StringEncoding::UTF8).unwrap();
        Self {
            component: componentize(&module).unwrap(),
            functions,
        }
    }

    /// Encodes a call for an image.
    pub(crate) fn call(&self, name: &str, parameters: &[u64]) -> Vec<u8> {
        let named = |function: &Function| function.name == name;
        let number = self.functions.iter().position(named).unwrap();
        let wanted = &self.functions[number].parameters;
        assert_eq!(wanted.len(), parameters.len(), "{name}");
        let mut bytes = vec![number as u8];
        for (kind, value) in wanted.iter().zip(parameters) {
            bytes.extend_from_slice(&value.to_le_bytes()[..width(*kind)]);
        }
        bytes
    }
}

fn width(kind: WasmType) -> usize {
    match kind {
        WasmType::I64 | WasmType::PointerOrI64 | WasmType::F64 => 8,
        WasmType::I32 | WasmType::F32 | WasmType::Pointer | WasmType::Length => 4,
    }
}

fn core(kind: WasmType) -> &'static str {
    if width(kind) == 8 { "i64" } else { "i32" }
}

/// Returns all functions that a world imports, including the drop functions of its resources.
fn functions(wit: &Resolve, world: wit_parser::WorldId) -> Vec<Function> {
    let mut found = Vec::new();
    for item in wit.worlds[world].imports.values() {
        let WorldItem::Interface { id, .. } = item else {
            continue;
        };
        let module = wit.id_of(*id).unwrap();
        let interface = &wit.interfaces[*id];
        for (name, function) in &interface.functions {
            let signature = wit.wasm_signature(AbiVariant::GuestImport, function);
            found.push(Function {
                module: module.clone(),
                name: name.clone(),
                parameters: signature.params,
                result: signature.results.first().copied(),
            });
        }
        for (name, id) in &interface.types {
            if matches!(wit.types[*id].kind, TypeDefKind::Resource) {
                found.push(Function {
                    module: module.clone(),
                    name: format!("[resource-drop]{name}"),
                    parameters: vec![WasmType::I32],
                    result: None,
                });
            }
        }
    }
    assert!(found.len() < usize::from(END));
    found
}

/// Returns the text of the core module. Its memory has the image, then 64 KiB for the start-up code, then the heap for
/// results of the host.
fn text(functions: &[Function]) -> String {
    let (mut imports, mut cases) = (String::new(), String::new());
    let number = |name: &str| {
        let named = |function: &Function| function.name == name;
        functions.iter().position(named).unwrap()
    };
    for (index, function) in functions.iter().enumerate() {
        let kinds: String = function
            .parameters
            .iter()
            .map(|kind| format!(" {}", core(*kind)))
            .collect();
        let result = function
            .result
            .map(|kind| format!("(result {})", core(kind)));
        imports.push_str(&format!(
            "(import {:?} {:?} (func $f{index} (param{kinds}) {}))\n",
            function.module,
            function.name,
            result.as_deref().unwrap_or_default()
        ));
        let mut at = 1;
        let mut loads = String::new();
        for kind in &function.parameters {
            loads.push_str(&format!(
                " ({}.load offset={at} (local.get $at))",
                core(*kind)
            ));
            at += width(*kind);
        }
        let drop = result.map_or("", |_| "drop");
        cases.push_str(&format!(
            "(if (i32.eq (local.get $call) (i32.const {index}))
               (then (call $f{index}{loads}) {drop}
                 (local.set $at (i32.add (local.get $at) (i32.const {at})))
                 (br $next)))\n"
        ));
    }
    let (directories, open, read) = (
        number("get-directories"),
        number("[method]descriptor.open-at"),
        number("[method]descriptor.read"),
    );
    format!(
        r#"(module
  {imports}
  (memory (export "memory") 3)
  (data (i32.const 65536) "task/image")
  (global $heap (mut i32) (i32.const 131072))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $new i32)
    (local.set $new (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
    (global.set $heap (i32.add (local.get $new) (local.get 3)))
    (if (i32.gt_u (global.get $heap) (i32.shl (memory.size) (i32.const 16)))
      (then (drop (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get 3) (i32.const 16)))))))
    (local.get $new))
  (func (export "run") (param i32 i32 i32 i32 i32 i32) (result i32)
    (local $at i32) (local $call i32) (local $steps i32) (local $hash i32)
    (call $f{directories} (i32.const 65568))
    (call $f{open} (i32.load (i32.load (i32.const 65568)))
      (i32.const 0) (i32.const 65536) (i32.const 10) (i32.const 0) (i32.const 1) (i32.const 65568))
    (call $f{read} (i32.load (i32.const 65572)) (i64.const {IMAGE}) (i64.const 0) (i32.const 65584))
    (memory.copy (i32.const 0) (i32.load (i32.const 65588)) (i32.load (i32.const 65592)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (i32.const 65400)))
        (br_if $done (i32.ge_u (local.get $steps) (i32.const {STEPS})))
        (local.set $steps (i32.add (local.get $steps) (i32.const 1)))
        (local.set $call (i32.load8_u (local.get $at)))
        (if (i32.eq (local.get $call) (i32.const {END}))
          (then
            (local.set $at (i32.load offset=1 (local.get $at)))
            (br_if $done (i32.eqz (local.get $at)))
            (return (local.get $at))))
        {cases}
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    ;; The calls that were made and all that they left in the image decide the exit code.
    (local.set $at (i32.const 0))
    (loop $more
      (local.set $hash (i32.mul (i32.const 16777619)
        (i32.xor (local.get $hash) (i32.load (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $more (i32.lt_u (local.get $at) (i32.const {IMAGE}))))
    (i32.store (i32.const 65568) (i32.const 0))
    (i32.store8 (i32.const 65572) (i32.shr_u (local.get $hash) (i32.const 24)))
    (i32.const 65568)))"#
    )
}
