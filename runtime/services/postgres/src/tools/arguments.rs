//! Arguments of the tools, checked as Pydantic does.

use std::collections::HashMap;

use mcpmark_service::JsonObject;
use serde_json::Value;

use super::python;

/// Version of Pydantic in the links of its messages.
const PYDANTIC: &str = "2.14";

/// Maximum number of characters of a value in a message.
const SHOWN: usize = 50;

/// Type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Integer,
    Boolean,
    Texts,
    Objects,
    /// One of the two methods of the index advisers.
    Method,
}

/// Parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    name: &'static str,
    kind: Type,
    /// Default as JSON. `None` if the parameter is required.
    default: Option<&'static str>,
}

const fn required(name: &'static str, kind: Type) -> Parameter {
    Parameter {
        name,
        kind,
        default: None,
    }
}

const fn optional(name: &'static str, kind: Type, default: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        default: Some(default),
    }
}

/// Returns the parameters of a tool, or `None` if the tool is unknown.
pub(crate) fn spec(tool: &str) -> Option<&'static [Parameter]> {
    const SIZE: Parameter = optional("max_index_size_mb", Type::Integer, "10000");
    const METHOD: Parameter = optional("method", Type::Method, "\"dta\"");
    const OBJECT_TYPE: Parameter = optional("object_type", Type::Text, "\"table\"");
    Some(match tool {
        "list_schemas" => &[],
        "list_objects" => const { &[required("schema_name", Type::Text), OBJECT_TYPE] },
        "get_object_details" => {
            const {
                &[
                    required("schema_name", Type::Text),
                    required("object_name", Type::Text),
                    OBJECT_TYPE,
                ]
            }
        }
        "explain_query" => {
            const {
                &[
                    required("sql", Type::Text),
                    optional("analyze", Type::Boolean, "false"),
                    optional("hypothetical_indexes", Type::Objects, "[]"),
                ]
            }
        }
        "analyze_workload_indexes" => const { &[SIZE, METHOD] },
        "analyze_query_indexes" => const { &[required("queries", Type::Texts), SIZE, METHOD] },
        "analyze_db_health" => const { &[optional("health_type", Type::Text, "\"all\"")] },
        "get_top_queries" => {
            const {
                &[
                    optional("sort_by", Type::Text, "\"resources\""),
                    optional("limit", Type::Integer, "10"),
                ]
            }
        }
        "execute_sql" => const { &[optional("sql", Type::Text, "\"all\"")] },
        _ => return None,
    })
}

