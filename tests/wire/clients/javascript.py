"""The codec in JavaScript for Node.js: ``tablier_wire.mjs``; ``vectors.mjs`` reads the JSON file itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.wire.clients.declared import (
    RANGE,
    RULE,
    SHORT,
    WIDTHS,
    Json,
    Rules,
    bounds,
    camel,
    needed,
    runs,
    width,
)

FULL = {code: (1 << 8 * size) - 1 for code, size in WIDTHS.items()}


def source(doc: Json) -> Iterator[str]:
    yield "// Tablier's wire. Generated from firmware/protocol.json."
    yield from (Path(__file__).parent / "runtime.mjs").read_text(encoding="utf-8").splitlines()
    for name in ("header", "max_payload", "min_line", "max_line"):
        yield f"export const {name.upper()} = {doc['constants'][name]};"
    yield f"export const MAJOR = {doc['version']['major']};"
    yield f"export const MINOR = {doc['version']['minor']};"
    yield "/** By name: code, way, class, decode(payload), encode(values), and slot(values) of desired state. Of what"
    yield " * goes to a table needs(values): the abilities, as bits of its hello, that it must have to take them. */"
    names = [ability["name"] for ability in doc["constants"]["abilities"]]
    yield f"export const ABILITIES = {json.dumps(names)};"
    yield "export const MESSAGES = {};"
    for message in doc["messages"]:
        yield from _message(doc, message)
    yield "export const BY_CODE = Object.fromEntries(Object.values(MESSAGES).map((it) => [it.code, it]));"


def _message(doc: Json, message: Json) -> Iterator[str]:
    name = camel(message["name"])
    yield f"export const decode{name} = (payload) => {{"
    yield "  const it = {};"
    yield "  const size = payload.length;"
    yield "  let at = 0;"
    for field in message["fields"]:
        if "default" in field:
            yield f"  it.{field['name']} = {'[]' if field['type'] == 'row' else field['default']};"
    yield "  later: {"
    for run in runs(message):
        if run.later:
            yield "    if (size <= at) break later;"
        end = 0
        for index, field in run.fields:
            end += width(field)
            yield f"    if (size < at + {end}) {_throw(index, SHORT)}"
        for index, field in run.fields:
            yield from _take(index, field)
        if run.row:
            yield from _take_row(*run.row)
    yield "  }"
    for rule in message["rules"]:
        index = [field["name"] for field in message["fields"]].index(rule["field"])
        yield f"  if (!{_rules(message).code(rule['test'])}) {_throw(index, RULE)}"
    yield "  return it;"
    yield "};"
    yield f"export const encode{name} = (it) => {{"
    yield "  const parts = [];"
    for index, field in enumerate(message["fields"]):
        member = f"it.{field['name']}"
        if field["type"] == "row":
            yield f"  if ({member}.length > {field['count'][1]}) {_throw(index, RANGE)}"
            yield f"  parts.push(Buffer.from([{member}.length]));"
            if len(field["unit"]) == 1:
                yield f"  for (const unit of {member}) parts.push(numberBytes(unit, {width(field)}));"
            else:
                each = ", ".join(f"numberBytes(unit[{at}], {WIDTHS[code]})" for at, code in enumerate(field["unit"]))
                yield f"  for (const unit of {member}) parts.push({each});"
        elif field["type"] == "bytes":
            yield f"  if ({member}.length !== {field['size']}) {_throw(index, RANGE)}"
            yield f"  parts.push({member});"
        else:
            yield f"  parts.push(numberBytes({member}, {width(field)}));"
    yield "  const payload = Buffer.concat(parts);"
    yield f"  decode{name}(payload);"
    yield "  return payload;"
    yield "};"
    rest = f'code: {message["code"]}, name: "{message["name"]}", way: "{message["way"]}", class: "{message["class"]}"'
    always, some = needed(doc, message)
    parts = [str(always), *(f"({_rules(message).code(test)} ? {bit} : 0)" for bit, test in some)]
    rest += f", needs: (it) => {' | '.join(parts)}" if message["way"] == "to table" else ""
    slot = f", slot: (it) => {_rules(message).code(message['slot'])}" if "slot" in message else ""
    yield f"MESSAGES.{message['name']} = {{ {rest}, decode: decode{name}, encode: encode{name}{slot} }};"


def _throw(index: int, reason: int) -> str:
    return f"throw new Fault({index}, {reason});"


def _outside(value: str, code: str, low: int, high: int) -> str:
    end = "n" if code == "u64" else ""
    return " || ".join([f"{value} < {low}{end}"] * bool(low) + [f"{value} > {high}{end}"] * (high < FULL[code]))


def _take(index: int, field: Json) -> Iterator[str]:
    name, size = field["name"], width(field)
    if field["type"] == "bytes":
        yield f"    it.{name} = payload.subarray(at, at + {size});"
        if "range" in field:
            test = _outside("byte", "u8", *field["range"])
            yield f"    if (it.{name}.some((byte) => {test})) {_throw(index, RANGE)}"
    else:
        yield f"    it.{name} = numberAt(payload, at, {size});"
        if "range" in field:
            yield f"    if ({_outside(f'it.{name}', field['type'], *field['range'])}) {_throw(index, RANGE)}"
    yield f"    at += {size};"


def _take_row(index: int, field: Json) -> Iterator[str]:
    name, size, (least, most) = field["name"], width(field), field["count"]
    yield f"    if (size <= at) {_throw(index, SHORT)}"
    yield f"    const count{index} = payload[at];"
    test = _outside(f"count{index}", "u8", least, most)
    if test:
        yield f"    if ({test}) {_throw(index, RANGE)}"
    yield "    at += 1;"
    yield f"    if (size < at + {size} * count{index}) {_throw(index, SHORT)}"
    yield f"    it.{name} = [];"
    yield f"    for (let n = 0; n < count{index}; n++, at += {size}) {{"
    numbers: list[str] = []
    for code in field["unit"]:
        offset = sum(WIDTHS[it] for it in field["unit"][: len(numbers)])
        numbers.append(f"numberAt(payload, at + {offset}, {WIDTHS[code]})")
    yield f"      const unit = {numbers[0] if len(numbers) == 1 else '[' + ', '.join(numbers) + ']'};"
    for number, low, high in bounds(field):
        where = "unit" if len(numbers) == 1 else f"unit[{number}]"
        yield f"      if ({_outside(where, field['unit'][number], low, high)}) {_throw(index, RANGE)}"
    yield f"      it.{name}.push(unit);"
    yield "    }"


def _rules(message: Json) -> Rules:
    def leaf(what: str, field: Json, index: str = "") -> str:
        name = field["name"]
        return {
            "value": f"it.{name}",
            "count": f"it.{name}.length",
            "max": f"Math.max(0, ...it.{name})",
            "byte": f"it.{name}[{index}]",
        }[what]

    return Rules(message, leaf, "Number({})", lambda numbers, index: f"{numbers}[{index}]")


VECTORS = """
// Checks the codec against the vectors of firmware/protocol.json, whose path is the argument.
import { readFileSync } from "node:fs";
import { deepStrictEqual as same } from "node:assert";
import * as wire from "./tablier_wire.mjs";

