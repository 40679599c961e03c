//! Verifier that misbehaves in the way that the parameter `do` selects. `cases.json` has the expected outcomes.

use std::hint::black_box;

use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let parameters = task.parameters();
    match parameters["do"].as_str().unwrap_or_default() {
        "allocate" => allocate(),
        "recurse" => check(task, "depth", recurse([1; 16]) == 0),
        "spin" => spin(),
        "panic" => panic!("the world is not as it should be"),
        "panic-at-length" => panic!("{}", "long ".repeat(20_000)),
        "panic-with-escapes" => panic!("\x1b[2J\x1b]0;title\x07"),
        "abort" => std::process::abort(),
        "exit" => std::process::exit(0),
        "sleep" => {
            std::thread::sleep(std::time::Duration::from_secs(3600));
            false
        }
        "clock" => check(
            task,
            "now",
            std::time::SystemTime::now() > std::time::UNIX_EPOCH,
        ),
        "thread" => check(task, "a thread", std::thread::spawn(|| 1).join().is_ok()),
        "environment" => check(task, "none", std::env::vars_os().count() == 0),
        "machine" => machine(task),
        "paths" => paths(task),
        "links" => links(task),
        "log" => log(task, 200_000),
        "log-without-end" => log(task, u64::MAX),
        "log-tiny-lines" => loop {
            task.log("");
        },
        "log-one-line" => {
            task.log(&"x".repeat(10 << 20));
            false
        }
        "walk" => loop {
            black_box(task.end().walk("").get().is_ok());
        },
        "list" => loop {
            black_box(task.start().list("many").get().is_ok());
        },
        "stat" => loop {
            black_box(task.end().exists("hello.txt"));
        },
        "changes" => loop {
            black_box(task.changes().len());
        },
        "answer" => loop {
            black_box(task.answer().get().is_ok());
        },
        "parameters" => loop {
            black_box(task.parameters().is_object());
        },
        "million-reads" => {
            for _ in 0..1_000_000 {
                black_box(task.file("hello.txt").bytes().get().is_ok());
            }
            false
        }
        "checks" => {
            for number in 0..2_000 {
                check(task, format!("{number}"), true);
            }
            false
        }
        "forge" => {
            check(task, "all checks passed\n✓ verified by the host", true);
            check(task, "\u{202e}dessap", false)
        }
        "sorted" => sorted(task),
        other => panic!("{other:?} is no misdeed"),
    };
}

fn check(task: &mut Verifier, name: impl Into<String>, holds: bool) -> bool {
    let condition = if holds {
        Condition::pass("it holds")
    } else {
        Condition::fail("it does not hold")
    };
    task.check(name, condition)
}

fn allocate() -> bool {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    loop {
        kept.push(black_box(vec![1; 1 << 20]));
    }
}

fn recurse(frame: [u64; 16]) -> u64 {
    let mut next = frame;
    next[0] = next[0].wrapping_mul(31) + 1;
    black_box(recurse(black_box(next))) + frame[15]
}

fn spin() -> bool {
    let mut number = 1_u64;
    loop {
        number = black_box(
            number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        );
    }
}

/// Checks that the standard library has no access to the machine.
fn machine(task: &mut Verifier) -> bool {
    check(task, "no files", std::fs::read("/etc/passwd").is_err());
    check(task, "no directory", std::fs::read_dir("/").is_err());
    check(
        task,
        "no new file",
        std::fs::write("/tmp/hostile", "x").is_err(),
    );
    check(
        task,
        "no working directory",
        std::env::current_dir().is_err(),
    );
    check(task, "no arguments", std::env::args_os().count() == 0);
    check(
        task,
        "no network",
        std::net::TcpStream::connect("127.0.0.1:80").is_err(),
    );
    check(
        task,
        "no listener",
        std::net::TcpListener::bind("127.0.0.1:0").is_err(),
    );
    check(
        task,
        "no process",
        std::process::Command::new("/bin/true").spawn().is_err(),
    )
}

