//! Verifier that checks nothing.

use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    task.check("nothing is asked", Condition::pass("nothing"));
}
