import { expect } from "bun:test";
import fc from "fast-check";
import { fillTemplate } from "#planner/work/prompts/prompt_template.ts";
import { law } from "../../../../support/law.ts";

const piece = fc.constantFrom(
  "{{",
  "}}",
  "{",
  "}",
  "a",
  "b",
  " ",
  "\n",
  "{{a}}",
  "{{ b }}",
  "{{c}}",
  "$&",
  "{{> parent}}",
);
const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
const values = fc.record({ a: text, b: text }).map((record) => new Map(Object.entries(record)));

law("fillTemplate leaves no placeholder that it does not mention", [text, values], (template, known) => {
  const empty = new Map([...known.keys()].map((key) => [key, ""]));

  const { text: filled, warnings } = fillTemplate({ name: "t", text: template }, empty);

  for (const [placeholder] of template.matchAll(/\{\{([\s\S]*?)\}\}/g)) {
    const isKnown = known.has(placeholder.slice(2, -2).trim());
    expect(warnings.some((warning) => warning.includes(`holds ${placeholder},`))).toBe(!isKnown);
    if (!isKnown) expect(filled).toContain(placeholder);
  }
});

law("fillTemplate puts values in as they are, and nothing else changes", [text, values], (template, known) => {
  const parts = template.split(/(\{\{[\s\S]*?\}\})/);

  const { text: filled } = fillTemplate({ name: "t", text: template }, known);

  const expected = parts.map((part, at) => (at % 2 === 0 ? part : (known.get(part.slice(2, -2).trim()) ?? part)));
  expect(filled).toBe(expected.join(""));
});
