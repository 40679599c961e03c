//! Compatible form of requests of Chat Completions.

use bytes::Bytes;
use serde_json::Value;

/// Rewrites the content of system messages from a list of texts to one string: OpenAI accepts both, but many servers
/// compatible with it accept only a string. Other requests and other content stay unchanged.
pub(crate) fn with_plain_system(path: &str, body: Bytes) -> Bytes {
    if !path.ends_with("/chat/completions") {
        return body;
    }
    let Ok(mut document) = serde_json::from_slice::<Value>(&body) else {
        return body;
    };
    let messages = document.get_mut("messages").and_then(Value::as_array_mut);
    let mut changed = false;
    for message in messages.into_iter().flatten() {
        let told = matches!(message["role"].as_str(), Some("system" | "developer"));
        let text = message["content"].as_array().filter(|_| told);
        if let Some(text) = text.and_then(|parts| joined(parts)) {
            message["content"] = text.into();
            changed = true;
        }
    }
    if changed {
        document.to_string().into()
    } else {
        body
    }
}

/// Joins the texts of parts; `None` if a part is not plain text.
fn joined(parts: &[Value]) -> Option<String> {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part.as_object() {
            Some(part) if part.len() == 2 && part["type"] == "text" => part["text"].as_str(),
            _ => None,
        })
        .collect();
    Some(texts?.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn system_messages_are_plain_and_the_rest_is_as_it_was() {
        let part = |text: &str| json!({"type": "text", "text": text});
        let image = json!({"type": "image_url", "image_url": {"url": "data:"}});
        let request = json!({
            "model": "m", "temperature": 1.0, "seed": 9_007_199_254_740_993_u64,
            "messages": [
                {"role": "system", "content": [part("be brief")]},
                {"role": "developer", "content": [part("a"), part("b")]},
                {"role": "system", "content": "plain"},
                {"role": "system", "content": [image]},
                {"role": "user", "content": [part("look"), image]},
                {"role": "assistant", "content": null},
            ],
        });
        let sent = |path: &str| -> Value {
            let body = with_plain_system(path, request.to_string().into());
            serde_json::from_slice(&body).unwrap()
        };
        let mut wanted = request.clone();
        wanted["messages"][0]["content"] = "be brief".into();
        wanted["messages"][1]["content"] = "a\n\nb".into();
        assert_eq!(sent("/v1/chat/completions"), wanted);
        assert_eq!(sent("/v1/responses"), request);
        let odd = Bytes::from_static(b"no JSON");
        assert_eq!(with_plain_system("/chat/completions", odd.clone()), odd);
    }
}
