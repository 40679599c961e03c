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

/// A language: its code and name, and for each unit the words, of which the library began with the first two.
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
            &["eiliad", "eiliadau", "eil", "eil.", "secs"],
            &["munud", "munudau", "funud", "mun", "mun."],
            &["awr", "oriau", "or", "a.", "awren"],
            &["diwrnod", "diwrnodau", "dydd", "ddiwrnod", "dyddiau"],
            &["wythnos", "wythnosau", "wyth", "wythn."],
            &["mis", "misoedd", "fis", "mi."],
            &["blwyddyn", "blynyddoedd", "flynedd", "blynedd", "bl."],
        ],
    },
    Language {
        code: "da",
        name: "Danish",
        words: [
            &["sekund", "sekunder", "sek", "sek.", "sekundet"],
            &["minut", "minutter", "min", "min.", "minuttet"],
            &["time", "timer", "t", "timen", "tim."],
            &["dag", "dage", "døgn", "dagen", "dg."],
            &["uge", "uger", "ugen", "u."],
            &["måned", "måneder", "mdr", "md.", "mdr."],
            &["år", "års", "året", "årene"],
        ],
    },
    Language {
        code: "de",
        name: "German",
        words: [
            &["sekunde", "sekunden", "sek", "sek.", "s"],
            &["minute", "minuten", "min", "min.", "minütchen"],
            &["stunde", "stunden", "std", "std.", "h", "stündchen"],
            &["tag", "tage", "tagen", "tg.", "d"],
            &["woche", "wochen", "wo.", "wo"],
            &["monat", "monate", "monaten", "mon.", "mt."],
            &["jahr", "jahre", "jahren", "j.", "jährchen"],
        ],
    },
    Language {
        code: "en",
        name: "English",
        words: [
            &["second", "seconds", "sec", "secs", "s", "sec."],
            &["minute", "minutes", "min", "mins", "min."],
            &["hour", "hours", "h", "hr", "hrs", "hr."],
            &["day", "days", "d", "dy"],
            &["week", "weeks", "wk", "wks", "wk."],
            &["month", "months", "mo", "mth", "mths"],
            &["year", "years", "yr", "yrs", "yr."],
        ],
    },
    Language {
        code: "es",
        name: "Spanish",
        words: [
            &["segundo", "segundos", "seg", "seg.", "s"],
            &["minuto", "minutos", "min", "min.", "minutitos"],
            &["hora", "horas", "h", "hs", "horita"],
            &["día", "días", "dia", "dias", "d"],
            &["semana", "semanas", "sem", "sem."],
            &["mes", "meses", "m."],
            &["año", "años", "a.", "añito"],
        ],
    },
    Language {
        code: "fr",
        name: "French",
        words: [
            &["seconde", "secondes", "sec", "s", "sec."],
            &["minute", "minutes", "min", "mn", "min."],
            &["heure", "heures", "h", "hrs"],
            &["jour", "jours", "j", "journée", "journées"],
            &["semaine", "semaines", "sem", "sem."],
            &["mois", "moi", "m."],
            &["an", "ans", "année", "années"],
        ],
    },
    Language {
        code: "it",
        name: "Italian",
        words: [
            &["secondo", "secondi", "sec", "sec.", "s"],
            &["minuto", "minuti", "min", "min.", "minutino"],
            &["ora", "ore", "h", "oretta", "orette"],
            &["giorno", "giorni", "gg", "g", "giornata"],
            &["settimana", "settimane", "sett", "sett."],
            &["mese", "mesi", "mm"],
            &["anno", "anni", "a."],
        ],
    },
    Language {
        code: "nl",
        name: "Dutch",
        words: [
            &["seconde", "seconden", "sec", "sec.", "s"],
            &["minuut", "minuten", "min", "min.", "minuutje"],
            &["uur", "uren", "u", "uurtje", "uurtjes"],
            &["dag", "dagen", "etmaal", "etmalen", "dgn"],
            &["week", "weken", "wk", "wkn"],
            &["maand", "maanden", "mnd", "mnd."],
            &["jaar", "jaren", "jr", "jr."],
        ],
    },
    Language {
        code: "pl",
        name: "Polish",
        words: [
            &["sekunda", "sekundy", "sekund", "sek", "sek."],
            &["minuta", "minuty", "minut", "min", "min."],
            &["godzina", "godziny", "godzin", "godz", "godz."],
            &["dzień", "dni", "doba", "doby", "dób"],
            &["tydzień", "tygodnie", "tygodni", "tyg", "tyg."],
            &["miesiąc", "miesiące", "miesięcy", "mies", "mies."],
            &["rok", "lata", "lat", "roku"],
        ],
    },
    Language {
        code: "sv",
        name: "Swedish",
        words: [
            &["sekund", "sekunder", "sek", "sek.", "sekunden"],
            &["minut", "minuter", "min", "min.", "minuten"],
            &["timme", "timmar", "tim", "tim.", "h"],
            &["dag", "dagar", "dygn", "dygnet"],
            &["vecka", "veckor", "v", "v."],
            &["månad", "månader", "mån", "mån."],
            &["år", "åren", "året"],
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
        .flat_map(|((unit, _), words)| words[..2].iter().map(move |word| word_line(word, unit)))
        .collect();
    format!(
        "# frozen_string_literal: true\n\nmodule Fortnight\n  module Words\n    # {}\n    {} = {{\n{lines}    }}.freeze\n  end\nend\n",
        language.name,
        language.code.to_uppercase()
    )
}

/// The cases with which a language begins.
pub fn cases(language: &Language) -> String {
    let [hour, hours, ..] = language.words[2] else {
        panic!("each unit begins with two words");
    };
    let day = language.words[3][0];
    format!("1 {hour},3600\n3 {hours},10800\n1 {day},86400\n1 {day} 1 {hour},90000\n")
}
