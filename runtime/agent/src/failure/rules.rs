//! Rules that classify failed attempts.

use super::phrases::{Sentence, sentences, written_call};
use super::{Ending, Evidence, Failure, FailureClass};
use crate::EndKind;

/// Maximum length of a quote, in characters.
const QUOTE: usize = 300;

/// Classifies an attempt that was graded and failed. Returns `None` if the model failed or the attempt was cancelled,
/// because it is unknown what the agent would have done.
///
/// The first rule that matches decides:
///
/// 1. the conversation no longer fitted the model, or its provider refused it: context-overflow;
/// 2. the last tool call was malformed and none came after it: malformed-calls;
/// 3. a limit ended the attempt: turn-limit, time-limit, budget-limit;
/// 4. the last reply was cut off at its token limit: premature-stop;
/// 5. the last reply is empty: abandoned if there was no tool call, otherwise premature-stop;
/// 6. the last reply contains a tool call as text: malformed-calls;
/// 7. a sentence says that the work cannot be done, and no later sentence claims success: abandoned;
/// 8. one of the last two sentences asks, and no sentence claims success: premature-stop;
/// 9. the last sentence announces a step or ends with a colon: premature-stop;
/// 10. no tool was called: abandoned. So is a program that ended with agent-error, which is decided before rule 4;
/// 11. otherwise: implicit.
pub fn classify(ending: &Ending<'_>) -> Option<Failure> {
    let detail = ending.detail.unwrap_or(ending.end.as_str());
    let found = |class, rule, quote: &str| Some(failure(ending, class, rule, quote));
    if ending.end == EndKind::ContextOverflow {
        let rule = "the conversation no longer fits the model";
        return found(FailureClass::ContextOverflow, rule, detail);
    }
    if matches!(ending.end, EndKind::ModelError | EndKind::Cancelled) {
        return None;
    }
    if let Some(arguments) = ending.last_malformed {
        let rule = "the last tool call is malformed, and none came after it";
        let mut failure = failure(ending, FailureClass::MalformedCalls, rule, arguments);
        // A reply with calls does not end an attempt: only the last reply has no call, so the turn of the call is
        // before it.
        if ending.end == EndKind::Completed {
            failure.evidence.turn = ending.turns.saturating_sub(1).max(1);
        }
        return Some(failure);
    }
    match ending.end {
        EndKind::TurnLimit => found(FailureClass::TurnLimit, "the turns were used up", detail),
        EndKind::TimeLimit => found(FailureClass::TimeLimit, "the time was used up", detail),
        EndKind::TokenLimit => found(FailureClass::BudgetLimit, "the tokens were used up", detail),
        EndKind::CostLimit => found(FailureClass::BudgetLimit, "the money was used up", detail),
        EndKind::MemoryLimit => found(FailureClass::BudgetLimit, "the memory was used up", detail),
        EndKind::AgentError => found(FailureClass::Abandoned, "the program failed", detail),
        _ => Some(by_itself(ending)),
    }
}

/// Applies the rules for an attempt that ended by itself.
fn by_itself(ending: &Ending<'_>) -> Failure {
    use FailureClass::{Abandoned, Implicit, MalformedCalls, PrematureStop};

    let found = |class, rule, quote: &str| failure(ending, class, rule, quote);
    let answer = ending.answer.trim();
    if ending.truncated {
        let tail: usize = answer.chars().count().saturating_sub(QUOTE);
        let tail: String = answer.chars().skip(tail).collect();
        return found(PrematureStop, "the last reply was cut off", &tail);
    }
    if answer.is_empty() {
        return if ending.tool_calls == 0 {
            found(Abandoned, "it said nothing and called no tool", "")
        } else {
            found(PrematureStop, "the last reply is empty", "")
        };
    }
    if let Some(call) = written_call(answer) {
        return found(MalformedCalls, "a tool call is written as text", call);
    }
    let sentences = sentences(answer);
    let claims = |sentences: &[Sentence<'_>]| sentences.iter().any(Sentence::claims_success);
    if let Some(at) = sentences.iter().position(Sentence::gives_up)
        && !claims(&sentences[at + 1..])
    {
        return found(Abandoned, "it says that it cannot", sentences[at].quote);
    }
    let claims = claims(&sentences);
    let mut last = sentences.iter().rev().take(2);
    if let Some(sentence) = last.find(|sentence| sentence.asks())
        && !claims
    {
        return found(PrematureStop, "it asks instead of acting", sentence.quote);
    }
    if let Some(sentence) = sentences.last().filter(|sentence| sentence.announces()) {
        let rule = "it announces a step and does not take it";
        return found(PrematureStop, rule, sentence.quote);
    }
    let quote = sentences.last().map_or(answer, |sentence| sentence.quote);
    if ending.tool_calls == 0 {
        return found(Abandoned, "it called no tool", quote);
    }
    found(
        Implicit,
        "it ended by itself, and the verifier rejects what it left",
        quote,
    )
}

fn failure(ending: &Ending<'_>, class: FailureClass, rule: &'static str, quote: &str) -> Failure {
    let quote = match quote.char_indices().nth(QUOTE) {
        Some((end, _)) => format!("{}…", &quote[..end]),
        None => quote.to_owned(),
    };
    Failure {
        class,
        evidence: Evidence {
            turn: ending.turns,
            rule,
            quote,
        },
    }
}
