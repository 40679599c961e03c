//! Random sequences of calls: equal states, and states that can be opened again.

use mcpmark_notion::tools::Tools;
use mcpmark_notion::world;
use mcpmark_service::ToolHandler;
use proptest::prelude::*;
use rmcp::model::ContentBlock;

use crate::calls::{Call, Player, opening};
use crate::support::{Documents, engine, open};

/// Number of calls of a sequence.
const LENGTH: usize = 60;

fn answer(tools: &mut Tools, call: &Call) -> String {
    let arguments = call.arguments.as_object().cloned().unwrap_or_default();
    match tools.call(call.tool, arguments) {
        Ok(result) => match result.content.first() {
            Some(ContentBlock::Text(text)) => text.text.clone(),
            _ => String::new(),
        },
        Err(error) => error.to_string(),
    }
}

/// Plays a sequence. Returns the answers and the final state.
fn play(seed: u64) -> (Vec<String>, Documents) {
    let mut tools = Tools::new(engine(), 0, u64::MAX);
    let mut player = Player::new(seed);
    let mut answers = Vec::new();
    let mut calls = opening();
    calls.reverse();
    for _ in 0..LENGTH {
        let call = calls.pop().unwrap_or_else(|| player.next());
        let text = answer(&mut tools, &call);
        player.learn(&text);
        answers.push(text);
    }
    (answers, world::write(&tools.engine().workspace))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equal_calls_give_equal_states_that_open_again(seed in any::<u64>()) {
        let (answers, state) = play(seed);
        let again = play(seed);
        prop_assert!(again == (answers, state.clone()), "the second run differs");
        let opened = open(&state);
        let opened = opened.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(world::write(&opened.workspace) == state, "the opened state differs");
    }
}

#[test]
fn most_calls_of_a_sequence_are_answered() {
    let (answers, state) = play(1);
    let refused = answers
        .iter()
        .filter(|text| text.contains("\"object\":\"error\""))
        .count();
    assert!(
        refused > 0 && refused < LENGTH * 3 / 4,
        "{refused} of {LENGTH} calls were refused"
    );
    assert!(
        state != world::write(&engine().workspace),
        "nothing was changed"
    );
}
