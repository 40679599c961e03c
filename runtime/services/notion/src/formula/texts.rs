//! Functions of texts.

use regex_automata::meta::{Config, Regex};
use regex_automata::util::interpolate;

use super::eval::{Evaluated, Evaluation, wrong};
use super::functions::Function as F;
use super::numbers::number;
use super::{FormulaError, Value};

/// Maximum size of a compiled pattern, in bytes.
const PATTERN_BYTES: usize = 1 << 20;
/// Steps that the compilation of a pattern costs, for each of its bytes.
const PATTERN_STEPS: usize = 20;

/// Applies a function of texts.
pub(super) fn apply(evaluation: &Evaluation<'_>, function: F, values: &[Value]) -> Evaluated {
    let text = |index: usize| values[index].format(evaluation.workspace);
    match function {
        F::Length => {
            let length = match &values[0] {
                Value::List(items) => items.len(),
                value => value.format(evaluation.workspace).chars().count(),
            };
            Ok(Value::Number(length as f64))
        }
        F::Format => evaluation.text(text(0)),
        // Styles do not change the text of a formula in the API.
        F::Link | F::Style | F::Unstyle => evaluation.text(text(0)),
        F::Lower => evaluation.text(text(0).to_lowercase()),
        F::Upper => evaluation.text(text(0).to_uppercase()),
        F::Trim => evaluation.text(text(0).trim().to_owned()),
        F::Concat => {
            let all: Vec<String> = (0..values.len()).map(text).collect();
            evaluation.text(all.concat())
        }
        F::Repeat => {
            let count = number(function, &values[1])?.max(0.0) as usize;
            repeated(evaluation, &text(0), count)
        }
        F::PadStart | F::PadEnd => {
            let own = text(0);
            let width = number(function, &values[1])?.clamp(0.0, 1e9) as usize;
            let pad = if values.len() > 2 {
                text(2)
            } else {
                " ".to_owned()
            };
            let missing = width.saturating_sub(own.chars().count());
            evaluation.budget.text(missing)?;
            let pad: String = pad.chars().cycle().take(missing).collect();
            evaluation.text(if function == F::PadStart {
                pad + &own
            } else {
                own + &pad
            })
        }
        F::Substring | F::Slice => {
            let own: Vec<char> = text(0).chars().collect();
            let (from, to) = range(function, values, own.len())?;
            evaluation.text(own[from..to.max(from)].iter().collect())
        }
        F::Contains => match &values[0] {
            Value::List(items) => {
                let wanted = &values[1];
                Ok(Value::Boolean(items.iter().any(|item| item == wanted)))
            }
            _ => Ok(Value::Boolean(text(0).contains(&text(1)))),
        },
        F::Split => {
            let (own, separator) = (
                text(0),
                if values.len() > 1 {
                    text(1)
                } else {
                    " ".to_owned()
                },
            );
            evaluation.budget.text(own.len())?;
            evaluation.budget.step(own.len())?;
            let parts: Vec<Value> = if separator.is_empty() {
                own.chars().map(|it| Value::Text(it.to_string())).collect()
            } else {
                own.split(&separator)
                    .map(|it| Value::Text(it.to_owned()))
                    .collect()
            };
            Ok(Value::List(parts))
        }
        F::Join => join(evaluation, values),
        F::Test | F::Match | F::Replace | F::ReplaceAll => {
            let pattern = pattern(evaluation, &text(1))?;
            matched(evaluation, function, &pattern, (text(0), values.get(2)))
        }
        _ => Err(wrong(function.name(), &values[0])),
    }
}

fn repeated(evaluation: &Evaluation<'_>, text: &str, count: usize) -> Evaluated {
    // The limit is checked before the text exists.
    evaluation.budget.text(text.len().saturating_mul(count))?;
    Ok(Value::Text(text.repeat(count)))
}

/// Returns a range of positions. Negative ones count from the end.
pub(super) fn range(
    function: F,
    values: &[Value],
    length: usize,
) -> Result<(usize, usize), FormulaError> {
    let position = |value: &Value| {
        let at = number(function, value)?;
        let at = if at < 0.0 { at + length as f64 } else { at };
        Ok(at.clamp(0.0, length as f64) as usize)
    };
    let from = position(&values[1])?;
    let to = values.get(2).map_or(Ok(length), position)?;
    Ok((from, to))
}

/// Joins a list, or in formulas 1.0 several texts after a separator.
fn join(evaluation: &Evaluation<'_>, values: &[Value]) -> Evaluated {
    let format = |value: &Value| value.format(evaluation.workspace);
    let (items, separator) = match values {
        [Value::List(items)] => (items.as_slice(), ", ".to_owned()),
        [Value::List(items), separator] => (items.as_slice(), format(separator)),
        [separator, items @ ..] => (items, format(separator)),
        [] => return Ok(Value::Empty),
    };
    evaluation
        .budget
        .text(separator.len().saturating_mul(items.len()))?;
    let items: Vec<String> = items.iter().map(format).collect();
    evaluation.text(items.join(&separator))
}

fn pattern(evaluation: &Evaluation<'_>, pattern: &str) -> Result<Regex, FormulaError> {
    evaluation.budget.step(pattern.len() * PATTERN_STEPS)?;
    let config = Config::new()
        .nfa_size_limit(Some(PATTERN_BYTES))
        .hybrid_cache_capacity(PATTERN_BYTES);
    let built = Regex::builder().configure(config).build(pattern);
    built.map_err(|_| FormulaError::Pattern(pattern.to_owned()))
}

fn matched(
    evaluation: &Evaluation<'_>,
    function: F,
    pattern: &Regex,
    (text, replacement): (String, Option<&Value>),
) -> Evaluated {
    evaluation.budget.step(text.len())?;
    match function {
        F::Test => return Ok(Value::Boolean(pattern.is_match(&text))),
        F::Match => {
            evaluation.budget.text(text.len())?;
            let found = pattern.find_iter(&text);
            let found = found.map(|it| Value::Text(text[it.range()].to_owned()));
            return Ok(Value::List(found.collect()));
        }
        _ => {}
    }
    let replacement = replacement.map_or(String::new(), |it| it.format(evaluation.workspace));
    let replacement = replacement.replace("$&", "${0}");
    let most = if function == F::Replace {
        1
    } else {
        usize::MAX
    };
    let mut replaced = String::new();
    let mut last = 0;
    for captures in pattern.captures_iter(&text).take(most) {
        let Some(found) = captures.get_match() else {
            continue;
        };
        replaced.push_str(&text[last..found.start()]);
        let before = replaced.len();
        interpolate::string(
            &replacement,
            |group, into| {
                if let Some(span) = captures.get_group(group) {
                    into.push_str(&text[span.range()]);
                }
            },
            |name| captures.group_info().to_index(found.pattern(), name),
            &mut replaced,
        );
        evaluation.budget.text(replaced.len() - before)?;
        last = found.end();
    }
    replaced.push_str(&text[last..]);
    evaluation.text(replaced)
}
