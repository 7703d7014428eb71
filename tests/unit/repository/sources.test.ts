import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY, sourceFiles } from "../../support/source_code.ts";

const sources = sourceFiles("src");

test("only one file starts git, and leaves to nobody else what it then may run", () => {
  const program = /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|\$)\s*(?:<[^>]*>)?[(`]\s*\[?\s*["'`]?git\b/;
  const starters = sources.filter(({ text }) => program.test(text)).map(({ path }) => path);
  const callers = sources.filter(({ text }) => /\bprepareGit\b/.test(text)).map(({ path }) => path);

  expect(starters).toEqual(["src/planner/store/git/start_git.ts"]);
  expect(callers.toSorted()).toEqual(["src/planner/store/git/git.ts", "src/planner/store/git/start_git.ts"]);
});

/** Files that start programs, each with the program. git is not among them: it has one place. */
const STARTERS: Readonly<Record<string, string>> = {
  "src/cli/demo/demo.ts": "git in its own folder, and planner itself",
  "src/cli/edit_text.ts": "the person's editor",
  "src/cli/open_browser.ts": "the person's browser",
  "src/planner/output/checker/check_process.ts": "planner itself",
  "src/planner/store/git/ssh_signature.ts": "ssh-keygen",
  "src/planner/store/git/start_git.ts": "git",
  "src/planner/store/processes/agent_process.ts": "the agent, and commands that a person accepted",
  "src/planner/store/processes/background.ts": "planner itself",
  "src/planner/store/processes/run_processes.ts": "ps, taskkill",
  "src/planner/store/requests/forge_program.ts": "gh and glab, for a command of a person",
};

test("only the files named here start programs", () => {
  const found = sources.filter(({ text }) => /"node:child_process"/.test(text) && /\b(?:spawn|exec\w*)\(/.test(text));

  expect(found.map(({ path }) => path).toSorted()).toEqual(Object.keys(STARTERS));
});

test("no source ends the process on its own", () => {
  // process.exit drops what stdout has not taken yet; statuses are set through process.exitCode.
  const broken = sources
    .filter(({ text }) => /\bprocess\s*\.\s*exit\s*\(/.test(text))
    .map(({ path }) => path)
    .filter((path) => path !== "src/cli/exit_status.ts");

  expect(broken).toEqual([]);
});

test("classes keep fields and methods to themselves with #, which holds at run time as well", () => {
  const broken = sources.filter(({ text }) => /^\s+private (?!constructor\b)/m.test(text)).map(({ path }) => path);

  expect(broken).toEqual([]);
});

test("every dependency has a line of reason", () => {
  const manifest = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));
  const reasons = readFileSync(join(REPOSITORY, "docs", "dependencies.md"), "utf8");

  const silent = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    (name) => !reasons.includes(`| \`${name}\` |`),
  );

  expect(silent).toEqual([]);
});

/** Files that write to a descriptor or a stream of the process, each with what keeps a text from driving a terminal. */
const WRITERS: Readonly<Record<string, string>> = {
  "src/cli/output/print.ts": "the edge: terminalText for all that a terminal shows",
  "src/cli/consent.ts": "questions on /dev/tty, through terminalText",
  "src/cli/dc/line_output.ts": "an exported file",
  "src/cli/output/write_file.ts": "a file that is put in place of another",
  "src/cli/dc/import/text_file.ts": "a temporary file of an import",
  "src/cli/dc/import/import_files.ts": "a temporary file of an import",
  "src/cli/dc/import/encoding.ts": "a temporary file of an import",
  "src/interfaces/mcp/stdout_guard.ts": "a client's log, never a terminal of ours",
  "src/planner/output/checker/check_server.ts": "an answer to the process that asked, as one line of JSON",
  "src/runtime/standard_streams.ts": "JSON-RPC, in which every control character is escaped",
};

const WRITES =
  /\bprocess\.std(?:out|err)\.write\(|\bconsole\.(?:log|error|warn|info|debug)\(|\bwriteSync\(|\bwriteFileSync\((?:descriptor|to|[012])\b|\bBun\.std(?:out|err)\b/;

test("text leaves the program only by the files that are known to clean it", () => {
  const found = sources
    .filter(({ path }) => !/^src\/(?:web|gen)\//.test(path))
    .filter(({ text }) => WRITES.test(text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "")))
    .map(({ path }) => path);

  expect(found.toSorted()).toEqual(Object.keys(WRITERS).toSorted());
});
