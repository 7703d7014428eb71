import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

/** Every command that opens a database, with what it needs beside `--db`. */
const COMMANDS: readonly (readonly string[])[] = [
  ["serve", "--port", "0"],
  ["serve", "--port", "0", "--create"],
  ["import", "-"],
  ["import", "-", "--create"],
  ["import", "-", "--atomic"],
  ["import", "--from", "containerlab", "lab.clab.yml"],
  ["export"],
  ["sample", "--racks", "1"],
  ["render", "rack", "rack:A01"],
  ["mcp"],
  ["place", "row:AMS1/1/B"],
  ["rehearse"],
  ["types", "list"],
  ["types", "import", "type.yaml"],
  ["migrate"],
  ["migrate", "apply"],
  ["doctor"],
  ["audit", "verify"],
  ["audit", "verify", "--estate"],
  ["audit", "history"],
  ["audit", "archive", "--before", "2030-01-01", "-o", "../archive.jsonl"],
  ["audit", "dead-letters"],
  ["audit", "replay", "all"],
  ["audit", "drop", "all"],
];

const INPUTS: Readonly<Record<string, string>> = {
  import: '{"rack":{"code":"A01","location":{"site_id":"S","floor_number":1}}}\n',
  mcp: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_rack","arguments":{"code":"A01"}}}\n',
};

const FILES: Readonly<Record<string, (path: string) => void>> = {
  "a SQLite file of another program": (path) => {
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE bookmark (id INTEGER PRIMARY KEY, url TEXT); INSERT INTO bookmark (url) VALUES ('x')");
    database.close();
  },
  "a text": (path) => writeFileSync(path, "Dear reader,\nthis is no database.\n".repeat(200)),
};

/** Everything that is in a folder, by name with the hash of its bytes and the time of the last change. */
function contents(folder: string) {
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, createHash("sha256").update(readFileSync(path)).digest("hex"), statSync(path).mtimeMs];
  });
}

for (const [what, write] of Object.entries(FILES)) {
  test(`${what} keeps every byte, and nothing is put beside it, whatever command is given it as its database`, async () => {
    const folder = emptyFolder();
    const file = join(folder, "theirs");
    write(file);
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "lab.clab.yml"), "name: lab\ntopology: { nodes: { leaf1: { kind: linux } } }\n");
    writeFileSync(join(cwd, "type.yaml"), "manufacturer: Dell\nmodel: R640\nslug: dell-r640\nu_height: 1\n");
    const before = contents(folder);

    for (const words of COMMANDS) {
      const input = INPUTS[words[0] ?? ""] ?? "";
      const { code, stdout, stderr } = await runPlanner(["dc", ...words, "--db", file], { cwd, input });

      expect({ words, after: contents(folder) }).toEqual({ words, after: before });
      // A server of tools refuses the calls instead.
      if (words[0] !== "mcp") expect({ words, code }).toEqual({ words, code: 1 });
      const said = stdout + stderr;
      expect({ words, said }).toEqual({ words, said: expect.stringMatching(/another program|not a database/) });
    }
  });
}
