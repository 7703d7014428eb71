import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Files that write to a descriptor or a stream of the process, each with what keeps a text from driving a terminal. */
const WRITERS: Readonly<Record<string, string>> = {
  "src/cli/output/print.ts": "the edge: terminalText for all that a terminal shows",
  "src/cli/accept_commands.ts": "questions on /dev/tty, through terminalText",
  "src/cli/dc/line_output.ts": "an exported file",
  "src/cli/output/write_file.ts": "a file that is put in place of another",
  "src/cli/dc/import/text_file.ts": "a temporary file of an import",
  "src/cli/dc/import/import_files.ts": "a temporary file of an import",
  "src/cli/dc/import/encoding.ts": "a temporary file of an import",
  "src/interfaces/mcp/stderr_writer.ts": "a client's log, never a terminal of ours",
  "src/planner/output/checker/check_server.ts": "an answer to the process that asked, as one line of JSON",
  "src/runtime/standard_streams.ts": "JSON-RPC, in which every control character is escaped",
};

const WRITES =
  /\bprocess\.std(?:out|err)\.write\(|\bconsole\.(?:log|error|warn|info|debug)\(|\bwriteSync\(|\bwriteFileSync\((?:descriptor|to|[012])\b|\bBun\.std(?:out|err)\b/;

test("text leaves the program only by the files that are known to clean it", async () => {
  const found: string[] = [];
  for await (const file of new Glob("src/**/*.{ts,tsx}").scan(ROOT)) {
    const path = file.replaceAll("\\", "/");
    if (/^src\/(?:web|gen)\//.test(path)) continue;
    const code = readFileSync(join(ROOT, file), "utf8").replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
    if (WRITES.test(code)) found.push(path);
  }

  expect(found.toSorted()).toEqual(Object.keys(WRITERS).toSorted());
});
