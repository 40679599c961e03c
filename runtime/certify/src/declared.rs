//! Conditions on the checks that a task declares: each cites a sentence that demands it, each sentence of the
//! instruction has a check, and near misses fail at a check that is about the mutated place.

use globset::{Glob, GlobSet, GlobSetBuilder};
use mcpmark_kinds::text_of_file;
use mcpmark_sandbox::Verdict;
use mcpmark_service::error_chain;
use mcpmark_task::{Citation, DeclaredCheck, Task, VariantKind};

use crate::certification_run::CertificationRun;
use crate::certifier::CertifyError;
use crate::mutation::Mutant;
use crate::points::{CHECKS_CITE, DEMANDS_HAVE_CHECKS, INTENDED_CHECK, READINGS_DECIDED};
use crate::style::{sentences, without_marker};

/// Minimum number of words of a citation. Shorter ones occur by coincidence.
const LEAST_WORDS: usize = 3;
/// Maximum length of a citation in characters: one long sentence.
const LONGEST: usize = 300;
/// Maximum number of problems in the detail of a condition.
const SHOWN: usize = 3;

impl CertificationRun<'_> {
    /// Checks the citations of the declared checks, given the names of the verifier's checks. Nothing is examined if
    /// the task declares no checks.
    pub(crate) fn citations(&mut self, names: &[String]) -> Result<(), CertifyError> {
        let task = self.task;
        let declared = &task.meta.checks;
        if declared.is_empty() {
            return Ok(());
        }
        let mut problems: Vec<String> = names
            .iter()
            .filter(|name| !declared.contains_key(*name))
            .map(|name| format!("check {name:?} is not under \"checks\" in meta.json"))
            .collect();
        let mut count = 0;
        for (name, check) in declared {
            if !names.contains(name) {
                problems.push(format!("the verifier does not have the check {name:?}"));
            }
            if check.cites.is_empty() {
                problems.push(format!("check {name:?} cites nothing"));
            }
            for citation in &check.cites {
                count += 1;
                if let Some(problem) = self.citation(citation)? {
                    problems.push(format!("check {name:?}: {problem}"));
                }
            }
        }
        let passed = format!("{count} citations of {} checks", declared.len());
        self.check(CHECKS_CITE, problems.is_empty(), detail(&problems, passed));

        let cited = declared.values().flat_map(|check| &check.cites);
        let problems = demands(&task.instruction, cited, &task.meta.context);
        let sentences = sentences(&task.instruction).len();
        let passed = format!(
            "{sentences} sentences, {} of them context",
            task.meta.context.len()
        );
        self.check(
            DEMANDS_HAVE_CHECKS,
            problems.is_empty(),
            detail(&problems, passed),
        );
        Ok(())
    }

    /// Checks the other readings of the instruction: variants that follow one have passed, and each excluded reading is
    /// a cheat whose sentence is found. Nothing is examined if the task has neither.
    pub(crate) fn readings(&mut self) -> Result<(), CertifyError> {
        let task = self.task;
        let accepted = task.meta.variants.values();
        let accepted = accepted.filter(|kind| **kind == VariantKind::Reading);
        let accepted = accepted.count();
        let excluded = &task.meta.excluded;
        if accepted == 0 && excluded.is_empty() {
            return Ok(());
        }
        let mut problems = Vec::new();
        for (cheat, citation) in excluded {
            if !task.cheats.iter().any(|(name, _)| name == cheat) {
                problems.push(format!("the task does not have the cheat {cheat:?}"));
            }
            if let Some(problem) = self.citation(citation)? {
                problems.push(format!("cheat {cheat:?}: {problem}"));
            }
        }
        problems.extend(self.failed_readings.iter().cloned());
        let passed = format!("{accepted} accepted, {} excluded", excluded.len());
        self.check(
            READINGS_DECIDED,
            problems.is_empty(),
            detail(&problems, passed),
        );
        Ok(())
    }

    /// Returns the problem of a citation, or `None` if its text is where it should be.
    fn citation(&self, citation: &Citation) -> Result<Option<String>, CertifyError> {
        let Some(place) = &citation.place else {
            let instruction = Some(self.task.instruction.as_str());
            return Ok(problem(&citation.text, "the instruction", instruction));
        };
        let start = self.snapshot(&self.prepared.start.tree);
        let text = match &self.prepared.start.kind {
            Some(kind) => kind
                .text_at(&start, self.scratch.parent(), place)
                .map_err(|error| CertifyError::Host(error_chain(&error)))?,
            None => text_of_file(&start, place)
                .map_err(|error| CertifyError::Host(error_chain(&error)))?,
        };
        Ok(problem(
            &citation.text,
            &format!("{place:?}"),
            text.as_deref(),
        ))
    }

    /// Checks that each rejected near miss fails at a check that is about the mutated place. Nothing is examined if no
    /// declared check is about a place.
    pub(crate) fn intended(&mut self, rejected: &[(&Mutant, &Verdict)]) {
        let subjects = match Subjects::of(self.task) {
            Ok(subjects) => subjects,
            Err(problem) => return self.check(INTENDED_CHECK, false, problem),
        };
        if subjects.0.is_empty() {
            return;
        }
        let problems: Vec<String> = rejected
            .iter()
            .filter_map(|(mutant, verdict)| {
                let failed = verdict.checks().iter().filter(|check| !check.passed);
                let failed: Vec<&str> = failed.map(|check| check.name.as_str()).collect();
                let problem = subjects.problem(&mutant.path, &failed)?;
                Some(format!("{} of {}: {problem}", mutant.mutation, mutant.path))
            })
            .collect();
        let passed = format!("{} near misses", rejected.len());
        self.check(
            INTENDED_CHECK,
            problems.is_empty(),
            detail(&problems, passed),
        );
    }
}

