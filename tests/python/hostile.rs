//! Scripts that are broken or try to escape from the sandbox.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mcpmark_journal::Outcome;
use mcpmark_sandbox::{FaultKind, Limits};

use crate::guest::{directory, guest};

/// Expected result of a script.
enum Expected {
    /// Verdict after the script ended with this exit code.
    Exit(u8),
    /// Fault of this kind, whose message contains this text.
    Fault(FaultKind, &'static str),
}

use Expected::{Exit, Fault};

const EXPECTED: &[(&str, Expected)] = &[
    ("aborts", Fault(FaultKind::Trap, "unreachable")),
    ("closes-its-output", Exit(0)),
    ("deep-json", Exit(1)),
    ("deep-recursion", Exit(1)),
    (
        "deep-recursion-allowed",
        Fault(FaultKind::Memory, "bytes of memory"),
    ),
    (
        "draws-a-gigabyte",
        Fault(FaultKind::Memory, "bytes of memory"),
    ),
    ("eight-gigabytes", Fault(FaultKind::Memory, "for 32 bits")),
    (
        "endless-expression",
        Fault(FaultKind::Fuel, "units of fuel"),
    ),
    ("endless-loop", Fault(FaultKind::Fuel, "units of fuel")),
    (
        "endless-loop-that-catches",
        Fault(FaultKind::Fuel, "units of fuel"),
    ),
    (
        "endless-sleep",
        Fault(FaultKind::Wait, "waited longer than 3600 s"),
    ),
    ("exit-codes", Exit(0)),
    ("exits-with-a-large-number", Exit(255)),
    ("exits-with-a-text", Exit(1)),
    ("is-the-same-each-time", Exit(0)),
    ("kills-itself", Fault(FaultKind::Link, "ends a process")),
    ("leaves-a-trace", Exit(0)),
    ("leaves-at-once", Fault(FaultKind::Trap, "os._exit")),
    ("leaves-at-the-end", Fault(FaultKind::Trap, "os._exit")),
    (
        "lists-without-end",
        Fault(FaultKind::Memory, "more memory or open files"),
    ),
    ("listens", Fault(FaultKind::Link, "the network")),
    ("long-sleep", Exit(0)),
    (
        "memory-in-small-steps",
        Fault(FaultKind::Memory, "bytes of memory"),
    ),
    (
        "missing-library-module",
        Fault(FaultKind::Link, "'ctypes', which needs more"),
    ),
    (
        "missing-module",
        Fault(FaultKind::Link, "'numpy', which is neither"),
    ),
    ("null-byte", Fault(FaultKind::Link, "does not compile")),
    ("one-gigabyte", Fault(FaultKind::Memory, "bytes of memory")),
    ("opens-a-socket", Fault(FaultKind::Link, "the network")),
    (
        "opens-without-end",
        Fault(FaultKind::Memory, "bytes of memory"),
    ),
    (
        "prints-a-gigabyte",
        Fault(FaultKind::Output, "printed more than"),
    ),
    ("reads-the-host", Exit(0)),
    (
        "sleeps-for-nothing",
        Fault(FaultKind::Wait, "waited longer than 3600 s"),
    ),
    ("starts-a-process", Fault(FaultKind::Link, "a process")),
    ("starts-a-thread", Fault(FaultKind::Link, "a thread")),
    (
        "syntax-error",
        Fault(FaultKind::Link, "does not compile: SyntaxError"),
    ),
    (
        "unknown-encoding",
        Fault(FaultKind::Link, "does not compile"),
    ),
    (
        "wants-a-database",
        Fault(FaultKind::Link, "the service \"sql\""),
    ),
    (
        "wants-a-service",
        Fault(FaultKind::Link, "the service \"http\""),
    ),
    ("writes-files", Exit(0)),
    ("wrong-encoding", Fault(FaultKind::Link, "does not compile")),
];

fn state() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "alpha").unwrap();
    let many = dir.path().join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..2_000 {
        fs::write(many.join(format!("{number}.txt")), "").unwrap();
    }
    dir
}

fn script(name: &str) -> std::path::PathBuf {
    directory("hostile").join(format!("{name}.py"))
}

fn limits() -> Limits {
    Limits::SCRIPT.with("fuel=4000000000").unwrap()
}

