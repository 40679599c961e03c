//! Parser of the header `WWW-Authenticate`, in which a registry requests authentication.
//!
//! The crate `http-auth` has a stricter parser, which loses a whole challenge if one of its parameters is invalid. This
//! parser keeps what precedes the invalid text, and realm and scope usually do.

/// Authentication challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// Scheme in lower case, such as `bearer`.
    pub scheme: String,
    /// Names in lower case, with values.
    pub parameters: Vec<(String, String)>,
}

impl Challenge {
    /// Parses the challenges of a header, in order. Stops at invalid text.
    pub fn parse(header: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let mut rest = header.trim_start();
        while let Some((scheme, after)) = token(rest) {
            let mut challenge = Self {
                scheme: scheme.to_ascii_lowercase(),
                parameters: Vec::new(),
            };
            rest = after.trim_start();
            while let Some((name, value, after)) = parameter(rest) {
                challenge
                    .parameters
                    .push((name.to_ascii_lowercase(), value));
                rest = after.trim_start();
                match rest.strip_prefix(',') {
                    Some(after) => rest = after.trim_start(),
                    None => break,
                }
            }
            found.push(challenge);
            rest = rest.trim_start_matches([',', ' ', '\t']);
        }
        found
    }

    /// Returns the value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Parses a token. Returns it with the remaining text.
fn token(text: &str) -> Option<(&str, &str)> {
    let of_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let end = text.find(|c| !of_token(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Parses `name=value` or `name="value"`. Returns name, value and the remaining text.
fn parameter(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = token(text)?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let Some(quoted) = rest.strip_prefix('"') else {
        let (value, rest) = token(rest)?;
        return Some((name, value.to_owned(), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((name, value, &quoted[at + 1..])),
            '\\' => value.push(characters.next()?.1),
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn challenges_are_read_as_registries_write_them() {
        let found = Challenge::parse(
            r#"Bearer realm="https://auth.example/token",service="r.example",scope="repository:a/b:pull,push""#,
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].scheme, "bearer");
        // A comma within quotes is not a separator.
        assert_eq!(
            found[0].parameter("scope"),
            Some("repository:a/b:pull,push")
        );
        let found = Challenge::parse(r#"Negotiate, Basic Realm = "a \"b\"" , charset=UTF-8"#);
        let schemes: Vec<&str> = found.iter().map(|it| it.scheme.as_str()).collect();
        assert_eq!(schemes, ["negotiate", "basic"]);
        assert_eq!(found[1].parameter("realm"), Some("a \"b\""));
        assert_eq!(found[1].parameter("charset"), Some("UTF-8"));
        for text in ["", ",", "\"", "=x"] {
            assert_eq!(Challenge::parse(text), [], "{text}");
        }
        assert_eq!(Challenge::parse(r#"Bearer realm="open"#).len(), 2);
    }

    proptest! {
        #[test]
        fn any_header_is_read_to_its_end(header in "[ -~]{0,60}") {
            let found = Challenge::parse(&header);
            prop_assert!(found.len() <= header.len());
        }
    }
}
