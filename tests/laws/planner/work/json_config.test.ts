import { expect } from "bun:test";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { extendJson, extendJsonList } from "#planner/work/mcp_config/json_config.ts";
import { law } from "../../../support/law.ts";

const ENTRY = { command: "planner", args: ["mcp"] } as const;
const LENIENT = { allowTrailingComma: true } as const;

const blank = fc.constantFrom(
  "",
  " ",
  "\n",
  "\n  ",
  "\n\t",
  "\r\n    ",
  " // note\n",
  " /* note, { } */ ",
  "\n// a\n\n",
);
const key = fc.constantFrom("a", "b", "mcpServers", 'odd \\"key\\"', "planner2", "ünï");
const scalar = fc.constantFrom(
  "1",
  "-0.5e3",
  "true",
  "null",
  '"text"',
  '"// no comment"',
  '"a\\nb"',
  "[]",
  "[1,2 , 3]",
);

/** The text of an object with random blanks and comments between its tokens, sometimes with a trailing comma. */
const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("object")),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(key, blank, blank, tie("value"), blank), { selector: ([name]) => name, maxLength: 4 }),
      blank,
      fc.boolean(),
    )
    .map(([members, inside, comma]) => {
      const lines = members.map(([name, a, b, value, c]) => `${a}"${name}"${b}:${b}${value}${c}`);
      return `{${lines.join(",")}${members.length > 0 && comma ? "," : ""}${inside}}`;
    }),
}));

law("extendJson adds its entry and nothing else, by insertions only", [object], (text) => {
  const before = parse(text, [], LENIENT) as Record<string, unknown>;
  const servers = before["mcpServers"];
  fc.pre(servers === undefined || (typeof servers === "object" && servers !== null && !Array.isArray(servers)));

  const edit = extendJson("x.json", text, ["mcpServers", "planner"], ENTRY);

  if (edit.kind !== "added") throw new Error(edit.kind);
  expect(parse(edit.text, [], LENIENT)).toEqual({
    ...before,
    mcpServers: { ...(servers as object | undefined), planner: ENTRY },
  });
  expect(isSubsequence(text, edit.text)).toBe(true);
  expect(extendJson("x.json", edit.text, ["mcpServers", "planner"], ENTRY)).toEqual({ kind: "present" });
});

const item = fc.tuple(blank, fc.constantFrom('"x"', '"y"', '"a, b"', "1"), blank).map((parts) => parts.join(""));
const list = fc
  .tuple(fc.array(item, { maxLength: 4 }), blank, fc.boolean())
  .map(([items, inside, comma]) => `[${items.join(",")}${items.length > 0 && comma ? "," : ""}${inside}]`);

law(
  "extendJsonList adds the texts that a list lacks and nothing else, by insertions only",
  [fc.option(list), blank, blank],
  (items, before, after) => {
    const text = items === null ? `{${before}}` : `{${before}"p":${after}{"deny":${items}${after}}${before}}`;
    const data = parse(text, [], LENIENT) as { readonly p?: { readonly deny: readonly unknown[] } };
    const old = data.p?.deny ?? [];

    const edit = extendJsonList("x.json", text, ["p", "deny"], ["x", "z"]);

    if (edit.kind !== "added") throw new Error(edit.kind);
    const deny = [...old, ...(old.includes("x") ? [] : ["x"]), "z"];
    expect(parse(edit.text, [], LENIENT)).toEqual({ ...data, p: { deny } });
    expect(isSubsequence(text, edit.text)).toBe(true);
    expect(extendJsonList("x.json", edit.text, ["p", "deny"], ["x", "z"])).toEqual({ kind: "present" });
  },
);

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part.charAt(at)) at++;
  return at === part.length;
}
