//! `repr` of addresses and networks of the module `ipaddress`.

use std::net::Ipv6Addr;

/// Appends the `repr` of a value of the type `inet`: an address, or an interface if it has a prefix.
pub(super) fn inet(text: &str, out: &mut String) {
    let class = if text.contains('/') {
        "Interface"
    } else {
        "Address"
    };
    push(class, text, out);
}

/// Appends the `repr` of a value of the type `cidr`.
pub(super) fn cidr(text: &str, out: &mut String) {
    push("Network", text, out);
}

fn push(class: &str, text: &str, out: &mut String) {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let is_v6 = address.contains(':');
    out.push_str(if is_v6 { "IPv6" } else { "IPv4" });
    out.push_str(class);
    out.push_str("('");
    match address.parse() {
        Ok(v6) if is_v6 => push_v6(v6, out),
        _ => out.push_str(address),
    }
    let default = if is_v6 { "128" } else { "32" };
    if let Some(prefix) = prefix.or((class == "Network").then_some(default)) {
        out.push('/');
        out.push_str(prefix);
    }
    out.push_str("')");
}

/// Appends an IPv6 address in the form of Python 3.12: without dots for mapped addresses, unlike PostgreSQL and Rust.
fn push_v6(address: Ipv6Addr, out: &mut String) {
    let groups = address.segments();
    // The first of the longest runs of at least two zero groups is left out.
    let run = |start: usize| {
        groups[start..]
            .iter()
            .take_while(|group| **group == 0)
            .count()
    };
    let longest = (0..groups.len()).map(run).max().unwrap_or_default();
    let start = (0..groups.len()).find(|start| longest > 1 && run(*start) == longest);
    let join = |groups: &[u16]| {
        let groups: Vec<String> = groups.iter().map(|group| format!("{group:x}")).collect();
        groups.join(":")
    };
    match start {
        Some(start) => {
            out.push_str(&join(&groups[..start]));
            out.push_str("::");
            out.push_str(&join(&groups[start + longest..]));
        }
        None => out.push_str(&join(&groups)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected values are those of Python 3.12.
    #[test]
    fn addresses_are_printed_as_in_python() {
        for (text, expected) in [
            ("10.0.0.1", "IPv4Address('10.0.0.1')"),
            ("10.0.0.1/8", "IPv4Interface('10.0.0.1/8')"),
            ("::1", "IPv6Address('::1')"),
            ("::ffff:1.2.3.4", "IPv6Address('::ffff:102:304')"),
            ("2001:db8::1:0:0:1", "IPv6Address('2001:db8::1:0:0:1')"),
            ("1:0:2:3:4:5:6:7", "IPv6Address('1:0:2:3:4:5:6:7')"),
            ("fe80::1/64", "IPv6Interface('fe80::1/64')"),
        ] {
            let mut out = String::new();
            inet(text, &mut out);
            assert_eq!(out, expected);
        }
        let mut out = String::new();
        cidr("10.0.0.0/8", &mut out);
        assert_eq!(out, "IPv4Network('10.0.0.0/8')");
    }
}
