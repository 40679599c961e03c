//! Objects of the store that attempts refer to, as needed by garbage collection and export.

use std::collections::{BTreeSet, HashMap};

use mcpmark_snapshot::Digest;

use super::{Journal, JournalError};

/// Objects of the store that one try of an attempt needs. Abandoned tries need theirs too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptNeeds {
    /// Id of the attempt.
    pub attempt: String,
    /// Name of its experiment.
    pub experiment: String,
    /// Digests of trees: the starting state and the final state.
    pub trees: Vec<Digest>,
    /// Digest of the agent's last message. The store has it if the verifier sees the answer.
    pub answer: Option<Digest>,
    /// Digests of the verifiers of its grades.
    pub verifiers: Vec<Digest>,
    /// Digests of the grading terms of its grades.
    pub terms: Vec<Digest>,
}

/// Object of the store that an attempt needs, by its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeededObject {
    /// Starting state or final state.
    Tree(Digest),
    /// Last message of the agent. The store has it if the verifier sees the answer.
    Answer(Digest),
    /// Verifier of a grade. Verifiers of grades without terms were not stored.
    Verifier(Digest),
    /// Terms of a grade. They refer to further objects.
    Terms(Digest),
}

impl AttemptNeeds {
    /// Returns all objects.
    pub fn objects(&self) -> impl Iterator<Item = NeededObject> {
        // Without `..`: a new field does not compile until it is classified.
        let Self {
            attempt: _,
            experiment: _,
            trees,
            answer,
            verifiers,
            terms,
        } = self;
        let trees = trees.iter().copied().map(NeededObject::Tree);
        let answer = answer.iter().copied().map(NeededObject::Answer);
        let verifiers = verifiers.iter().copied().map(NeededObject::Verifier);
        let terms = terms.iter().copied().map(NeededObject::Terms);
        trees.chain(answer).chain(verifiers).chain(terms)
    }
}

impl Journal {
    /// Returns the digests of the manifests of the bundles that contain the tasks of experiments.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
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

    /// Returns the needs of all attempts, ordered by id.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
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
