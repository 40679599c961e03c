//! Memberships of people, worked out by hand from the staff, the handbook and the notes, and no rights of their own.

use std::collections::BTreeSet;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Membership};

mcpmark_guest::verifier!(verify);

/// People whose groups were right at the start. Farid is in accounts from 16 March only, and Gwen works until the 31st.
const RIGHT: [(&str, &[&str]); 9] = [
    ("agnes", &["front_of_house"]),
    ("amara", &["front_of_house", "reporting"]),
    ("bruno", &["front_of_house"]),
    ("celine", &["finance", "reporting"]),
    ("farid", &["front_of_house"]),
    ("gwen", &["marketing", "reporting"]),
    ("ines", &["reporting"]),
    ("lorcan", &["marketing", "reporting"]),
    ("mirela", &["marketing", "reporting"]),
];

/// Name of the check, and people whose groups it is about.
const CHANGED: [(&str, &[(&str, &[&str])]); 4] = [
    ("who left is in no group", &[("dov", &[]), ("edith", &[])]),
    (
        "who has another job is in the groups of that",
        &[
            ("hale", &["front_of_house"]),
            ("jonah", &["marketing", "reporting"]),
        ],
    ),
    ("a job without groups has none", &[("kaya", &[])]),
    (
        "who is new is in the groups of the job",
        &[("tomasz", &["reporting"])],
    ),
];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let memberships = end.memberships();
    for (name, people) in CHANGED {
        task.check(name, are_in(&memberships, people));
    }
    task.check(
        "all others are in their groups",
        are_in(&memberships, &RIGHT),
    );

    let people: BTreeSet<String> = start
        .rows("staff")
        .required()
        .iter()
        .map(|row| row.text("login").to_owned())
        .collect();
    let (before, now) = (start.grants("public"), end.grants("public"));
    let own: Vec<_> = now
        .iter()
        .filter(|grant| people.contains(&grant.role))
        .collect();
    task.check(
        "nobody has a right directly",
        Condition::when(own.is_empty(), format!("expected no {own:?}")),
    );
    let of_others = |grants: &BTreeSet<mcpmark_guest_postgres::Grant>| -> BTreeSet<mcpmark_guest_postgres::Grant> {
        grants.iter().filter(|grant| !people.contains(&grant.role)).cloned().collect()
    };
    let (before, now) = (of_others(&before), of_others(&now));
    let lost = before.difference(&now).next();
    let new = now.difference(&before).next();
    task.check(
        "the rights of groups and programs",
        Condition::when(lost.is_none(), format!("expected {lost:?}"))
            .and(Condition::when(
                new.is_none(),
                format!("expected no {new:?}"),
            ))
            .and(Condition::equal(
                &start.other_grants("public"),
                &end.other_grants("public"),
            )),
    );
    let is_person = |it: &&Membership| people.contains(&it.member);
    let others = |all: &BTreeSet<Membership>| -> BTreeSet<Membership> {
        all.iter()
            .filter(|it| !is_person(it) || it.admin)
            .cloned()
            .collect()
    };
    task.check(
        "accounts and their other groups",
        Condition::equal(&start.roles(), &end.roles()).and(Condition::equal(
            &others(&start.memberships()),
            &others(&memberships),
        )),
    );
    task.unchanged_except(["roles.sql", "schemas/public/grants.sql"]);
}

fn are_in(memberships: &BTreeSet<Membership>, people: &[(&str, &[&str])]) -> Condition {
    Condition::all(people.iter().map(|(person, groups)| {
        let found: Vec<&str> = memberships
            .iter()
            .filter(|it| it.member == *person)
            .map(|it| it.group.as_str())
            .collect();
        Condition::equal(groups, &&found[..]).at(person)
    }))
}
