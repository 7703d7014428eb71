import fc from "fast-check";

export const FIELD_NAMES = "status labels depends_on title model approval x-unknown owner".split(" ");

/** Words that tempt a YAML reader into something other than a text. */
export const ODD_TEXTS = [
  "",
  " ",
  "yes",
  "null",
  "~",
  "true",
  "1.10",
  "007",
  "0x1F",
  "1e3",
  ".5",
  "2026-01-05",
  "12:30",
  "a: b",
  "a:",
  "#x",
  "a #x",
  "- x",
  "-",
  "---",
  "a --- b",
  "x\ny",
  "tab\there",
  " lead",
  "trail ",
  "it's",
  'say "hi"',
  "[a]",
  "{a}",
  "a, b",
  "*x",
  "&x",
  "!x",
  "|",
  ">",
  "%x",
  "@x",
  "`x`",
  "? x",
  "😀",
  "ünïcode",
  "\u2028",
  "\u0085",
  "\u00a0",
  "\\n",
  "C:\\x",
  "=",
  "<<",
  "\ufeff",
  "__proto__",
  "constructor",
  "\0",
  "src/a b.ts",
  "2026-11-20-001-abc",
] as const;

/** Texts that need no quotes. */
export const word = fc.constantFrom(
  "pending",
  "web",
  "src/a.ts",
  "2026-11-20-001-abc",
  "it's fine",
  "a-b_c",
  "x#y",
  "a --- b",
  "é",
  "v1.2.3",
);
const oddText = fc.constantFrom(...ODD_TEXTS);
/** What may stand behind a value. */
export const comment = fc.constantFrom("", "", "", " # why", "  # a: b", " #", " # '\"[{");
/** Lines between fields. */
export const blankOrComment = fc.constantFrom("", "# note", "  # deep: note", "    ", "# ---", "#");

/** Any text that a field may be set to. */
export const anyText = fc.oneof(
  oddText,
  word,
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }),
);

export const anyList = fc.array(anyText, { maxLength: 4 });

export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const scalarOnOneLine = fc.oneof(
  word,
  word.map((text) => JSON.stringify(text)),
  word.map(singleQuoted),
  oddText.map((text) => JSON.stringify(text)),
  oddText.filter((text) => !/[\n\0\x85]/.test(text)).map(singleQuoted),
  fc.constantFrom(
    "true",
    "12",
    "1.10",
    "0x1F",
    "~",
    "null",
    "2026-01-05",
    "&anchor x",
    "!!str 5",
    "!!str x",
    "&a !!str 'x'",
  ),
);

/** A field's value with everything from the colon on, its own comment included. */
const scalarValue = fc.oneof(
  fc.tuple(fc.constantFrom(" ", "  ", "\t"), scalarOnOneLine, comment).map((parts) => parts.join("")),
  comment,
  fc.constantFrom(
    " one\n  two\n\n  three",
    " 'one\n  --- two\n\n  three'",
    ' "one\n  two\\\n  three" # why',
    "\n  below # why",
    " # above\n  below",
    " &anchor\n  below",
  ),
  fc
    .tuple(
      fc.constantFrom("|", ">", "|-", ">-", "|+", ">+", "|2", "|2-", ">2+"),
      comment,
      fc.array(fc.constantFrom("  indented", "", "---", "# no comment", "a: b", "- x"), { maxLength: 3 }),
    )
    .map(([header, behind, lines]) =>
      [` ${header}${behind}`, ...["text", ...lines].map((line) => (line === "" ? "" : `  ${line}`))].join("\n"),
    ),
  fc.constantFrom(" |", " >-", " |2\n    text"),
);

const itemText = fc.oneof(
  word,
  word.map((text) => JSON.stringify(text)),
  word.map(singleQuoted),
  oddText.map((text) => JSON.stringify(text)),
);
/** A list item that may stand in brackets. */
export const flowItem = itemText.filter((text) => !/^[^'"].*[,[\]{}]/.test(text));

const blockList = fc
  .tuple(
    comment,
    fc.constantFrom("", "  ", "    "),
    fc.constantFrom("- ", "-   "),
    fc.array(fc.tuple(itemText, comment, fc.option(fc.constantFrom("# between", "", "      # deep"), { freq: 3 })), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([behind, indent, dash, items]) =>
    [
      behind,
      ...items.flatMap(([item, note, before]) => [
        ...(before === null ? [] : [before === "# between" ? indent + before : before]),
        `${indent}${dash}${item}${note}`,
      ]),
    ].join("\n"),
  );

export const flowListOnOneLine = fc
  .tuple(
    fc.array(flowItem, { maxLength: 4 }),
    fc.constantFrom(", ", ",", " , "),
    fc.constantFrom("", " "),
    fc.boolean(),
    comment,
  )
  .map(([items, separator, pad, last, behind]) => {
    const trailing = last && items.length > 0 ? "," : "";
    return ` [${pad}${items.join(separator)}${trailing}${pad}]${behind}`;
  });

const flowListOnLines = fc
  .tuple(
    fc.array(fc.tuple(flowItem, comment, fc.option(fc.constantFrom("# between", ""), { freq: 3 })), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.boolean(),
    fc.constantFrom("\n  ]", "\n]", "]", " ]"),
    comment,
  )
  .map(([items, trailing, close, behind]) => {
    const lines = items.map(([item, note, before], index) => {
      const comma = index < items.length - 1 || trailing ? "," : "";
      const last = index === items.length - 1 && !close.startsWith("\n");
      return `${before === null ? "" : `  ${before}\n`}  ${item}${comma}${last ? "" : note}`;
    });
    return ` [\n${lines.join("\n")}${close}${behind}`;
  });

const mapping = fc.constantFrom(
  "\n  required: true # why\n  status: pending\n  # who\n  by: 'me'",
  " # why\n    status: approved\n    extra: [a, b]",
  " {required: true, status: pending}",
  " { required: true, by: me, } # why",
  " {\n  required: true, # why\n  status: pending\n  }",
  " {}",
  "\n  status:\n  by: |\n    someone\n\n  at: 2026-01-05",
);

/** A field's value in any form that YAML knows, with everything from the colon on. */
export const fieldValue = fc.oneof(
  { weight: 3, arbitrary: scalarValue },
  blockList,
  flowListOnOneLine,
  flowListOnLines,
  mapping,
);