const { messages, vectors } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const hex = (text) => Buffer.from(text, "hex");
const declared = Object.fromEntries(messages.map((it) => [it.name, it]));
const valuesOf = ({ message, values }) =>
  Object.fromEntries(
    declared[message].fields.map(({ name, type }) => {
      const value = values[name];
      return [name, type === "u64" ? BigInt(value) : type === "bytes" ? hex(value) : value];
    }),
  );
const shown = (value) => (value instanceof Buffer ? value.toString("hex") : value);
const plain = (it) => Object.fromEntries(Object.entries(it).map(([name, value]) => [name, shown(value)]));
let checks = 0;
for (const vector of [...vectors.payloads, ...vectors.decoded]) {
  const message = wire.MESSAGES[vector.message];
  const values = valuesOf(vector);
  same(plain(message.decode(hex(vector.payload))), plain(values));
  if (vector.line) {
    same(message.encode(values).toString("hex"), vector.payload);
    same(wire.frame(message.code, hex(vector.boot), hex(vector.run), hex(vector.payload)), vector.line + "\\n");
  }
  checks++;
}
for (const vector of vectors.faults) {
  let fault;
  try {
    wire.MESSAGES[vector.message].decode(hex(vector.payload));
  } catch (error) {
    if (error instanceof wire.Fault) fault = error;
  }
  same([fault?.field, fault?.reason], [vector.field, vector.reason], JSON.stringify(vector));
  checks++;
}
for (const { message, payload, slot, revision } of vectors.revisions) {
  const { code, decode, slot: slotOf } = wire.MESSAGES[message];
  same(wire.revision(code, hex(payload)), revision);
  if (payload.length > 8) same(slotOf(decode(hex(payload))), slot);
  checks++;
}
for (const { message, payload, abilities } of vectors.abilities) {
  const needs = wire.MESSAGES[message].needs(wire.MESSAGES[message].decode(hex(payload)));
  same(wire.ABILITIES.filter((_, bit) => (needs >> bit) & 1), abilities);
  checks++;
}
for (const { bytes, frames, bad } of vectors.streams) {
  const stream = new wire.Stream();
  const found = [];
  for (const byte of hex(bytes)) found.push(...stream.take(Buffer.from([byte])));
  same(found.map((it) => wire.frame(it.code, it.boot, it.run, it.payload)), frames.map((it) => it + "\\n"));
  same(stream.bad, bad);
  checks++;
}
for (const vector of vectors.commitments) {
  const { board, boot, nonce } = vector;
  const choice = { ...vector, board: hex(board), boot: hex(boot), nonce: hex(nonce) };
  same(wire.commitment(choice).toString("hex"), vector.commitment);
  checks++;
}
for (const vector of vectors.rolls) {
  const { board, boot, nonce, contribution } = vector;
  const roll = { ...vector, board: hex(board), boot: hex(boot), nonce: hex(nonce), contribution: hex(contribution) };
  same(wire.rollCommitment(roll).toString("hex"), vector.commitment);
  same(wire.outcomes(roll), vector.outcomes);
  checks++;
}
console.log(`${checks} vectors, 0 failures`);
"""


def files(doc: Json) -> dict[str, Iterator[str]]:
    host = (Path(__file__).parent / "host.mjs").read_text(encoding="utf-8").splitlines()
    return {"tablier_wire.mjs": source(doc), "vectors.mjs": iter(VECTORS.strip().splitlines()), "host.mjs": iter(host)}
