//! The tools, REST routes and GraphQL queries of the github service.

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

/// One call, by what it is asked through.
enum Call {
    /// A tool of both profiles or of one, and its arguments for a size.
    Tool(&'static [&'static str], &'static str, fn(usize) -> Value),
    /// Tools one after the other, each with its arguments: what the first does the last undoes, or another is there
    /// for each time.
    Steps(&'static [&'static str], fn(usize) -> Vec<Step>),
    /// A tool that refuses whatever it is asked.
    Refused(&'static [&'static str], &'static str, fn(usize) -> Value),
    /// A REST request: method, path below the repository, body.
    Rest(&'static str, fn(usize) -> String, fn(usize) -> Value),
    /// A GET in one of GitHub's media types, such as `diff`, and its path below the repository.
    Media(&'static str, fn(usize) -> String),
    /// A query of GraphQL.
    Query(fn(usize) -> String),
}

/// A tool and its arguments.
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

/// A query about the repository.
fn query(fields: &str) -> String {
    format!("{{repository(owner: \"acme\", name: \"demo\") {{{fields}}}}}")
}

/// One case for each dimension: all calls on a world, which is made once for each size.
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

/// The tools of a profile that some case asks for what they do not refuse.
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
    /// Whether it is measured with a profile: what is the same in both is measured once.
    fn is_of(&self, profile: &str) -> bool {
        match self {
            Self::Tool(profiles, ..) | Self::Steps(profiles, _) | Self::Refused(profiles, ..) => {
                profiles.contains(&profile)
            }
            Self::Rest(..) | Self::Media(..) | Self::Query(_) => profile == V0,
        }
    }

    /// The call as it is made again and again. `@N` stands for the number of the time.
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

    /// The tools that it calls.
    fn tools(&self) -> Vec<&'static str> {
        match self {
            Self::Tool(_, tool, _) | Self::Refused(_, tool, _) => vec![tool],
            Self::Steps(_, steps) => steps(1).into_iter().map(|(tool, _)| tool).collect(),
            Self::Rest(..) | Self::Media(..) | Self::Query(_) => Vec::new(),
        }
    }

    /// The start of what is asked.
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

/// Arguments with the number of the time in the texts of their first level; `@N+7` is a number
/// that is larger by 7.
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
