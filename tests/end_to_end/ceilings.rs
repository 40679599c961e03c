//! What a host grants worlds at most.

use crate::environment::{Environment, Output};

const CEILING: &str = "MCPMARK_LIMITS_CEILING";
const TASK: &str = "filesystem/village-festival/stall-balances";

#[test]
fn a_world_beyond_the_ceiling_is_refused_with_both_numbers_and_the_variable() {
    let environment = Environment::new();
    for args in [
        ["run", "--agent", "nop", TASK].as_slice(),
        &["mcp", "serve", "--task", TASK],
        &["mcp", "serve", "--world", "filesystem/village-festival"],
    ] {
        let mut command = environment.command(args);
        command.env(CEILING, "world_bytes=1000,fuel=100000000000");
        let output = Output::of(&mut command).exits(4);
        output.says(&[
            "beyond `world_bytes` at the start: it has ",
            "this host grants 1000",
            "MCPMARK_LIMITS_CEILING=world_bytes=",
        ]);
    }
    let mut command = environment.command(["run", "--agent", "nop", TASK]);
    let output = Output::of(command.env(CEILING, "world_bytes=0")).exits(2);
    output.says(&["world_bytes is \"0\""]);
}
