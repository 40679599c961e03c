//! Values and labels of categories, priorities, statuses and slots.

/// Categories of jobs: value and label.
pub const CATEGORIES: [(&str, &str); 8] = [
    ("leak", "Leak"),
    ("heating", "Heating"),
    ("hot-water", "Hot water"),
    ("electrics", "Electrics"),
    ("door", "Doors and locks"),
    ("window", "Windows"),
    ("lift", "Lift"),
    ("other", "Other"),
];

/// Priorities of jobs: value and label.
pub const PRIORITIES: [(&str, &str); 4] = [
    ("none", "Not set"),
    ("urgent", "Urgent"),
    ("high", "High"),
    ("normal", "Normal"),
];

/// Statuses of jobs: value and label.
pub const STATUSES: [(&str, &str); 5] = [
    ("new", "New"),
    ("passed-on", "Passed on"),
    ("done", "Done"),
    ("declined", "Declined"),
    ("duplicate", "Duplicate"),
];

/// Slots of a day: value and label.
pub const SLOTS: [(&str, &str); 2] = [("am", "Morning"), ("pm", "Afternoon")];

/// Returns the label of a value.
pub fn label(pairs: &[(&'static str, &'static str)], value: &str) -> &'static str {
    let found = pairs.iter().find(|(known, _)| *known == value);
    found.map_or("Unknown", |(_, label)| label)
}

/// Returns the value if it is one of these.
pub fn known(pairs: &[(&'static str, &'static str)], value: &str) -> Option<&'static str> {
    let found = pairs.iter().find(|(known, _)| *known == value);
    found.map(|(value, _)| *value)
}
