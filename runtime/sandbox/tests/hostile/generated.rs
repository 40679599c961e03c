//! Hostile guests that are generated, because they are too large or too many to store.

use std::fmt::Write as _;

use libtest_mimic::Failed;
use mcpmark_sandbox::Limits;

use crate::arena::{Arena, Case, Outcome, Source, fail, refused};
use crate::corpus;

pub(crate) fn cases() -> Vec<Case> {
    let case = |name: &str, expect: &str, message: &str, make: fn() -> Vec<u8>| Case {
        name: format!("generated::{name}"),
        expect: expect.into(),
        message: message.into(),
        component: Source::Made(make),
        ..Case::default()
    };
    let graded = "graded passed";
    vec![
        case("50-mb", "refused", "but the limit is 16777216", || {
            padded(50_000_000)
        }),
        case("15-mb", "graded passed", "", || padded(15_000_000)),
        case("empty-file", "refused", "not a WebAssembly file", Vec::new),
        case("a-script", "refused", "not a WebAssembly file", || {
            b"#!/bin/sh\nexit 0\n".to_vec()
        }),
        case(
            "header-alone",
            "refused",
            "does not fit the contract",
            || HEADER.to_vec(),
        ),
        case(
            "header-of-version-255",
            "refused",
            "not a valid component",
            || b"\0asm\xff\0\x01\0".to_vec(),
        ),
        case(
            "section-longer-than-file",
            "refused",
            "not a valid component",
            || [HEADER, b"\x07\xff\xff\xff\xff\x0f"].concat(),
        ),
        case(
            "length-without-end",
            "refused",
            "not a valid component",
            || [HEADER, b"\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"].concat(),
        ),
        case(
            "random-sections",
            "refused",
            "not a valid component",
            random_sections,
        ),
        case(
            "nested-lists",
            "refused",
            "type nesting is too deep",
            nested_lists,
        ),
        case(
            "tuples-that-multiply",
            "refused",
            "not a valid component",
            tuples,
        ),
        case("nested-components", graded, "", nested_components),
        case("nested-blocks", graded, "", nested_blocks),
        case("branch-table", graded, "", || branch_table(60_000)),
        case(
            "branch-table-past-the-rule",
            "refused",
            "exceeds the implementation limit of 65520",
            || branch_table(500_000),
        ),
        case("locals-49000", graded, "", || locals(49_000)),
        case(
            "locals-past-the-rule",
            "refused",
            "not a valid component",
            || locals(60_000),
        ),
        case(
            "huge-function",
            "refused",
            "(limit `cpu_seconds` of the compiler",
            || huge_function(100_000),
        ),
        case("large-function", graded, "", || huge_function(2_000)),
        case(
            "function-past-the-rule",
            "refused",
            "not a valid component",
            || straight_line(4_000_000),
        ),
        case(
            "hundreds-of-thousands-of-functions",
            "refused",
            "(limit `cpu_seconds` of the compiler",
            || many_functions(400_000),
        ),
        case("thousands-of-functions", graded, "", || {
            many_functions(10_000)
        }),
        case(
            "calls-that-multiply",
            "fault fuel",
            "(limit `fuel`",
            calls_that_multiply,
        ),
        case(
            "data-segments",
            "refused",
            "(limit `memory_bytes` of the compiler",
            || data_segments(90_000),
        ),
        case("thousands-of-data-segments", graded, "", || {
            data_segments(2_000)
        }),
        case(
            "globals",
            "refused",
            "requires more than this host provides for a guest",
            globals,
        ),
        case(
            "imports-10000",
            "refused",
            "which a verifier may not import",
            imports,
        ),
        case(
            "import-with-a-name-of-90-kb",
            "refused",
            "which a verifier may not import",
            long_name,
        ),
        case("exports-10000", graded, "", exports),
    ]
}

const HEADER: &[u8] = b"\0asm\x0d\0\x01\0";

