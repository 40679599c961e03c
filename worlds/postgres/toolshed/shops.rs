//! Shops with their branches, plans, people, data logins and webhooks.

use mcpmark_guest::World;
use mcpmark_guest::jiff::civil::{Date, date};

use crate::rows::{Rows, Value, amount};

/// A shop. Its id is its position from 1.
pub struct Shop {
    pub slug: &'static str,
    pub name: &'static str,
    pub signed_up: Date,
    pub closed: Option<Date>,
    pub support_until: Option<Date>,
    /// Cities of its branches.
    pub cities: &'static [&'static str],
    /// Plans with the day from which they are valid.
    pub plans: &'static [(Date, &'static str)],
    /// Number of tools in the inventory, roughly.
    pub size: u64,
}

/// Code, title, price in cents, and number of tools that are included.
pub const PLANS: [(&str, &str, u32, usize); 3] = [
    ("bench", "Bench", 2900, 40),
    ("workshop", "Workshop", 5900, 80),
    ("yard", "Yard", 10900, 150),
];

macro_rules! shop {
    ($slug:literal, $name:literal, $signed:expr, $until:expr, $cities:expr, $plans:expr, $size:literal) => {
        Shop {
            slug: $slug,
            name: $name,
            signed_up: $signed,
            closed: None,
            support_until: $until,
            cities: $cities,
            plans: $plans,
            size: $size,
        }
    };
}

/// Shops in the order of their ids.
pub const SHOPS: [Shop; 24] = [
    shop!(
        "aldous",
        "Aldous Hire",
        date(2023, 2, 6),
        None,
        &["Corran"],
        &[(date(2023, 2, 6), "bench")],
        38
    ),
    shop!(
        "brix",
        "Brix & Mortar Tools",
        date(2023, 3, 20),
        Some(date(2026, 5, 31)),
        &["Lindow", "Lindow"],
        &[(date(2023, 3, 20), "bench"), (date(2024, 5, 1), "workshop")],
        76
    ),
    shop!(
        "hollis",
        "Hollis Tool Hire",
        date(2023, 4, 3),
        Some(date(2026, 4, 30)),
        &["Ashby", "Corran", "Pell"],
        &[
            (date(2023, 4, 3), "bench"),
            (date(2024, 9, 1), "workshop"),
            (date(2026, 4, 10), "yard")
        ],
        96
    ),
    shop!(
        "dunmore",
        "Dunmore Garden Machines",
        date(2023, 6, 12),
        None,
        &["Dunmore"],
        &[(date(2023, 6, 12), "bench")],
        44
    ),
    shop!(
        "eastgate-diy",
        "Eastgate DIY",
        date(2023, 9, 4),
        Some(date(2026, 5, 10)),
        &["Eastgate"],
        &[(date(2023, 9, 4), "bench")],
        51
    ),
    shop!(
        "ferrier",
        "Ferrier Bros",
        date(2023, 10, 2),
        Some(date(2026, 5, 11)),
        &["Pell", "Marl"],
        &[(date(2023, 10, 2), "workshop")],
        84
    ),
    shop!(
        "fenwick",
        "Fenwick Hire",
        date(2024, 1, 15),
        None,
        &["Marl", "Stowe"],
        &[(date(2024, 1, 15), "workshop")],
        92
    ),
    shop!(
        "gantry",
        "Gantry Scaffold & Tool",
        date(2024, 2, 5),
        None,
        &["Corran", "Ashby"],
        &[(date(2024, 2, 5), "workshop")],
        61
    ),
    Shop {
        closed: Some(date(2025, 12, 31)),
        ..shop!(
            "holt",
            "Holt Rentals",
            date(2024, 2, 19),
            Some(date(2025, 6, 30)),
            &["Holt"],
            &[(date(2024, 2, 19), "bench")],
            22
        )
    },
    shop!(
        "ivor",
        "Ivor's Mowers",
        date(2024, 3, 4),
        Some(date(2026, 8, 31)),
        &["Tarn"],
        &[(date(2024, 3, 4), "bench")],
        35
    ),
    shop!(
        "marsh",
        "Marsh & Daughter",
        date(2023, 11, 13),
        None,
        &["Tarn", "Lindow"],
        &[(date(2023, 11, 13), "yard"), (date(2026, 4, 3), "workshop")],
        78
    ),
    shop!(
        "kestrel",
        "Kestrel Plant",
        date(2024, 5, 6),
        None,
        &["Stowe", "Pell"],
        &[(date(2024, 5, 6), "yard")],
        118
    ),
    shop!(
        "larch",
        "Larch Lane Tool Library",
        date(2024, 6, 10),
        Some(date(2026, 12, 31)),
        &["Corran"],
        &[(date(2024, 6, 10), "bench")],
        40
    ),
    shop!(
        "mill",
        "Mill Road Hire",
        date(2024, 8, 26),
        None,
        &["Ashby"],
        &[(date(2024, 8, 26), "bench")],
        47
    ),
    shop!(
        "norrby",
        "Norrby Maskiner",
        date(2024, 9, 16),
        None,
        &["Norrby", "Tarn"],
        &[(date(2024, 9, 16), "workshop")],
        70
    ),
    shop!(
        "oake",
        "Oake Estates",
        date(2024, 11, 4),
        None,
        &["Oake"],
        &[(date(2024, 11, 4), "bench")],
        28
    ),
    shop!(
        "pickford",
        "Pickford Access",
        date(2025, 1, 13),
        Some(date(2026, 6, 15)),
        &["Lindow"],
        &[(date(2025, 1, 13), "bench"), (date(2026, 3, 1), "workshop")],
        83
    ),
    shop!(
        "quarry",
        "Quarry Street Hire",
        date(2025, 2, 10),
        None,
        &["Marl"],
        &[(date(2025, 2, 10), "bench")],
        43
    ),
    shop!(
        "rowan",
        "Rowan Floor Sanders",
        date(2025, 4, 7),
        None,
        &["Pell"],
        &[(date(2025, 4, 7), "bench")],
        19
    ),
    shop!(
        "saltings",
        "Saltings Tool Share",
        date(2025, 5, 19),
        Some(date(2025, 12, 31)),
        &["Stowe"],
        &[(date(2025, 5, 19), "bench")],
        33
    ),
    shop!(
        "thistle",
        "Thistle & Sons",
        date(2025, 7, 14),
        None,
        &["Tarn", "Corran"],
        &[(date(2025, 7, 14), "workshop")],
        66
    ),
    shop!(
        "umber",
        "Umber Decorating",
        date(2025, 9, 22),
        None,
        &["Ashby"],
        &[(date(2025, 9, 22), "bench")],
        24
    ),
    shop!(
        "vesper",
        "Vesper Events",
        date(2025, 11, 10),
        None,
        &["Lindow"],
        &[(date(2025, 11, 10), "bench")],
        41
    ),
    shop!(
        "wharf",
        "Wharf Hire",
        date(2026, 2, 2),
        None,
        &["Marl"],
        &[(date(2026, 2, 2), "bench")],
        30
    ),
];

