//! The albums with their tracks and playing times.

use mcpmark_guest::serde_json::{self, Value};
use mcpmark_guest::{Csv, Reader, rust_decimal::Decimal};

use crate::library::{Files, table};

pub const INDEX: &str = "Music/albums.csv";
pub const HEADER: [&str; 6] = ["no", "album", "artist", "tracks", "time", "longest"];

#[derive(Clone, Copy, Default)]
pub struct Slips {
    pub counts_the_hidden: bool,
    pub rounds_each_track: bool,
}

#[derive(Default)]
struct Album {
    no: String,
    title: String,
    artist: String,
    /// Titles and milliseconds.
    tracks: Vec<(String, i64)>,
}

pub fn rows(desk: &mut impl Reader, slips: Slips) -> Vec<[String; 6]> {
    let mut albums: Vec<Album> = Vec::new();
    for name in desk.names("Music") {
        if name.contains("(from the web)") {
            continue;
        }
        let text = || format!("Music/{name}");
        let album = match name.rsplit('.').next() {
            Some("txt") => sleeve(&desk.text(&text()), slips),
            Some("csv") => Album {
                no: told(&desk.text("Music/about the track lists.md")),
                title: name.trim_end_matches(".csv").to_owned(),
                artist: "Larkfield Silver Band".to_owned(),
                tracks: seconds(&desk.text(&text())),
            },
            Some("json") => milliseconds(&desk.text(&text())),
            _ => continue,
        };
        match albums.iter_mut().find(|other| other.no == album.no) {
            Some(first) => first.tracks.extend(album.tracks),
            None => albums.push(album),
        }
    }
    let mut rows: Vec<(i64, [String; 6])> = albums.iter().map(|album| row(album, slips)).collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0).then(a.1[0].cmp(&b.1[0])));
    rows.into_iter().map(|(_, row)| row).collect()
}

pub fn files(desk: &mut impl Reader, slips: Slips) -> Files {
    let mut text = Csv::line(HEADER);
    for row in rows(desk, slips) {
        text.push_str(&Csv::line(row));
    }
    Files::from([(INDEX.to_owned(), text)])
}

fn row(album: &Album, slips: Slips) -> (i64, [String; 6]) {
    let rounded = |ms: i64| (ms + 500) / 1000;
    let seconds = if slips.rounds_each_track {
        album.tracks.iter().map(|(_, ms)| rounded(*ms)).sum()
    } else {
        rounded(album.tracks.iter().map(|(_, ms)| ms).sum())
    };
    let longest = album.tracks.iter().rev().max_by_key(|(_, ms)| *ms);
    let time = format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    let row = [
        album.no.clone(),
        album.title.clone(),
        album.artist.clone(),
        album.tracks.len().to_string(),
        time,
        longest.map(|(title, _)| title.clone()).unwrap_or_default(),
    ];
    (seconds, row)
}

fn sleeve(text: &str, slips: Slips) -> Album {
    let lines: Vec<&str> = text.lines().collect();
    let tracks = lines[4..].iter().filter_map(|line| {
        let (number, rest) = line.split_once(". ")?;
        if number.trim() == "*" && !slips.counts_the_hidden {
            return None;
        }
        let (title, time) = rest.rsplit_once(" – ")?;
        let parts = time.split(':').map(|part| part.parse::<i64>());
        let seconds = parts.fold(0, |sum, part| sum * 60 + part.expect("a time"));
        Some((title.to_owned(), seconds * 1000))
    });
    Album {
        no: lines[2]
            .split(" disc ")
            .next()
            .unwrap_or_default()
            .to_owned(),
        title: lines[0].to_owned(),
        artist: lines[1].to_owned(),
        tracks: tracks.collect(),
    }
}

fn seconds(text: &str) -> Vec<(String, i64)> {
    let table = table(text, b';');
    let tracks = table.rows().iter().map(|row| {
        let seconds: Decimal = row
            .get("seconds")
            .replace(',', ".")
            .parse()
            .expect("seconds");
        let ms = (seconds * Decimal::from(1000)).try_into().expect("a time");
        (row.get("title").to_owned(), ms)
    });
    tracks.collect()
}

fn milliseconds(text: &str) -> Album {
    let value: Value = serde_json::from_str(text).expect("the list is JSON");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tracks = value["tracks"].as_array().into_iter().flatten();
    Album {
        no: word(&value["no"]),
        title: word(&value["album"]),
        artist: word(&value["artist"]),
        tracks: tracks
            .map(|track| {
                (
                    word(&track["title"]),
                    track["ms"].as_i64().unwrap_or_default(),
                )
            })
            .collect(),
    }
}

/// The number of the album whose list has none.
fn told(page: &str) -> String {
    let (_, rest) = page
        .split_once("*Brass at the Green* is ")
        .expect("the page names it");
    rest.chars().take(7).collect()
}
