//! Values of a request with their paths, and the validation errors that name them.
//!
//! The form `body failed validation: body.a[0].b should be …, instead was `…`.` and the cut of long values are those of
//! errors that users of clients have reported (makenotion/notion-sdk-js 153, doutv/Auto-GPT-Notion 9,
//! notion-dotnet/notion-sdk-net 541).

use serde_json::{Map, Value};

use crate::model::Id;
use crate::refusal::{Outcome, Refusal};

/// Number of characters of a value that an error shows.
const SHOWN: usize = 55;

/// Value of a request, or its absence.
#[derive(Debug, Clone)]
pub(crate) struct Field<'a> {
    /// Value. `None` if it is absent.
    pub(crate) value: Option<&'a Value>,
    path: String,
}

impl<'a> Field<'a> {
    /// Creates the root of the values below `name`, which is `body`, `path` or `query`.
    pub(crate) fn root(name: &str, value: Option<&'a Value>) -> Self {
        Self {
            value,
            path: name.to_owned(),
        }
    }

    /// Returns the value under a key. It is absent if this is not an object.
    pub(crate) fn get(&self, key: &str) -> Self {
        Self {
            value: self.value.and_then(|value| value.get(key)),
            path: format!("{}.{key}", self.path),
        }
    }

    /// Returns the error that the value should be something else.
    pub(crate) fn should(&self, be: &str) -> Refusal {
        Refusal::invalid(format!(
            "{} failed validation: {}.",
            self.section(),
            self.complaint(be)
        ))
    }

    /// Returns the error that one of several complaints has to be mended.
    pub(crate) fn should_one(&self, complaints: &[String]) -> Refusal {
        match complaints {
            [one] => Refusal::invalid(format!("{} failed validation: {one}.", self.section())),
            several => Refusal::invalid(format!(
                "{} failed validation. Fix one:\n{}.",
                self.section(),
                several.join(".\n")
            )),
        }
    }

    /// Returns the part of an error that names the value.
    pub(crate) fn complaint(&self, be: &str) -> String {
        format!(
            "{} should be {be}, instead was `{}`",
            self.path,
            self.shown()
        )
    }

    fn section(&self) -> &str {
        self.path.split(['.', '[']).next().unwrap_or_default()
    }

    fn shown(&self) -> String {
        let Some(value) = self.value else {
            return "undefined".to_owned();
        };
        let text = match value.as_f64() {
            // JavaScript prints the negative zero without its sign.
            Some(0.0) => "0".to_owned(),
            _ => value.to_string(),
        };
        if text.chars().count() <= SHOWN {
            return text;
        }
        let cut: String = text.chars().take(SHOWN).collect();
        format!("{cut}...")
    }

    /// Returns the path with another text after it, such as `.length`, as a complaint about a number.
    fn length(&self, relation: &str, limit: usize, length: usize) -> Refusal {
        Refusal::invalid(format!(
            "{} failed validation: {}.length should be {relation} `{limit}`, instead was `{length}`.",
            self.section(),
            self.path
        ))
    }

    /// Returns the error that a value is longer than a limit.
    pub(crate) fn too_long(&self, limit: usize, length: usize) -> Refusal {
        self.length("≤", limit, length)
    }

    /// Returns the error that a value is shorter than a limit.
    pub(crate) fn too_short(&self, limit: usize, length: usize) -> Refusal {
        self.length("≥", limit, length)
    }

    /// Reports whether there is no value.
    pub(crate) fn is_absent(&self) -> bool {
        self.value.is_none()
    }