/// Places that the declared checks are about, by name of the check.
struct Subjects(Vec<(String, GlobSet)>);

impl Subjects {
    fn of(task: &Task) -> Result<Self, String> {
        let about = |(name, check): (&String, &DeclaredCheck)| {
            let mut globs = GlobSetBuilder::new();
            for glob in &check.about {
                globs.add(Glob::new(glob).map_err(|error| format!("check {name:?}: {error}"))?);
            }
            let globs = globs
                .build()
                .map_err(|error| format!("check {name:?}: {error}"))?;
            Ok((name.clone(), globs))
        };
        let declared = task.meta.checks.iter();
        let declared = declared.filter(|(_, check)| !check.about.is_empty());
        declared.map(about).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the problem of a near miss at `place` that these checks reject, or `None` if one of them is about the
    /// place.
    fn problem(&self, place: &str, failed: &[&str]) -> Option<String> {
        let about: Vec<&str> = self
            .0
            .iter()
            .filter(|(_, globs)| globs.is_match(place))
            .map(|(name, _)| name.as_str())
            .collect();
        if about.iter().any(|name| failed.contains(name)) {
            return None;
        }
        Some(if about.is_empty() {
            "no check is about the place".to_owned()
        } else {
            format!(
                "expected one of {} to fail, but only {} did",
                quoted(&about),
                quoted(failed)
            )
        })
    }
}

/// Returns the problem of a citation of a text, `None` if the text contains it. `place` is its name in messages.
fn problem(cited: &str, place: &str, text: Option<&str>) -> Option<String> {
    let cited = normal(cited);
    if cited.split(' ').count() < LEAST_WORDS {
        return Some(format!(
            "expected a citation of at least {LEAST_WORDS} words, found {cited:?}"
        ));
    }
    let length = cited.chars().count();
    if length > LONGEST {
        return Some(format!(
            "expected a citation of at most {LONGEST} characters, found one of {length}; cite one sentence"
        ));
    }
    match text {
        None => Some(format!(
            "expected {place} to be a text file of the starting world, found no file or a binary file"
        )),
        Some(text) if !normal(text).contains(&cited) => {
            Some(format!("{place} does not contain {cited:?}"))
        }
        Some(_) => None,
    }
}

/// Returns the problems of an instruction that demands what no check cites. A sentence is demanded if a citation
/// contains it or is a part of it. Each entry of `context` must be exactly one sentence, so that neither a word excuses a
/// sentence, nor one entry the whole instruction.
fn demands<'a>(
    instruction: &str,
    cited: impl Iterator<Item = &'a Citation>,
    context: &[String],
) -> Vec<String> {
    let cited: Vec<String> = cited
        .filter(|citation| citation.place.is_none())
        .map(|citation| normal(&citation.text))
        .collect();
    let context: Vec<String> = context
        .iter()
        .map(|text| normal(without_marker(text)))
        .collect();
    let whole = normal(instruction);
    let sentences: Vec<String> = sentences(instruction)
        .iter()
        .map(|sentence| normal(sentence))
        .collect();
    let missing = context
        .iter()
        .filter_map(|text| context_problem(text, &sentences, &whole));
    let open = sentences
        .iter()
        .filter(|sentence| {
            let is_part = |text: &String| text.contains(sentence.as_str());
            let has_part = |text: &String| !text.is_empty() && sentence.contains(text.as_str());
            !context.contains(sentence) && !cited.iter().any(|it| is_part(it) || has_part(it))
        })
        .map(|sentence| {
            format!("no check cites {sentence:?}; add it to \"context\" if it demands nothing")
        });
    missing.chain(open).collect()
}

/// Returns the problem of an entry of `context`, or `None` if it is exactly one sentence of the instruction.
fn context_problem(text: &str, sentences: &[String], whole: &str) -> Option<String> {
    // A heading without letters is no sentence, and needs no entry.
    if sentences.iter().any(|sentence| sentence == text)
        || (whole.contains(text) && !text.contains(char::is_alphabetic))
    {
        return None;
    }
    let contained = sentences
        .iter()
        .filter(|sentence| text.contains(sentence.as_str()))
        .count();
    Some(if !whole.contains(text) {
        format!("the instruction does not contain {text:?} of \"context\"")
    } else if contained > 0 {
        format!(
            "expected one sentence in each entry of \"context\", found more in {text:?}; add an entry for each sentence"
        )
    } else {
        format!(
            "expected one sentence in each entry of \"context\", found the part {text:?}; add the whole sentence"
        )
    })
}

