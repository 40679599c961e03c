//! What a change of one text is on another that differs from it elsewhere.

/// The lines around a change that must be the same.
const CONTEXT: usize = 2;

/// Makes the one change between two texts on a third.
///
/// # Panics
/// When its surroundings are not in the third text exactly once: the world is broken then.
pub fn transplant(old: &str, new: &str, there: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let there = lines(there);
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - head;
    let pairs = old.iter().rev().zip(new.iter().rev());
    let tail = pairs.take(room).take_while(|(a, b)| a == b).count();
    let from = head.saturating_sub(CONTEXT);
    let until = (old.len() - tail + CONTEXT).min(old.len());
    let wanted = &old[from..until];
    let places: Vec<usize> = (0..=there.len().saturating_sub(wanted.len()))
        .filter(|at| there[*at..].starts_with(wanted))
        .collect();
    let [at] = places.as_slice() else {
        panic!("{wanted:?} is there {} times", places.len());
    };
    let kept = new.len() - (old.len() - until);
    let mut all: Vec<&str> = there[..*at].to_vec();
    all.extend(&new[from..kept]);
    all.extend(&there[at + wanted.len()..]);
    all.concat()
}

/// The lines of a text with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::transplant;

    #[test]
    fn a_change_is_made_where_its_surroundings_are() {
        let (old, new) = ("a\nb\nc\nd\ne\n", "a\nb\nX\nY\nd\ne\n");
        assert_eq!(
            transplant(old, new, "0\na\nb\nc\nd\ne\nf\n"),
            "0\na\nb\nX\nY\nd\ne\nf\n"
        );
    }

    #[test]
    fn lines_are_added_at_the_end() {
        assert_eq!(
            transplant("a\nb\nc\n", "a\nb\nc\nd\n", "x\nb\nc\n"),
            "x\nb\nc\nd\n"
        );
    }
}
