//! The rules of the redaction guide, each a text made from a text.

/// A person or phrase of the case: its form, and the tag that takes its place, if one does.
pub type Form = (String, Option<String>);

/// Puts `[PRIVILEGED]` in the place of the paragraphs with these numbers.
pub fn privilege(text: &str, paragraphs: &str) -> String {
    let hidden: Vec<(usize, usize)> = paragraphs
        .split(';')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse().expect("paragraphs have numbers");
            (number(first), number(last))
        })
        .collect();
    let (mut lines, mut paragraph, mut inside) = (Vec::new(), 0, false);
    for line in text.lines() {
        let begins = !line.is_empty() && !inside;
        inside = !line.is_empty();
        if begins {
            paragraph += 1;
        }
        let is_hidden = inside
            && hidden
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&paragraph));
        if !is_hidden {
            lines.push(line);
        } else if begins {
            lines.push("[PRIVILEGED]");
        }
    }
    lines.join("\n") + "\n"
}

/// Replaces what `find` finds, from left to right. It is given all characters and a position,
/// and gives the end of a match that begins there with what takes its place.
fn replace(text: &str, find: impl Fn(&[char], usize) -> Option<(usize, String)>) -> String {
    let letters: Vec<char> = text.chars().collect();
    let (mut at, mut result) = (0, String::new());
    while at < letters.len() {
        match find(&letters, at) {
            Some((end, tag)) => {
                result += &tag;
                at = end;
            }
            None => {
                result.push(letters[at]);
                at += 1;
            }
        }
    }
    result
}

fn is_digit(letters: &[char], at: usize) -> bool {
    letters.get(at).is_some_and(char::is_ascii_digit)
}

/// A sort code, a blank and eight digits.
pub fn accounts(text: &str) -> String {
    const SHAPE: &str = "dd-dd-dd dddddddd";
    replace(text, |letters, at| {
        let fits = SHAPE.chars().enumerate().all(|(index, shape)| match shape {
            'd' => is_digit(letters, at + index),
            other => letters.get(at + index) == Some(&other),
        });
        let end = at + SHAPE.len();
        let stands_alone = (at == 0 || !is_digit(letters, at - 1)) && !is_digit(letters, end);
        (fits && stands_alone).then(|| (end, "[ACCOUNT]".to_owned()))
    })
}

/// Addresses of others.
pub fn addresses(text: &str) -> String {
    let in_domain = |letter: &char| letter.is_alphanumeric() || ".-".contains(*letter);
    let in_name = |letter: &char| in_domain(letter) || *letter == '_';
    replace(text, |letters, at| {
        if at > 0 && in_name(&letters[at - 1]) {
            return None;
        }
        let sign = at
            + letters[at..]
                .iter()
                .take_while(|letter| in_name(letter))
                .count();
        if sign == at || letters.get(sign) != Some(&'@') {
            return None;
        }
        let after = &letters[sign + 1..];
        let mut end = sign + 1 + after.iter().take_while(|letter| in_domain(letter)).count();
        if end == sign + 1 {
            return None;
        }
        if letters[end - 1] == '.' {
            end -= 1;
        }
        let address: String = letters[at..end].iter().collect();
        let is_ours = address.ends_with("@tolliver-ashe.example");
        Some((
            end,
            if is_ours {
                address
            } else {
                "[E-MAIL]".to_owned()
            },
        ))
    })
}

/// `0` and ten digits, or `+44` and ten digits, with blanks between them.
pub fn telephones(text: &str) -> String {
    replace(text, |letters, at| {
        let touches = |letter: Option<&char>| {
            letter.is_some_and(|letter| letter.is_alphanumeric() || *letter == '-')
        };
        if at > 0 && touches(letters.get(at - 1)) {
            return None;
        }
        let mut end = if letters[at] == '0' {
            at + 1
        } else if letters[at..].starts_with(&['+', '4', '4']) {
            at + 3
        } else {
            return None;
        };
        for _ in 0..10 {
            if letters.get(end) == Some(&' ') {
                end += 1;
            }
            if !is_digit(letters, end) {
                return None;
            }
            end += 1;
        }
        (!touches(letters.get(end))).then(|| (end, "[TELEPHONE]".to_owned()))
    })
}

/// Dates behind a word that makes them the date of somebody's birth.
pub fn births(text: &str) -> String {
    const WORDS: [&str; 6] = [
        "born: ",
        "born ",
        "date of birth: ",
        "date of birth ",
        "dob: ",
        "dob ",
    ];
    replace(text, |letters, at| {
        if !is_digit(letters, at) {
            return None;
        }
        let before: String = letters[at.saturating_sub(15)..at].iter().collect();
        let before = before.to_lowercase();
        if !WORDS.iter().any(|word| before.ends_with(word)) {
            return None;
        }
        let end = numeric_date(letters, at).or_else(|| worded_date(letters, at))?;
        (!is_digit(letters, end)).then(|| (end, "[BORN]".to_owned()))
    })
}

fn numeric_date(letters: &[char], at: usize) -> Option<usize> {
    let fits = |shape: &&str| {
        shape.chars().enumerate().all(|(index, shape)| match shape {
            'd' => is_digit(letters, at + index),
            other => letters.get(at + index) == Some(&other),
        })
    };
    ["dd/dd/dddd", "dddd-dd-dd"]
        .iter()
        .find(|shape| fits(shape))
        .map(|shape| at + shape.len())
}

fn worded_date(letters: &[char], at: usize) -> Option<usize> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let rest: String = letters[at..].iter().take(20).collect();
    let (day, rest) = rest.split_once(' ')?;
    let (month, rest) = rest.split_once(' ')?;
    let year: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let is_day = (1..=2).contains(&day.len()) && day.bytes().all(|byte| byte.is_ascii_digit());
    (is_day && MONTHS.contains(&month) && year.len() == 4).then(|| at + day.len() + month.len() + 6)
}

/// People who are hidden; phrases to keep stand among the forms without a tag.
pub fn people(text: &str, forms: &[Form]) -> String {
    let spelled = forms
        .iter()
        .map(|(form, tag)| (form.chars().collect(), tag));
    let spelled: Vec<(Vec<char>, &Option<String>)> = spelled.collect();
    replace(text, |letters, at| {
        let touches = |letter: Option<&char>| {
            letter.is_some_and(|letter| letter.is_alphanumeric() || *letter == '-')
        };
        if at > 0 && touches(letters.get(at - 1)) {
            return None;
        }
        let mut longest: Option<(usize, String)> = None;
        for (form, tag) in &spelled {
            let end = at + form.len();
            let stands = letters[at..].starts_with(form) && !touches(letters.get(end));
            if stands && longest.as_ref().is_none_or(|(other, _)| end > *other) {
                let kept = || form.iter().collect();
                longest = Some((end, (*tag).clone().unwrap_or_else(kept)));
            }
        }
        longest
    })
}
