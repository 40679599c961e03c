//! Eleven weeks of shows.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, DateTime, date};
use mcpmark_guest::{Random, World};

use crate::house::{CLOSED, Film, SCREENS};
use crate::rows::Rows;

/// First Friday and last Thursday of the programme.
const FIRST: Date = date(2026, 1, 2);
const LAST: Date = date(2026, 3, 19);
/// Time at which attempts begin.
pub const NOW: DateTime = date(2026, 3, 9).at(9, 0, 0, 0);
/// Evening of the power cut at Canal Yard.
pub const DARK: Date = date(2026, 3, 7);
/// Full show at The Dome.
pub const FULL: DateTime = date(2026, 3, 14).at(20, 15, 0, 0);
/// Screen of the full show.
pub const CELLAR: usize = 11;

/// Thursdays with a show of `The Salt Road` after midnight at Brook Hall, at both ends of a playing week.
pub const MIDNIGHT: [Date; 2] = [date(2026, 2, 26), date(2026, 3, 5)];
/// Auditorium of these shows.
pub const MIDNIGHT_SCREEN: usize = 3;

/// A screening. Its id is its position from 1.
#[derive(Clone)]
pub struct Show {
    /// Position of the auditorium.
    pub screen: usize,
    /// Position of the film.
    pub film: usize,
    pub starts: DateTime,
    pub version: Option<&'static str>,
    pub status: &'static str,
}

impl Show {
    pub fn is_upcoming(&self) -> bool {
        self.starts > NOW
    }

    pub fn cinema(&self) -> &'static str {
        SCREENS[self.screen].cinema
    }
}

/// Returns the shows, sorted by time and auditorium.
pub fn shows(random: &mut Random, films: &[Film]) -> Vec<Show> {
    let mut shows = Vec::new();
    let mut friday = FIRST;
    while friday < LAST {
        for screen in 0..SCREENS.len() {
            week(random, films, friday, screen, &mut shows);
        }
        friday = friday + 7.days();
    }
    shows.sort_by_key(|show: &Show| (show.starts, show.screen));
    shows
}

fn week(random: &mut Random, films: &[Film], friday: Date, screen: usize, shows: &mut Vec<Show>) {
    // Films that are out by the end of the week; the newest ones have the most shows.
    let mut out: Vec<(usize, u32)> = films
        .iter()
        .enumerate()
        .filter(|(_, film)| film.released <= friday)
        .map(|(at, film)| {
            let weeks = (friday - film.released).get_days() / 7;
            let weight = if film.released.year() < 2000 {
                2
            } else {
                (40 / (weeks + 1)).max(1)
            };
            (at, weight as u32)
        })
        .collect();
    let mut playing = Vec::new();
    while playing.len() < 3 {
        let film = *random.weighted(&out);
        out.retain(|(at, _)| *at != film);
        playing.push(film);
    }
    for day in 0..7 {
        let day = friday + i64::from(day).days();
        if SCREENS[screen].cinema == "FER" && day > CLOSED {
            return;
        }
        let weekend = matches!(day.weekday().to_monday_one_offset(), 6 | 7);
        let late = matches!(day.weekday().to_monday_one_offset(), 5 | 6);
        let mut slots = vec![day.at(17, 30, 0, 0), day.at(20, 15, 0, 0)];
        if weekend {
            slots.extend([day.at(11, 0, 0, 0), day.at(14, 30, 0, 0)]);
        }
        let dark = SCREENS[screen].cinema == "CAN" && day == DARK;
        if late && (dark || random.chance(1, 2)) {
            slots.push(day.at(22, 45, 0, 0));
        }
        // A midnight show begins on the next day of the calendar.
        let midnight = random.chance(1, if late { 4 } else { 30 });
        if midnight || (dark && screen == 7) {
            slots.push((day + 1.day()).at(0, 15, 0, 0));
        }
        let at_midnight = screen == MIDNIGHT_SCREEN && MIDNIGHT.contains(&day);
        if at_midnight && !midnight {
            slots.push((day + 1.day()).at(0, 15, 0, 0));
        }
        for starts in slots {
            let mut film = *random.weighted(&[(playing[0], 5), (playing[1], 3), (playing[2], 2)]);
            if dark && starts == day.at(17, 30, 0, 0) {
                film = BROKEN_OFF[screen - 7];
            }
            if at_midnight && starts.hour() == 0 {
                film = 0;
            }
            let version = version(random, screen, &films[film]);
            let status = if random.chance(1, 90) && !dark && !(at_midnight && starts.hour() == 0) {
                "cancelled"
            } else if starts > NOW {
                "scheduled"
            } else {
                "played"
            };
            shows.push(Show {
                screen,
                film,
                starts,
                version,
                status,
            });
        }
    }
}

/// Films of the three shows at Canal Yard during which the power failed: `Quiet Engines`, of which 18 of 128 minutes were
/// missing, `Nine Bridges`, of which 55 of 165 minutes were missing, and `The Lamplighter's Daughter`, which was over.
const BROKEN_OFF: [usize; 3] = [6, 3, 4];

/// Returns what somebody typed. Everything that can be read as 3D also occurs in auditoriums without a 3D projector.
fn version(random: &mut Random, screen: usize, film: &Film) -> Option<&'static str> {
    let english = film.language == "en";
    let in_3d = ["Saturn Drift", "Ten Fathoms", "Ashfall", "Burrow!", "Kaiyō"];
    let has_3d = in_3d.iter().any(|title| film.title.starts_with(title));
    if random.chance(1, 14) {
        return *random.pick(&[None, None, Some(""), Some(" ")]);
    }
    let flat = [("2D", 60), ("2d", 8), (" 2D", 3), ("2-D", 3), ("2D.", 1)];
    let subtitled = [
        ("OmU", 20),
        ("omu", 4),
        ("SUB", 12),
        ("Sub.", 2),
        ("sub", 4),
        ("OmU ", 1),
    ];
    let original = [("OV", 9), ("o.v.", 2), ("ov", 2)];
    let depth = [("3D", 20), ("3d", 4), ("3-D", 4), ("3 D", 1)];
    let both = [("3D OmU", 6), ("3d sub", 3), ("3D-OmU", 2), ("3D SUB", 3)];
    let copied = !SCREENS[screen].can_3d && random.chance(1, 8);
    if has_3d && ((SCREENS[screen].can_3d && random.chance(3, 5)) || copied) {
        return Some(if english {
            *random.weighted(&depth)
        } else {
            *random.weighted(&both)
        });
    }
    let kind = random.below(20);
    Some(if english {
        match kind {
            0 => *random.weighted(&original),
            1 if SCREENS[screen].name == "Great Hall" => *random.pick(&["IMAX", "imax"]),
            _ => *random.weighted(&flat),
        }
    } else {
        match kind {
            0..=1 => *random.weighted(&original),
            2..=3 => *random.weighted(&flat),
            _ => *random.weighted(&subtitled),
        }
    })
}

pub fn write(world: &mut World, shows: &[Show]) {
    let mut table = Rows::new(
        "screenings",
        "id,screen_id,film_id,starts_at,version,status",
    );
    for (at, show) in shows.iter().enumerate() {
        table.add([
            (at + 1).into(),
            (show.screen + 1).into(),
            (show.film + 1).into(),
            show.starts.into(),
            show.version.into(),
            show.status.into(),
        ]);
    }
    table.write(world);
}
