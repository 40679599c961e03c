//! `bundle diff`: comparison of two bundles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mcpmark_bundle::open::{FetchDepth, Opened};
use mcpmark_bundle::{
    CERTIFICATE, CertificateConfig, Change, GuestConfig, INSTRUCTION, TaskArtifact,
};
use mcpmark_metadata::{self as metadata, BundleDifferences, ExitCode};
use mcpmark_snapshot::Digest;
use mcpmark_task::GuestRole;
use serde_json::Value;
use similar::TextDiff;

use super::{document, look};
use crate::bundles::open_error;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{self, sanitise, unified};

/// Differences between two bundles.
pub(super) struct Report {
    before: Digest,
    after: Digest,
    pub(super) same: bool,
    added: Vec<String>,
    removed: Vec<String>,
    /// Imports of guests that no guest had before.
    gained: Vec<String>,
    /// Imports that no guest has any more.
    lost: Vec<String>,
    changed: Vec<Changed>,
}

struct Changed {
    task: String,
    /// Unified diff of the instruction.
    instruction: Option<String>,
    guests: Vec<ChangedGuest>,
    /// Keys of `meta.json` whose values differ, including limits and parameters.
    meta: BTreeMap<String, Change<Value>>,
    world: Option<Change<Digest>>,
    certificate: Option<Change<Option<CertificateConfig>>>,
    texts: Option<Change<Vec<u8>>>,
}

struct ChangedGuest {
    role: String,
    before: Option<Digest>,
    after: Option<Digest>,
    /// New value of `held_back`, if it changed.
    held_back: Option<bool>,
    gained: Vec<String>,
    lost: Vec<String>,
}

