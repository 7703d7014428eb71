import { expect } from "bun:test";
import fc from "fast-check";
import { OperationError } from "#kernel/errors.ts";
import { buildMembers, parseMembers } from "#planner/runs/split/split_spec.ts";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { builtSpec } from "../../../support/built_spec.ts";
import { law } from "../../../support/law.ts";

const PARENT = "2026-11-01-001-abc";
const line = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .filter((text) => !/[\0]/.test(text) && text.trim() !== "");
const markdown = fc
  .array(fc.constantFrom("text", "## Acceptance Criteria", "- [x] done", "```", "~~~~", "## Output", "", "---"), {
    maxLength: 6,
  })
  .map((lines) => lines.join("\n"))
  .filter((text) => text.trim() !== "");

/** Members that depend on earlier ones only. */
const members = fc.integer({ min: 2, max: 8 }).chain((count) =>
  fc.tuple(
    ...Array.from({ length: count }, (_, index) =>
      fc.record({
        title: line,
        description: markdown,
        acceptance_criteria: fc.uniqueArray(fc.constantFrom("It works", "- [ ] It is seen", "a `code`"), {
          minLength: 1,
        }),
        target_files: fc.uniqueArray(fc.constantFrom("a.ts", "b/c.ts")),
        depends_on: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.integer({ min: 1, max: index })),
      }),
    ),
  ),
);

function answerOf(list: unknown, before = "Here it is:"): string {
  return `${before}\n\n\`\`\`json\n${JSON.stringify({ members: list })}\n\`\`\`\n`;
}

law("parseMembers reads back every member of an answer, whatever stands before it", [members, line], (list, before) => {
  const parsed = parseMembers(answerOf(list, before.replaceAll("`", "")));

  expect(parsed.map(({ dependsOn }) => dependsOn)).toEqual(
    list.map(({ depends_on }) => [...depends_on].sort((a, b) => a - b)),
  );
  expect(parsed.map(({ targetFiles }) => targetFiles)).toEqual(list.map(({ target_files }) => target_files));
  expect(parsed.map(({ title }) => title)).toEqual(list.map(({ title }) => title.replace(/\s+/g, " ").trim()));
});

law(
  "memberTexts gives specs that name each other, with exactly the criteria that were proposed, unchecked",
  [members],
  (list) => {
    const parsed = parseMembers(answerOf(list));

    const texts = buildMembers(builtSpec(PARENT, "status: pending\nlabels: [x]"), parsed);

    for (const [index, { id, text }] of texts.entries()) {
      const spec = builtSpec(id, text.split("\n---\n")[0]?.slice(4) ?? "", text.slice(text.indexOf("\n---\n") + 5));
      expect(id).toBe(`${PARENT}.${index + 1}` as typeof id);
      expect(spec.dependsOn).toEqual(parsed[index]?.dependsOn.map((number) => `${PARENT}.${number}`) ?? []);
      expect(Object.hasOwn(spec.frontmatter, "depends_on")).toBe(true);
      expect(parseCriteria(spec.body).map((one) => one.text)).toEqual(
        parsed[index]?.criteria.map((text) => `- [ ] ${text}`) ?? [],
      );
    }
  },
);

law("parseMembers refuses every circle of dependencies", [members, fc.nat()], (list, pick) => {
  const last = list.length;
  const first = (pick % (last - 1)) + 1;
  const circle = list.map((member, index) => {
    if (index + 1 === first) return { ...member, depends_on: [last] };
    return index + 1 === last ? { ...member, depends_on: [first] } : member;
  });

  expect(() => parseMembers(answerOf(circle))).toThrow("depend on each other in a circle");
});

law(
  "parseMembers answers any text with members or a refusal",
  [
    fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => answerOf(value)),
      fc.jsonValue().map((value) => answerOf([value, value])),
    ),
  ],
  (text) => {
    try {
      expect(parseMembers(text).length).toBeGreaterThan(1);
    } catch (error) {
      expect(error).toBeInstanceOf(OperationError);
    }
  },
);
