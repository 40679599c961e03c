//! Values as Python prints them: `repr` of what psycopg makes of the text format of PostgreSQL.

mod array;
mod assigned_later;
mod json;
mod network;
mod number;
mod range;
mod record;
mod temporal;
mod text;
mod types;

use super::wire::{Parameters, QueryError};

pub(crate) use json::value as json_value;

pub(crate) use text::string;
pub(crate) use types::Kind;

/// Settings of the session that decide how values are converted.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    zone: temporal::Zone,
    date_style: String,
    interval_style: String,
    encoding: Encoding,
}

/// Encoding of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Latin1,
    /// No encoding: text stays bytes.
    Ascii,
}

impl Settings {
    pub(crate) fn of(parameters: &Parameters) -> Self {
        let get = |name, default: &str| parameters.get(name).unwrap_or(default).to_owned();
        Self {
            zone: temporal::Zone::named(&get("TimeZone", "UTC")),
            date_style: get("DateStyle", "ISO, DMY"),
            interval_style: get("IntervalStyle", "unknown"),
            encoding: match parameters.get("client_encoding") {
                Some("SQL_ASCII") => Encoding::Ascii,
                Some("LATIN1") => Encoding::Latin1,
                _ => Encoding::Utf8,
            },
        }
    }
}

/// Error of a value that psycopg refuses, with its message.
pub(crate) type Refusal = String;

/// Appends the `repr` of a value in text format.
///
/// # Errors
///
/// Returns the message of psycopg for a value that Python cannot represent, such as an infinite date.
pub(crate) fn value(
    kind: &Kind,
    data: &[u8],
    settings: &Settings,
    out: &mut String,
) -> Result<(), Refusal> {
    match kind {
        Kind::Text => {
            match settings.encoding {
                Encoding::Utf8 => string(&String::from_utf8_lossy(data), out),
                Encoding::Latin1 => {
                    let decoded: String = data.iter().copied().map(char::from).collect();
                    string(&decoded, out);
                }
                Encoding::Ascii => text::bytes(data, out),
            }
            Ok(())
        }
        Kind::Bytes => {
            text::bytes(&text::unescape_bytea(data), out);
            Ok(())
        }
        Kind::Int => {
            out.push_str(&String::from_utf8_lossy(data));
            Ok(())
        }
        Kind::Bool => {
            out.push_str(if data == b"t" { "True" } else { "False" });
            Ok(())
        }
        Kind::Float => {
            number::float_text(&String::from_utf8_lossy(data), out);
            Ok(())
        }
        Kind::Numeric => {
            number::decimal(&String::from_utf8_lossy(data), out);
            Ok(())
        }
        Kind::Date
        | Kind::Time
        | Kind::TimeTz
        | Kind::Timestamp
        | Kind::TimestampTz
        | Kind::Interval => temporal::value(kind, &String::from_utf8_lossy(data), settings, out),
        Kind::Json => json::value(&String::from_utf8_lossy(data), out),
        Kind::Uuid => {
            out.push_str("UUID('");
            out.push_str(&String::from_utf8_lossy(data));
            out.push_str("')");
            Ok(())
        }
        Kind::Inet => {
            network::inet(&String::from_utf8_lossy(data), out);
            Ok(())
        }
        Kind::Cidr => {
            network::cidr(&String::from_utf8_lossy(data), out);
            Ok(())
        }
        Kind::Record => record::value(data, settings, out),
        Kind::Range(bound) => range::value(bound, data, settings, out),
        Kind::Multirange(bound) => range::multirange(bound, data, settings, out),
        Kind::Array { element, delimiter } => {
            array::value(element, *delimiter, data, settings, out)
        }
    }
}

/// Message of psycopg for a value that it cannot parse.
impl From<Refusal> for QueryError {
    fn from(message: Refusal) -> Self {
        Self::Unconvertible(message)
    }
}