/// Returns a guest that is graded, if the module items in `more` allow it.
pub(crate) fn guest(more: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    {more}
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)"#
    );
    wat::parse_str(text).unwrap()
}

const VERIFY: &str = r#"(func (export "verify") (result i32) (i32.const 16))"#;

/// Concatenates the text for each number.
fn repeat(count: usize, text: impl Fn(&mut String, usize)) -> String {
    let mut all = String::new();
    for number in 0..count {
        text(&mut all, number);
    }
    all
}

fn leb(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id], &leb(content.len())[..], content].concat()
}

/// Returns a valid guest with a custom section of this many bytes.
fn padded(bytes: usize) -> Vec<u8> {
    let mut content = b"\x07padding".to_vec();
    content.resize(bytes, 0);
    [guest(VERIFY), section(0, &content)].concat()
}

fn random_sections() -> Vec<u8> {
    let mut random = Random(7);
    let sections = (0..2_000).map(|_| {
        let content: Vec<u8> = (0..random.below(40))
            .map(|_| random.below(256) as u8)
            .collect();
        section(1 + random.below(11) as u8, &content)
    });
    [HEADER.to_vec(), sections.collect::<Vec<_>>().concat()].concat()
}

fn nested_lists() -> Vec<u8> {
    let types = repeat(20_000, |text, number| match number {
        0 => text.push_str("(type (list u8))"),
        _ => write!(text, "(type (list {}))", number - 1).unwrap(),
    });
    wat::parse_str(format!("(component {types})")).unwrap()
}

fn tuples() -> Vec<u8> {
    let types = repeat(12, |text, number| match number {
        0 => text.push_str("(type (tuple u8 u8))"),
        _ => write!(
            text,
            "(type (tuple {}))",
            format!("{} ", number - 1).repeat(10)
        )
        .unwrap(),
    });
    wat::parse_str(format!("(component {types})")).unwrap()
}

/// Returns a valid guest with deeply nested components.
fn nested_components() -> Vec<u8> {
    let mut component = HEADER.to_vec();
    for _ in 0..3_000 {
        component = [HEADER, &section(4, &component)].concat();
    }
    [guest(VERIFY), section(4, &component)].concat()
}

fn nested_blocks() -> Vec<u8> {
    let (open, close) = ("block ".repeat(100_000), "end ".repeat(100_000));
    guest(&format!("{VERIFY} (func {open} {close})"))
}

fn branch_table(targets: usize) -> Vec<u8> {
    let targets = repeat(targets, |text, number| {
        write!(text, " {}", number % 2).unwrap()
    });
    guest(&format!(
        "{VERIFY} (func (param i32) (block (block (br_table{targets} (local.get 0)))))"
    ))
}

fn locals(count: usize) -> Vec<u8> {
    let declared = " i64".repeat(count);
    let touched = repeat(count, |text, number| {
        let next = (number * 7) % count;
        write!(
            text,
            "(local.set {number} (i64.add (local.get {next}) (i64.const 1)))"
        )
        .unwrap();
    });
    guest(&format!(
        "{VERIFY} (func (export \"f\") (local{declared}) {touched})"
    ))
}

/// Returns a guest with one function whose values all stay live until its end.
fn huge_function(count: usize) -> Vec<u8> {
    let pushed = repeat(count, |text, number| {
        write!(text, "(i32.load (i32.const {number}))").unwrap()
    });
    let added = "i32.add ".repeat(count - 1);
    guest(&format!(
        "{VERIFY} (func (export \"f\") (result i32) {pushed} {added})"
    ))
}

fn straight_line(count: usize) -> Vec<u8> {
    let body = "i32.const 1 drop ".repeat(count);
    guest(&format!("{VERIFY} (func {body})"))
}

fn many_functions(count: usize) -> Vec<u8> {
    let functions = repeat(count, |text, number| {
        write!(
            text,
            "(func (param i32) (result i32) (i32.mul (i32.add (local.get 0) (i32.const {number})) (local.get 0)))"
        )
        .unwrap();
    });
    guest(&format!("{VERIFY} {functions}"))
}