/// Checks that hostile paths are not resolved.
fn paths(task: &mut Verifier) -> bool {
    let long = "a/".repeat(5_000) + "a";
    let longer = "b".repeat(100_000);
    let tricks = [
        "..",
        "../hello.txt",
        "../../../../etc/passwd",
        "many/../hello.txt",
        "many/..",
        "/",
        "/etc/passwd",
        "/hello.txt",
        "//hello.txt",
        "hello.txt/",
        "many//0",
        ".",
        "./hello.txt",
        "many/.",
        "many/./0",
        "hello.txt\0",
        "\0",
        "hello\0.txt",
        "\\hello.txt",
        "..\\hello.txt",
        "C:\\hello.txt",
        "file:///etc/passwd",
        "~",
        "~/hello.txt",
        "$HOME",
        "%2e%2e/hello.txt",
        // A full-width solidus, full-width full stops, one-dot leaders, a division slash, a Greek omicron.
        "..／hello.txt",
        "．．/hello.txt",
        "․․/hello.txt",
        "..∕hello.txt",
        "hellο.txt",
        // A composed character that is decomposed in the tree, a zero-width space, a right-to-left override.
        "caf\u{e9}.txt",
        "hello\u{200b}.txt",
        "\u{202e}txt.olleh",
        "HELLO.TXT",
        "hello.txt ",
        " hello.txt",
        "hello.txt\n",
        "-",
        "*",
        "?",
        "outside",
        "outside/passwd",
        "up/hello.txt",
        "/proc/self/environ",
        "proc/self/environ",
        "CON",
        "hello.txt::$DATA",
        &long,
        &longer,
    ];
    for (number, path) in tricks.iter().enumerate() {
        for tree in [task.start(), task.end()] {
            let read = tree.file(*path).bytes();
            let nothing = read.get().is_err();
            let list = tree.list(path).get().is_err() && tree.walk(path).get().is_err();
            let which = format!(
                "trick {number} {:?} leads nowhere",
                path.chars().take(20).collect::<String>()
            );
            check(task, which, nothing && list);
        }
    }
    let whole = task.file("hello.txt").bytes();
    check(
        task,
        "and the file is there",
        whole.get().is_ok_and(|bytes| bytes == b"hello"),
    )
}

/// Checks that symlinks are reported as links and not followed.
fn links(task: &mut Verifier) -> bool {
    for name in ["up", "self", "dangling"] {
        let entry = task.end().entry(name);
        check(
            task,
            format!("{name} is a link"),
            entry.get().is_ok_and(|entry| entry.target.is_some()),
        );
        check(
            task,
            format!("{name} is no file"),
            task.file(name).bytes().get().is_err(),
        );
        check(
            task,
            format!("{name} is no directory"),
            task.end().list(name).get().is_err(),
        );
    }
    true
}

fn log(task: &mut Verifier, lines: u64) -> bool {
    for number in 0..lines {
        task.log(&format!("line {number} of very many that nobody will read"));
    }
    check(task, "logged", true)
}

/// Checks hash maps, floating point and addresses, which must be equal in every run.
fn sorted(task: &mut Verifier) -> bool {
    let map: std::collections::HashMap<u32, f64> = (0..1000)
        .map(|key| (key, f64::from(key).sqrt().sin()))
        .collect();
    let order: Vec<String> = map.keys().take(5).map(u32::to_string).collect();
    let sum: f64 = map.values().sum();
    check(
        task,
        format!("{} {:x}", order.join(" "), sum.to_bits()),
        true,
    );
    let nan = f64::NAN * black_box(-1.0);
    check(
        task,
        format!("{:x}", (nan + black_box(0.0)).to_bits()),
        true,
    );
    let place = &raw const map as usize;
    check(task, format!("{place:x}"), true)
}
