//! Language of a text, by the share of its most common words.

/// A language that [`is_in`](crate::Found::is_in) can tell from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
}

/// Common words of each language, in small letters without accents.
const COMMON: [(Language, &str); 6] = [
    (
        Language::English,
        " the and of to is that it for with was are this be have from not at by were has been which their they but \
         will after before you we our there as an all its he she had who when please then than also until since \
         should would can ",
    ),
    (
        Language::German,
        " der die das und ist nicht ein eine mit auf fur von dem den im zu sich auch wurde werden bei nach wir sie \
         haben hat oder aber wird sind aus uber zum zur vor noch nur bis ",
    ),
    (
        Language::French,
        " le les et est une pour dans qui sur avec ce pas sont au aux nous vous ont ete par plus cette mais ou ils \
         elle leur apres avant a deux tout sans du ",
    ),
    (
        Language::Spanish,
        " el los las y es para por una que con del se ha fue este esta como pero mas son al hay sin sobre cuando \
         han despues antes hasta desde ",
    ),
    (
        Language::Italian,
        " il gli e di della che per un nel con sono non alla dei delle stato questo anche piu dopo prima come dal \
         degli nella hanno ",
    ),
    (
        Language::Dutch,
        " het een van en dat niet voor zijn met op te aan door ook naar bij wordt werd deze maar nog uit heeft zij \
         hebben na tot ",
    ),
];

/// Counts the common words of each language, the most frequent language first.
pub(super) fn counts<'a>(words: impl Iterator<Item = &'a str>) -> Vec<(Language, usize)> {
    let mut counts: Vec<(Language, usize)> =
        COMMON.iter().map(|(language, _)| (*language, 0)).collect();
    let mut needle = String::new();
    for word in words.filter(|word| word.len() <= 8) {
        needle.clear();
        needle.push(' ');
        needle.push_str(word);
        needle.push(' ');
        for (at, (_, list)) in COMMON.iter().enumerate() {
            counts[at].1 += usize::from(list.contains(&needle));
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
