//! The languages, and what people write in them.

/// A unit with its length in seconds, and what it is called in a table of words.
pub const UNITS: [(&str, u64); 7] = [
    ("second", 1),
    ("minute", 60),
    ("hour", 3_600),
    ("day", 86_400),
    ("week", 604_800),
    ("month", 2_592_000),
    ("year", 31_536_000),
];

/// A language: its code and name, and for each unit the words, of which the library began with the first.
pub struct Language {
    pub code: &'static str,
    pub name: &'static str,
    pub words: [&'static [&'static str]; 7],
}

pub const LANGUAGES: [Language; 10] = [
    Language {
        code: "cy",
        name: "Welsh",
        words: [
            &["eiliad", "eiliadau", "eil"],
            &["munud", "munudau", "funud", "mun"],
            &["awr", "oriau", "or"],
            &["diwrnod", "diwrnodau", "dydd", "ddiwrnod"],
            &["wythnos", "wythnosau", "wyth"],
            &["mis", "misoedd", "fis"],
            &["blwyddyn", "blynyddoedd", "flynedd", "blynedd"],
        ],
    },
    Language {
        code: "da",
        name: "Danish",
        words: [
            &["sekund", "sekunder", "sek", "sek."],
            &["minut", "minutter", "min", "min."],
            &["time", "timer", "t", "timen"],
            &["dag", "dage", "døgn"],
            &["uge", "uger", "ugen"],
            &["måned", "måneder", "mdr", "md."],
            &["år", "året"],
        ],
    },
    Language {
        code: "de",
        name: "German",
        words: [
            &["sekunde", "sekunden", "sek", "sek."],
            &["minute", "minuten", "min", "min."],
            &["stunde", "stunden", "std", "std.", "h"],
            &["tag", "tage", "tagen"],
            &["woche", "wochen", "wo."],
            &["monat", "monate", "monaten", "mon."],
            &["jahr", "jahre", "jahren", "j."],
        ],
    },
    Language {
        code: "en",
        name: "English",
        words: [
            &["second", "seconds", "sec", "secs", "s"],
            &["minute", "minutes", "min", "mins"],
            &["hour", "hours", "h", "hr", "hrs"],
            &["day", "days", "d"],
            &["week", "weeks", "wk", "wks"],
            &["month", "months", "mo"],
            &["year", "years", "yr", "yrs"],
        ],
    },
    Language {
        code: "es",
        name: "Spanish",
        words: [
            &["segundo", "segundos", "seg"],
            &["minuto", "minutos", "min"],
            &["hora", "horas", "h"],
            &["día", "días", "dia", "dias"],
            &["semana", "semanas", "sem"],
            &["mes", "meses"],
            &["año", "años"],
        ],
    },
    Language {
        code: "fr",
        name: "French",
        words: [
            &["seconde", "secondes", "sec", "s"],
            &["minute", "minutes", "min", "mn"],
            &["heure", "heures", "h"],
            &["jour", "jours", "j", "journée"],
            &["semaine", "semaines", "sem"],
            &["mois"],
            &["an", "ans", "année", "années"],
        ],
    },
    Language {
        code: "it",
        name: "Italian",
        words: [
            &["secondo", "secondi", "sec"],
            &["minuto", "minuti", "min"],
            &["ora", "ore", "h"],
            &["giorno", "giorni", "gg"],
            &["settimana", "settimane", "sett"],
            &["mese", "mesi"],
            &["anno", "anni"],
        ],
    },
    Language {
        code: "nl",
        name: "Dutch",
        words: [
            &["seconde", "seconden", "sec", "sec."],
            &["minuut", "minuten", "min", "min."],
            &["uur", "uren", "u", "uurtje"],
            &["dag", "dagen", "etmaal"],
            &["week", "weken", "wk"],
            &["maand", "maanden", "mnd"],
            &["jaar", "jaren", "jr"],
        ],
    },
    Language {
        code: "pl",
        name: "Polish",
        words: [
            &["sekunda", "sekundy", "sekund", "sek"],
            &["minuta", "minuty", "minut", "min"],
            &["godzina", "godziny", "godzin", "godz"],
            &["dzień", "dni", "doba", "doby"],
            &["tydzień", "tygodnie", "tygodni"],
            &["miesiąc", "miesiące", "miesięcy"],
            &["rok", "lata", "lat"],
        ],
    },
    Language {
        code: "sv",
        name: "Swedish",
        words: [
            &["sekund", "sekunder", "sek"],
            &["minut", "minuter", "min"],
            &["timme", "timmar", "tim", "h"],
            &["dag", "dagar", "dygn"],
            &["vecka", "veckor", "v"],
            &["månad", "månader", "mån"],
            &["år", "året"],
        ],
    },
];

pub fn words_path(code: &str) -> String {
    format!("lib/fortnight/words/{code}.rb")
}

pub fn cases_path(code: &str) -> String {
    format!("test/cases/{code}.csv")
}

/// A line of the table of words.
pub fn word_line(word: &str, unit: &str) -> String {
    format!("      \"{word}\" => :{unit},\n")
}

/// The table of words with which a language begins.
pub fn table(language: &Language) -> String {
    let lines: String = UNITS
        .iter()
        .zip(language.words)
        .map(|((unit, _), words)| word_line(words[0], unit))
        .collect();
    format!(
        "# frozen_string_literal: true\n\nmodule Fortnight\n  module Words\n    # {}\n    {} = {{\n{lines}    }}.freeze\n  end\nend\n",
        language.name,
        language.code.to_uppercase()
    )
}

/// The cases with which a language begins.
pub fn cases(language: &Language) -> String {
    let hour = language.words[2][0];
    let day = language.words[3][0];
    format!("1 {hour},3600\n1 {day},86400\n1 {day} 1 {hour},90000\n")
}