    /// Reports whether the value is `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.value.is_some_and(Value::is_null)
    }

    /// Returns the value unless it is absent.
    pub(crate) fn present(self) -> Option<Self> {
        self.value.is_some().then_some(self)
    }

    /// Returns the value as an object.
    pub(crate) fn object(&self) -> Outcome<&'a Map<String, Value>> {
        match self.value {
            Some(Value::Object(object)) => Ok(object),
            None => Err(self.should("defined")),
            Some(_) => Err(self.should("an object")),
        }
    }

    /// Checks that the value is an object without other keys than these.
    pub(crate) fn only(&self, keys: &[&str]) -> Outcome<()> {
        for key in self.object()?.keys() {
            if !keys.contains(&key.as_str()) {
                return Err(self.get(key).should("not present"));
            }
        }
        Ok(())
    }

    /// Returns the values of an array.
    pub(crate) fn items(&self) -> Outcome<Vec<Self>> {
        let items = match self.value {
            Some(Value::Array(items)) => items,
            None => return Err(self.should("defined")),
            Some(_) => return Err(self.should("an array")),
        };
        let fields = items.iter().enumerate().map(|(index, value)| Self {
            value: Some(value),
            path: format!("{}[{index}]", self.path),
        });
        Ok(fields.collect())
    }

    /// Returns the values of an array with at most `limit` items.
    pub(crate) fn items_within(&self, limit: usize) -> Outcome<Vec<Self>> {
        if let Some(Value::Array(items)) = self.value
            && items.len() > limit
        {
            return Err(self.too_long(limit, items.len()));
        }
        self.items()
    }

    /// Returns the value as a string.
    pub(crate) fn string(&self) -> Outcome<&'a str> {
        match self.value {
            Some(Value::String(text)) => Ok(text),
            None => Err(self.should("defined")),
            Some(_) => Err(self.should("a string")),
        }
    }

    /// Returns the value as a string of at most `limit` UTF-16 units, which is how the service counts.
    pub(crate) fn string_within(&self, limit: usize) -> Outcome<&'a str> {
        let text = self.string()?;
        // A text cannot have more UTF-16 units than bytes.
        let length = if text.len() > limit {
            text.encode_utf16().count()
        } else {
            0
        };
        if length > limit {
            return Err(self.too_long(limit, length));
        }
        Ok(text)
    }

    /// Returns the value as a string, if there is one.
    pub(crate) fn opt_string(&self) -> Outcome<Option<&'a str>> {
        match self.value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.should("a string or `undefined`")),
        }
    }

    /// Returns the value as a boolean, if there is one.
    pub(crate) fn opt_bool(&self) -> Outcome<Option<bool>> {
        match self.value {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(_) => Err(self.should("a boolean or `undefined`")),
        }
    }

    /// Returns the value as a boolean.
    pub(crate) fn bool(&self) -> Outcome<bool> {
        match self.value {
            Some(Value::Bool(value)) => Ok(*value),
            None => Err(self.should("defined")),
            Some(_) => Err(self.should("a boolean")),
        }
    }

    /// Returns the value as a number.
    pub(crate) fn number(&self) -> Outcome<f64> {
        match self.value {
            Some(Value::Number(number)) => Ok(number.as_f64().unwrap_or_default()),
            None => Err(self.should("defined")),
            Some(_) => Err(self.should("a number")),
        }
    }

    /// Returns the value as an id.
    pub(crate) fn id(&self) -> Outcome<Id> {
        match self.value {
            Some(Value::String(text)) => Id::parse(text).ok_or_else(|| self.should("a valid uuid")),
            None => Err(self.should("defined")),
            Some(_) => Err(self.should("a valid uuid")),
        }
    }

    /// Returns the entry of a list with the name that the value has.
    pub(crate) fn one_of<T: Copy>(
        &self,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Outcome<T> {
        let text = self.value.and_then(Value::as_str);
        let found = all.iter().copied().find(|entry| text == Some(name(*entry)));
        found.ok_or_else(|| {
            let names: Vec<String> = all
                .iter()
                .map(|entry| format!("`\"{}\"`", name(*entry)))
                .collect();
            self.should(&either(&names))
        })
    }
}

/// Joins alternatives as in `a, b, or c`.
pub(crate) fn either(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} or {two}"),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_name_the_place_and_the_value() {
        let body = json!({"a": [{"b": 5}], "id": "x", "long": "y".repeat(80)});
        let body = Field::root("body", Some(&body));
        let items = body.get("a").items().unwrap();
        let message = |refusal: Refusal| refusal.message;
        assert_eq!(
            message(items[0].get("b").string().unwrap_err()),
            "body failed validation: body.a[0].b should be a string, instead was `5`."
        );
        assert_eq!(
            message(body.get("id").id().unwrap_err()),
            "body failed validation: body.id should be a valid uuid, instead was `\"x\"`."
        );
        assert_eq!(
            message(body.get("none").string().unwrap_err()),
            "body failed validation: body.none should be defined, instead was `undefined`."
        );
        assert_eq!(
            message(body.get("long").string_within(79).unwrap_err()),
            "body failed validation: body.long.length should be ≤ `79`, instead was `80`."
        );
        let shown = message(body.get("long").bool().unwrap_err());
        assert!(
            shown.ends_with(&format!("\"{}...`.", "y".repeat(54))),
            "{shown}"
        );
        assert_eq!(
            message(body.only(&["a", "id"]).unwrap_err()),
            format!(
                "body failed validation: body.long should be not present, instead was `\"{}...`.",
                "y".repeat(54)
            )
        );
        let complaints = [
            items[0].get("c").complaint("defined"),
            body.get("d").complaint("defined"),
        ];
        assert_eq!(
            message(body.should_one(&complaints)),
            "body failed validation. Fix one:\nbody.a[0].c should be defined, instead was `undefined`.\nbody.d should be defined, instead was `undefined`."
        );
    }
}
