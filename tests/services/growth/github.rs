//! Cost of the tools, REST routes and GraphQL queries of the github service.

#[path = "github/calls.rs"]
mod calls;
#[path = "github/cancelled.rs"]
mod cancelled;
#[path = "github/coverage.rs"]
mod coverage;
#[path = "github/ending.rs"]
mod ending;
#[path = "github/more_worlds.rs"]
mod more_worlds;
#[path = "github/parameters.rs"]
mod parameters;
#[path = "github/people.rs"]
mod people;
#[path = "github/repository.rs"]
mod repository;
#[path = "github/reviewing.rs"]
mod reviewing;
#[path = "github/running.rs"]
mod running;
#[path = "github/site.rs"]
mod site;
#[path = "github/worlds.rs"]
mod worlds;

use std::collections::BTreeSet;
use std::rc::Rc;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use self::site::{Site, World};
use crate::measure::linear;

/// Call, by the interface that it uses.
enum Call {
    /// Tool of one or both profiles, with its arguments for a size.
    Tool(&'static [&'static str], &'static str, fn(usize) -> Value),
    /// Tools in sequence, each with its arguments. The last one undoes the first, or each repetition uses a different
    /// object.
    Steps(&'static [&'static str], fn(usize) -> Vec<Step>),
    /// Tool that refuses every call.
    Refused(&'static [&'static str], &'static str, fn(usize) -> Value),
    /// REST request: method, path below the repository, body.
    Rest(&'static str, fn(usize) -> String, fn(usize) -> Value),
    /// GET request with one of GitHub's media types, such as `diff`, and its path below the repository.
    Media(&'static str, fn(usize) -> String),
    /// GraphQL query.
    Query(fn(usize) -> String),
}

/// Tool with its arguments.
type Step = (&'static str, Value);

/// Calls on worlds that grow in one dimension.
struct Growth {
    name: &'static str,
    size: usize,
    make: fn(&std::path::Path, usize),
    calls: Vec<Call>,
}

const V0: &str = "v0.15.0";
const V1: &str = "v1.10.1";

const BOTH: &[&str] = &[V0, V1];
const OLD: &[&str] = &[V0];
const NEW: &[&str] = &[V1];

/// Returns a query about the repository.
fn query(fields: &str) -> String {
    format!("{{repository(owner: \"acme\", name: \"demo\") {{{fields}}}}}")
}

/// Returns the trials. A trial of a dimension makes all its calls on one world for each size.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |growth: Growth| {
        let name = format!("github::{}", growth.name);
        Trial::test(name, move || growth.measure())
    };
    let mut trials: Vec<Trial> = cases().into_iter().map(trial).collect();
    trials.extend(coverage::trials());
    trials.extend(parameters::trials());
    trials.extend(cancelled::trials());
    trials.extend(running::trials());
    trials.extend(ending::trials());
    trials
}

fn cases() -> Vec<Growth> {
    let parts = [
        calls::all(),
        people::all(),
        repository::all(),
        reviewing::all(),
        running::all(),
    ];
    parts.into_iter().flatten().collect()
}

/// Returns the tools of a profile that have a case in which they succeed.
fn accepted(profile: &str) -> BTreeSet<&'static str> {
    let calls = cases().into_iter().flat_map(|growth| growth.calls);
    let accepted = calls.filter(|call| call.is_of(profile) && !matches!(call, Call::Refused(..)));
    accepted.flat_map(|call| call.tools()).collect()
}

impl Growth {
    fn measure(&self) -> Result<(), Failed> {
        let sizes = [self.size, 2 * self.size];
        let worlds = sizes.map(|size| World::new(|dir| (self.make)(dir, size)));
        let mut failures = Vec::new();
        for profile in [V0, V1] {
            let sites = worlds
                .each_ref()
                .map(|world| Rc::new(Site::new(world, profile)));
            for call in self.calls.iter().filter(|call| call.is_of(profile)) {
                let grown = linear(self.size, |size| {
                    let site = &sites[usize::from(size > self.size)];
                    call.work(site, size)
                });
                if let Err(failed) = grown {
                    let message = failed.message().unwrap_or_default();
                    let told = call.told(self.size);
                    failures.push(format!("{profile} {told}: {message}"));
                }
            }
        }
        if failures.is_empty() {
            Ok(())
        } else {
            Err(failures.join("\n").into())
        }
    }
}

