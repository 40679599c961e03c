//! Types that psycopg converts, by their object identifiers.

/// Conversion of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text, and every type that psycopg does not know.
    Text,
    Bytes,
    Int,
    Float,
    Numeric,
    Bool,
    Date,
    Time,
    TimeTz,
    Timestamp,
    TimestampTz,
    Interval,
    Json,
    Uuid,
    Inet,
    Cidr,
    Record,
    /// Range with the conversion of its bounds.
    Range(Box<Kind>),
    Multirange(Box<Kind>),
    Array {
        element: Box<Kind>,
        delimiter: u8,
    },
}

impl Kind {
    /// Returns the conversion of the type with an object identifier.
    pub(crate) fn of(oid: u32) -> Self {
        if let Some(scalar) = Self::scalar(oid) {
            return scalar;
        }
        match ARRAYS.binary_search_by_key(&oid, |(array, _)| *array) {
            Ok(index) => {
                let element = ARRAYS[index].1;
                Self::Array {
                    element: Box::new(Self::scalar(element).unwrap_or(Self::Text)),
                    delimiter: if element == BOX { b';' } else { b',' },
                }
            }
            Err(_) => Self::Text,
        }
    }

    fn scalar(oid: u32) -> Option<Self> {
        let range = |bound| Some(Self::Range(Box::new(bound)));
        let multirange = |bound| Some(Self::Multirange(Box::new(bound)));
        match oid {
            16 => Some(Self::Bool),
            17 => Some(Self::Bytes),
            20 | 21 | 23 | 26 => Some(Self::Int),
            114 | 3802 => Some(Self::Json),
            650 => Some(Self::Cidr),
            700 | 701 => Some(Self::Float),
            869 => Some(Self::Inet),
            1082 => Some(Self::Date),
            1083 => Some(Self::Time),
            1114 => Some(Self::Timestamp),
            1184 => Some(Self::TimestampTz),
            1186 => Some(Self::Interval),
            1266 => Some(Self::TimeTz),
            1700 => Some(Self::Numeric),
            2249 => Some(Self::Record),
            2950 => Some(Self::Uuid),
            3904 | 3926 => range(Self::Int),
            3906 => range(Self::Numeric),
            3908 => range(Self::Timestamp),
            3910 => range(Self::TimestampTz),
            3912 => range(Self::Date),
            4451 | 4536 => multirange(Self::Int),
            4532 => multirange(Self::Numeric),
            4533 => multirange(Self::Timestamp),
            4534 => multirange(Self::TimestampTz),
            4535 => multirange(Self::Date),
            _ => None,
        }
    }
}

/// Type `box`, whose arrays have another delimiter.
const BOX: u32 = 603;

/// Array types that psycopg knows, with their element types, sorted.
const ARRAYS: &[(u32, u32)] = &[
    (143, 142),
    (199, 114),
    (271, 5069),
    (629, 628),
    (651, 650),
    (719, 718),
    (775, 774),
    (791, 790),
    (1000, 16),
    (1001, 17),
    (1002, 18),
    (1003, 19),
    (1005, 21),
    (1006, 22),
    (1007, 23),
    (1008, 24),
    (1009, 25),
    (1010, 27),
    (1011, 28),
    (1012, 29),
    (1013, 30),
    (1014, 1042),
    (1015, 1043),
    (1016, 20),
    (1017, 600),
    (1018, 601),
    (1019, 602),
    (1020, BOX),
    (1021, 700),
    (1022, 701),
    (1027, 604),
    (1028, 26),
    (1034, 1033),
    (1040, 829),
    (1041, 869),
    (1115, 1114),
    (1182, 1082),
    (1183, 1083),
    (1185, 1184),
    (1187, 1186),
    (1231, 1700),
    (1270, 1266),
    (1561, 1560),
    (1563, 1562),
    (2201, 1790),
    (2207, 2202),
    (2208, 2203),
    (2209, 2204),
    (2210, 2205),
    (2211, 2206),
    (2287, 2249),
    (2949, 2970),
    (2951, 2950),
    (3221, 3220),
    (3643, 3614),
    (3644, 3642),
    (3645, 3615),
    (3735, 3734),
    (3770, 3769),
    (3807, 3802),
    (3905, 3904),
    (3907, 3906),
    (3909, 3908),
    (3911, 3910),
    (3913, 3912),
    (3927, 3926),
    (4073, 4072),
    (4090, 4089),
    (4097, 4096),
    (4192, 4191),
    (6150, 4451),
    (6151, 4532),
    (6152, 4533),
    (6153, 4534),
    (6155, 4535),
    (6157, 4536),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_sorted_for_the_search() {
        assert!(ARRAYS.is_sorted());
        let ints = Kind::Array {
            element: Box::new(Kind::Int),
            delimiter: b',',
        };
        assert_eq!(Kind::of(1007), ints);
        assert_eq!(Kind::of(1009), Kind::of(1015), "text and varchar");
        assert_eq!(Kind::of(16_999), Kind::Text, "types of a database");
        assert_eq!(Kind::of(22), Kind::Text, "int2vector");
    }
}
