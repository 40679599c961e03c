//! Functions of lists.

use super::eval::{Evaluated, Evaluation, is_equal, wrong};
use super::functions::Function as F;
use super::numbers::number;
use super::texts::range;
use super::{Expression, FormulaError, Value};

/// Returns a value as a list. One that is no list is a list of itself.
fn items(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items,
        Value::Empty => Vec::new(),
        other => vec![other],
    }
}

/// Applies a function that evaluates an expression for each item.
pub(super) fn iterate(
    evaluation: &mut Evaluation<'_>,
    function: F,
    arguments: &[Expression],
) -> Evaluated {
    let list = items(evaluation.value(&arguments[0])?);
    let each = &arguments[1];
    if function == F::Sort {
        let mut keyed = Vec::with_capacity(list.len());
        for (index, item) in list.into_iter().enumerate() {
            keyed.push((evaluation.each(&item, index, each)?, item));
        }
        let workspace = evaluation.workspace;
        evaluation.budget.step(sorting_steps(keyed.len()))?;
        keyed.sort_by(|(a, _), (b, _)| a.order(b, workspace));
        return Ok(Value::List(
            keyed.into_iter().map(|(_, item)| item).collect(),
        ));
    }
    if function == F::Map {
        let mapped = list
            .iter()
            .enumerate()
            .map(|(index, item)| evaluation.each(item, index, each));
        return Ok(Value::List(mapped.collect::<Result<_, _>>()?));
    }
    let mut kept = Vec::new();
    let count = list.len();
    for (index, item) in list.into_iter().enumerate() {
        let holds = !evaluation.each(&item, index, each)?.is_empty();
        match (function, holds) {
            (F::Find, true) => return Ok(item),
            (F::FindIndex, true) => return Ok(Value::Number(index as f64)),
            (F::Some, true) => return Ok(Value::Boolean(true)),
            (F::Every, false) => return Ok(Value::Boolean(false)),
            (F::Filter | F::Count, true) => kept.push(item),
            _ => {}
        }
    }
    debug_assert!(kept.len() <= count);
    Ok(match function {
        F::Find => Value::Empty,
        F::FindIndex => Value::Number(-1.0),
        F::Some => Value::Boolean(false),
        F::Every => Value::Boolean(true),
        F::Count => Value::Number(kept.len() as f64),
        _ => Value::List(kept),
    })
}

fn sorting_steps(count: usize) -> usize {
    count * (usize::BITS - count.leading_zeros()) as usize
}

/// Applies a function of lists to values.
pub(super) fn apply(evaluation: &Evaluation<'_>, function: F, values: &[Value]) -> Evaluated {
    let mut list = items(values[0].clone());
    Ok(match function {
        F::At => at(&list, number(function, &values[1])?),
        F::First => at(&list, 0.0),
        F::Last => list.pop().unwrap_or(Value::Empty),
        F::Slice => {
            let (from, to) = range(function, values, list.len())?;
            Value::List(list[from..to.max(from)].to_vec())
        }
        F::Concat => {
            let mut all = Vec::new();
            for value in values {
                match value {
                    Value::List(more) => all.extend_from_slice(more),
                    other => return Err(wrong(function.name(), other)),
                }
            }
            Value::List(all)
        }
        F::Sort => {
            evaluation.budget.step(sorting_steps(list.len()))?;
            list.sort_by(|a, b| a.order(b, evaluation.workspace));
            Value::List(list)
        }
        F::Reverse => {
            list.reverse();
            Value::List(list)
        }
        F::Unique => Value::List(unique(evaluation, list)?),
        F::Includes => Value::Boolean(list.iter().any(|item| is_equal(item, &values[1]))),
        F::Flat => Value::List(list.into_iter().flat_map(flat).collect()),
        F::Count => Value::Number(list.len() as f64),
        _ => return Err(wrong(function.name(), &values[0])),
    })
}

fn at(list: &[Value], index: f64) -> Value {
    let index = if index < 0.0 {
        index + list.len() as f64
    } else {
        index
    };
    let found = (index >= 0.0).then(|| list.get(index as usize)).flatten();
    found.cloned().unwrap_or(Value::Empty)
}

fn unique(evaluation: &Evaluation<'_>, list: Vec<Value>) -> Result<Vec<Value>, FormulaError> {
    let mut unique: Vec<Value> = Vec::new();
    for item in list {
        // Each comparison with a known item is a step.
        evaluation.budget.step(unique.len())?;
        if !unique.contains(&item) {
            unique.push(item);
        }
    }
    Ok(unique)
}

/// Returns the items of a list inside a list. Lists are created by bounded evaluations, so their levels are bounded.
fn flat(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.into_iter().flat_map(flat).collect(),
        other => vec![other],
    }
}