/// Prints the differences between two bundles.
pub(super) fn diff(
    context: &Context,
    places: [&Path; 2],
    full: bool,
    json: bool,
) -> Result<ExitCode, CommandError> {
    let bundles = context.bundles();
    let [before, after] = places.map(|place| bundles.open(place, FetchDepth::Everything));
    let report = report(&before?, &after?)?;
    if json {
        output::print_json(&report.document())?;
    } else {
        output::print(&report.text(full))?;
    }
    Ok(if report.same {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// Compares two bundles.
pub(super) fn report(before: &Opened, after: &Opened) -> Result<Report, CommandError> {
    let ids = |opened: &Opened| -> BTreeSet<String> {
        let tasks = opened.bundle.tasks.iter();
        tasks.map(|task| task.id.to_string()).collect()
    };
    let (old, new) = (ids(before), ids(after));
    let mut changed = Vec::new();
    for task in &before.bundle.tasks {
        let Some(other) = after.bundle.task(&task.id) else {
            continue;
        };
        if task.descriptor.digest != other.descriptor.digest {
            changed.push(compare((task, before), (other, after))?);
        }
    }
    let asked = (imports(before), imports(after));
    Ok(Report {
        before: before.bundle.root.digest,
        after: after.bundle.root.digest,
        same: before.bundle.root.digest == after.bundle.root.digest,
        added: new.difference(&old).cloned().collect(),
        removed: old.difference(&new).cloned().collect(),
        gained: asked.1.difference(&asked.0).cloned().collect(),
        lost: asked.0.difference(&asked.1).cloned().collect(),
        changed,
    })
}

/// Returns the imports of all guests of a bundle, including those of tasks that only this bundle has.
fn imports(opened: &Opened) -> BTreeSet<String> {
    let bundle = &opened.bundle;
    let of_tasks = bundle.tasks.iter().flat_map(|task| &task.config.guests);
    let of_worlds = bundle.worlds.values();
    let of_worlds = of_worlds.flat_map(|world| world.config.guests.iter());
    let of_worlds = of_worlds.map(|(_, guest)| guest);
    let guests = of_tasks.chain(of_worlds);
    guests.flat_map(|guest| guest.imports.clone()).collect()
}

fn compare(
    (before, old): (&TaskArtifact, &Opened),
    (after, new): (&TaskArtifact, &Opened),
) -> Result<Changed, CommandError> {
    let parts = (&before.config.parts, &after.config.parts);
    let read = |task: &TaskArtifact, opened: &Opened| {
        let bytes = task.read(&*opened.source, INSTRUCTION);
        bytes.map_err(open_error)
    };
    let texts = if parts.0.instruction == parts.1.instruction {
        None
    } else {
        Some(Change {
            before: read(before, old)?.unwrap_or_default(),
            after: read(after, new)?.unwrap_or_default(),
        })
    };
    let instruction = texts.as_ref().map(|texts| {
        let [before, after] = [&texts.before, &texts.after].map(|it| String::from_utf8_lossy(it));
        let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
        diff.unified_diff().header("before", "after").to_string()
    });
    let of_worlds = GuestRole::ALL.iter().map(|role| role.as_str());
    let guests = ["verifier", "interpreter", "solution"].into_iter();
    let guests = guests.chain(of_worlds).filter_map(|role| {
        let (before, after) = (guest(before, old, role), guest(after, new, role));
        let digest = |guest: Option<&GuestConfig>| guest.map(|guest| guest.digest);
        let imports = |guest: Option<&GuestConfig>| -> BTreeSet<String> {
            guest.map_or_else(BTreeSet::new, |it| it.imports.iter().cloned().collect())
        };
        let (old, new) = (imports(before), imports(after));
        let [was, is] = [before, after].map(|guest| guest.map(|guest| guest.held_back));
        (before != after).then(|| ChangedGuest {
            role: role.to_owned(),
            before: digest(before),
            after: digest(after),
            held_back: is.filter(|_| was.is_some() && was != is),
            gained: new.difference(&old).cloned().collect(),
            lost: old.difference(&new).cloned().collect(),
        })
    });
    let keys: BTreeSet<&String> = parts.0.meta.keys().chain(parts.1.meta.keys()).collect();
    let meta = keys.into_iter().filter_map(|key| {
        let value = |meta: &serde_json::Map<String, Value>| meta.get(key).cloned();
        let (before, after) = (value(&parts.0.meta), value(&parts.1.meta));
        (before != after).then(|| {
            let change = Change {
                before: before.unwrap_or(Value::Null),
                after: after.unwrap_or(Value::Null),
            };
            (key.clone(), change)
        })
    });
    let snapshots = (parts.0.world.snapshot, parts.1.world.snapshot);
    let certificate = |task: &TaskArtifact| task.layer(CERTIFICATE).map(|layer| layer.digest);
    let certificates = (certificate(before), certificate(after));
    Ok(Changed {
        task: before.id.to_string(),
        instruction,
        guests: guests.collect(),
        meta: meta.collect(),
        world: Change::between(snapshots.0, snapshots.1),
        certificate: (certificates.0 != certificates.1).then(|| Change {
            before: before.config.certificate.clone(),
            after: after.config.certificate.clone(),
        }),
        texts,
    })
}

/// Returns the guest with a role, either of a task or of its world.
fn guest<'o>(task: &'o TaskArtifact, opened: &'o Opened, role: &str) -> Option<&'o GuestConfig> {
    let mut roles = GuestRole::ALL.iter();
    let Some(role) = roles.find(|known| known.as_str() == role) else {
        return task.guest(role);
    };
    let world = opened.bundle.worlds.get(&task.config.world.digest)?;
    world.config.guests.get(*role)
}

impl Report {
    pub(super) fn document(&self) -> BundleDifferences {
        BundleDifferences {
            before: self.before.to_string(),
            after: self.after.to_string(),
            same: self.same,
            added: self.added.clone(),
            removed: self.removed.clone(),
            gained: self.gained.clone(),
            lost: self.lost.clone(),
            changed: self.changed.iter().map(Changed::document).collect(),
        }
    }

    pub(super) fn text(&self, full: bool) -> String {
        if self.same {
            return format!("identical: {}\n", self.before);
        }
        let mut text = String::new();
        for (imports, word, style) in [
            (&self.gained, "imports", output::BAD),
            (&self.lost, "no longer imports", output::GOOD),
        ] {
            for import in imports {
                let line = format!("the suite {word} {}", sanitise::line(import));
                text.push_str(&format!("{}\n", output::paint(style, line)));
            }
        }
        for (tasks, mark, style) in [
            (&self.removed, "-", output::BAD),
            (&self.added, "+", output::GOOD),
        ] {
            for task in tasks {
                text.push_str(&format!("{} task {task}\n", output::paint(style, mark)));
            }
        }
        for task in &self.changed {
            text.push_str(&task.text(full));
        }
        if text.is_empty() {
            text.push_str("no task differs; only the name of the suite or its packaging differs\n");
        }
        text
    }
}

/// Describes the change of a certificate.
fn certificate_change(change: &Change<Option<CertificateConfig>>) -> String {
    let words = |side: &Option<CertificateConfig>| side.as_ref().map(look::certificate_summary);
    match (words(&change.before), words(&change.after)) {
        (Some(before), Some(after)) if before == after => {
            format!("replaced, with the same result: {after}")
        }
        (None, None) => "replaced".to_owned(),
        (before, after) => {
            let word = |side: Option<String>| side.unwrap_or_else(|| "none".to_owned());
            format!("{} → {}", word(before), word(after))
        }
    }
}

impl ChangedGuest {
    fn document(&self) -> metadata::ChangedGuest {
        metadata::ChangedGuest {
            role: self.role.clone(),
            before: self.before.map(|digest| digest.to_string()),
            after: self.after.map(|digest| digest.to_string()),
            held_back: self.held_back,
            gained: self.gained.clone(),
            lost: self.lost.clone(),
        }
    }
}

impl Changed {
    fn document(&self) -> metadata::ChangedTask {
        let meta = self.meta.iter();
        let meta = meta.map(|(key, change)| (key.clone(), document::change(change, Value::clone)));
        let summary = |side: &Option<CertificateConfig>| side.as_ref().map(document::summary);
        let certificate = self.certificate.as_ref();
        metadata::ChangedTask {
            task: self.task.clone(),
            instruction: self.instruction.clone(),
            guests: self.guests.iter().map(ChangedGuest::document).collect(),
            meta: meta.collect(),
            world: self
                .world
                .as_ref()
                .map(|world| document::change(world, Digest::to_string)),
            certificate: certificate.map(|sides| document::change(sides, summary)),
        }
    }

    fn text(&self, full: bool) -> String {
        let title = format!(
            "{}\n",
            output::paint(output::BOLD, format!("~ task {}", self.task))
        );
        let mut text = title.clone();
        for guest in &self.guests {
            let short = |digest: &Option<Digest>| match digest {
                Some(digest) => output::short(&digest.to_string()).to_owned(),
                None => "none".to_owned(),
            };
            let (before, after) = (short(&guest.before), short(&guest.after));
            let role = &guest.role;
            let digests = if before == after {
                after
            } else {
                format!("{before} → {after}")
            };
            let held_back = match guest.held_back {
                None => "",
                Some(true) => ", now held back",
                Some(false) => ", no longer held back",
            };
            text.push_str(&format!("  {role}: {digests}{held_back}\n"));
            for (imports, word, style) in [
                (&guest.gained, "imports", output::BAD),
                (&guest.lost, "no longer imports", output::GOOD),
            ] {
                for import in imports {
                    let line = format!("{word} {}", sanitise::line(import));
                    text.push_str(&format!("    {}\n", output::paint(style, line)));
                }
            }
        }
        for (key, change) in &self.meta {
            let line = format!("{key}: {} → {}", change.before, change.after);
            text.push_str(&format!("  {}\n", sanitise::line(&line)));
        }
        if let Some(Change { before, after }) = &self.world {
            text.push_str(&format!("  world: {before} → {after}\n"));
        }
        if let Some(Change { before, after }) = &self.texts {
            text.push_str("  instruction:\n");
            text.push_str(&unified::diff(Some(before), Some(after), full));
        }
        if let Some(change) = &self.certificate {
            let line = certificate_change(change);
            text.push_str(&format!("  certificate: {line}\n"));
        }
        if text == title {
            text.push_str("  only the description or packaging of the task or its world differs\n");
        }
        text
    }
}
