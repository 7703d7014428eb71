import { describe, expect, test } from "bun:test";
import { parseJson } from "#kernel/json_object.ts";
import { runAllSteps } from "#kernel/steps.ts";

const parsed = (text: string | Uint8Array) => runAllSteps(parseJson(Buffer.from(text)));

const objects = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `p "${at}" \\ ü ]},{`, of: [{}, at] }));
const spaces = " ".repeat(40_000);
const part = JSON.stringify(objects(2000));

describe("parseJson gives what JSON.parse gives for", () => {
  const TEXTS: Readonly<Record<string, string>> = {
    "a list": part,
    "a member that is a list": `{"a": 1, "b": ${part}, "c": "x"}`,
    "lists within lists": `[[${part}], [[${part}]], 3]`,
    "objects within an object": `{"variables": {"i": ${part}, "j": {"k": ${part}}}, "query": "{ a }"}`,
    "an element that is large": `{"a": [1, {"b": ${part}}, [], ${part}, "z"]}`,
    "a member named __proto__": `{"__proto__": ${part}}`,
    "blanks everywhere": `${spaces}{ "a" :${spaces}[${spaces}1 ,${spaces}${part}${spaces}]${spaces}}${spaces}`,
    "a mark of the byte order": `\ufeff{"a": ${part}}`,
  };
  for (const [name, text] of Object.entries(TEXTS)) {
    test(name, () => {
      expect(parsed(text)).toEqual(JSON.parse(text.replace(/^\ufeff/, "")));
    });
  }

  test("values that are large without a list or an object", () => {
    for (const text of [
      `"${"x".repeat(50_000)}"`,
      `${spaces}null`,
      `[${spaces}]`,
      `{"a":[${spaces}]}`,
      `{${spaces}}`,
    ]) {
      expect(parsed(text)).toEqual(JSON.parse(text));
    }
  });
});

test("parseJson refuses what JSON.parse refuses", () => {
  const wrong = [
    `${part}]`,
    `[${part}`,
    `[${part},]`,
    `[,${part}]`,
    `[1,,${part}]`,
    `{"a": ${part},}`,
    `{"a": ${part}} x`,
    `{"a" ${part}}`,
    `[${part}}`,
    `${part}${part}`,
    `[${part}],"b":1`,
    `[1, \ufeff2, ${part}]`,
    `["\ufeff" \ufeff, ${part}]`,
    `{a: ${part}}`,
    `[${spaces},${spaces}]`,
    "x".repeat(20_000),
    "",
  ];
  for (const text of wrong) {
    expect([text.slice(0, 20), throws(() => JSON.parse(text))]).toEqual([text.slice(0, 20), true]);
    expect([text.slice(0, 20), throws(() => parsed(text))]).toEqual([text.slice(0, 20), true]);
  }
  expect(throws(() => parsed(Buffer.concat([Buffer.from(`[${part},"`), Buffer.from([0xff]), Buffer.from('"]')])))).toBe(
    true,
  );
});

function throws(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

test("parseJson lets other work run while it looks for doubled names, and finds the last", () => {
  const steps = parseJson(Buffer.from(`[${part},${part},{"a":1,"\\u0061":2}]`));
  let count = 0;

  expect(() => {
    while (steps.next().done !== true) count++;
  }).toThrow('"a" occurs twice');
  expect(count).toBeGreaterThan(2);
});
