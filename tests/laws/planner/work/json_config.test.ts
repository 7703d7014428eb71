import { expect, test } from "bun:test";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { extendJson } from "#planner/work/mcp_config/json_config.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

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

test("extendJson adds its entry and nothing else, by insertions only", () => {
  fc.assert(
    fc.property(object, (text) => {
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
    }),
    { numRuns: LAW_RUNS },
  );
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part.charAt(at)) at++;
  return at === part.length;
}
