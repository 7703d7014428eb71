import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { openCheckpoint, signCheckpoint } from "#dc/audit/archive.ts";
import { formatVerifierLine, openSignedNote, parseVerifierLine } from "#dc/audit/signed_note.ts";

test("openSignedNote takes the example of Go's sumdb/note, and no letter of it changed", () => {
  const key = parseVerifierLine("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const signature =
    "PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";
  if (key === undefined) throw new Error("the key is a good one");

  expect(openSignedNote(`${text}\n\u2014 ${signature}\n`, [key])).toEqual({ text, key });
  expect(openSignedNote(`${text.replace("If", "Is")}\n\u2014 ${signature}\n`, [key])).toBeUndefined();
  expect(openSignedNote(`${text}\n\u2014 ${signature}`, [key])).toBeUndefined();
  expect(openSignedNote(`${text}\n- ${signature}\n`, [key])).toBeUndefined();
});

test("openCheckpoint reads what signCheckpoint wrote, and nothing that was changed or signed by another", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const other = generateKeyPairSync("ed25519").privateKey;
  const checkpoint = {
    origin: "planner-dc/x",
    size: 7,
    root: Buffer.alloc(32, 1),
    head: "ab".repeat(32),
    time: "2026-01-02T03:04:05.000Z",
  };
  const note = signCheckpoint(checkpoint, privateKey);
  const keyOf = (name: string, key: typeof privateKey) => {
    const parsed = parseVerifierLine(formatVerifierLine(name, key));
    if (parsed === undefined) throw new Error("a line that was just written is read");
    return parsed;
  };
  const key = keyOf("planner-dc/x", privateKey);

  expect(openCheckpoint(note, [key])).toEqual(checkpoint);
  expect(openCheckpoint(note.replace("\n7\n", "\n8\n"), [key])).toBeUndefined();
  expect(openCheckpoint(note, [keyOf("planner-dc/x", other), key])).toEqual(checkpoint);
  expect(openCheckpoint(note, [keyOf("planner-dc/x", other)])).toBeUndefined();
  expect(openCheckpoint(note, [keyOf("planner-dc/y", privateKey)])).toBeUndefined();
});

test("parseVerifierLine refuses a key whose hash does not fit", () => {
  const line = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

  for (const wrong of [line.replace("c7", "c8"), line.replace("Peter", "Paul"), line.slice(0, -4), "", "a+b+c"]) {
    expect(parseVerifierLine(wrong)).toBeUndefined();
  }
});