impl Call {
    /// Returns true if the call is measured with the profile. Calls that are equal in both profiles are measured once.
    fn is_of(&self, profile: &str) -> bool {
        match self {
            Self::Tool(profiles, ..) | Self::Steps(profiles, _) | Self::Refused(profiles, ..) => {
                profiles.contains(&profile)
            }
            Self::Rest(..) | Self::Media(..) | Self::Query(_) => profile == V0,
        }
    }

    /// Returns a function that makes the call. `@N` in its arguments stands for the number of the repetition.
    fn work(&self, site: &Rc<Site>, size: usize) -> Box<dyn FnMut()> {
        let site = Rc::clone(site);
        let mut times = (1..).map(|time: usize| time.to_string());
        let mut next = move || times.next().unwrap_or_default();
        match self {
            Self::Tool(_, tool, with) => {
                let (tool, with) = (*tool, with(size));
                Box::new(move || site.tool(tool, &numbered(&with, &next())))
            }
            Self::Steps(_, steps) => {
                let steps = steps(size);
                Box::new(move || {
                    let time = next();
                    for (tool, with) in &steps {
                        site.tool(tool, &numbered(with, &time));
                    }
                })
            }
            Self::Refused(_, tool, with) => {
                let (tool, with) = (*tool, with(size));
                Box::new(move || site.refused(tool, &with))
            }
            Self::Rest(method, path, body) => {
                let (method, path, body) = (*method, path(size), body(size));
                Box::new(move || {
                    let time = next();
                    site.rest(method, &path.replace("@N", &time), &numbered(&body, &time));
                })
            }
            Self::Media(form, path) => {
                let (form, path) = (*form, path(size));
                Box::new(move || site.media(form, &path))
            }
            Self::Query(text) => {
                let text = text(size);
                Box::new(move || site.query(&text))
            }
        }
    }

    /// Returns the tools that the call uses.
    fn tools(&self) -> Vec<&'static str> {
        match self {
            Self::Tool(_, tool, _) | Self::Refused(_, tool, _) => vec![tool],
            Self::Steps(_, steps) => steps(1).into_iter().map(|(tool, _)| tool).collect(),
            Self::Rest(..) | Self::Media(..) | Self::Query(_) => Vec::new(),
        }
    }

    /// Returns the start of the request, for messages.
    fn told(&self, size: usize) -> String {
        let text = match self {
            Self::Tool(_, tool, with) | Self::Refused(_, tool, with) => {
                format!("{tool} {}", with(size))
            }
            Self::Steps(_, steps) => {
                let steps = steps(size).into_iter();
                let told: Vec<String> =
                    steps.map(|(tool, with)| format!("{tool} {with}")).collect();
                told.join(", ")
            }
            Self::Rest(method, path, _) => format!("{method} {}", path(size)),
            Self::Media(form, path) => format!("GET {} as {form}", path(size)),
            Self::Query(text) => text(size),
        };
        text.chars().take(120).collect()
    }
}

/// Replaces `@N` in the strings on the first level with the number of the repetition. `@N+7` becomes a number that is
/// larger by 7.
fn numbered(arguments: &Value, time: &str) -> Value {
    let mut arguments = arguments.clone();
    for value in arguments
        .as_object_mut()
        .into_iter()
        .flat_map(|it| it.values_mut())
    {
        match value {
            Value::String(text) if text.starts_with("@N+") => {
                let numbers = [time, &text[3..]].map(|it| it.parse::<u64>().unwrap_or(0));
                *value = numbers.iter().sum::<u64>().into();
            }
            Value::String(text) if text.len() < 100 => *text = text.replace("@N", time),
            _ => {}
        }
    }
    arguments
}
