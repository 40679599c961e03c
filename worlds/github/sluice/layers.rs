//! Texts in layers: one file of the code base with everything that it ever was.
//!
//! A line `%% 3` begins lines that are there from stage 3 on, `%% 2-4` such that are there at the
//! stages 2 to 4. `{{name}}` stands for a setting of the file, `[[name]]` for a word of a template
//! that several files are made from.

/// The text at a stage, its settings not yet filled in.
pub fn at_stage(layers: &str, stage: u8) -> String {
    let mut shown = true;
    let mut text = String::new();
    for line in layers.lines() {
        match line.strip_prefix("%% ") {
            Some(range) => shown = contains(range, stage),
            None if shown => {
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    text
}

fn contains(range: &str, stage: u8) -> bool {
    let number = |text: &str| text.parse::<u8>().expect("stages are numbers");
    match range.split_once('-') {
        Some((first, last)) => (number(first)..=number(last)).contains(&stage),
        None => stage >= number(range),
    }
}

/// Fills in what stands between two marks.
pub fn fill<'a>(
    text: &str,
    open: &str,
    close: &str,
    value: impl Fn(&str) -> Option<&'a str>,
) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let (name, behind) = after.split_once(close).expect("marks are closed");
        filled.push_str(before);
        filled.push_str(value(name).unwrap_or_else(|| panic!("{name} has no value")));
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_come_and_go() {
        let layers = "a\n%% 1-2\nb\n%% 2\nc\n%% 1\nd\n";
        assert_eq!(at_stage(layers, 1), "a\nb\nd\n");
        assert_eq!(at_stage(layers, 2), "a\nb\nc\nd\n");
        assert_eq!(at_stage(layers, 3), "a\nc\nd\n");
    }

    #[test]
    fn settings_are_filled_in() {
        let text = fill("x = {{x}}, {{y}}\n", "{{", "}}", |name| {
            Some(if name == "x" { "1" } else { "2" })
        });
        assert_eq!(text, "x = 1, 2\n");
    }
}
