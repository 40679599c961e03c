/// Beginning and end of a text whose middle is cut out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MiddleCut<'a> {
    /// Beginning of the text.
    pub head: &'a str,
    /// End of the text.
    pub tail: &'a str,
    /// Number of bytes between them.
    pub left_out: usize,
}

impl<'a> MiddleCut<'a> {
    /// Cuts the middle out of a text so that at most `most` bytes are left, half of them at each end. Cuts are between
    /// characters. Returns `None` if the text is not longer than `most`.
    pub fn of(text: &'a str, most: usize) -> Option<Self> {
        if text.len() <= most {
            return None;
        }
        let head = text.floor_char_boundary(most - most / 2);
        let tail = text.ceil_char_boundary(text.len() - most / 2);
        Some(Self {
            head: &text[..head],
            tail: &text[tail..],
            left_out: tail - head,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_stay_within_the_bound_and_fall_between_characters() {
        for text in ["", "plain text", "é漢🦀\né漢🦀", "🦀🦀🦀🦀🦀", "aé"] {
            for most in 0..=text.len() + 2 {
                let Some(cut) = MiddleCut::of(text, most) else {
                    assert!(text.len() <= most, "{text:?} {most}");
                    continue;
                };
                let MiddleCut {
                    head,
                    tail,
                    left_out,
                } = cut;
                assert!(head.len() + tail.len() <= most, "{text:?} {most}");
                assert_eq!(head.len() + left_out + tail.len(), text.len());
                assert!(text.starts_with(head) && text.ends_with(tail));
                // At most one character is lost at each cut.
                assert!(left_out <= text.len() - most + 6, "{text:?} {most}");
            }
        }
    }
}