/// Returns a guest with 60 functions that each call the next one twice.
fn calls_that_multiply() -> Vec<u8> {
    let functions = repeat(60, |text, number| {
        write!(
            text,
            "(func $f{number} (call $f{0}) (call $f{0}))",
            number + 1
        )
        .unwrap();
    });
    guest(&format!(
        r#"{functions} (func $f60) (func (export "verify") (result i32) (call $f0) (i32.const 16))"#
    ))
}

fn data_segments(count: usize) -> Vec<u8> {
    let segments = r#"(data (i32.const 200) "x")"#.repeat(count);
    guest(&format!("{VERIFY} {segments}"))
}

fn globals() -> Vec<u8> {
    let globals = "(global (mut i64) (i64.const 1))".repeat(200_000);
    guest(&format!("{VERIFY} {globals}"))
}

fn imports() -> Vec<u8> {
    let imports = repeat(10_000, |text, number| {
        write!(text, "(import \"thing-{}\" (func))", name(number)).unwrap();
    });
    wat::parse_str(format!("(component {imports})")).unwrap()
}

fn exports() -> Vec<u8> {
    let exports = repeat(10_000, |text, number| {
        write!(text, "(export \"f{number}\" (func 0))").unwrap()
    });
    guest(&format!("{VERIFY} {exports}"))
}

/// Writes a number in letters, because a part of a name may not start with a digit.
fn name(number: usize) -> String {
    let digits = number.to_string();
    digits
        .bytes()
        .map(|digit| char::from(digit + b'a' - b'0'))
        .collect()
}

fn long_name() -> Vec<u8> {
    let name = "a".repeat(90_000);
    wat::parse_str(format!("(component (import \"{name}\" (func)))")).unwrap()
}

/// SplitMix64 generator, which gives the same numbers for the same seed on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

/// Checks that, for any bytes, the host is not blamed and the next honest grade is right.
fn survives(bytes: &[u8], what: &str) -> Result<Outcome, Failed> {
    let arena = Arena::shared();
    let limits = Limits::VERIFIER.with("fuel=5000000")?;
    let outcome = match arena.sandbox.verifier(bytes) {
        Ok(verifier) => arena
            .sandbox
            .verify(&verifier, arena.input.clone(), &limits)
            .into(),
        Err(error) => refused(&error),
    };
    if outcome.kind == "host" || outcome.message.len() > 16 << 10 {
        return fail(format!("{what}: {outcome:?}"));
    }
    let next = arena
        .sandbox
        .verify(&arena.honest, arena.input.clone(), &Limits::VERIFIER);
    if !next.result.is_ok_and(|verdict| verdict.passed()) {
        return fail(format!("the honest grade after {what} is affected"));
    }
    Ok(outcome)
}

pub(crate) fn truncations() -> Result<(), Failed> {
    let whole = guest(VERIFY);
    let mut random = Random(11);
    for _ in 0..80 {
        let length = random.below(whole.len());
        let outcome = survives(&whole[..length], &format!("the first {length} bytes"))?;
        if outcome.kind != "refused" {
            return fail(format!("the first {length} bytes are {}", outcome.kind));
        }
    }
    Ok(())
}

pub(crate) fn bit_flips() -> Result<(), Failed> {
    let mut random = Random(13);
    for (whole, flips) in [(guest(VERIFY), 120), (corpus::rust_guest()?.to_vec(), 16)] {
        let mut refused = 0;
        for _ in 0..flips {
            let mut flipped = whole.clone();
            let (at, bit) = (random.below(whole.len()), random.below(8));
            flipped[at] ^= 1 << bit;
            let outcome = survives(&flipped, &format!("bit {bit} of byte {at} flipped"))?;
            refused += usize::from(outcome.kind == "refused");
        }
        if refused == 0 {
            return fail("no flipped component was refused".into());
        }
    }
    Ok(())
}
