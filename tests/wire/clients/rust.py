"""The codec in Rust: ``tablier_wire.rs``, and the vectors as a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.wire.clients.declared import (
    RANGE,
    RULE,
    SHORT,
    WIDTHS,
    Json,
    Rules,
    bits_of,
    bounds,
    camel,
    needed,
    runs,
    width,
)

FULL = {code: (1 << 8 * size) - 1 for code, size in WIDTHS.items()}
RUST = {"u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64"}


def _type(field: Json) -> str:
    if field["type"] == "row":
        unit = RUST[field["unit"][0]]
        return f"Vec<{unit}>" if len(field["unit"]) == 1 else f"Vec<[{unit}; {len(field['unit'])}]>"
    return f"[u8; {field['size']}]" if field["type"] == "bytes" else RUST[field["type"]]


def source(doc: Json) -> Iterator[str]:
    yield "//! Tablier's wire. Generated from firmware/protocol.json."
    yield "#![allow(clippy::all, unused_mut, unused_assignments, unused_variables, dead_code, unused_parens)]"
    for line in (Path(__file__).parent / "runtime.rs").read_text(encoding="utf-8").splitlines():
        if not line.startswith("//!"):
            yield line
    for name in ("header", "max_payload", "min_line", "max_line"):
        yield f"pub const {name.upper()}: usize = {doc['constants'][name]};"
    yield f"pub const MAJOR: u16 = {doc['version']['major']};"
    yield f"pub const MINOR: u16 = {doc['version']['minor']};"
    for message in doc["messages"]:
        yield from _message(doc, message)


def _message(doc: Json, message: Json) -> Iterator[str]:
    name = camel(message["name"])
    yield f"/// {message['text']}"
    yield "#[derive(Debug, Clone, PartialEq, Eq)]"
    yield f"pub struct {name} {{"
    yield from (f"    pub {field['name']}: {_type(field)}," for field in message["fields"])
    yield "}"
    yield f"impl {name} {{"
    yield f"    pub const CODE: u8 = {message['code']};"
    yield "    pub fn decode(payload: &[u8]) -> Result<Self, Fault> {"
    yield "        let size = payload.len();"
    yield "        let mut at = 0;"
    for field in message["fields"]:
        yield f"        let mut {field['name']}: {_type(field)} = {_default(field)};"
    yield "        'later: {"
    for run in runs(message):
        if run.later:
            yield "            if size <= at { break 'later; }"
        end = 0
        for index, field in run.fields:
            end += width(field)
            yield f"            if size < at + {end} {{ return {_fault(index, SHORT)}; }}"
        for index, field in run.fields:
            yield from _take(index, field)
        if run.row:
            yield from _take_row(*run.row)
    yield "        }"
    names = ", ".join(field["name"] for field in message["fields"])
    yield f"        let it = {name} {{ {names} }};"
    for rule in message["rules"]:
        index = [field["name"] for field in message["fields"]].index(rule["field"])
        yield f"        if {_rules(message).code(rule['test'])} == 0 {{ return {_fault(index, RULE)}; }}"
    yield "        Ok(it)"
    yield "    }"
    yield "    pub fn encode(&self) -> Result<Vec<u8>, Fault> {"
    yield "        let mut payload: Vec<u8> = Vec::new();"
    for index, field in enumerate(message["fields"]):
        member = f"self.{field['name']}"
        if field["type"] == "row":
            yield f"        if {member}.len() > {field['count'][1]} {{ return {_fault(index, RANGE)}; }}"
            yield f"        payload.push({member}.len() as u8);"
            each = "unit.to_le_bytes()" if len(field["unit"]) == 1 else "unit.map(|it| it.to_le_bytes()).concat()"
            yield f"        for unit in &{member} {{ payload.extend_from_slice(&{each}); }}"
        elif field["type"] == "bytes":
            yield f"        payload.extend_from_slice(&{member});"
        else:
            yield f"        payload.extend_from_slice(&{member}.to_le_bytes());"
    yield "        Self::decode(&payload)?;"
    yield "        Ok(payload)"
    yield "    }"
    if "slot" in message:
        yield "    pub fn slot(&self) -> usize {"
        yield "        let it = self;"
        yield f"        {_rules(message).code(message['slot'])} as usize"
        yield "    }"
    if message["way"] == "to table":
        always, some = needed(doc, message)
        parts = [str(always), *(f"if {_rules(message).code(test)} != 0 {{ {bit} }} else {{ 0 }}" for bit, test in some)]
        yield "    /// The abilities, as the bits of `table_hello`, that a table must have to take it."
        yield "    pub fn needs(&self) -> u32 {"
        yield "        let it = self;"
        yield f"        {' | '.join(parts)}"
        yield "    }"
    yield "}"


def _default(field: Json) -> str:
    if field["type"] == "row":
        return "Vec::new()"
    return f"[0; {field['size']}]" if field["type"] == "bytes" else str(field.get("default", 0))


def _fault(index: int, reason: int) -> str:
    return f"fault({index}, {reason})"


def _outside(value: str, code: str, low: int, high: int) -> str:
    return " || ".join([f"{value} < {low}"] * bool(low) + [f"{value} > {high}"] * (high < FULL[code]))


def _take(index: int, field: Json) -> Iterator[str]:
    name, size = field["name"], width(field)
    if field["type"] == "bytes":
        yield f"            {name}.copy_from_slice(&payload[at..at + {size}]);"
        if "range" in field:
            test = _outside("*it", "u8", *field["range"])
            yield f"            if {name}.iter().any(|it| {test}) {{ return {_fault(index, RANGE)}; }}"
    else:
        yield f"            {name} = number_at(payload, at, {size}) as {RUST[field['type']]};"
        if "range" in field:
            test = _outside(name, field["type"], *field["range"])
            yield f"            if {test} {{ return {_fault(index, RANGE)}; }}"
    yield f"            at += {size};"


def _take_row(index: int, field: Json) -> Iterator[str]:
    name, size, (least, most) = field["name"], width(field), field["count"]
    yield f"            if size <= at {{ return {_fault(index, SHORT)}; }}"
    yield "            let count = usize::from(payload[at]);"
    test = _outside("count", "u8", least, most)
    if test:
        yield f"            if {test} {{ return {_fault(index, RANGE)}; }}"
    yield "            at += 1;"
    yield f"            if size < at + {size} * count {{ return {_fault(index, SHORT)}; }}"
    yield "            for _ in 0..count {"
    unit = RUST[field["unit"][0]]
    numbers: list[str] = []
    for code in field["unit"]:
        offset = sum(WIDTHS[it] for it in field["unit"][: len(numbers)])
        numbers.append(f"number_at(payload, at + {offset}, {WIDTHS[code]}) as {unit}")
    yield f"                let unit = {numbers[0] if len(numbers) == 1 else '[' + ', '.join(numbers) + ']'};"
    for number, low, high in bounds(field):
        where = "unit" if len(numbers) == 1 else f"unit[{number}]"
        test = _outside(where, field["unit"][number], low, high)
        yield f"                if {test} {{ return {_fault(index, RANGE)}; }}"
    yield f"                {name}.push(unit);"
    yield f"                at += {size};"
    yield "            }"


def _rules(message: Json) -> Rules:
    def leaf(what: str, field: Json, index: str = "") -> str:
        name = field["name"]
        return {
            "value": f"u32::from(it.{name})" if field["type"] != "u32" else f"it.{name}",
            "count": f"(it.{name}.len() as u32)",
            "max": f"it.{name}.iter().copied().max().map_or(0, u32::from)",
            "byte": f"u32::from(it.{name}[{index}])",
        }[what]

    return Rules(
        message, leaf, "u32::from({})", lambda numbers, index: f"[{', '.join(map(str, numbers))}u32][{index} as usize]"
    )


# -- the vectors ---------------------------------------------------------------------------------------------------


def _hex(text: str) -> str:
    return "[" + ", ".join(f"0x{text[at : at + 2]}" for at in range(0, len(text), 2)) + "]"


def _literal(message: Json, values: Json) -> str:
    parts = []
    for field in message["fields"]:
        value = values[field["name"]]
        texts = {"row": lambda it: f"vec!{it}", "bytes": _hex}
        shown = texts.get(field["type"], str)(value)
        parts.append(f"{field['name']}: {shown}")
    return f"{camel(message['name'])} {{ {', '.join(parts)} }}"


def vectors(doc: Json) -> Iterator[str]:
    declared: dict[str, Any] = {message["name"]: message for message in doc["messages"]}
    groups = doc["vectors"]
    yield "mod tablier_wire;"
    yield "use tablier_wire::*;"
    calls = []
    for number, vector in enumerate([*groups["payloads"], *groups["decoded"]]):
        message = declared[vector["message"]]
        name = camel(message["name"])
        calls.append(f"payload_{number}")
        yield f"fn payload_{number}() {{"
        yield f"    let payload: &[u8] = &{_hex(vector['payload'])};"
        yield f"    let want = {_literal(message, vector['values'])};"
        yield f"    assert_eq!({name}::decode(payload), Ok(want.clone()));"
        if "line" in vector:
            yield "    assert_eq!(want.encode().unwrap(), payload);"
            line = f"frame({name}::CODE, &{_hex(vector['boot'])}, &{_hex(vector['run'])}, payload)"
            yield f'    assert_eq!({line}, b"{vector["line"]}\\n");'
        yield "}"
    yield "fn main() {"
    yield from (f"    {call}();" for call in calls)
    for vector in groups["faults"]:
        fault = f"Fault {{ field: {vector['field']}, reason: {vector['reason']} }}"
        yield f"    assert_eq!({camel(vector['message'])}::decode(&{_hex(vector['payload'])}).unwrap_err(), {fault});"
    for vector in groups["revisions"]:
        name, payload = camel(vector["message"]), _hex(vector["payload"])
        yield f"    assert_eq!(revision({name}::CODE, &{payload}), {vector['revision']});"
        yield f"    if let Ok(it) = {name}::decode(&{payload}) {{ assert_eq!(it.slot(), {vector['slot']}); }}"
    for vector in groups["abilities"]:
        it = f"{camel(vector['message'])}::decode(&{_hex(vector['payload'])}).unwrap()"
        yield f"    assert_eq!({it}.needs(), {bits_of(doc, vector['abilities'])});"
    for vector in groups["streams"]:
        frames = "".join(f'b"{frame}\\n".to_vec(), ' for frame in vector["frames"])
        yield "    {"
        yield "        let mut stream = Stream::default();"
        yield f"        let bytes: &[u8] = &{_hex(vector['bytes'])};"
        yield "        let found: Vec<Frame> = bytes.iter().filter_map(|byte| stream.take(*byte)).collect();"
        yield "        let lines: Vec<Vec<u8>> ="
        yield "            found.iter().map(|it| frame(it.code, &it.boot, &it.run, &it.payload)).collect();"
        yield f"        assert_eq!(lines, Vec::<Vec<u8>>::from([{frames}]));"
        yield f"        assert_eq!(stream.bad, {vector['bad']});"
        yield "    }"
    checks = sum(len(groups[name]) for name in ("payloads", "decoded", "faults", "revisions", "abilities", "streams"))
    yield f'    println!("{checks} vectors, 0 failures");'
    yield "}"


def files(doc: Json) -> dict[str, Iterator[str]]:
    return {"tablier_wire.rs": source(doc), "vectors.rs": vectors(doc)}
