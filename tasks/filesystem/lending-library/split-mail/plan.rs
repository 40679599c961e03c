//! The mails of the export, each with its place.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::fmt::rfc2822;
use mcpmark_guest::jiff::tz::TimeZone;
use mcpmark_guest::{Csv, Reader};

use crate::library::{Files, table};

pub const FOLDER: &str = "Inter-library/requests";
pub const INDEX: &str = "Inter-library/requests/2024-02.csv";
pub const HEADER: [&str; 6] = ["file", "partner", "direction", "day", "time", "subject"];

#[derive(Clone, Copy, Default)]
pub struct Slips {
    pub days_as_written: bool,
    pub unescapes: bool,
}

pub struct Mail {
    pub file: String,
    pub text: String,
    partner: String,
    is_ours: bool,
    day: String,
    time: String,
    subject: String,
}

impl Mail {
    pub fn row(&self) -> [String; 6] {
        [
            self.file.clone(),
            self.partner.clone(),
            if self.is_ours { "out" } else { "in" }.to_owned(),
            self.day.clone(),
            self.time.clone(),
            self.subject.clone(),
        ]
    }
}

pub fn mails(desk: &mut impl Reader, slips: Slips) -> Vec<Mail> {
    let export = desk.text("Inter-library/mail export 2024-02.txt");
    let partners = partners(&desk.text("Inter-library/partners.ini"));
    let renumbered = table(&desk.text("Inter-library/renumbered.csv"), b',');
    let mut mails: Vec<(String, Mail)> = Vec::new();
    for text in split(&export, slips) {
        let head = text.split("\n\n").next().unwrap_or_default();
        let header = |name: &str| {
            let mut values = head.lines().filter_map(|line| line.split_once(": "));
            values
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.to_owned())
        };
        let date = header("Date").expect("a mail has a date");
        let sent = rfc2822::parse(&date).expect("a date of a mail");
        let here = if slips.days_as_written {
            sent
        } else {
            sent.with_time_zone(TimeZone::UTC)
        };
        let from = header("From").unwrap_or_default().to_lowercase();
        let is_ours = from.contains("desk@larkfield.example");
        let other = if is_ours {
            header("To").unwrap_or_default()
        } else {
            from
        }
        .to_lowercase();
        let partner = partners
            .iter()
            .find(|(address, _)| other.contains(address.as_str()));
        let (_, partner) = partner.expect("a mail has a partner");
        let subject = header("Subject").unwrap_or_default();
        let request = header("X-Request").or_else(|| last_number(&subject));
        let request = request.map(|number| {
            let mut rows = renumbered.rows().iter();
            let row = rows.find(|row| row.get("old") == number);
            row.map_or(number.clone(), |row| row.get("new").to_owned())
        });
        mails.push((
            request.unwrap_or_else(|| "general".to_owned()),
            Mail {
                file: String::new(),
                partner: partner.clone(),
                is_ours,
                day: here.strftime("%Y-%m-%d").to_string(),
                time: here.strftime("%H:%M").to_string(),
                subject,
                text,
            },
        ));
    }
    mails.sort_by_key(|(_, mail)| (mail.day.clone(), mail.time.clone()));
    // One paper of January lies there already.
    let earlier = |request: &str| usize::from(request == "2024-003");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (request, _) in &mails {
        *counts.entry(request.clone()).or_insert(earlier(request)) += 1;
    }
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for (request, mail) in &mut mails {
        let number = last.entry(request.clone()).or_insert(earlier(request));
        *number += 1;
        let filed = format!(
            "\nX-Filed: {request} {number:02}/{:02}\n\n",
            counts[request]
        );
        mail.text = mail.text.replacen("\n\n", &filed, 1);
        mail.file = format!("{request}/{number:02} {} {}.txt", mail.day, mail.partner);
    }
    let mut mails: Vec<Mail> = mails.into_iter().map(|(_, mail)| mail).collect();
    mails.sort_by(|a, b| a.file.cmp(&b.file));
    mails
}

pub fn files(desk: &mut impl Reader, slips: Slips) -> Files {
    let mut files = Files::new();
    let mut index = Csv::line(HEADER);
    for mail in mails(desk, slips) {
        index.push_str(&Csv::line(mail.row()));
        files.insert(format!("{FOLDER}/{}", mail.file), mail.text);
    }
    files.insert(INDEX.to_owned(), index);
    files
}

fn split(export: &str, slips: Slips) -> Vec<String> {
    let mut mails: Vec<String> = Vec::new();
    let mut is_after_blank = true;
    for line in export.lines() {
        let parts = line.starts_with("From ") && line.contains("mailer@larkfield.example");
        if is_after_blank && parts {
            mails.push(String::new());
        } else if let Some(mail) = mails.last_mut() {
            mail.push_str(line);
            mail.push('\n');
        }
        is_after_blank = line.is_empty();
    }
    for mail in &mut mails {
        if mail.ends_with("\n\n") {
            mail.pop();
        }
        if slips.unescapes {
            *mail = mail.replace("\n>From", "\nFrom");
        }
    }
    mails
}

fn last_number(subject: &str) -> Option<String> {
    let is_number = |part: &&str| {
        let bytes = part.as_bytes();
        bytes.len() == 8
            && bytes[4] == b'-'
            && bytes
                .iter()
                .enumerate()
                .all(|(at, byte)| at == 4 || byte.is_ascii_digit())
    };
    let mut words = subject.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.rfind(is_number).map(str::to_owned)
}

/// Addresses in small letters, each with the section in which it stands.
fn partners(text: &str) -> Vec<(String, String)> {
    let mut section = "";
    let mut addresses = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some((_, value)) = line.split_once(" = ")
            && value.contains('@')
        {
            addresses.push((value.to_lowercase(), section.to_owned()));
        }
    }
    addresses
}
