//! Playback of sequences on both servers, and the search for the shortest sequence that shows a difference.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_snapshot::Store;
use serde_json::{Value, json};

use crate::calls::{Call, ROOT, Sequence};
use crate::differences::{self, Exchange};
use crate::peers::{Ours, Peer, Real};

/// Protocol version of the played sequences.
pub(crate) const PROTOCOL: &str = "2025-06-18";

/// Counts of compared calls and allowed differences.
#[derive(Default)]
pub(crate) struct Summary {
    pub(crate) sequences: usize,
    pub(crate) calls: usize,
    pub(crate) failing: usize,
    pub(crate) by_tool: BTreeMap<String, usize>,
    pub(crate) allowed: BTreeMap<&'static str, (usize, &'static str)>,
}

/// Difference that is not allowed.
#[derive(Debug)]
pub(crate) struct Difference {
    /// Subject of the difference, such as the tool.
    pub(crate) about: String,
    pub(crate) real: String,
    pub(crate) ours: String,
}

/// Both servers and their directories.
pub(crate) struct Stage {
    pub(crate) profile: &'static str,
    pub(crate) script: PathBuf,
    pub(crate) scratch: PathBuf,
    real: Real,
    store: Arc<Store>,
}

impl Stage {
    pub(crate) fn new(profile: &'static str, script: PathBuf, scratch: &Path) -> Self {
        let store = Store::open(scratch.join("store")).expect("the scratch directory is ours");
        Self {
            profile,
            real: Real::start(&script, &real_root(scratch), Some(PROTOCOL)),
            script,
            scratch: scratch.to_owned(),
            store: Arc::new(store),
        }
    }

    /// Starts both servers without a handshake.
    pub(crate) fn strangers(&self, name: &str) -> (Real, Ours) {
        let root = self.scratch.join(name).join("workspace");
        let real = Real::start(&self.script, &root, None);
        (real, self.ours(&Sequence::empty(), None))
    }

    fn ours(&self, sequence: &Sequence, version: Option<&str>) -> Ours {
        Ours::start(
            self.profile,
            (&sequence.world, &sequence.limits),
            &self.store,
            &self.scratch,
            version,
        )
    }

    /// Plays a sequence and returns its first difference that is not allowed.
    pub(crate) fn play(
        &mut self,
        sequence: &Sequence,
        summary: &mut Summary,
    ) -> Option<Difference> {
        self.real.reset(&sequence.world);
        let mut ours = self.ours(sequence, Some(PROTOCOL));
        summary.sequences += 1;
        let mut difference = None;
        let mut parted = false;
        for call in &sequence.calls {
            let real_answer = ask(&mut self.real, call);
            let our_answer = ask(&mut ours, call);
            summary.calls += 1;
            summary.failing += usize::from(differences::failed(&real_answer));
            *summary.by_tool.entry(call.tool.clone()).or_default() += 1;
            let exchange = Exchange {
                profile: self.profile,
                call,
                real: &real_answer,
                ours: &our_answer,
            };
            match summary.judge(&exchange) {
                Ok(false) => {}
                Ok(true) => {
                    parted = true;
                    break;
                }
                Err(found) => {
                    difference = Some(found);
                    break;
                }
            }
        }
        if difference.is_none() && !parted {
            difference = self.compare_states(&mut ours);
        }
        ours.close();
        difference
    }

    fn compare_states(&mut self, ours: &mut Ours) -> Option<Difference> {
        let (real, ours) = (self.real.state(), ours.state());
        let path = real.differences(&ours).into_iter().next()?;
        Some(Difference {
            about: format!("final state of {path:?}"),
            real: real.describe(&path),
            ours: ours.describe(&path),
        })
    }

    /// Returns the shortest sequence that still shows a difference of the same kind, found by removing calls and
    /// entries of the world one by one.
    pub(crate) fn shrink(&mut self, sequence: &Sequence, about: &str) -> Sequence {
        let mut shortest = sequence.clone();
        let mut shows = |candidate: &Sequence| {
            let found = self.play(candidate, &mut Summary::default());
            found.is_some_and(|found| kind(&found.about) == kind(about))
        };
        loop {
            let before = (shortest.calls.len(), shortest.world.0.len());
            for at in (0..shortest.calls.len()).rev() {
                let mut candidate = shortest.clone();
                candidate.calls.remove(at);
                if shows(&candidate) {
                    shortest = candidate;
                }
            }
            let paths: Vec<String> = shortest.world.0.keys().cloned().collect();
            for path in paths {
                let mut candidate = shortest.clone();
                candidate.world.0.remove(&path);
                if shows(&candidate) {
                    shortest = candidate;
                }
            }
            if (shortest.calls.len(), shortest.world.0.len()) == before {
                return shortest;
            }
        }
    }
}

/// Returns the kind of a difference: its subject without the path of the differing entry.
fn kind(about: &str) -> &str {
    about.split(" of ").next().unwrap_or(about)
}

fn real_root(scratch: &Path) -> PathBuf {
    scratch.join("real").join("workspace")
}

impl Summary {
    /// Returns true if an allowed exception makes the worlds differ from here on.
    ///
    /// # Errors
    ///
    /// Returns the difference if it is not allowed.
    pub(crate) fn judge(&mut self, exchange: &Exchange<'_>) -> Result<bool, Difference> {
        if exchange.real == exchange.ours {
            return Ok(false);
        }
        if let Some(masks) = differences::masked(exchange.real, exchange.ours) {
            for mask in masks {
                self.allow(mask.name, mask.reason);
            }
            return Ok(false);
        }
        if let Some(exception) = differences::exception(exchange) {
            self.allow(exception.name, exception.reason);
            return Ok(exception.parts_ways);
        }
        Err(Difference {
            about: exchange.call.tool.clone(),
            real: exchange.real.to_string(),
            ours: exchange.ours.to_string(),
        })
    }

    fn allow(&mut self, name: &'static str, reason: &'static str) {
        self.allowed.entry(name).or_insert((0, reason)).0 += 1;
    }
}

fn ask(peer: &mut impl Peer, call: &Call) -> Value {
    let mut arguments = call.arguments.clone();
    let root = peer.root().to_owned();
    replace(&mut arguments, &|text| text.replace(ROOT, &root));
    let params = json!({"name": call.tool, "arguments": arguments});
    let mut answer = peer.request("tools/call", &params);
    neutral(&mut answer, &root);
    answer
}

/// Replaces the root in an answer of the real server, whose root is some levels deeper, with the root of our server.
fn neutral(answer: &mut Value, root: &str) {
    let above = root.strip_suffix("/workspace").unwrap_or_default();
    if above.is_empty() {
        return;
    }
    let (below, inside) = (format!("{above}/"), percent_encoded(above));
    replace(answer, &|text| {
        let text = text.replace(&below, "/").replace(above, "/");
        text.replace(&format!("file://{inside}/"), "file:///")
    });
}

/// Escapes only spaces, which is enough because the test chooses the scratch directory.
fn percent_encoded(path: &str) -> String {
    path.replace(' ', "%20")
}

fn replace(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, change)),
        Value::Object(object) => object.values_mut().for_each(|item| replace(item, change)),
        _ => {}
    }
}