/// Data logins with the ids of their shops.
const LOGINS: [(&str, usize, Date); 3] = [
    ("dl_fenwick", 7, date(2024, 9, 2)),
    ("dl_hollis", 3, date(2024, 7, 1)),
    ("dl_marsh", 11, date(2025, 3, 17)),
];

const PEOPLE: [&str; 12] = [
    "Ada Moss",
    "Ben Carver",
    "Cleo Finch",
    "Dan Oduya",
    "Elin Holm",
    "Femi Ade",
    "Greta Voss",
    "Hugo Lamb",
    "Iris Tane",
    "Jon Petrie",
    "Kit Marlow",
    "Lou Sand",
];

/// Returns the branches as pairs of the id of the shop and the number within the shop. A branch has its position as id.
pub fn branches() -> Vec<(usize, usize)> {
    let shops = SHOPS.iter().enumerate();
    shops
        .flat_map(|(at, shop)| (0..shop.cities.len()).map(move |branch| (at + 1, branch)))
        .collect()
}

/// Returns the plan of a shop on a day.
pub fn plan_on(shop: &Shop, day: Date) -> Option<&'static str> {
    let plans = shop.plans.iter().filter(|(from, _)| *from <= day);
    plans.last().map(|(_, plan)| *plan)
}

pub fn write(world: &mut World) {
    let mut table = Rows::new("plans", "code,title,monthly,tools_included");
    for (code, title, monthly, included) in PLANS {
        table.add([code.into(), title.into(), amount(monthly), included.into()]);
    }
    table.write(world);

    let mut tenants = Rows::new(
        "tenants",
        "id,slug,name,signed_up_on,closed_on,support_until",
    );
    let mut plans = Rows::new("tenant_plans", "tenant_id,from_on,plan");
    let mut users = Rows::new("users", "id,tenant_id,email,full_name,role,is_active");
    let mut webhooks = Rows::new("webhooks", "id,tenant_id,url,secret,is_active");
    let (mut user, mut webhook) = (0, 0);
    for (at, shop) in SHOPS.iter().enumerate() {
        let id = at + 1;
        tenants.add([
            id.into(),
            shop.slug.into(),
            shop.name.into(),
            shop.signed_up.into(),
            shop.closed.into(),
            shop.support_until.into(),
        ]);
        for (from, plan) in shop.plans {
            plans.add([id.into(), (*from).into(), (*plan).into()]);
        }
        for number in 0..shop.cities.len() + 2 {
            user += 1;
            let name = PEOPLE[(at * 5 + number * 7) % PEOPLE.len()];
            let first = name.split(' ').next().unwrap_or_default().to_lowercase();
            let role = ["owner", "counter", "counter", "accounts", "counter"][number];
            let active = shop.closed.is_none() && (user % 11 != 0);
            users.add([
                user.into(),
                id.into(),
                format!("{first}{number}@{}.example", shop.slug).into(),
                name.into(),
                role.into(),
                active.into(),
            ]);
        }
        if at % 3 != 1 {
            webhook += 1;
            // A fixed scramble of the number, because secrets look random.
            let secret: u64 = (webhook as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            webhooks.add([
                webhook.into(),
                id.into(),
                format!("https://{}.example/hooks/toolshed", shop.slug).into(),
                format!("whs_{secret:016x}").into(),
                shop.closed.is_none().into(),
            ]);
        }
    }
    for table in [tenants, plans, users, webhooks] {
        table.write(world);
    }

    let mut table = Rows::new("branches", "id,tenant_id,name,city");
    for (at, (shop, number)) in branches().into_iter().enumerate() {
        let city = SHOPS[shop - 1].cities[number];
        let name = ["Main yard", "Second yard", "Trade counter"][number];
        table.add([(at + 1).into(), shop.into(), name.into(), city.into()]);
    }
    table.write(world);

    let mut table = Rows::new("tenant_logins", "login,tenant_id,added_on");
    for (login, shop, on) in LOGINS {
        table.add::<3>([Value::from(login), shop.into(), on.into()]);
    }
    table.write(world);
}
