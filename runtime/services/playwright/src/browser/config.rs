//! Files in the directory `/etc` of the browser.

use std::path::Path;

use serde_json::{Value, json};

/// Size of the pages, in CSS pixels.
const VIEWPORT: (u32, u32) = (1280, 720);
/// Limit of the heap of the scripts of a page, in MiB. The page crashes when it exceeds it.
const PAGE_HEAP: u32 = 512;
/// Maximum number of processes that run pages.
const PAGE_PROCESSES: u32 = 4;

/// Returns the configuration of the MCP server for a browser that reaches only these hosts.
pub(super) fn server(browser: &Path, hosts: &[String]) -> Value {
    json!({
        "browser": {
            "browserName": "chromium",
            "isolated": true,
            "initScript": ["/etc/mcp/clock.js"],
            "launchOptions": {
                "channel": "chromium",
                "executablePath": browser,
                "headless": true,
                "chromiumSandbox": true,
                "args": [
                    "--disable-gpu",
                    "--disable-quic",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync",
                    format!("--renderer-process-limit={PAGE_PROCESSES}"),
                    format!("--js-flags=--max-old-space-size={PAGE_HEAP}"),
                    format!("--host-resolver-rules={}", rules(hosts)),
                ],
            },
            "contextOptions": {
                "locale": "en-US",
                "timezoneId": "UTC",
                "viewport": { "width": VIEWPORT.0, "height": VIEWPORT.1 },
            },
        },
        "outputDir": "/files",
    })
}

/// Returns the rules that the browser resolves names and addresses with.
fn rules(hosts: &[String]) -> String {
    let known = hosts.iter().map(|host| format!("MAP {host} 127.0.0.1"));
    let all: Vec<String> = known.chain(["MAP * ~NOTFOUND".to_owned()]).collect();
    all.join(", ")
}

/// Returns the file `hosts`.
pub(super) fn hosts(hosts: &[String]) -> String {
    let mut text = "127.0.0.1 localhost".to_owned();
    for host in hosts {
        text.push(' ');
        text.push_str(host);
    }
    text + "\n"
}

/// Returns the script that gives pages a clock that differs from that of the machine by `shift` milliseconds.
pub(super) fn clock(shift: i64) -> String {
    format!(
        "(() => {{\n\
         \x20 const Machine = Date;\n\
         \x20 const now = () => Machine.now() + {shift};\n\
         \x20 const World = new Proxy(Machine, {{\n\
         \x20   apply: () => new Machine(now()).toString(),\n\
         \x20   construct: (target, values, type) =>\n\
         \x20     Reflect.construct(target, values.length === 0 ? [now()] : values, type),\n\
         \x20   get: (target, key) => (key === \"now\" ? now : Reflect.get(target, key)),\n\
         \x20 }});\n\
         \x20 Machine.prototype.constructor = World;\n\
         \x20 globalThis.Date = World;\n\
         }})();\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_outside_of_the_world_are_not_found() {
        let names = ["a.test".to_owned(), "b.test".to_owned()];
        assert_eq!(
            rules(&names),
            "MAP a.test 127.0.0.1, MAP b.test 127.0.0.1, MAP * ~NOTFOUND"
        );
        assert_eq!(hosts(&names), "127.0.0.1 localhost a.test b.test\n");
    }
}
