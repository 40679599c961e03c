//! Random sequences of calls: equal states, and states that can be opened again.

use mcpmark_notion::tools::{Profile, Tools};
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
fn play(seed: u64, profile: Profile) -> (Vec<String>, Documents) {
    let is_later = profile == Profile::V2_5_2;
    let mut tools = Tools::new(engine(), 0, u64::MAX).with_profile(profile);
    let mut player = Player::new(seed, is_later);
    let mut answers = Vec::new();
    let mut calls = opening(is_later);
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
    fn equal_calls_give_equal_states_that_open_again(seed in any::<u64>(), is_later in any::<bool>()) {
        let profile = if is_later { Profile::V2_5_2 } else { Profile::V1_9_1 };
        let (answers, state) = play(seed, profile);
        let again = play(seed, profile);
        prop_assert!(again == (answers, state.clone()), "the second run differs");
        let opened = open(&state);
        let opened = opened.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(world::write(&opened.workspace) == state, "the opened state differs");
    }
}

#[test]
fn most_calls_of_a_sequence_are_answered() {
    for profile in [Profile::V1_9_1, Profile::V2_5_2] {
        let (answers, state) = play(1, profile);
        let refused = answers
            .iter()
            .filter(|text| text.contains("\"object\":\"error\""));
        let refused = refused.count();
        assert!(
            refused > 0 && refused < LENGTH * 3 / 4,
            "{profile:?}: {refused} of {LENGTH} calls were refused"
        );
        assert!(
            state != world::write(&engine().workspace),
            "{profile:?}: nothing was changed"
        );
    }
}
