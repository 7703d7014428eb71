import { expect } from "bun:test";
import fc from "fast-check";
import { parseDocument } from "#planner/spec/document.ts";
import { editFields, type FieldValue } from "#planner/spec/edit/edit_fields.ts";
import { convertToParsedValue } from "#planner/spec/full_frontmatter.ts";
import { anyList, anyText, FIELD_NAMES } from "../../../../support/field_values.ts";
import { law } from "../../../../support/law.ts";
import { anyBody, flowSpecText, ordinaryFrontmatter, specText } from "../../../../support/spec_texts.ts";

const key = fc.constantFrom(...FIELD_NAMES, "new_field", "odd key: #", "__proto__");
const approval: fc.Arbitrary<FieldValue> = fc.record(
  {
    required: fc.boolean(),
    status: fc.constantFrom("pending", "approved"),
    by: anyText,
    at: fc.constant("2026-01-05T10:00:00Z"),
  },
  { requiredKeys: [] },
);
const value: fc.Arbitrary<FieldValue | undefined> = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 3, arbitrary: anyList },
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
  approval,
  fc.constant(undefined),
);

function fieldsOf(text: string): Record<string, unknown> {
  const document = parseDocument(text);
  if (!document.ok) throw new Error(`${JSON.stringify(text)}: ${JSON.stringify(document.problem)}`);
  return { ...document.frontmatter };
}

function expected(before: Record<string, unknown>, name: string, set: FieldValue | undefined): Record<string, unknown> {
  const after = new Map(Object.entries(before));
  if (set === undefined) after.delete(name);
  else after.set(name, convertToParsedValue(set, [name]));
  return Object.fromEntries(after);
}

law("the generated spec files parse", [specText], ({ text }) =>
  expect(parseDocument(text)).toMatchObject({ ok: true }),
);

law("editFields touches nothing but the lines of the field", [specText, key, value], ({ text, fields }, name, set) => {
  const field = fields.find((candidate) => candidate.name === name);

  const edited = editFields(text, { [name]: set });

  if (field !== undefined) {
    const to = set === undefined ? belowLooseLines(text, field.to) : field.to;
    expect(edited.slice(0, field.from)).toBe(text.slice(0, field.from));
    expect(edited.slice(edited.length - text.length + to)).toBe(text.slice(to));
    expect(edited.length).toBeGreaterThanOrEqual(field.from + text.length - to);
  } else {
    expect(isInsertion(text, edited)).toBe(true);
  }
});

law(
  "editFields gives the field the value and leaves every other field and the body as they were",
  [
    fc.oneof(
      specText.map(({ text }) => text),
      flowSpecText,
    ),
    key,
    value,
  ],
  (text, name, set) => {
    const before = parseDocument(text);

    const after = parseDocument(editFields(text, { [name]: set }));

    if (!before.ok || !after.ok) throw new Error("does not parse");
    expect({ ...after.frontmatter }).toEqual(expected({ ...before.frontmatter }, name, set));
    expect(after.body).toBe(before.body);
  },
);

law(
  "editFields changes nothing the second time",
  [
    fc.oneof(
      specText.map(({ text }) => text),
      flowSpecText,
    ),
    key,
    value,
  ],
  (text, name, set) => {
    const once = editFields(text, { [name]: set });

    expect(editFields(once, { [name]: set })).toBe(once);
  },
);

law(
  "editFields gives the same fields whichever of two is edited first",
  [specText, key, value, key, value],
  ({ text }, first, one, second, other) => {
    fc.pre(first !== second);

    const oneWay = editFields(editFields(text, { [first]: one }), { [second]: other });
    const otherWay = editFields(editFields(text, { [second]: other }), { [first]: one });

    expect(fieldsOf(oneWay)).toEqual(fieldsOf(otherWay));
  },
);

law(
  "editFields restores every byte when a plain text is set and set back",
  [ordinaryFrontmatter, anyBody, fc.constantFrom("\n", "\r\n"), anyText],
  (lines, body, eol, set) => {
    const text = `---\n${lines}---\n${body}`.replaceAll("\n", eol);
    for (const [name, old] of Object.entries(fieldsOf(text))) {
      if (typeof old !== "string" || !text.includes(`${name}: ${old}`) || !/^(?!true)[a-z]/i.test(old)) continue;

      const back = editFields(editFields(text, { [name]: set }), { [name]: old });

      expect(back).toBe(text);
    }
  },
);

law(
  "editFields restores every byte when a quoted text is set to a word and set back",
  [ordinaryFrontmatter, anyBody, fc.constantFrom("completed", "b")],
  (lines, body, set) => {
    const text = `---\n${lines}---\n${body}`;
    for (const [name, old] of Object.entries(fieldsOf(text))) {
      if (typeof old !== "string" || !text.includes(`${name}: "${old}"`)) continue;

      const back = editFields(editFields(text, { [name]: set }), { [name]: old });

      expect(back).toBe(text);
    }
  },
);

law(
  "editFields restores every byte when list items are added and taken away again",
  [specText, anyList],
  ({ text }, more) => {
    for (const [name, old] of Object.entries(fieldsOf(text))) {
      if (!Array.isArray(old) || old.length === 0 || old.some((item) => typeof item !== "string")) continue;

      const longer = editFields(text, { [name]: [...old, ...more] });

      expect(editFields(longer, { [name]: old })).toBe(text);
    }
  },
);

law(
  "editFields restores every byte when a new field is added and removed",
  [specText, value],
  ({ text, fields }, set) => {
    // Without any field the braces or the block are not there yet, or not any more.
    fc.pre(set !== undefined && fields.length > 0);

    expect(editFields(editFields(text, { new_field: set }), { new_field: undefined })).toBe(text);
  },
);

law(
  "editFields adds frontmatter in front of a text that has none",
  [fc.string({ unit: "grapheme" }), fc.constantFrom("", "\ufeff"), anyText],
  (plain, bom, set) => {
    fc.pre(!/^\ufeff?---(?!-)|\0/.test(plain) && plain.isWellFormed());

    const edited = editFields(bom + plain, { title: set });

    const document = parseDocument(edited);
    expect(document).toMatchObject({ ok: true, hasFrontmatter: true, frontmatter: { title: set } });
    expect(edited.endsWith(plain)).toBe(true);
    expect(edited.startsWith(`${bom}---`)).toBe(true);
  },
);

/** With a field that is removed, lines of blanks and indented comments below it may have to go. */
function belowLooseLines(text: string, at: number): number {
  return at + (/^(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*/.exec(text.slice(at))?.[0].length ?? 0);
}

/** Whether `longer` is `text` with one piece put in. */
function isInsertion(text: string, longer: string): boolean {
  let same = 0;
  while (same < text.length && text[same] === longer[same]) same++;
  return longer.endsWith(text.slice(same));
}
