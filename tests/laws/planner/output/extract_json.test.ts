import { expect } from "bun:test";
import fc from "fast-check";
import { extractJson, JsonScanner } from "#planner/output/scan_json.ts";
import { law } from "../../../support/law.ts";

/** Texts made of the pieces that JSON and Markdown are made of. */
const jsonish = fc
  .array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      ":",
      ",",
      "1",
      "-",
      "a",
      " ",
      "\n",
      "```",
      "```json\n",
      "true",
      '"k":',
      "\\u00e9",
    ),
    {
      maxLength: 40,
    },
  )
  .map((pieces) => pieces.join(""));

/** An object with a text in it, so that it is no bracket of prose. */
const output = fc.record({ name: fc.string(), more: fc.jsonValue() }).map((value) => JSON.parse(JSON.stringify(value)));

/** Words that hold nothing of JSON or Markdown. */
const prose = fc
  .array(fc.constantFrom("the", "saw's", "done.", "(see", "\n", "a-b", "5"), { maxLength: 8 })
  .map((words) => words.join(" "));

law("extractJson never throws, and what it finds is JSON of the text", [fc.oneof(jsonish, fc.string())], (text) => {
  const found = extractJson(text);
  if (found === undefined) return;
  expect(text).toContain(found.text);
  expect(JSON.parse(found.text)).toEqual(found.value);
});

const ways: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => ` ${json} `,
  (json) => `\n\`\`\`json\n${json}\n\`\`\`\n`,
  (json) => `\n\`\`\`\n${json}\n\`\`\`\n`,
];

law(
  "extractJson finds what was embedded, however it was",
  [output, prose, prose, fc.constantFrom(...ways), fc.constantFrom(undefined, 2)],
  (value, before, after, way, indent) => {
    const text = `${before}${way(JSON.stringify(value, null, indent))}${after}`;

    expect(extractJson(text)?.value).toEqual(value);
  },
);

law("JsonScanner calls a text complete exactly when it is JSON", [fc.oneof(jsonish, fc.json())], (text) => {
  const { isComplete: complete, end } = new JsonScanner(text).scanValue(0);

  expect(complete && text.slice(end).trim() === "").toBe(isJson(text));
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
