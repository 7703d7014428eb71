import fc from "fast-check";
import {
  blankOrComment,
  comment,
  FIELD_NAMES,
  fieldValue,
  flowItem,
  flowListOnOneLine,
  singleQuoted,
  word,
} from "./field_values.ts";

/** One field of a generated frontmatter: its lines, joined by LF, and whether another field refers to it. */
export interface FieldText {
  readonly name: string;
  readonly text: string;
}

/** A generated spec file whose parts are known; `text` is all of them together. */
export interface SpecText {
  readonly text: string;
  readonly body: string;
  /** Offsets of each field's own lines in `text`. */
  readonly fields: readonly { readonly name: string; readonly from: number; readonly to: number }[];
}

function fieldText(name: string): fc.Arbitrary<FieldText> {
  const keys: readonly string[] = [
    `${name}:`,
    `${name}:`,
    `${name}:`,
    `${name} :`,
    `"${name}":`,
    `'${name}'  :`,
    `? ${name}\n:`,
  ];
  return fc.tuple(fc.constantFrom(...keys), fieldValue).map(([key, value]) => ({ name, text: `${key}${value}` }));
}

const flowMapField = (name: string): fc.Arbitrary<FieldText> =>
  fc
    .tuple(
      fc.constantFrom(`${name}:`, `"${name}":`, name),
      fc.oneof(
        flowItem,
        flowListOnOneLine.filter((text) => !text.includes("#")),
      ),
    )
    .map(([key, value]) => ({ name, text: key === name ? key : `${key} ${value}` }));

const names = fc.uniqueArray(fc.constantFrom(...FIELD_NAMES), { maxLength: 6 });

/** The bodies that editing must leave alone: fences, more `---`, no line break at the end. */
export const anyBody = fc.oneof(
  fc.constantFrom("", "\n# Title\n\nText.\n", "# Title", "---\nstatus: x\n---\n", "\n\n```\n---\n```\n- [ ] a\n"),
  fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !/[\0\r]/.test(text)),
);

const lineBreak = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");
const mark = fc.constantFrom("", "", "\ufeff");

const blockFrontmatter = names
  .chain((chosen) =>
    fc.tuple(...chosen.map((name) => fc.tuple(fieldText(name), fc.array(blankOrComment, { maxLength: 2 })))),
  )
  .chain((fields) =>
    fc.tuple(fc.constant(fields), fc.array(blankOrComment, { maxLength: 2 }), fc.constantFrom("", "", "  ")),
  )
  .map(([fields, top, indent]) => [
    ...top.map((text) => ({ name: "", text })),
    ...fields.flatMap(([field, behind]) => [
      { name: field.name, text: field.text.replace(/^(?=[^\n])/gm, indent) },
      // Below a block text a line of blanks, or a comment that is indented, would be a part of it.
      ...behind
        .filter((text) => !(/: *[|>]/.test(field.text) && text.startsWith(" ")))
        .map((text) => ({ name: "", text })),
    ]),
  ]);

/** Files whose frontmatter is a block mapping in any form that YAML knows, and where each field stands. */
export const specText: fc.Arbitrary<SpecText> = fc
  .tuple(blockFrontmatter, mark, lineBreak, anyBody)
  .map(([parts, bom, eol, body]) => {
    let text = `${bom}---${eol}`;
    const fields: { name: string; from: number; to: number }[] = [];
    for (const part of parts) {
      const from = text.length;
      text += part.text.replaceAll("\n", eol) + eol;
      if (part.name !== "") fields.push({ name: part.name, from, to: text.length });
    }
    const behind = body.replaceAll("\n", eol);
    return { text: `${text}---${eol}${behind}`, body: behind, fields };
  });

/** Files whose frontmatter is one `{…}`; all fields share its lines. */
export const flowSpecText: fc.Arbitrary<string> = names
  .chain((chosen) => fc.tuple(...chosen.map(flowMapField)))
  .chain((fields) =>
    fc.tuple(
      fc.constant(fields),
      fc.constantFrom(", ", ",\n  ", ", # why\n  "),
      fc.constantFrom("", " ", "\n  ", ", "),
      anyBody,
    ),
  )
  .map(([fields, separator, close, body]) => {
    const trailing = fields.length === 0 && close.startsWith(",") ? "" : close;
    return `---\n{${fields.map(({ text }) => text).join(separator)}${trailing}}\n---\n${body}`;
  });

/** The frontmatter that people write: scalars on one line, lists as items or in brackets, now and then a comment. */
export const ordinaryFrontmatter: fc.Arbitrary<string> = fc
  .uniqueArray(
    fc.constantFrom("id", "status", "type", "labels", "depends_on", "target_files", "model", "prompt", "priority"),
    { minLength: 1 },
  )
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((name) =>
        fc
          .oneof(
            word.map((text) => ` ${text}`),
            word.map((text) => ` ${JSON.stringify(text)}`),
            fc.constantFrom(" 3", " true", ""),
            fc
              .array(
                fc.oneof(
                  word,
                  word.map((text) => JSON.stringify(text)),
                  word.map(singleQuoted),
                ),
                { maxLength: 3 },
              )
              .map((items) => ` [${items.join(", ")}]`),
            fc
              .array(word, { minLength: 1, maxLength: 3 })
              .map((items) => items.map((item) => `\n  - ${item}`).join("")),
          )
          .chain((value) => comment.map((note) => `${name}:${value}${note}\n`)),
      ),
    ),
  )
  .map((lines) => lines.join(""));
