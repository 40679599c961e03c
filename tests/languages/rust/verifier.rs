//! Checks that `answer.txt` of the final state contains the number of lines of `log.txt` in the starting state.

use wasip2::cli::environment::get_environment;
use wasip2::cli::stdout::get_stdout;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{DescriptorFlags, ErrorCode, OpenFlags, PathFlags};

struct Verifier;

wasip2::cli::command::export!(Verifier);

impl wasip2::exports::cli::run::Guest for Verifier {
    fn run() -> Result<(), ()> {
        let lines = read("MCPMARK_START_DIR", "log.txt")
            .map_err(drop)?
            .matches('\n')
            .count();
        let answer = read("FILESYSTEM_TEST_DIR", "answer.txt").unwrap_or_default();
        let is_right = answer.trim().parse() == Ok(lines);
        let mark = if is_right { "✓" } else { "✗" };
        let line = format!("{mark} answer.txt has the number of lines\n");
        let _ = get_stdout().blocking_write_and_flush(line.as_bytes());
        is_right.then_some(()).ok_or(())
    }
}

fn read(variable: &str, name: &str) -> Result<String, ErrorCode> {
    let environment = get_environment();
    let dir = environment.iter().find(|(name, _)| name == variable);
    let dir = dir.map_or("", |(_, dir)| dir.trim_start_matches('/'));
    let (root, _) = get_directories().swap_remove(0);
    let path = format!("{dir}/{name}");
    let file = root.open_at(
        PathFlags::empty(),
        &path,
        OpenFlags::empty(),
        DescriptorFlags::READ,
    )?;
    let (bytes, _) = file.read(1 << 20, 0)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
