//! Tables of words: numbers, months, units, currencies.

/// Suffixes of file names that are paths even without a directory.
pub(super) const EXTENSIONS: [&str; 27] = [
    "md", "txt", "rs", "py", "js", "ts", "json", "toml", "yaml", "yml", "csv", "html", "css", "sh",
    "log", "conf", "cfg", "ini", "xml", "pdf", "docx", "xlsx", "sql", "go", "lock", "eml", "tsv",
];
/// Words that a hyphen joins to a number.
pub(super) const PREFIXES: [&str; 12] = [
    "mid", "pre", "post", "non", "under", "over", "early", "late", "issue", "pr", "sub", "of",
];

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];
const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
const TENTHS: [&str; 8] = [
    "twentieth",
    "thirtieth",
    "fortieth",
    "fiftieth",
    "sixtieth",
    "seventieth",
    "eightieth",
    "ninetieth",
];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Part of a number in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberWord {
    /// 0 to 19.
    One(u64),
    /// 20, 30 to 90.
    Ten(u64),
    /// 12, 100, 1,000, 1,000,000.
    Factor(u64),
}

/// Returns the part of a number that a word stands for, and whether it is an ordinal.
pub(super) fn number(word: &str) -> Option<(NumberWord, bool)> {
    let at = |list: &[&str]| list.iter().position(|it| *it == word).map(|at| at as u64);
    if let Some(value) = at(&ONES) {
        return Some((NumberWord::One(value), false));
    }
    if let Some(value) = at(&ORDINALS) {
        return Some((NumberWord::One(value), true));
    }
    if let Some(value) = at(&TENS) {
        return Some((NumberWord::Ten(20 + 10 * value), false));
    }
    if let Some(value) = at(&TENTHS) {
        return Some((NumberWord::Ten(20 + 10 * value), true));
    }
    Some(match word {
        "dozen" => (NumberWord::Factor(12), false),
        "hundred" => (NumberWord::Factor(100), false),
        "hundredth" => (NumberWord::Factor(100), true),
        "thousand" => (NumberWord::Factor(1_000), false),
        "million" => (NumberWord::Factor(1_000_000), false),
        _ => return None,
    })
}

/// Returns the value of a word that counts, but often without stating a number.
pub(super) fn soft_number(word: &str) -> Option<u64> {
    match word {
        "no" | "none" | "nil" | "nothing" | "nobody" => Some(0),
        "single" | "once" | "sole" => Some(1),
        "both" | "couple" | "pair" | "twice" => Some(2),
        _ => None,
    }
}

/// Returns true if a word stands for a part of the text that counts it: "two things to note".
pub(super) fn is_part_of_text(word: &str) -> bool {
    matches!(
        word,
        "note"
            | "notes"
            | "thing"
            | "things"
            | "point"
            | "points"
            | "remark"
            | "remarks"
            | "topics"
            | "words"
    )
}

/// Returns the number of a month from its name or its usual abbreviation.
pub(super) fn month(word: &str) -> Option<i8> {
    let index = MONTHS.iter().position(|name| {
        *name == word
            || (word.len() == 3 && name.starts_with(word))
            || (word == "sept" && *name == "september")
    });
    index.and_then(|at| i8::try_from(at + 1).ok())
}

/// Returns true if the word is the whole name of a month, and nothing else.
pub(super) fn is_clear_month(word: &str) -> bool {
    MONTHS.contains(&word) && !matches!(word, "march" | "may" | "august")
}

/// Returns the number of a weekday, 1 for Monday, and whether its name is whole.
pub(super) fn weekday(word: &str) -> Option<(i8, bool)> {
    let index = WEEKDAYS.iter().position(|name| {
        *name == word
            || (word.len() >= 3 && word.len() <= 5 && name.starts_with(word))
            || (word.ends_with('s') && *name == &word[..word.len() - 1])
    })?;
    Some((i8::try_from(index + 1).ok()?, word.ends_with("day")))
}

