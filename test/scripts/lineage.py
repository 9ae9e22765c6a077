"""Reads OpenLineage events, one a line, into the classes that OpenLineage generates from its published schemas.

    python lineage.py <file>

Ends with 1 and the reason where an event lacks what a schema demands, holds a member that it does not have, or a value that it refuses.
"""

import enum
import importlib
import json
import pkgutil
import re
import sys
import types
import typing

import attr
from openlineage.client import generated
from openlineage.client.generated import base

MODULES = [importlib.import_module(f"{generated.__name__}.{module.name}") for module in pkgutil.iter_modules(generated.__path__)]
CLASSES = {name: kind for module in MODULES for name, kind in vars(module).items() if attr.has(kind)}
seen = set()


def facet(value):
    """A facet becomes the class that its _schemaURL names; a facet of a schema with another major version is refused."""
    url = value["_schemaURL"]
    kind = CLASSES[url.rsplit("/", 1)[-1]]
    major = re.compile(r"/(\d+)-\d+-\d+/")
    if major.search(url).group(1) != major.search(kind._get_schema()).group(1):
        raise ValueError(f"{url} is of another version than {kind._get_schema()}")
    seen.add(kind.__name__)
    made = filled(kind, {name: member for name, member in value.items() if name not in ("_producer", "_schemaURL")})
    made._producer = value["_producer"]
    return made


def filled(kind, value):
    hints = typing.get_type_hints(kind)
    members = {name: typed(hints[name], member) if name in hints else member for name, member in value.items()}
    made = kind(**members)
    attr.validate(made)
    return made


def typed(hint, value):
    """A value as its type; what is no value of it raises."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        [hint] = [one for one in arguments if one is not type(None)]
        return typed(hint, value)
    if typing.get_origin(hint) is list:
        return [typed(arguments[0], one) for one in value]
    if typing.get_origin(hint) is dict:
        return {name: facet(one) for name, one in value.items()}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value)
    if attr.has(hint):
        return filled(hint, value)
    if hint in (str, int, bool) and type(value) is not hint:
        raise TypeError(f"{value!r} is no {hint.__name__}")
    return value


def check(event):
    members = {name: member for name, member in event.items() if name != "schemaURL"}
    if filled(base.RunEvent, members).schemaURL != event["schemaURL"]:
        raise ValueError(f"{event['schemaURL']} is not {base.RunEvent._get_schema()}")


with open(sys.argv[1]) as lines:
    events = [json.loads(line) for line in lines]
for event in events:
    try:
        check(event)
    except Exception as error:
        sys.exit(f"{event['job']['name']}, {event['eventType']}: {type(error).__name__}: {error}")
# What must not pass, so that passing means something.
[first, *_] = events
harmed = [
    {**first, "run": {"runId": "17"}},
    {**first, "eventType": "DONE"},
    {**first, "eventTime": "yesterday"},
    {**first, "inputs": [{"namespace": "a"}]},
    {name: member for name, member in first.items() if name != "run"},
    {**first, "job": {**first["job"], "facets": {"sql": {"_producer": "a", "_schemaURL": CLASSES["SQLJobFacet"]._get_schema()}}}},
]
for event in harmed:
    try:
        check(event)
    except Exception:
        continue
    sys.exit(f"This passed, and should not: {event}")
types_ = sorted({event["eventType"] for event in events})
print(f"{len(events)} events ({', '.join(types_)}) with {', '.join(sorted(seen))}")
