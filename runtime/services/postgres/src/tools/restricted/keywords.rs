//! Keywords of PostgreSQL by their class, as its documentation lists them.

/// Keywords that are neither names of functions nor of types, without those that only name types.
const RESERVED: &str = " all analyse analyze and any array as asc asymmetric both case cast check collate column \
    constraint create current_catalog current_date current_role current_time current_timestamp current_user default \
    deferrable desc distinct do else end except false fetch for foreign from grant group having in initially \
    intersect into lateral leading limit localtime localtimestamp not null offset on only or order placing primary \
    references returning select session_user some symmetric table then to trailing true union unique user using \
    variadic when where window with ";

/// Keywords that name types or constructs, but no functions.
const CONSTRUCTS: &str = " between bigint bit boolean char character coalesce dec decimal exists extract float \
    greatest grouping inout int integer interval least national nchar none normalize nullif numeric out overlay \
    position precision real row setof smallint substring time timestamp trim values varchar xmlattributes xmlexists \
    xmlnamespaces xmltable ";

/// Constructs whose nodes restricted mode does not allow.
const FORBIDDEN_CONSTRUCTS: &str = " json json_array json_arrayagg json_exists json_objectagg json_query json_scalar \
    json_serialize json_table json_value merge_action treat xmlconcat xmlelement xmlforest xmlparse xmlpi xmlroot \
    xmlserialize ";

/// Keywords that may be names of functions.
const OTHER: &str = " abort absolute access action add admin after aggregate also alter always assertion assignment \
    asensitive at atomic attach attribute authorization backward before begin binary breadth by cache call called \
    cascade cascaded catalog chain characteristics checkpoint class close cluster collation columns comment comments \
    commit committed compression concurrently configuration conflict connection constraints content continue \
    conversion copy cost cross csv cube current current_schema cursor cycle data database day deallocate declare \
    defaults deferred definer delete delimiter delimiters depends depth detach dictionary disable discard document \
    domain double drop each enable encoding encrypted enum escape event exclude excluding exclusive execute explain \
    expression extension external family filter finalize first following force forward freeze full function functions \
    generated global granted groups handler header hold hour identity if ilike immediate immutable implicit import \
    include including increment indent index indexes inherit inherits inline inner input insensitive insert instead \
    invoker is isnull isolation join key label language large last leakproof left level like listen load local \
    location lock locked logged mapping match matched materialized maxvalue merge method minute minvalue mode month \
    move name names natural new next nfc nfd nfkc nfkd no normalized nothing notify notnull nowait nulls object of \
    off oids old operator option options ordinality others outer over overlaps overriding owned owner parallel \
    parameter parser partial partition passing password plans policy preceding prepare prepared preserve prior \
    privileges procedural procedure procedures program publication quote range read reassign recheck recursive ref \
    referencing refresh reindex relative release rename repeatable replace replica reset restart restrict return \
    returns revoke right role rollback rollup routine routines rows rule savepoint schema schemas scroll search \
    second security sequence sequences serializable server session set sets share show similar simple skip snapshot \
    sql stable standalone start statement statistics stdin stdout storage stored strict strip subscription support \
    sysid system system_user tables tablesample tablespace temp template temporary text ties transaction transform \
    trigger truncate trusted type types uescape unbounded uncommitted unencrypted unknown unlisten unlogged until \
    update vacuum valid validate validator value varying verbose version view views volatile whitespace within \
    without work wrapper write xml year yes zone ";

/// Reports whether a list, whose words have a space on each side, contains a word.
fn contains(list: &str, word: &str) -> bool {
    !word.contains(' ') && list.contains(&format!(" {word} "))
}

pub(super) fn is_reserved(word: &str) -> bool {
    contains(RESERVED, word)
}

pub(super) fn is_construct(word: &str) -> bool {
    contains(CONSTRUCTS, word)
}

pub(super) fn is_forbidden_construct(word: &str) -> bool {
    contains(FORBIDDEN_CONSTRUCTS, word)
}

pub(super) fn is_keyword(word: &str) -> bool {
    is_reserved(word) || is_construct(word) || is_forbidden_construct(word) || contains(OTHER, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_keywords() {
        assert!(is_reserved("select") && is_keyword("over") && is_construct("numeric"));
        assert!(!is_keyword("orders") && !is_keyword("selec") && !is_reserved("all analyse"));
    }
}
