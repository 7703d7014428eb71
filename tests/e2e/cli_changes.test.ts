import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunResult, runPlanner } from "../support/planner_command.ts";
import { projectOfEachTest } from "../support/test_project.ts";

const ID = "2026-11-01-001-abc";
const TEXT = "---\n# a comment\nstatus:   pending\nlabels: [old]\n---\n\n# Paint the door\n\n- [ ] Red\n";

const project = projectOfEachTest((made) => made.spec(ID, TEXT));

function run(words: readonly string[], input = ""): Promise<RunResult> {
  return runPlanner(words, { cwd: project.root, input });
}

function specText(): string {
  return project.read(`.planner/specs/${ID}.md`);
}

test("add - reads title and body from standard input", async () => {
  const { stdout } = await run(["add", "-", "--json"], "Title from a pipe\n\nThe body.\n");

  const { spec_id } = JSON.parse(stdout) as { spec_id: string };
  expect(project.read(`.planner/specs/${spec_id}.md`)).toEndWith("# Title from a pipe\n\nThe body.\n");
});

test("add refuses words that were not quoted and a prompt that does not exist", async () => {
  const words = await run(["add", "Refuse", "wrong", "addresses"]);
  const prompt = await run(["add", "x", "--prompt", "nothing"]);

  expect(words.code).toBe(2);
  expect(words.stderr).toContain(
    'Unexpected argument "wrong": expected at most 1; put quotes around a text of several words',
  );
  expect(prompt.code).toBe(1);
  expect(readdirSync(join(project.root, ".planner/specs"))).toEqual([`${ID}.md`]);
});

test("update changes the named fields and no other byte", async () => {
  const { code, stdout } = await run(["update", "abc", "-s", "in_progress", "--label", "api", "--label", "web"]);

  expect({ code, stdout }).toEqual({ code: 0, stdout: `Updated spec: ${ID}\n` });
  expect(specText()).toBe(TEXT.replace("pending", "in_progress").replace("[old]", "[api, web]"));
});

test("update --clear empties a field and --output - appends standard input", async () => {
  const { code } = await run(["update", "abc", "--clear", "labels", "--output", "-"], "It is red now.");

  expect(code).toBe(0);
  expect(specText()).toContain("labels: []\n");
  expect(specText()).toEndWith("- [ ] Red\n\n## Output\n\nIt is red now.\n");
});

test("update refuses a field that is both set and cleared, and nothing at all", async () => {
  expect(await run(["update", "abc", "--label", "x", "--clear", "labels"])).toMatchObject({
    code: 2,
    stderr: 'error: Field "labels" is both set and cleared\n',
  });
  expect((await run(["update", "abc"])).code).toBe(2);
  expect(specText()).toBe(TEXT);
});

test("a spec goes from pending to the archive, refused where its state does not allow it", async () => {
  const early = await run(["finalize", "abc"]);
  project.spec(ID, TEXT.replace("pending", "in_progress").replace("- [ ]", "- [x]"));
  const finalized = await run(["finalize", "abc"]);
  const cancelled = await run(["cancel", "abc"]);
  const archived = await run(["archive", "abc", "--json"]);

  expect(early).toMatchObject({ code: 1, stdout: "" });
  expect(finalized).toMatchObject({ code: 0, stdout: `Finalized spec: ${ID}\n` });
  expect(cancelled).toMatchObject({ code: 1, stderr: `error: Spec '${ID}' is completed and cannot be cancelled\n` });
  expect(JSON.parse(archived.stdout)).toEqual({ spec_id: ID, file: `.planner/archive/2026-11-01/${ID}.md` });
});

test("reset gives a failed spec another try and cancel gives it up", async () => {
  project.spec(ID, TEXT.replace("pending", "failed"));

  expect(await run(["reset", "abc"])).toMatchObject({ code: 0, stdout: `Reset spec: ${ID}\n` });
  expect(specText()).toContain("pending");
  expect(await run(["cancel", "abc"])).toMatchObject({ code: 0, stdout: `Cancelled spec: ${ID}\n` });
});

/** An editor that is a shell script; `$1` is the file. */
function editor(script: string): Record<string, string> {
  const path = join(project.root, "editor with blanks.sh");
  project.write("editor with blanks.sh", `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { VISUAL: `"${path}" --wait`, EDITOR: "false", TMPDIR: join(project.root, "tmp") };
}

function edit(env: Record<string, string>): Promise<RunResult> {
  project.write("tmp/keep", "");
  return runPlanner(["edit", "abc"], { cwd: project.root, env });
}

function leftBehind(): readonly string[] {
  return readdirSync(join(project.root, "tmp")).filter((name) => name.startsWith("planner-edit-"));
}

test("edit writes what the editor saved and lints it", async () => {
  const { code, stdout, stderr } = await edit(editor('sed -i "s/Paint the door/Paint the gate/; s/old/new/" "$2"'));

  expect({ code, stdout }).toEqual({ code: 0, stdout: `Updated spec: ${ID}\n` });
  expect(stderr).not.toContain("error:");
  expect(specText()).toBe(TEXT.replace("the door", "the gate").replace("old", "new"));
  expect(leftBehind()).toEqual([]);
});

test("edit warns of what lint finds in the new text", async () => {
  const { code, stderr } = await edit(editor('sed -i "s/pending/done/" "$2"'));

  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: lint error, \w+: .*done/m);
});

test("edit touches nothing when nothing was changed", async () => {
  const { code, stdout, stderr } = await edit(editor("true"));

  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: `Nothing changed: ${ID}\n` });
  expect(specText()).toBe(TEXT);
  expect(leftBehind()).toEqual([]);
});

test("edit keeps the person's text when somebody else changed the file meanwhile", async () => {
  const file = join(project.root, `.planner/specs/${ID}.md`);

  const { code, stderr } = await edit(editor(`echo mine >> "$2"; echo theirs >> "${file}"`));

  const [, kept = ""] = /your text is kept in "([^"]+)"/.exec(stderr) ?? [];
  expect(code).toBe(1);
  expect(specText()).toBe(`${TEXT}theirs\n`);
  expect(readFileSync(kept, "utf8")).toBe(`${TEXT}mine\n`);
});

test("edit keeps the person's text when the editor fails, and nothing when there is none", async () => {
  const changed = await edit(editor('echo mine >> "$2"; exit 3'));
  const [, kept = ""] = /ended with status 3: your text is kept in "([^"]+)"/.exec(changed.stderr) ?? [];
  const unchanged = await edit(editor("exit 4"));

  expect(changed.code).toBe(1);
  expect(existsSync(kept)).toBe(true);
  expect(unchanged).toMatchObject({ code: 1, stderr: expect.stringMatching(/ended with status 4\n$/) });
  expect(specText()).toBe(TEXT);
});

test("edit says that an editor cannot be found", async () => {
  const { code, stderr } = await edit({ VISUAL: "", EDITOR: "no-such-editor-here" });

  expect(code).toBe(1);
  expect(stderr).toContain('The editor "no-such-editor-here" ended with status 127');
});

test("edit starts no editor of its own where there is no terminal", async () => {
  const { code, stderr } = await edit({ VISUAL: "", EDITOR: "" });

  expect(code).toBe(1);
  expect(stderr).toContain("Cannot edit: expected VISUAL or EDITOR to name an editor where there is no terminal");
  expect(leftBehind()).toEqual([]);
});
