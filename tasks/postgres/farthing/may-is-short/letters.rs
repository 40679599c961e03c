//! Conditions on letters, and their test with texts.

use mcpmark_guest::prose::Language;
use mcpmark_guest::{Condition, Found};

use crate::facts::Letter;

/// All conditions on a letter, with their names.
pub fn conditions(text: &Found<String>, letter: &Letter) -> Vec<(String, Condition)> {
    let prose = text.prose();
    let mut all = letter.facts.conditions(&prose);
    all.push(("its length".to_owned(), prose.words_between(20, 240)));
    all.push(("its language".to_owned(), prose.is_in(Language::English)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts;
    use mcpmark_guest::prose::samples;

    #[test]
    fn letters_are_judged_by_their_facts() {
        let files = [
            include_str!("rosa.txt"),
            include_str!("tomas.txt"),
            include_str!("iveta.txt"),
        ];
        let (mut right, mut wrong, mut mistakes) = (0, 0, Vec::new());
        for (file, letter) in files.into_iter().zip(facts::all()) {
            for sample in samples(file) {
                let text = Found::new("the letter", Ok(sample.text.clone()));
                let failed: Vec<(String, String)> = conditions(&text, &letter)
                    .into_iter()
                    .filter(|(_, condition)| !condition.passed())
                    .map(|(name, condition)| (name, condition.detail().to_owned()))
                    .collect();
                let fits = match &sample.fails {
                    None => failed.is_empty(),
                    Some(check) => failed.iter().any(|(name, _)| name == check),
                };
                match &sample.fails {
                    None => right += 1,
                    Some(_) => wrong += 1,
                }
                if !fits {
                    mistakes.push(format!("{} {}: {failed:?}", letter.to, sample.name));
                }
            }
        }
        assert!(right >= 20 && wrong >= 20, "{right} right, {wrong} wrong");
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }
}
