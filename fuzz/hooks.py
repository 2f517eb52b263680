"""Changes made to generated requests just before they are sent, so that they get further than "does not exist".

The same request is always changed in the same way: what was found can be found again.
"""

import json
import os
import re
import uuid
import zlib

import schemathesis

with open(os.environ["STEWARD_FUZZ_WORLD"], encoding="utf-8") as file:
    world = json.load(file)

SETTINGS = re.compile(r"^/v2/workspace/\w+config/")
SPENDING = re.compile(r"/(delete|migrate)$")


@schemathesis.hook
def before_call(context, case, kwargs):
    chance = zlib.crc32(repr(case.body).encode("utf-8", "backslashreplace"))
    headers = dict(case.headers or {})
    # A few keep the credentials that were generated, or none.
    if chance % 64:
        # Settings that are switched off would close every operation that needs them.
        headers.update(world["settingsHeaders" if SETTINGS.search(case.path) else "headers"])
    key = headers.get("Idempotency-Key")
    if isinstance(key, str) and chance % 8:
        # Generators like the same short texts: most would be refused as the key of another request.
        headers["Idempotency-Key"] = f"{key[:200]}{uuid.uuid5(uuid.NAMESPACE_URL, f'{case.path}{chance}')}"
    case.headers = headers
    if isinstance(case.body, dict) and isinstance(case.body.get("data"), dict) and chance % 4:
        known = world["spare" if SPENDING.search(case.path) else "lasting"]
        case.body = {**case.body, "data": with_known_ids(case.body["data"], known, chance)}


def with_known_ids(part, known, chance):
    if isinstance(part, list):
        return [with_known_ids(item, known, chance + place) for place, item in enumerate(part)]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("type"), str) and f"{part['type']}Id" in known and "id" in part:
        part = {**part, "id": known_value(known[f"{part['type']}Id"], part["id"], chance)}
    # No generator can guess a page token: every one would be refused.
    return {
        name: known_value(known[name], value, chance) if name in known else with_known_ids(value, known, chance)
        for name, value in part.items()
        if name != "pageToken"
    }


def known_value(ids, value, chance):
    if isinstance(value, str):
        return ids[chance % len(ids)]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [ids[(chance + place) % len(ids)] for place in range(len(value))]
    return value
