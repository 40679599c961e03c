//! Which upload is which paper, where it goes, and on which page it begins.

use mcpmark_guest::Reader;

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::DateTime;

#[path = "../folder.rs"]
pub mod folder;

use folder::{later, moment, offset, paper, table};

pub const UPLOADS: &str = "01 Submissions/final files";
pub const PROCEEDINGS: &str = "07 Proceedings";
pub const HEADER: [&str; 6] = ["track", "position", "paper", "pages", "first_page", "file"];

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    pub trusts_versions: bool,
    pub pages_in_a_row: bool,
}

/// An accepted paper of the list.
struct Paper {
    number: String,
    title: String,
    track: String,
    surname: String,
    limit: u32,
}

/// The head of an upload.
#[derive(Clone)]
struct Upload {
    name: String,
    paper: String,
    version: u32,
    /// By the clock at Greenwich.
    time: DateTime,
    pages: u32,
}

#[derive(Default)]
pub struct Volumes {
    /// Old name and new path from `07 Proceedings` of each upload.
    pub moves: BTreeMap<String, String>,
    pub contents: Vec<[String; 6]>,
    /// The bullets about papers that are not printed.
    pub missing: Vec<String>,
}

pub fn volumes(folder: &mut dyn Reader, oversights: &Oversights) -> Volumes {
    let papers = read_list(folder);
    // 18:00 venue time; an upload of that minute is in time.
    let close = moment("%Y-%m-%dT%H:%M", "2024-01-26T17:00");
    let mut volumes = Volumes::default();
    let mut in_time: BTreeMap<String, Vec<Upload>> = BTreeMap::new();
    let mut is_late: Vec<String> = Vec::new();
    for upload in read_uploads(folder) {
        if !papers.iter().any(|paper| paper.number == upload.paper) {
            volumes.set_aside(&upload, "not ours");
        } else if upload.time > close {
            volumes.set_aside(&upload, "too late");
            is_late.push(upload.paper);
        } else {
            in_time
                .entry(upload.paper.clone())
                .or_default()
                .push(upload);
        }
    }

    let mut printed: BTreeMap<&str, Vec<(&Paper, Upload)>> = BTreeMap::new();
    for paper in &papers {
        let mut reason = if is_late.contains(&paper.number) {
            "too late"
        } else {
            "no file"
        };
        if let Some(mut uploads) = in_time.remove(&paper.number) {
            // Names are sorted by bytes and the sort is stable: of equals the first name stays first.
            uploads.sort_by_key(|upload| std::cmp::Reverse(upload.time));
            if oversights.trusts_versions {
                uploads.sort_by_key(|upload| std::cmp::Reverse(upload.version));
            }
            for other in &uploads[1..] {
                volumes.set_aside(other, "superseded");
            }
            let upload = uploads.swap_remove(0);
            if upload.pages <= paper.limit {
                printed
                    .entry(&paper.track)
                    .or_default()
                    .push((paper, upload));
                continue;
            }
            volumes.set_aside(&upload, "too long");
            reason = "too long";
        }
        volumes
            .missing
            .push(format!("- {}, {}: {reason}", paper.number, paper.title));
    }
    for (track, papers) in printed {
        volumes.print(track, papers, oversights.pages_in_a_row);
    }
    volumes
}

impl Volumes {
    fn set_aside(&mut self, upload: &Upload, place: &str) {
        self.moves
            .insert(upload.name.clone(), format!("{place}/{}", upload.name));
    }

    fn print(&mut self, track: &str, papers: Vec<(&Paper, Upload)>, in_a_row: bool) {
        let mut page = 1;
        for (index, (paper, upload)) in papers.into_iter().enumerate() {
            let position = format!("{:02}", index + 1);
            let title: Vec<String> = words(&paper.title).into_iter().take(4).collect();
            let file = format!(
                "{track}/{position}_{}_{}.txt",
                words(&paper.surname).join("-"),
                title.join("-")
            );
            self.moves.insert(upload.name, file.clone());
            self.contents.push([
                track.to_owned(),
                position,
                paper.number.clone(),
                upload.pages.to_string(),
                page.to_string(),
                file,
            ]);
            page += upload.pages;
            if page % 2 == 0 && !in_a_row {
                page += 1;
            }
        }
    }

    pub fn missing_text(&self) -> String {
        format!("# Missing\n\n{}\n", self.missing.join("\n"))
    }
}

fn read_list(folder: &mut dyn Reader) -> Vec<Paper> {
    let mut papers = Vec::new();
    for row in table(folder, "01 Submissions/main papers.csv").rows() {
        if row.get("status") != "accepted" {
            continue;
        }
        let authors = row.get("authors");
        let (surname, _) = authors.split_once(',').unwrap_or((authors, ""));
        papers.push(Paper {
            number: row.get("id").to_owned(),
            title: row.get("title").to_owned(),
            track: row.get("track").to_owned(),
            surname: surname.to_owned(),
            limit: match row.get("type") {
                "full" => 12,
                "brief" => 6,
                "demo" => 4,
                other => panic!("a paper is full, brief or a demo, not {other:?}"),
            },
        });
    }
    papers.sort_by(|a, b| a.number.cmp(&b.number));
    papers
}

/// The uploads, sorted by the bytes of their names.
fn read_uploads(folder: &mut dyn Reader) -> Vec<Upload> {
    let mut uploads = Vec::new();
    let mut names = folder.names(UPLOADS);
    names.sort();
    for name in names {
        let text = folder.text(&format!("{UPLOADS}/{name}"));
        let head = |key: &str| {
            text.lines()
                .take_while(|line| !line.is_empty())
                .find_map(|line| line.strip_prefix(key))
                .map(str::trim)
        };
        let Some(number) = head("Paper:").and_then(paper) else {
            continue;
        };
        let required = |key: &str| head(key).unwrap_or_else(|| panic!("{name} has no {key}"));
        let (local, zone) = required("Uploaded:").split_at("2024-01-26T18:00".len());
        let count = |key: &str| required(key).parse().expect("the head has whole numbers");
        uploads.push(Upload {
            paper: number,
            version: count("Version:"),
            time: later(moment("%Y-%m-%dT%H:%M", local), -offset(zone)),
            pages: count("Pages:"),
            name,
        });
    }
    uploads
}

/// The words of a name: small letters without marks.
fn words(text: &str) -> Vec<String> {
    let mut plain = String::new();
    for character in text.to_lowercase().chars() {
        match character {
            'a'..='z' | '0'..='9' => plain.push(character),
            'á' | 'à' | 'â' | 'ä' | 'å' | 'ã' | 'ą' => plain.push('a'),
            'ç' | 'č' | 'ć' => plain.push('c'),
            'é' | 'è' | 'ê' | 'ë' | 'ę' => plain.push('e'),
            'í' | 'ï' => plain.push('i'),
            'ñ' | 'ń' => plain.push('n'),
            'ó' | 'ö' | 'ø' | 'ô' | 'õ' => plain.push('o'),
            'š' | 'ś' => plain.push('s'),
            'ú' | 'ü' => plain.push('u'),
            'ł' => plain.push('l'),
            'æ' => plain.push_str("ae"),
            'ß' => plain.push_str("ss"),
            '\'' | '’' => {}
            other => {
                assert!(
                    !other.is_alphabetic(),
                    "{other:?} of {text:?} has no plain form"
                );
                plain.push(' ');
            }
        }
    }
    plain.split_whitespace().map(str::to_owned).collect()
}
