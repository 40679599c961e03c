//! Accounts, cards and the pairs of accounts that belong to one person.

use std::collections::BTreeSet;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Random, World};

use crate::rows::Rows;

const TODAY: Date = date(2026, 3, 9);
const COUNT: usize = 2600;

const FIRST: &str = "Ada Alan Alice Amir Anna Anwen Arjun Beatrix Ben Bridget Callum Carys Clara Conor Daisy Daniel Dilys \
    Edmund Eilidh Elena Emeka Esther Fatima Fergus Fiona Frank George Grace Greta Hamish Hannah Hugo Ida Imran Iris Ivan \
    Jack Jamila Jasper Joan Josef Julia Keir Kirsty Lara Leo Lewis Lucia Magnus Maia Marek Martha Meera Milo Nadia Nell \
    Niall Nina Noah Olga Oscar Owen Pavel Petra Priya Quentin Rafe Rhian Robin Rosa Ruth Sadie Samir Selma Sorcha Stefan \
    Tara Theo Tomos Una Vera Viktor Wanda Will Yara Yusuf Zara";
const LAST: &str = "Abbott Ahmed Ashdown Baines Barlow Beck Bellamy Birch Brandt Byrne Calder Campion Chaudhry Clegg Cole \
    Connolly Crane Dale Darby Dempsey Draper Dunne Eames Ellery Fane Farrow Finch Flint Gallagher Garside Gill Goddard \
    Haines Hale Hartley Hobbs Holt Hussain Ibbotson Jarvis Jessop Kaur Keane Kemp Kirk Lacey Lamb Lowell Malik Marsh \
    Mercer Moss Nash Novak Nowak Oakes Okafor Ormond Parry Pell Pike Quill Rahman Reeve Rigby Rowe Sands Shaw Sidhu \
    Slater Stone Swift Tait Thorne Tilley Udall Vance Vaughan Wade Ward Weir Wren Yates York";
const HOSTS: [&str; 6] = [
    "post.example",
    "mail.example",
    "inbox.example",
    "norwell.example",
    "tarnford.example",
    "letters.example",
];

/// An account. Its id is its position from 1.
#[derive(Clone)]
pub struct Customer {
    pub email: Option<String>,
    pub name: String,
    pub phone: Option<String>,
    pub joined: Date,
    pub marketing: bool,
    pub merged_into: Option<usize>,
}

/// A Lantern Card.
pub struct Card {
    pub customer: usize,
    pub tier: &'static str,
    pub from: Date,
    pub to: Date,
}

/// Accounts and cards, and the ids that the notes of the desk name.
pub struct People {
    pub accounts: Vec<Customer>,
    pub cards: Vec<Card>,
    /// Pairs that share an address on purpose.
    pub couples: Vec<[usize; 2]>,
    /// A pair that is no longer one of these.
    pub lifted: [usize; 2],
    /// Ids of all accounts that have a double, which must have bookings.
    pub doubles: Vec<usize>,
}

/// Draws different ids, in ascending order within each group.
struct Groups {
    free: Vec<usize>,
}

impl Groups {
    fn take<const N: usize>(&mut self, random: &mut Random) -> [usize; N] {
        let mut ids = [0; N];
        for id in &mut ids {
            let at = random.below(self.free.len() as u64) as usize;
            *id = self.free.swap_remove(at);
        }
        ids.sort_unstable();
        ids
    }
}

/// Returns the accounts, with ids in the order in which people joined.
pub fn customers(random: &mut Random) -> People {
    let (first, last): (Vec<&str>, Vec<&str>) = (
        FIRST.split_whitespace().collect(),
        LAST.split_whitespace().collect(),
    );
    let mut joined = date(2019, 1, 5);
    let mut taken = BTreeSet::new();
    let mut accounts = Vec::new();
    for _ in 0..COUNT {
        joined =
            joined + i64::from(random.chance(99, 100) as i8 + random.chance(1, 100) as i8).days();
        let (given, family) = (*random.pick(&first), *random.pick(&last));
        let email = (!random.chance(1, 25)).then(|| {
            loop {
                let number = if random.chance(1, 3) {
                    String::new()
                } else {
                    random.between(1, 99).to_string()
                };
                let separator = random.pick(&[".", "", "_"]);
                let email = format!("{given}{separator}{family}{number}@{}", random.pick(&HOSTS))
                    .to_lowercase();
                if taken.insert(email.clone()) {
                    return email;
                }
            }
        });
        let phone = random
            .chance(3, 5)
            .then(|| format!("07700 {:06}", 900_000 + random.below(99_999)));
        accounts.push(Customer {
            email: if random.chance(1, 200) {
                Some(String::new())
            } else {
                email
            },
            name: format!("{given} {family}"),
            phone,
            joined: joined.min(date(2026, 3, 8)),
            marketing: random.chance(2, 5),
            merged_into: None,
        });
    }
    // Everybody who has an address, apart from those of the last weeks.
    let free = (1..=COUNT - 60)
        .filter(|id| {
            accounts[id - 1]
                .email
                .as_ref()
                .is_some_and(|email| !email.is_empty())
        })
        .collect();
    let mut people = People {
        accounts,
        cards: Vec::new(),
        couples: Vec::new(),
        lifted: [0; 2],
        doubles: Vec::new(),
    };
    people.plant(random, &mut Groups { free });
    people
}