/// Returns a text with each run of white space as one space.
pub(crate) fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Formats names as a list in quotes.
fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

/// Returns the detail of a condition: its first problems, or `passed` if there are none.
pub(crate) fn detail(problems: &[String], passed: String) -> String {
    if problems.is_empty() {
        return passed;
    }
    let shown = &problems[..problems.len().min(SHOWN)];
    match problems.len() - shown.len() {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_found_whatever_their_line_breaks() {
        let rules = Some("# Hours\n\nAdd up minutes, and\n  round the sum at the end.\n");
        let problem = |cited| problem(cited, "\"README.txt\"", rules);
        assert_eq!(
            problem("Add up minutes, and round the sum at the end."),
            None
        );
        assert_eq!(problem("round the\nsum"), None);
        assert_eq!(
            problem("round each shift").unwrap(),
            "\"README.txt\" does not contain \"round each shift\""
        );
        assert_eq!(
            problem("the sum").unwrap(),
            "expected a citation of at least 3 words, found \"the sum\""
        );
        let long = "word ".repeat(70);
        assert!(
            problem(&long)
                .unwrap()
                .starts_with("expected a citation of at most 300")
        );
    }

    #[test]
    fn a_missing_place_is_named() {
        let problem = problem("add up minutes", "\"#12\"", None).unwrap();
        assert!(
            problem.starts_with("expected \"#12\" to be a text"),
            "{problem}"
        );
    }

    #[test]
    fn near_misses_need_a_failed_check_that_is_about_their_place() {
        let globs = |glob| {
            let mut globs = GlobSetBuilder::new();
            globs.add(Glob::new(glob).unwrap());
            globs.build().unwrap()
        };
        let subjects = Subjects(vec![
            ("the hours".to_owned(), globs("reports/*.csv")),
            ("nothing else changed".to_owned(), globs("rest/**")),
        ]);
        let place = "reports/hours.csv";
        assert_eq!(subjects.problem(place, &["the hours"]), None);
        assert_eq!(
            subjects.problem(place, &["nothing else changed"]).unwrap(),
            "expected one of \"the hours\" to fail, but only \"nothing else changed\" did"
        );
        assert_eq!(
            subjects.problem("notes.txt", &["the hours"]).unwrap(),
            "no check is about the place"
        );
    }

    #[test]
    fn each_sentence_is_cited_or_whole_in_the_context() {
        let instruction = "Hi Ada, the fair is over.\n\nAdd up the\nhours. Send the sum to Bo.";
        let citation = |text: &str| Citation {
            place: None,
            text: text.to_owned(),
        };
        let cited = [citation("Add up the hours."), citation("the sum to Bo")];
        let demands = |cited: &[Citation], context: &[&str]| {
            let context: Vec<String> = context.iter().map(|text| (*text).to_owned()).collect();
            demands(instruction, cited.iter(), &context)
        };
        let whole = ["Hi Ada, the fair is over."];
        assert_eq!(demands(&cited, &whole), Vec::<String>::new());
        assert_eq!(
            demands(&cited[..1], &whole),
            ["no check cites \"Send the sum to Bo.\"; add it to \"context\" if it demands nothing"]
        );
        // A word of a sentence does not excuse it, and neither does an entry of several.
        assert_eq!(
            demands(&cited, &["the fair is over."]),
            [
                "expected one sentence in each entry of \"context\", found the part \"the fair is over.\"; add the \
                 whole sentence",
                "no check cites \"Hi Ada, the fair is over.\"; add it to \"context\" if it demands nothing"
            ]
        );
        let all = demands(&[], &[instruction]);
        assert_eq!(all.len(), 4);
        assert!(
            all[0].contains("found more in \"Hi Ada, the fair is over. Add up"),
            "{all:?}"
        );
        assert!(
            all[0].ends_with("; add an entry for each sentence"),
            "{all:?}"
        );
        // The mark of a list item is not a part of the sentence.
        assert_eq!(
            demands(&cited, &["- Hi Ada,\nthe fair is over."]),
            Vec::<String>::new()
        );
        assert_eq!(
            demands(&cited, &["12. Hi Ada, the fair is over."]),
            Vec::<String>::new()
        );
        assert_eq!(
            demands(&cited, &["Hi Ada, the fair is over.", "Thanks!"]),
            ["the instruction does not contain \"Thanks!\" of \"context\""]
        );
        let elsewhere = Citation {
            place: Some("README.txt".to_owned()),
            ..citation("Send the sum to Bo.")
        };
        assert_eq!(
            demands(&[citation("Add up the hours."), elsewhere], &whole).len(),
            1
        );
    }

    #[test]
    fn further_problems_are_counted() {
        let problems: Vec<String> = (1..=5).map(|number| format!("problem {number}")).collect();
        assert_eq!(
            detail(&problems, String::new()),
            "problem 1; problem 2; problem 3; and 2 more"
        );
        assert_eq!(detail(&[], "4 near misses".to_owned()), "4 near misses");
    }
}
