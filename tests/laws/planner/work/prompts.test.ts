import { expect } from "bun:test";
import fc from "fast-check";
import { sortInMergeOrder } from "#planner/runs/merge/merge_specs.ts";
import { listMemberIds } from "#planner/spec/spec.ts";
import { fillTemplate } from "#planner/work/prompts/prompt_template.ts";
import { builtSpec } from "../../../support/built_spec.ts";
import { law } from "../../../support/law.ts";

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

const id = fc.integer({ min: 1, max: 7 }).map((number) => `2026-11-01-00${number}-abc`);
const graph = fc.uniqueArray(fc.tuple(id, fc.array(id, { maxLength: 3 }), fc.array(id, { maxLength: 2 })), {
  selector: ([one]) => one,
});

function specsOf(nodes: readonly (readonly [string, readonly string[], readonly string[]])[]) {
  return nodes.map(([one, dependsOn, members]) =>
    builtSpec(one, `status: completed\ndepends_on: [${dependsOn}]\nmembers: [${members}]`),
  );
}

law("sortForMerge gives every wanted spec once and nothing else", [graph, fc.uniqueArray(id)], (nodes, wanted) => {
  const order = sortInMergeOrder(wanted, specsOf(nodes));

  expect([...order].sort()).toEqual([...wanted].sort());
});

law("sortForMerge puts dependencies and members first where there is no circle", [graph], (nodes) => {
  const forward = nodes.map(
    ([one, needs, members]) =>
      [one, needs.filter((other) => other < one), members.filter((other) => other < one)] as const,
  );
  const specs = specsOf(forward);

  const order = sortInMergeOrder(forward.map(([one]) => one).toReversed(), specs);

  for (const spec of specs) {
    for (const before of [...spec.dependsOn, ...listMemberIds(spec, specs)]) {
      if (order.includes(before)) expect(order.indexOf(before)).toBeLessThan(order.indexOf(spec.id));
    }
  }
});