impl People {
    fn account(&mut self, id: usize) -> &mut Customer {
        &mut self.accounts[id - 1]
    }

    /// Gives the account `other` the address and the name of `one`, typed in another way.
    fn same_person(&mut self, random: &mut Random, one: usize, other: usize) {
        let first = self.account(one).clone();
        let email = first.email.unwrap_or_default();
        let (user, host) = email.split_once('@').unwrap_or((&email, ""));
        let capital = |text: &str| format!("{}{}", text[..1].to_uppercase(), &text[1..]);
        let email = match random.below(5) {
            0 => format!("{}@{host}", capital(user)),
            1 => format!(
                "{user}+{}@{host}",
                random.pick(&["cinema", "films", "lantern"])
            ),
            2 => format!("{email} "),
            3 => format!(" {}@{}", user.to_uppercase(), capital(host)),
            _ => email.clone(),
        };
        let account = self.account(other);
        account.email = Some(email);
        account.name = first.name;
        self.doubles.extend([one, other]);
        self.doubles.sort_unstable();
        self.doubles.dedup();
    }

    fn card(&mut self, random: &mut Random, customer: usize, to: Date) {
        self.cards.push(Card {
            customer,
            tier: *random.weighted(&[("classic", 6), ("friend", 3), ("patron", 1)]),
            from: to - 1.year() + 1.day(),
            to,
        });
    }

    fn plant(&mut self, random: &mut Random, groups: &mut Groups) {
        for _ in 0..14 {
            let [one, other] = groups.take(random);
            self.same_person(random, one, other);
        }
        for _ in 0..3 {
            let [one, other, third] = groups.take(random);
            self.same_person(random, one, other);
            self.same_person(random, one, third);
        }
        // The newer account stays, because it has a card that is valid until the end of today at least.
        for to in [TODAY, date(2026, 7, 14), date(2026, 11, 30)] {
            let [one, other] = groups.take(random);
            self.same_person(random, one, other);
            self.card(random, other, to);
        }
        // The older account stays: the card of the newer one is not valid yet, or not any more.
        for to in [date(2026, 3, 8), date(2027, 3, 31)] {
            let [one, other] = groups.take(random);
            self.same_person(random, one, other);
            self.card(random, other, to);
        }
        for to in [date(2026, 5, 2), date(2026, 12, 19)] {
            let [one, other] = groups.take(random);
            self.same_person(random, one, other);
            self.card(random, one, date(2026, 9, 8));
            self.card(random, other, to);
        }
        for _ in 0..3 {
            let [one, other] = groups.take(random);
            self.same_person(random, one, other);
            let given = if self.account(one).name.starts_with('R') {
                "Alma"
            } else {
                "Rory"
            };
            let family = self
                .account(one)
                .name
                .split(' ')
                .next_back()
                .unwrap_or_default()
                .to_owned();
            self.account(other).name = format!("{given} {family}");
            self.couples.push([one, other]);
        }
        self.lifted = self.couples.pop().unwrap_or_default();
        for _ in 0..2 {
            let [one, other] = groups.take(random);
            self.same_person(random, one, other);
            let joined = self.account(one).joined;
            self.account(other).joined = joined;
        }
        // Merged long ago, the last two into accounts that are doubles themselves.
        for at in 0..6 {
            let [one, other] = groups.take(random);
            if at < 4 {
                self.same_person(random, one, other);
                self.doubles.retain(|id| *id != one && *id != other);
                self.account(other).merged_into = Some(one);
            } else {
                self.same_person(random, one, other);
                let [third] = groups.take(random);
                self.account(third).merged_into = Some(other);
            }
        }
        for id in 1..=COUNT {
            if self.account(id).merged_into.is_some() {
                self.account(id).marketing = false;
            }
        }
        // The same name and telephone, but another address: nobody knows whether this is one person.
        for _ in 0..6 {
            let [one, other] = groups.take(random);
            let first = self.account(one).clone();
            let account = self.account(other);
            account.name = first.name;
            account.phone = first.phone;
        }
        for _ in 0..520 {
            let [customer] = groups.take(random);
            let to = date(2025, 9, 1) + random.between(0, 540).days();
            self.card(random, customer, to);
            if to < TODAY && random.chance(1, 2) {
                let next = to + 1.year();
                self.card(random, customer, next);
            }
        }
        self.cards.sort_by_key(|card| (card.from, card.customer));
    }

    pub fn write(&self, world: &mut World) {
        let mut table = Rows::new(
            "customers",
            "id,email,full_name,phone,joined_on,marketing_ok,merged_into",
        );
        for (at, account) in self.accounts.iter().enumerate() {
            table.add([
                (at + 1).into(),
                account.email.as_ref().into(),
                (&account.name).into(),
                account.phone.as_ref().into(),
                account.joined.into(),
                account.marketing.into(),
                account.merged_into.into(),
            ]);
        }
        table.write(world);
        let mut cards = Rows::new("memberships", "number,customer_id,tier,valid_from,valid_to");
        for (at, card) in self.cards.iter().enumerate() {
            cards.add([
                format!("LC-{:05}", 10_000 + 7 * at).into(),
                card.customer.into(),
                card.tier.into(),
                card.from.into(),
                card.to.into(),
            ]);
        }
        cards.write(world);
    }
}
