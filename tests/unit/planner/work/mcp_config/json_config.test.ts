import { describe, expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { extendJson } from "#planner/work/mcp_config/json_config.ts";

const ENTRY = { type: "stdio", command: "planner", args: ["mcp"] } as const;
const PATH = ["mcpServers", "planner"];

function extend(text: string): string {
  const edit = extendJson("x.json", text, PATH, ENTRY);
  if (edit.kind !== "added") throw new Error(`Expected an addition, got ${edit.kind}`);
  return edit.text;
}

function refusal(text: string): string {
  try {
    extendJson("x.json", text, PATH, ENTRY);
  } catch (error) {
    if (error instanceof OperationError) return error.message;
    throw error;
  }
  throw new Error("Nothing is refused");
}

/** The entry in a file that indents by two blanks, two levels deep. */
const WRITTEN = '    "planner": {\n      "type": "stdio",\n      "command": "planner",\n      "args": ["mcp"]\n    }';

test.each<[name: string, before: string, after: string]>([
  ["writes a whole document into an empty file", "", `{\n  "mcpServers": {\n${WRITTEN}\n  }\n}\n`],
  [
    "adds behind other servers, their comments and a trailing comma, in the file's own indentation",
    `{
\t// servers of the team
\t"mcpServers": {
\t\t"a": {"command":"x"}, // keep me here
\t},
\t"z": [1,   2]
}
`,
    `{
\t// servers of the team
\t"mcpServers": {
\t\t"a": {"command":"x"}, // keep me here
\t\t"planner": {
\t\t\t"type": "stdio",
\t\t\t"command": "planner",
\t\t\t"args": ["mcp"]
\t\t},
\t},
\t"z": [1,   2]
}
`,
  ],
  [
    "leaves a comment with the server that it speaks of",
    `{
    "mcpServers": {
        "a": {} // about a
        /* and more */
    }
}`,
    `{
    "mcpServers": {
        "a": {}, // about a
        /* and more */
        "planner": {
            "type": "stdio",
            "command": "planner",
            "args": ["mcp"]
        }
    }
}`,
  ],
  [
    "makes the object on the way when it is absent",
    '{\n  "theme": "dark"\n}\n',
    `{\n  "theme": "dark",\n  "mcpServers": {\n${WRITTEN}\n  }\n}\n`,
  ],
  [
    "stays on the line of a file that is one line",
    '{"mcpServers":{"a":{}},"z":1}',
    '{"mcpServers":{"a":{}, "planner": { "type": "stdio", "command": "planner", "args": ["mcp"] }},"z":1}',
  ],
  [
    "fills an object that holds nothing but a comment",
    '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    `{\n  "mcpServers": {\n    // none yet\n${WRITTEN}\n  }\n}\n`,
  ],
])("extendJson %s", (_, before, after) => {
  expect(extend(before)).toBe(after);
});

test("extendJson keeps CRLF and a byte-order mark", () => {
  const text = extend('\ufeff{\r\n  "mcpServers": {}\r\n}\r\n');

  expect(text).toStartWith('\ufeff{\r\n  "mcpServers": {\r\n    "planner": {\r\n');
  expect(text.replaceAll("\r\n", "")).not.toContain("\n");
});

test("extendJson says that the same entry is there, however it is formatted", () => {
  const text = '{"mcpServers":{"planner":{"args":["mcp"],\n"command":"planner",/* ours */"type":"stdio"}}}';

  expect(extendJson("x.json", text, PATH, ENTRY)).toEqual({ kind: "present" });
});

test("extendJson leaves an entry that somebody wrote otherwise", () => {
  const text = '{"mcpServers":{"planner":{"command":"/opt/planner","args":["mcp"]}}}';

  expect(extendJson("x.json", text, PATH, ENTRY)).toEqual({ kind: "other" });
});

describe("extendJson refuses", () => {
  const cases: readonly [name: string, text: string, message: RegExp][] = [
    [
      "a missing brace",
      '{\n  "a": 1\n',
      /^Cannot extend "x.json": line 3, column 1: not valid JSON, close brace expected; the file is left as it is$/,
    ],
    ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', /line 3, column 3: not valid JSON, comma expected/],
    ["an array", "[]", /line 1, column 1: expected an object, found array/],
    ["a file of comments", "// nothing\n", /it holds no JSON object/],
    ["a list in place of servers", '{"mcpServers": []}', /"mcpServers" is no object/],
    ["the same key twice", '{"mcpServers":{"a":{}},"mcpServers":{"b":{}}}', /cannot be extended safely/],
  ];

  for (const [name, text, message] of cases) {
    test(name, () => {
      expect(refusal(text)).toMatch(message);
    });
  }
});