/// Valid arguments of a call, with defaults.
#[derive(Debug)]
pub(crate) struct Arguments(HashMap<&'static str, Value>);

/// Problem of a value.
struct Problem {
    place: String,
    message: &'static str,
    code: &'static str,
    shown: String,
    type_name: &'static str,
}

impl Arguments {
    /// Checks the arguments of a call.
    ///
    /// # Errors
    ///
    /// Returns the message of Pydantic.
    pub(crate) fn parse(
        tool: &str,
        spec: &'static [Parameter],
        mut given: JsonObject,
    ) -> Result<Self, String> {
        for parameter in spec {
            if let Some(Value::String(text)) = given.get(parameter.name)
                && parameter.kind != Type::Text
                && let Ok(parsed @ (Value::Null | Value::Array(_) | Value::Object(_))) =
                    serde_json::from_str(text)
            {
                // Some clients send lists and objects as JSON in a string.
                given.insert(parameter.name.to_owned(), parsed);
            }
        }
        let mut problems = Vec::new();
        let mut valid = HashMap::new();
        for parameter in spec {
            match (given.get(parameter.name), parameter.default) {
                (Some(value), _) => match check(parameter, value, &mut problems) {
                    Some(value) => {
                        valid.insert(parameter.name, value);
                    }
                    None => continue,
                },
                (None, Some(default)) => {
                    let default = serde_json::from_str(default).unwrap_or_default();
                    valid.insert(parameter.name, default);
                }
                (None, None) => problems.push(Problem {
                    place: parameter.name.to_owned(),
                    message: "Field required",
                    code: "missing",
                    shown: repr(&Value::Object(given.clone())),
                    type_name: "dict",
                }),
            }
        }
        if problems.is_empty() {
            return Ok(Self(valid));
        }
        let count = problems.len();
        let plural = if count == 1 { "" } else { "s" };
        let mut text = format!("{count} validation error{plural} for {tool}Arguments");
        for problem in problems {
            let Problem {
                place,
                message,
                code,
                shown,
                type_name,
            } = problem;
            let shown = shortened(&shown);
            text.push_str(&format!(
                "\n{place}\n  {message} [type={code}, input_value={shown}, input_type={type_name}]\n    For further information visit https://errors.pydantic.dev/{PYDANTIC}/v/{code}"
            ));
        }
        Err(text)
    }

    /// Returns a text.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns an integer in decimal digits.
    pub(crate) fn integer(&self, name: &str) -> String {
        self.0.get(name).map(Value::to_string).unwrap_or_default()
    }

    /// Returns a boolean.
    pub(crate) fn boolean(&self, name: &str) -> bool {
        self.0
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    /// Returns a list.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.0
            .get(name)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// Checks one value, and converts it as Pydantic does.
fn check(parameter: &Parameter, value: &Value, problems: &mut Vec<Problem>) -> Option<Value> {
    let before = problems.len();
    let mut refuse = |place: String, message, code, value: &Value| {
        problems.push(Problem {
            place,
            message,
            code,
            shown: repr(value),
            type_name: type_name(value),
        });
    };
    let name = || parameter.name.to_owned();
    let mut converted = value.clone();
    match (parameter.kind, value) {
        (Type::Text, Value::String(_)) => {}
        (Type::Text, _) => refuse(
            name(),
            "Input should be a valid string",
            "string_type",
            value,
        ),
        (Type::Integer, Value::Number(number)) => match number.as_f64() {
            Some(float) if number.is_f64() => {
                if float.fract() != 0.0 {
                    refuse(
                        name(),
                        "Input should be a valid integer, got a number with a fractional part",
                        "int_from_float",
                        value,
                    );
                } else if let Ok(integer) = serde_json::from_str(&format!("{float:.0}")) {
                    converted = integer;
                }
            }
            _ => {}
        },
        (Type::Integer, Value::Bool(flag)) => converted = Value::from(i64::from(*flag)),
        (Type::Integer, Value::String(text)) => match integer_of(text) {
            Some(integer) => converted = Value::from(integer),
            None => refuse(
                name(),
                "Input should be a valid integer, unable to parse string as an integer",
                "int_parsing",
                value,
            ),
        },
        (Type::Integer, _) => refuse(name(), "Input should be a valid integer", "int_type", value),
        (Type::Boolean, Value::Bool(_)) => {}
        (Type::Boolean, Value::Number(_) | Value::String(_)) if is_boolean_form(value) => {
            match boolean_of(value) {
                Some(flag) => converted = Value::Bool(flag),
                None => refuse(
                    name(),
                    "Input should be a valid boolean, unable to interpret input",
                    "bool_parsing",
                    value,
                ),
            }
        }
        (Type::Boolean, _) => refuse(
            name(),
            "Input should be a valid boolean",
            "bool_type",
            value,
        ),
        (Type::Texts | Type::Objects, Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                let place = format!("{}.{index}", parameter.name);
                match (parameter.kind, item) {
                    (Type::Texts, Value::String(_)) | (Type::Objects, Value::Object(_)) => {}
                    (Type::Texts, _) => {
                        refuse(place, "Input should be a valid string", "string_type", item);
                    }
                    _ => refuse(
                        place,
                        "Input should be a valid dictionary",
                        "dict_type",
                        item,
                    ),
                }
            }
        }
        (Type::Texts | Type::Objects, _) => {
            refuse(name(), "Input should be a valid list", "list_type", value);
        }
        (Type::Method, Value::String(text)) if text == "dta" || text == "llm" => {}
        (Type::Method, _) => {
            refuse(
                name(),
                "Input should be 'dta' or 'llm'",
                "literal_error",
                value,
            );
        }
    }
    (problems.len() == before).then_some(converted)
}

fn integer_of(text: &str) -> Option<i64> {
    let trimmed = text.trim();
    let whole = trimmed.split_once('.').map_or(trimmed, |(whole, zeros)| {
        if zeros.bytes().all(|byte| byte == b'0') {
            whole
        } else {
            trimmed
        }
    });
    whole.parse().ok()
}

fn boolean_of(value: &Value) -> Option<bool> {
    if let Some(number) = value.as_f64() {
        return [(0.0, false), (1.0, true)]
            .iter()
            .find(|(known, _)| *known == number)
            .map(|(_, flag)| *flag);
    }
    match value.as_str()?.to_lowercase().as_str() {
        "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
        "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
        _ => None,
    }
}

/// Reports whether pydantic tries to read a value as a boolean: texts, and whole numbers of 64 bits.
fn is_boolean_form(value: &Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().is_some_and(|float| {
            // The bounds of `i64` as a float: the upper one is not inside.
            float.fract() == 0.0 && (-(2_f64.powi(63))..2_f64.powi(63)).contains(&float)
        }),
        Value::Number(number) => number.is_i64(),
        value => value.is_string(),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// Returns the `repr` of a value.
pub(crate) fn repr(value: &Value) -> String {
    let mut text = String::new();
    // A value whose nesting is beyond the limit of Python cannot be received either.
    let _ = python::json_value(&value.to_string(), &mut text);
    text
}

/// Shortens the `repr` of a value in the middle.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN / 2).collect();
    let end: String = text.chars().skip(count - (SHOWN / 2 - 1)).collect();
    format!("{start}...{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn problems(tool: &str, given: Value) -> String {
        let Value::Object(given) = given else {
            panic!("an object");
        };
        Arguments::parse(tool, spec(tool).unwrap(), given).unwrap_err()
    }

    #[test]
    fn missing_and_wrong_arguments_are_named_as_by_pydantic() {
        assert_eq!(
            problems("list_objects", json!({})),
            "1 validation error for list_objectsArguments\nschema_name\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing"
        );
        let text = problems("get_object_details", json!({"schema_name": 5}));
        assert!(
            text.starts_with("2 validation errors for get_object_detailsArguments\nschema_name\n")
        );
        assert!(text.contains(
            "Input should be a valid string [type=string_type, input_value=5, input_type=int]"
        ));
    }

    // The expected types are those of pydantic 2.14.
    #[test]
    fn numbers_that_cannot_be_booleans_are_refused_as_by_pydantic() {
        for (number, expected) in [
            (json!(2.0), "bool_parsing"),
            (json!(-1), "bool_parsing"),
            (json!(i64::MAX), "bool_parsing"),
            (json!(1e18), "bool_parsing"),
            (json!(2.5), "bool_type"),
            (json!(u64::MAX), "bool_type"),
            (json!(1e19), "bool_type"),
        ] {
            let text = problems("explain_query", json!({"sql": "x", "analyze": number}));
            assert!(text.contains(&format!("[type={expected}, ")), "{text}");
        }
    }

    #[test]
    fn arguments_are_converted_as_by_pydantic() {
        let given =
            json!({"sql": "x", "analyze": "yes", "hypothetical_indexes": "[{\"table\": \"t\"}]"});
        let given = given.as_object().unwrap().clone();
        let tool = "explain_query";
        let arguments = Arguments::parse(tool, spec(tool).unwrap(), given).unwrap();
        assert!(arguments.boolean("analyze"));
        assert_eq!(
            arguments.list("hypothetical_indexes"),
            [json!({"table": "t"})]
        );
        let given = json!({"limit": "7.0"}).as_object().unwrap().clone();
        let tool = "get_top_queries";
        let arguments = Arguments::parse(tool, spec(tool).unwrap(), given).unwrap();
        assert_eq!(arguments.integer("limit"), "7");
        assert_eq!(arguments.text("sort_by"), "resources");
    }
}
