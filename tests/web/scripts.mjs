// The scripts of a seat that need no page: touching, and binding a choice. Reads cases from standard input.
import { strict as assert } from "node:assert";
import { createHash, randomBytes } from "node:crypto";
import { Bound, hex, preimage } from "../../host/tablier/web/pages/binding.js";
import { sha256 } from "../../host/tablier/web/pages/sha256.js";
import { narrow, rest, touch } from "../../host/tablier/web/pages/touch.js";

// FIPS 180-4's examples, then every length around the ends of blocks.
const text = (said) => new TextEncoder().encode(said);
for (const [said, hash] of [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"],
  ["a".repeat(1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
]) assert.equal(hex(sha256(text(said))), hash);
for (let length = 0; length < 200; length += 1) {
  const bytes = randomBytes(length);
  assert.equal(hex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
}

// The protocol's example of a commitment.
const bind = { board: "0000000000000000", boot: "0123456789abcdef", place: 0 };
const nonce = Uint8Array.from({ length: 16 }, (_, at) => at);
assert.equal(hex(sha256(preimage(bind, 258, 2, nonce, 1))),
  "fddb246805ec08601b1694da08e784a8440b190f8f4a336f41b7924effed7254");
const placed = { ...bind, board: "0001020304050607", place: 3 }; // as the host computes it
assert.equal(hex(sha256(preimage(placed, 258, 2, nonce, 1))),
  "dd837f641e687ae80d69d13da42bd4bd7e527b10749e75b3b5f146be04f607f8");

// A tab that is loaded anew is bound as before, and opens what it was bound to; another question begins anew.
const store = new Map();
const storage = { getItem: (key) => store.get(key) ?? null, setItem: (key, value) => store.set(key, value),
  removeItem: (key) => store.delete(key) };
const question = 258;
const locked = await new Bound(storage).lock(1, 2, question, bind, 1);
assert.deepEqual(await new Bound(storage).lock(1, 2, question, bind, 0), locked);
const opened = new Bound(storage).opening(1, 2, question);
assert(opened);
const bytes = Uint8Array.from(opened.nonce.match(/../g) ?? [], (pair) => parseInt(pair, 16));
assert.equal(hex(sha256(preimage(bind, 258, 2, bytes, opened.choice))), locked.commitment);
assert.equal(opened.choice, 1);
const other = new Map();
const elsewhere = { ...storage, getItem: (key) => other.get(key) ?? null, setItem: (key, value) => other.set(key, value) };
assert.notEqual((await new Bound(elsewhere).lock(1, 2, question, bind, 1)).commitment, locked.commitment);
new Bound(storage).forget(1, 2, 259);
assert.equal(new Bound(storage).opening(1, 2, question), null);

// Groups are touched one after another, the parts of one in any order.
assert.deepEqual(rest([["K", "A"], ["Q"]], ["A"]), [["K"], ["Q"]]);
assert.equal(rest([["K", "A"], ["Q"]], ["Q"]), null);
assert.equal(rest([["K"]], ["K", "K"]), null);

// Every move of every case is said by its parts, and touching never offers what leads nowhere.
let moves = 0;
process.stdin.setEncoding("utf8");
let given = "";
for await (const part of process.stdin) given += part;
for (const can of JSON.parse(given)) {
  for (const { move, parts } of can) {
    let touched = /** @type {string[] | null} */ ([]);
    for (const part of parts.flat()) {
      assert(touched && narrow(can, touched).offered.has(part), `${part} of ${move}`);
      touched = touch(can, touched, part);
    }
    assert(touched, move);
    assert.equal(narrow(can, touched).move?.move, move);
    moves += 1;
  }
  for (const part of narrow(can, []).offered) assert(narrow(can, [part]).left.length);
}
console.log(moves);