#[test]
fn each_comes_to_what_it_should() {
    let Some(guest) = guest() else { return };
    let state = state();
    let mut wrong = Vec::new();
    for (name, expected) in EXPECTED {
        let (outcome, run) = guest.grade(&script(name), state.path(), &limits());
        let right = match (&outcome, expected) {
            (Outcome::Graded { verdict, .. }, Exit(code)) => {
                run.exit_code == Some(*code) && verdict.passed() == (*code == 0)
            }
            (Outcome::VerifierFault(fault), Fault(kind, words)) => {
                fault.kind == *kind && fault.message.contains(words)
            }
            _ => false,
        };
        let stderr = String::from_utf8_lossy(&run.written.stderr);
        let last = stderr.lines().last().unwrap_or_default();
        let told = match outcome.fault() {
            Some(fault) => format!("{}: {}", fault.kind, fault.message),
            None => format!("exit code {:?} {last}", run.exit_code),
        };
        println!("{name}: {told}");
        if !right {
            wrong.push(format!("{name}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn none_is_left_out() {
    let files: BTreeSet<String> = fs::read_dir(directory("hostile"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let named: BTreeSet<String> = EXPECTED
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(files, named);
}

fn printed(name: &str, state: &Path) -> (Outcome, String) {
    let guest = guest().unwrap();
    let (outcome, run) = guest.grade(&script(name), state, &limits());
    (
        outcome,
        String::from_utf8_lossy(&run.written.stdout).into_owned(),
    )
}

/// Scripts that use an unavailable feature and catch the exception, with a part of the fault message. Catching does not
/// help.
const GAPS: &[(&str, &str)] = &[
    (
        "import subprocess; subprocess.run(['git', 'log'])",
        "a process",
    ),
    ("import os; os.system('true')", "(os.system)"),
    ("import os; os.fork()", "(os.fork)"),
    ("import os; os.popen('true').read()", "(os.popen)"),
    (
        "import multiprocessing as m; m.Process().start()",
        "(multiprocessing)",
    ),
    (
        "from multiprocessing.pool import ThreadPool; ThreadPool(2).map(str, [1])",
        "(multiprocessing)",
    ),
    (
        "import _thread; _thread.start_new_thread(print, ())",
        "a thread",
    ),
    (
        "from concurrent.futures import ThreadPoolExecutor as Pool; Pool(2).submit(print)",
        "a thread",
    ),
    ("import tempfile; tempfile.mkdtemp()", "temporary files"),
    (
        "import tempfile; tempfile.TemporaryFile()",
        "temporary files",
    ),
    (
        "from zoneinfo import ZoneInfo; ZoneInfo('Europe/Lisbon')",
        "the time zone 'Europe/Lisbon'",
    ),
    (
        "import zoneinfo; zoneinfo.available_timezones()",
        "lists time zones",
    ),
    (
        "import urllib.request as u; u.urlopen('https://example.org')",
        "wants the network (ssl.",
    ),
    (
        "import http.client as h; h.HTTPSConnection('a.example').request('GET', '/')",
        "wants the network (ssl.",
    ),
    (
        "import smtplib; smtplib.SMTP_SSL('a.example')",
        "wants the network (ssl.",
    ),
    (
        "import imaplib; imaplib.IMAP4_SSL('a.example')",
        "wants the network (ssl.",
    ),
    (
        "import ssl; ssl.create_default_context()",
        "wants the network (ssl.create_default_context)",
    ),
    (
        "import socket; socket.AF_UNIX",
        "wants the network (socket.AF_UNIX)",
    ),
    (
        "import asyncio; asyncio.run(asyncio.create_subprocess_exec('true'))",
        "starts a process (asyncio)",
    ),
    (
        "import asyncio; asyncio.run(asyncio.create_subprocess_shell('true'))",
        "starts a process (asyncio)",
    ),
    (
        "import asyncio; asyncio.new_event_loop().add_reader(0, print)",
        "from outside (add_reader)",
    ),
    (
        "import asyncio; asyncio.new_event_loop().add_signal_handler(2, print)",
        "from outside (add_signal_handler)",
    ),
    (
        "import asyncio; asyncio.run(asyncio.open_unix_connection('/socket'))",
        "asyncio.open_unix_connection",
    ),
    (
        "import asyncio; asyncio.run(asyncio.Event().wait())",
        "something that nothing here can bring",
    ),
    (
        "from concurrent.futures import ProcessPoolExecutor as Pool; Pool(2)",
        "(multiprocessing)",
    ),
    (
        "import multiprocessing; multiprocessing.Queue()",
        "multiprocessing.Queue",
    ),
    (
        "import multiprocessing; multiprocessing.get_context('spawn').Lock()",
        "multiprocessing.Lock",
    ),
    ("import os; os.mkfifo('/state/pipe')", "os.mkfifo"),
    ("import os; os.getlogin()", "os.getlogin"),
    ("from os import getuid; getuid()", "os.getuid"),
    ("import os; os.O_PATH", "os.O_PATH"),
    ("import signal; signal.alarm(3)", "signal.alarm"),
    ("import select; select.epoll()", "select.epoll"),
    (
        "import shutil; shutil.disk_usage('/state')",
        "shutil.disk_usage",
    ),
    ("import errno; errno.ENODATA", "errno.ENODATA"),
    (
        "import socketserver; socketserver.UnixStreamServer",
        "socketserver.UnixStreamServer",
    ),
    (
        "from pathlib import Path; Path('/state/a.txt').owner()",
        "users of the machine",
    ),
    ("from pathlib import Path; Path.home()", "os.getuid"),
    ("import pwd; pwd.getpwnam('root')", "(pwd.getpwnam)"),
    (
        "import io, tarfile; tarfile.open(fileobj=io.BytesIO(b'BZh91AY'))",
        "needs bz2",
    ),
    (
        "import io, zipfile; zipfile.ZipFile(io.BytesIO(), 'w', zipfile.ZIP_LZMA)",
        "needs lzma",
    ),
    (
        "import requests; requests.codes.ok",
        "the stand-in for requests has no `codes`",
    ),
    (
        "from requests import adapters",
        "the stand-in for requests has no `adapters`",
    ),
    (
        "import requests; requests.Session().mount('https://', None)",
        "the stand-in for requests has no such `mount`",
    ),
    (
        "import psycopg2; psycopg2.sql",
        "the stand-in for psycopg2 has no `sql`",
    ),
    (
        "from psycopg2.extras import execute_values",
        "the stand-in for psycopg2.extras has no `execute_values`",
    ),
    (
        "from notion_client import AsyncClient",
        "the stand-in for notion_client has no `AsyncClient`",
    ),
    (
        "from notion_client import Client; Client().pages.publish('x')",
        "the stand-in for notion_client has no such `publish`",
    ),
    (
        "import dotenv; dotenv.set_key",
        "the stand-in for dotenv has no `set_key`",
    ),
];

/// Scripts that use an unavailable feature and may catch the exception. If they do not, the run is a fault, whose
/// message contains the text.
const UNCAUGHT: &[(&str, &str)] = &[
    (
        "import requests.adapters",
        "'requests.adapters', which the stand-in for requests does not have",
    ),
    ("import lxml.etree", "'lxml', which is neither"),
    ("from json import nothing", "'nothing' from 'json'"),
    ("open('/state/new.txt', 'w')", "writes to '/state/new.txt'"),
    (
        "import os; os.mkdir('/state/new')",
        "writes to '/state/new'",
    ),
    (
        "open('/tmp/report.txt', 'w')",
        "writes to '/tmp/report.txt'",
    ),
    (
        "import os; os.makedirs('/var/tmp/deep')",
        "writes to '/var'",
    ),
    (
        "import logging; logging.basicConfig(filename='/var/tmp/x.log')",
        "writes to '/var/tmp/x.log'",
    ),
    (
        "import os; os.chmod('/state/a.txt', 0o600)",
        "writes to '/state/a.txt'",
    ),
    (
        "import shutil; shutil.copy('/state/a.txt', '/tmp/a.txt')",
        "writes to '/tmp/a.txt'",
    ),
];

#[test]
fn a_missing_feature_gives_no_grade() {
    let Some(guest) = guest() else { return };
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("verify.py");
    let state = state();
    let ran = |text: &str| {
        fs::write(&script, text).unwrap();
        guest.grade(&script, state.path(), &limits())
    };
    let faulted = |text: &str, words: &str| {
        let (outcome, run) = ran(text);
        let fault = outcome.fault().unwrap_or_else(|| panic!("{text}: {run:?}"));
        assert_eq!(fault.kind, "link", "{text}: {fault:?}");
        assert!(fault.message.contains(words), "{text}: {fault:?}");
        assert_eq!(run.written.stdout, b"so far\n", "{text}");
    };
    let caught = |text: &str| {
        format!(
            "print('so far')\ntry:\n    {text}\nexcept BaseException:\n    raise SystemExit(1)\n"
        )
    };
    for (text, words) in GAPS {
        faulted(&caught(text), words);
    }
    for (text, words) in UNCAUGHT {
        faulted(&format!("print('so far')\n{text}\n"), words);
        assert_eq!(ran(&caught(text)).1.exit_code, Some(1), "{text}");
    }
}

#[test]
fn nothing_differs_between_two_runs_and_nothing_stays() {
    if guest().is_none() {
        return;
    }
    let (one, other) = (state(), state());
    let first = printed("is-the-same-each-time", one.path());
    assert!(first.1.contains("2024-05-06 07:08:09"), "{}", first.1);
    assert_eq!(first, printed("is-the-same-each-time", other.path()));
    for _ in 0..3 {
        assert_eq!(printed("leaves-a-trace", one.path()).0.passed(), Some(true));
    }
}

#[test]
fn output_is_kept_where_there_is_no_verdict() {
    if guest().is_none() {
        return;
    }
    let state = state();
    let (outcome, stdout) = printed("prints-a-gigabyte", state.path());
    assert_eq!(outcome.passed(), None);
    assert_eq!(stdout.len() as u64, limits().output_bytes);
    let (outcome, stdout) = printed("leaves-at-once", state.path());
    assert_eq!(outcome.passed(), None);
    assert_eq!(stdout, "✅ all is well\n");
}

#[test]
fn a_script_sees_only_the_surroundings_that_it_is_given() {
    if guest().is_none() {
        return;
    }
    let (_, stdout) = printed("reads-the-host", state().path());
    assert_eq!(
        stdout,
        "[] ['messages', 'state', 'task'] ['FILESYSTEM_TEST_DIR', 'MCP_MESSAGES', 'PLAYWRIGHT_WORK_DIR']\n"
    );
}

#[test]
fn many_at_once_do_not_meet() {
    let Some(guest) = guest() else { return };
    let state = state();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let (outcome, _) = guest.grade(&script("leaves-a-trace"), state.path(), &limits());
                assert_eq!(outcome.passed(), Some(true));
            });
        }
    });
}
