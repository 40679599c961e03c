"""The helpers of `notion_client` for paged lists and for kinds of objects."""

from mcpmark_script.gaps import of_module


def iterate_paginated_api(function, **kwargs):
    """Each object of a paged list, whose pages are asked for as they are needed."""
    cursor = kwargs.pop("start_cursor", None)
    while True:
        answer = function(**kwargs, start_cursor=cursor)
        yield from answer.get("results")
        cursor = answer.get("next_cursor")
        if not answer.get("has_more") or not cursor:
            return


def collect_paginated_api(function, **kwargs):
    """All objects of a paged list."""
    return list(iterate_paginated_api(function, **kwargs))


def _is(answer, kind):
    return answer.get("object") == kind


def is_full_page(answer):
    return _is(answer, "page") and "url" in answer


def is_full_database(answer):
    return _is(answer, "database") and "title" in answer


def is_full_block(answer):
    return _is(answer, "block") and "type" in answer


def is_full_page_or_database(answer):
    return is_full_database(answer) if _is(answer, "database") else is_full_page(answer)


def is_full_user(answer):
    return "type" in answer


def is_full_comment(answer):
    return "type" in answer


__getattr__ = of_module(__name__)
