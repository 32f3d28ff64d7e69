# Checks SARIF files: the form by a schema, and what no schema can say. Prints what is wrong.
import json
import sys
from urllib.parse import unquote_to_bytes

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
bad = 0


def complain(file, text):
    global bad
    bad += 1
    print(f"# {file}: {text}")


def regions(o):
    """All regions in O, each with its artifact."""
    if isinstance(o, dict):
        if "region" in o:
            yield o["artifactLocation"], o["region"]
        for change in o.get("artifactChanges", []):
            for replacement in change["replacements"]:
                yield change["artifactLocation"], replacement["deletedRegion"]
        o = list(o.values())
    if isinstance(o, list):
        for value in o:
            yield from regions(value)


def lines_of(uri):
    name = unquote_to_bytes(uri[len("file://"):] if uri.startswith("file://") else uri)
    text = open(name, "rb").read().decode("utf-8", "surrogateescape")
    return text.removeprefix("\ufeff").split("\n")


def check(file):
    log = json.load(open(file, encoding="utf-8"))
    for error in validator.iter_errors(log):
        complain(file, f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        if sorted({result["ruleId"] for result in run["results"]}) != sorted(rules):
            complain(file, "the rules are not those of the results")
        seen = set()
        for result in run["results"]:
            key = (result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                   result["ruleId"], result["partialFingerprints"]["hipwright/v1"])
            if key in seen:
                complain(file, f"a fingerprint comes twice: {key}")
            seen.add(key)
        for artifact, region in regions(run["results"]):
            lines = lines_of(artifact["uri"])
            begin = (region["startLine"], region.get("startColumn", 1))
            end = (region["endLine"], region.get("endColumn", 1))
            for line, column in (begin, end):
                if len(lines) < line or len(lines[line - 1]) + 1 < column:
                    complain(file, f"no such place: {artifact['uri']}:{line}:{column}")
            if end < begin:
                complain(file, f"a region ends before it begins: {begin} {end}")


for name in sys.argv[2:]:
    check(name)
sys.exit(1 if bad else 0)