/// Returns the standard name of a unit.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" => "second",
        "ms" | "millisecond" | "milliseconds" => "millisecond",
        "min" | "mins" | "minute" | "minutes" => "minute",
        "h" | "hr" | "hrs" | "hour" | "hours" => "hour",
        "d" | "day" | "days" => "day",
        "wk" | "week" | "weeks" => "week",
        "month" | "months" => "month",
        "yr" | "yrs" | "year" | "years" => "year",
        "byte" | "bytes" => "byte",
        "kb" | "kib" => "kb",
        "mb" | "mib" => "mb",
        "gb" | "gib" => "gb",
        "tb" | "tib" => "tb",
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => "km",
        "m" | "metre" | "metres" | "meter" | "meters" => "m",
        "cm" | "centimetre" | "centimetres" => "cm",
        "mm" | "millimetre" | "millimetres" => "mm",
        "kg" | "kilo" | "kilos" | "kilogram" | "kilograms" => "kg",
        "g" | "gram" | "grams" => "g",
        "l" | "litre" | "litres" | "liter" | "liters" => "l",
        "ml" => "ml",
        "°c" | "°" | "degrees" | "degree" => "°c",
        "kwh" => "kwh",
        "kw" => "kw",
        _ => return None,
    })
}

const SYMBOLS: [(&str, &str); 10] = [
    ("US$", "USD"),
    ("A$", "AUD"),
    ("CA$", "CAD"),
    ("C$", "CAD"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₩", "KRW"),
];

pub(super) fn currency_symbol(text: &str) -> Option<&'static str> {
    SYMBOLS
        .iter()
        .find(|(symbol, _)| *symbol == text)
        .map(|(_, code)| *code)
}

pub(super) fn is_currency_char(char: char) -> bool {
    matches!(char, '$' | '€' | '£' | '¥' | '₹' | '₩')
}

/// Returns the currency in front of a number, and the rest of the text.
pub(super) fn leading_currency(text: &str) -> (Option<&'static str>, &str) {
    for (symbol, code) in SYMBOLS {
        if let Some(rest) = text.strip_prefix(symbol) {
            return (Some(code), rest);
        }
    }
    (None, text)
}

/// Returns the code of a currency from its name or its code in small letters.
pub(super) fn currency_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "eur" | "euro" | "euros" => "EUR",
        "usd" | "dollar" | "dollars" => "USD",
        "gbp" | "pound" | "pounds" | "quid" => "GBP",
        "chf" | "franc" | "francs" => "CHF",
        "jpy" | "yen" => "JPY",
        "sek" => "SEK",
        "nok" => "NOK",
        "dkk" => "DKK",
        "pln" | "zloty" => "PLN",
        "czk" => "CZK",
        "cad" => "CAD",
        "aud" => "AUD",
        "inr" | "rupee" | "rupees" => "INR",
        // "Won" is more often a verb: "we won 14 games".
        "krw" => "KRW",
        _ => return None,
    })
}

/// Returns a text in small letters without accents, as words are compared.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for char in text.chars().flat_map(char::to_lowercase) {
        let plain = match char {
            'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
            'ç' | 'ć' | 'č' | 'ĉ' => "c",
            'ď' | 'đ' | 'ð' => "d",
            'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => "e",
            'ğ' | 'ģ' => "g",
            'ì'..='ï' | 'ī' | 'į' | 'ı' => "i",
            'ł' | 'ľ' | 'ļ' => "l",
            'ñ' | 'ń' | 'ň' | 'ņ' => "n",
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => "o",
            'ř' => "r",
            'ś' | 'š' | 'ş' | 'ș' => "s",
            'ť' | 'ț' | 'ţ' => "t",
            'ù'..='ü' | 'ū' | 'ů' | 'ű' | 'ų' => "u",
            'ý' | 'ÿ' => "y",
            'ź' | 'ż' | 'ž' => "z",
            'ß' => "ss",
            'æ' => "ae",
            'œ' => "oe",
            '\u{300}'..='\u{36f}' => "",
            _ => {
                folded.push(char);
                continue;
            }
        };
        folded.push_str(plain);
    }
    folded
}
