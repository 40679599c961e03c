//! Writes names without titles and legal forms, which mean nothing to the policy, and a semicolon between matters.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::BareNames)
}
