"""The codec in C99: ``tablier_wire.h``, ``tablier_wire.c``, and the vectors as a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.wire.clients.declared import RANGE, RULE, SHORT, WIDTHS, Json, Rules, bits_of, bounds, needed, runs, width

TYPES = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t"}


def _member(field: Json) -> Iterator[str]:
    name = field["name"]
    if field["type"] == "row":
        numbers = f"[{len(field['unit'])}]" if len(field["unit"]) > 1 else ""
        yield f"    uint8_t {name}_count;"
        yield f"    {TYPES[field['unit'][0]]} {name}[{max(field['count'][1], 1)}]{numbers};"
    elif field["type"] == "bytes":
        yield f"    uint8_t {name}[{field['size']}];"
    else:
        yield f"    {TYPES[field['type']]} {name};"


def header(doc: Json) -> Iterator[str]:
    constants = doc["constants"]
    yield "/* Tablier's wire. Generated from firmware/protocol.json. */"
    yield "#ifndef TABLIER_WIRE_H"
    yield "#define TABLIER_WIRE_H"
    yield "#include <stddef.h>"
    yield "#include <stdint.h>"
    yield "#include <string.h>"
    for name in ("header", "max_payload", "min_line", "max_line"):
        yield f"#define TABLIER_{name.upper()} {constants[name]}"
    yield f"#define TABLIER_MAJOR {doc['version']['major']}"
    yield f"#define TABLIER_MINOR {doc['version']['minor']}"
    yield "enum {"
    yield from (f"    TABLIER_{it['name'].upper()} = {it['code']}," for it in doc["messages"])
    yield "};"
    yield "struct tablier_frame_data { uint8_t code, boot[8], run[8], payload[TABLIER_MAX_LINE]; size_t size; };"
    yield "struct tablier_stream {"
    yield "    char line[TABLIER_MAX_LINE];"
    yield "    size_t size, skipped;"
    yield "    int marked, noise;"
    yield "    unsigned bad; /* frames so far */"
    yield "};"
    yield "/* Returns 1 and fills the frame when the byte ends one. Begin with a stream of zeros. */"
    yield "int tablier_take(struct tablier_stream *stream, uint8_t byte, struct tablier_frame_data *frame);"
    yield "/* Writes the line of a frame, newline included, and returns its length. */"
    yield "size_t tablier_frame(uint8_t code, const uint8_t boot[8], const uint8_t run[8], const uint8_t *payload,"
    yield "                     size_t size, char line[TABLIER_MAX_LINE]);"
    yield "uint32_t tablier_revision(uint8_t code, const uint8_t *payload, size_t size);"
    yield "/* Decoding and encoding return -1, or 256 times the field that is wrong first, and the reason. */"
    for message in doc["messages"]:
        name = message["name"]
        yield f"struct tablier_{name} {{"
        for field in message["fields"]:
            yield from _member(field)
        yield "};"
        yield f"int tablier_decode_{name}(const uint8_t *payload, size_t size, struct tablier_{name} *it);"
        yield f"int tablier_encode_{name}(const struct tablier_{name} *it, uint8_t *payload, size_t *size);"
        if "slot" in message:
            yield f"int tablier_slot_of_{name}(const struct tablier_{name} *it);"
        if message["way"] == "to table":
            yield "/* Returns the abilities, as the bits of 'table_hello', that a table must have to take it. */"
            yield f"uint32_t tablier_needs_of_{name}(const struct tablier_{name} *it);"
    yield "#endif"


def source(doc: Json) -> Iterator[str]:
    yield '#include "tablier_wire.h"'
    yield from (Path(__file__).parent / "runtime.c").read_text(encoding="utf-8").splitlines()
    yield "static uint32_t greatest(const uint8_t *numbers, size_t count)"
    yield "{"
    yield "    uint32_t most = 0;"
    yield "    while (count--)"
    yield "        most = numbers[count] > most ? numbers[count] : most;"
    yield "    return most;"
    yield "}"
    for message in doc["messages"]:
        yield from _decode(message)
        yield from _encode(message)
        if "slot" in message:
            yield f"int tablier_slot_of_{message['name']}(const struct tablier_{message['name']} *it)"
            yield "{"
            yield f"    (void)it;\n    return (int){_rules(message).code(message['slot'])};"
            yield "}"
        if message["way"] == "to table":
            always, some = needed(doc, message)
            parts = [f"{always}u", *(f"({_rules(message).code(test)} ? {bit}u : 0)" for bit, test in some)]
            yield f"uint32_t tablier_needs_of_{message['name']}(const struct tablier_{message['name']} *it)"
            yield "{"
            yield f"    (void)it;\n    return {' | '.join(parts)};"
            yield "}"


def _rules(message: Json) -> Rules:
    def leaf(what: str, field: Json, index: str = "") -> str:
        name = field["name"]
        return {
            "value": f"(uint32_t)it->{name}",
            "count": f"(uint32_t)it->{name}_count",
            "max": f"greatest(it->{name}, it->{name}_count)",
            "byte": f"(uint32_t)it->{name}[{index}]",
        }[what]

    return Rules(
        message,
        leaf,
        "(uint32_t)({})",
        lambda numbers, index: f"((const uint32_t[]){{{', '.join(map(str, numbers))}}})[{index}]",
    )


def _outside(value: str, code: str, low: int, high: int) -> str:
    """Return the test that a number is out of its range, without what its type excludes anyway."""
    tests = [f"{value} < {low}"] if low else []
    if high < (1 << 8 * WIDTHS[code]) - 1:
        tests.append(f"{value} > {high}{'u' if high < 1 << 32 else 'ull'}")
    return " || ".join(tests)


def _fail(index: int, reason: int) -> str:
    return f"return {index << 8 | reason};"


def _decode(message: Json) -> Iterator[str]:
    name = message["name"]
    yield f"int tablier_decode_{name}(const uint8_t *payload, size_t size, struct tablier_{name} *it)"
    yield "{"
    yield "    size_t at = 0;"
    yield "    memset(it, 0, sizeof *it);"
    later = [(run.row or run.fields[0])[1] for run in runs(message) if run.later]
    for field in later:
        if field["type"] != "row" and field["default"]:
            yield f"    it->{field['name']} = {field['default']};"
    for run in runs(message):
        if run.later:
            yield "    if (size <= at)"
            yield "        goto rules;"
        end = 0
        for index, field in run.fields:
            end += width(field)
            yield f"    if (size < at + {end})"
            yield "        " + _fail(index, SHORT)
        for index, field in run.fields:
            yield from _take(index, field)
        if run.row:
            yield from _take_row(*run.row)
    if any(run.later for run in runs(message)):
        yield "rules:"
    for rule in message["rules"]:
        index = [field["name"] for field in message["fields"]].index(rule["field"])
        yield f"    if (!{_rules(message).code(rule['test'])})"
        yield "        " + _fail(index, RULE)
    yield "    (void)at;"
    yield "    return -1;"
    yield "}"


def _take(index: int, field: Json) -> Iterator[str]:
    name, size = field["name"], width(field)
    if field["type"] == "bytes":
        yield f"    memcpy(it->{name}, payload + at, {size});"
        if "range" in field:
            test = _outside(f"it->{name}[i]", "u8", *field["range"])
            yield f"    for (int i = 0; i < {size}; i++)"
            yield f"        if ({test})"
            yield "            " + _fail(index, RANGE)
    else:
        yield f"    it->{name} = ({TYPES[field['type']]})number_at(payload + at, {size});"
        if "range" in field:
            yield f"    if ({_outside(f'it->{name}', field['type'], *field['range'])})"
            yield "        " + _fail(index, RANGE)
    yield f"    at += {size};"


def _take_row(index: int, field: Json) -> Iterator[str]:
    name, size, (least, most) = field["name"], width(field), field["count"]
    yield "    if (size <= at)"
    yield "        " + _fail(index, SHORT)
    yield f"    it->{name}_count = payload[at++];"
    test = _outside(f"it->{name}_count", "u8", least, most)
    if test:
        yield f"    if ({test})"
        yield "        " + _fail(index, RANGE)
    yield f"    if (size < at + {size}u * it->{name}_count)"
    yield "        " + _fail(index, SHORT)
    yield f"    for (int i = 0; i < it->{name}_count; i++) {{"
    for number, code in enumerate(field["unit"]):
        where = f"it->{name}[i]" + (f"[{number}]" if len(field["unit"]) > 1 else "")
        yield f"        {where} = ({TYPES[code]})number_at(payload + at, {WIDTHS[code]});"
        yield f"        at += {WIDTHS[code]};"
    for number, low, high in bounds(field):
        where = f"it->{name}[i]" + (f"[{number}]" if len(field["unit"]) > 1 else "")
        yield f"        if ({_outside(where, field['unit'][number], low, high)})"
        yield "            " + _fail(index, RANGE)
    yield "    }"


def _encode(message: Json) -> Iterator[str]:
    name = message["name"]
    yield f"int tablier_encode_{name}(const struct tablier_{name} *it, uint8_t *payload, size_t *size)"
    yield "{"
    yield f"    struct tablier_{name} again;"
    yield "    uint8_t *at = payload;"
    for index, field in enumerate(message["fields"]):
        member = f"it->{field['name']}"
        if field["type"] == "bytes":
            yield f"    memcpy(at, {member}, {field['size']});"
            yield f"    at += {field['size']};"
        elif field["type"] == "row":
            yield f"    if ({member}_count > {max(field['count'][1], 1)})"
            yield "        " + _fail(index, RANGE)
            yield f"    *at++ = {member}_count;"
            yield f"    for (int i = 0; i < {member}_count; i++) {{"
            for number, code in enumerate(field["unit"]):
                where = f"{member}[i]" + (f"[{number}]" if len(field["unit"]) > 1 else "")
                yield f"        at = put_number(at, {where}, {WIDTHS[code]});"
            yield "    }"
        else:
            yield f"    at = put_number(at, {member}, {width(field)});"
    yield "    *size = (size_t)(at - payload);"
    yield f"    return tablier_decode_{name}(payload, *size, &again);"
    yield "}"


# -- the vectors ---------------------------------------------------------------------------------------------------


def _bytes(text: str) -> str:
    return "{" + (", ".join(f"0x{text[at : at + 2]}" for at in range(0, len(text), 2)) or "0") + "}"


def _literal(message: Json, values: Json) -> str:
    parts = []
    for field in message["fields"]:
        name, value = field["name"], values[field["name"]]
        if field["type"] == "row":
            parts.append(f".{name}_count = {len(value)}")
            units = [f"{{{', '.join(map(str, unit))}}}" if isinstance(unit, list) else str(unit) for unit in value]
            parts += [f".{name} = {{{', '.join(units)}}}"] if units else []
        elif field["type"] == "bytes":
            parts.append(f".{name} = {_bytes(value)}")
        else:
            parts.append(f".{name} = {value}" + ("ull" if field["type"] == "u64" else "u"))
    return "{" + ", ".join(parts) + "}"


def vectors(doc: Json) -> Iterator[str]:
    declared: dict[str, Any] = {message["name"]: message for message in doc["messages"]}
    yield '#include "tablier_wire.h"'
    yield "#include <stdio.h>"
    yield "static int checks, failures;"
    yield "static void check(int good, const char *what, int number)"
    yield "{"
    yield "    checks++;"
    yield "    if (!good && ++failures)"
    yield '        printf("failed: %s %d\\n", what, number);'
    yield "}"
    calls = []
    groups = doc["vectors"]
    for number, vector in enumerate([*groups["payloads"], *groups["decoded"]]):
        name = vector["message"]
        calls.append(f"payload_{number}")
        yield f"static void payload_{number}(void)"
        yield "{"
        yield f"    static const uint8_t payload[] = {_bytes(vector['payload'])};"
        yield f"    size_t size = {len(vector['payload']) // 2};"
        yield f"    struct tablier_{name} want = {_literal(declared[name], vector['values'])}, got;"
        yield "    uint8_t written[512];"
        yield f'    check(tablier_decode_{name}(payload, size, &got) == -1, "decode {name}", {number});'
        same = " && ".join(_same(field) for field in declared[name]["fields"])
        yield f'    check({same}, "values {name}", {number});'
        if "line" in vector:
            yield "    size_t written_size = 0;"
            yield f'    check(tablier_encode_{name}(&want, written, &written_size) == -1, "encode {name}", {number});'
            yield f'    check(written_size == size && !memcmp(written, payload, size), "payload {name}", {number});'
            yield "    char line[TABLIER_MAX_LINE];"
            yield f"    static const uint8_t boot[] = {_bytes(vector['boot'])}, run[] = {_bytes(vector['run'])};"
            yield f"    size_t length = tablier_frame(TABLIER_{name.upper()}, boot, run, payload, size, line);"
            text = vector["line"]
            yield f'    int same = length == {len(text) + 1} && !memcmp(line, "{text}\\n", length);'
            yield f'    check(same, "line {name}", {number});'
        yield "    (void)written;"
        yield "}"
    yield "int main(void)"
    yield "{"
    yield from (f"    {call}();" for call in calls)
    for number, vector in enumerate(groups["faults"]):
        name, fault = vector["message"], vector["field"] << 8 | vector["reason"]
        yield f"    {{ static const uint8_t payload[] = {_bytes(vector['payload'])}; struct tablier_{name} it;"
        yield (
            f"      check(tablier_decode_{name}(payload, {len(vector['payload']) // 2}, &it) == {fault},"
            f' "fault {name}", {number}); }}'
        )
    for number, vector in enumerate(groups["revisions"]):
        name = vector["message"]
        yield f"    {{ static const uint8_t payload[] = {_bytes(vector['payload'])}; struct tablier_{name} it;"
        yield f"      size_t size = {len(vector['payload']) // 2};"
        yield (
            f"      check(tablier_revision(TABLIER_{name.upper()}, payload, size) == {vector['revision']}u,"
            f' "revision", {number});'
        )
        yield f"      if (tablier_decode_{name}(payload, size, &it) == -1)"
        yield f'          check(tablier_slot_of_{name}(&it) == {vector["slot"]}, "slot", {number}); }}'
    for number, vector in enumerate(groups["abilities"]):
        name = vector["message"]
        yield f"    {{ static const uint8_t payload[] = {_bytes(vector['payload'])}; struct tablier_{name} it;"
        yield f"      tablier_decode_{name}(payload, {len(vector['payload']) // 2}, &it);"
        bits = bits_of(doc, vector["abilities"])
        yield f'      check(tablier_needs_of_{name}(&it) == {bits}u, "needs", {number}); }}'
    for number, vector in enumerate(groups["streams"]):
        frames = ", ".join(f'"{frame}"' for frame in vector["frames"])
        yield f"    {{ static const uint8_t bytes[] = {_bytes(vector['bytes'])};"
        yield f"      static const char *frames[] = {{{frames}}};"
        yield "      struct tablier_stream stream = {.size = 0};"
        yield "      struct tablier_frame_data got;"
        yield "      char line[TABLIER_MAX_LINE];"
        yield "      size_t found = 0;"
        yield f"      for (size_t i = 0; i < {len(vector['bytes']) // 2}; i++)"
        yield "          if (tablier_take(&stream, bytes[i], &got)) {"
        yield "              size_t length = tablier_frame(got.code, got.boot, got.run, got.payload, got.size, line);"
        yield f"              check(found < {len(vector['frames'])} && length == strlen(frames[found]) + 1"
        yield f'                    && !memcmp(line, frames[found], length - 1), "stream", {number});'
        yield "              found++;"
        yield "          }"
        yield f'      check(found == {len(vector["frames"])}, "frames of the stream", {number});'
        yield f'      check(stream.bad == {vector["bad"]}, "bad frames of the stream", {number}); }}'
    yield '    printf("%d checks, %d failures\\n", checks, failures);'
    yield "    return failures != 0;"
    yield "}"


def _same(field: Json) -> str:
    name = field["name"]
    if field["type"] == "row":
        count = f"want.{name}_count"
        return f"got.{name}_count == {count} && !memcmp(got.{name}, want.{name}, {count} * sizeof *want.{name})"
    if field["type"] == "bytes":
        return f"!memcmp(got.{name}, want.{name}, {field['size']})"
    return f"got.{name} == want.{name}"


def files(doc: Json) -> dict[str, Iterator[str]]:
    return {"tablier_wire.h": header(doc), "tablier_wire.c": source(doc), "vectors.c": vectors(doc)}
