"""How libraries that scripts import ask the world's services."""

import json

from componentize_py_types import Err
from wit_world.imports import services


class ServiceError(Exception):
    """What a service says instead of an answer."""


def call(service, **request):
    """One request, and the service's answer, both JSON objects."""
    try:
        return json.loads(services.call(service, json.dumps(request)))
    except Err as error:
        raise ServiceError(error.value) from None
