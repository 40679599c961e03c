//! What attempts need of the store.

use std::collections::{BTreeSet, HashMap};

use mcpmark_snapshot::Digest;

use super::{Journal, JournalError};

/// What one attempt needs, also one that was tried again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptNeeds {
    /// The attempt.
    pub attempt: String,
    /// Its experiment.
    pub experiment: String,
    /// Trees: what it started from and what it left.
    pub trees: Vec<Digest>,
    /// The digest of the agent's last message, which is in the store where it was judged.
    pub answer: Option<Digest>,
    /// Those who judged it.
    pub verifiers: Vec<Digest>,
    /// The documents of what its grades follow from.
    pub terms: Vec<Digest>,
}

impl Journal {
    /// The bundles that the tasks of experiments come from, by the digests of their manifests.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn bundles(&self) -> Result<BTreeSet<Digest>, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT DISTINCT spec ->> '$.published.bundle' FROM experiments WHERE json_valid(spec)",
        )?;
        let mut rows = query.query([])?;
        let mut bundles = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let text: Option<String> = row.get(0)?;
            bundles.extend(text.and_then(|text| text.parse::<Digest>().ok()));
        }
        Ok(bundles)
    }

    /// What every attempt needs, in the order of their ids.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn needs(&self) -> Result<Vec<AttemptNeeds>, JournalError> {
        let connection = self.lock();
        let digest = |text: Option<String>| text.and_then(|text| text.parse::<Digest>().ok());
        let mut query = connection.prepare(
            "SELECT a.id, e.name, a.world, a.state, a.answer
             FROM attempts a JOIN experiments e ON e.id = a.experiment ORDER BY a.id",
        )?;
        let mut rows = query.query([])?;
        let mut needs = Vec::new();
        let mut places = HashMap::new();
        while let Some(row) = rows.next()? {
            let id: String = row.get(0)?;
            let answer: Option<String> = row.get(4)?;
            places.insert(id.clone(), needs.len());
            needs.push(AttemptNeeds {
                attempt: id,
                experiment: row.get(1)?,
                trees: digest(row.get(2)?)
                    .into_iter()
                    .chain(digest(row.get(3)?))
                    .collect(),
                answer: answer.map(|text| Digest::of(text.as_bytes())),
                ..AttemptNeeds::default()
            });
        }
        let mut query = connection.prepare("SELECT attempt, verifier, terms FROM grades")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let attempt: String = row.get(0)?;
            let Some(of) = places.get(&attempt).and_then(|place| needs.get_mut(*place)) else {
                continue;
            };
            let add = |list: &mut Vec<Digest>, text: Option<String>| {
                if let Some(digest) = digest(text).filter(|digest| !list.contains(digest)) {
                    list.push(digest);
                }
            };
            add(&mut of.verifiers, row.get(1)?);
            add(&mut of.terms, row.get(2)?);
        }
        Ok(needs)
    }
}
