import { expect, test } from "bun:test";
import { appendTomlTable } from "#cli/init/agents.ts";

const ENTRY = { command: "planner", args: ["mcp"] } as const;
const PATH = ["mcp_servers", "planner"];
test("extendToml ends an unfinished last line first and keeps CRLF", () => {
  const edit = appendTomlTable("c.toml", 'a = 1\r\nb = "x"', PATH, ENTRY);

  expect(edit).toEqual({
    kind: "added",
    text: 'a = 1\r\nb = "x"\r\n\r\n[mcp_servers.planner]\r\ncommand = "planner"\r\nargs = ["mcp"]\r\n',
  });
});

test("extendToml joins servers that are written with dotted keys", () => {
  const edit = appendTomlTable("c.toml", 'mcp_servers.docs.command = "npx"\n', PATH, ENTRY);

  expect(edit.kind).toBe("added");
});

test("extendToml finds the entry in an inline table", () => {
  const text = 'mcp_servers = { planner = { args = ["mcp"], command = "planner" } }\n';

  expect(appendTomlTable("c.toml", text, PATH, ENTRY)).toEqual({ kind: "present" });
});

test("extendToml refuses an inline table that cannot take another server", () => {
  const text = 'mcp_servers = { docs = { command = "npx" } }\n';

  expect(() => appendTomlTable("c.toml", text, PATH, ENTRY)).toThrow(
    'Cannot extend "c.toml": "mcp_servers" is written in a way that a table at the end cannot extend; the file is left as it is',
  );
});
