import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { commandSettings, commitProject, gitProject, scriptProvider } from "../support/git_project.ts";
import { runPlanner } from "../support/planner_command.ts";

const FIRST = "2026-11-01-001-aaa";
const SECOND = "2026-11-01-002-bbb";

const RULES = `verify: {commands: ["test -f a.txt"], protect: ["*.sh"], require_commit: true, require_checks: true}
validation: {strict_output_validation: true}`;
const SCHEMA = ".planner/schemas/answer.json";

/** A project whose agent runs `script`, which never asks for more than one line of output. */
async function projectWith(script: string) {
  const made = await gitProject();
  const provider = scriptProvider(made, `${script}\necho '{"answer": 1}'`);
  const settings = (rules: string): string => commandSettings(provider, `${rules}\n`);
  made.write("a.txt", "a\n");
  made.write(".planner/config.md", settings(RULES));
  made.write(SCHEMA, `{"type": "object", "required": ["answer"]}\n`);
  for (const id of [FIRST, SECOND]) {
    made.spec(id, `---\nid: ${id}\nstatus: pending\noutput_schema: answer.json\n---\n\n# T\n\nDo it.\n`);
  }
  await commitProject(made);
  await made.planner(["approve", "--all", "--yes"]);
  return { ...made, settings };
}

test("settings and a schema that a merged run loosened begin no later run until a person accepts it", async () => {
  using made = await projectWith(`
    grep -v '^verify:\\|^validation:' .planner/config.md > c && mv c .planner/config.md
    echo '{}' > ${SCHEMA}
    echo b > "$PLANNER_SPEC_ID.txt"`);

  const worked = await made.planner(["work", FIRST]);
  const merged = await made.planner(["merge", FIRST]);
  const next = await made.planner(["work", SECOND]);
  const shown = await made.planner(["approve", "--commands", "--json"]);
  const watched = await made.planner(["watch", "--once"]);
  const still = made.read(`.planner/specs/${SECOND}.md`);
  const inRun = { PLANNER_RUN: `${FIRST}-1@${made.root}` };
  const forged = await made.planner(["approve", "--commands", "--yes"], { env: inRun });
  const approved = await made.planner(["approve", "--commands", "--yes"]);
  const after = await made.planner(["work", SECOND]);

  expect([worked.code, merged.code, next.code, forged.code]).toEqual([0, 0, 1, 1]);
  const gone = [
    '"verify.commands: test -f a.txt"',
    '"verify.protect: *.sh"',
    '"verify.require_commit: true"',
    '"verify.require_checks: true"',
    '"validation.strict_output_validation: true"',
    '"answer.json ',
  ];
  for (const text of [...gone, '"planner approve --commands"']) expect(next.stderr).toContain(text);
  expect(shown.code).toBe(2);
  expect(watched.code).toBeLessThan(2);
  expect(still).toContain("status: pending");
  expect(approved.stdout).toContain("config   no longer verify.commands: test -f a.txt\n");
  expect(approved.stdout).toContain("from .planner/config.md, last written by ");
  expect(approved.stdout).toContain("schema   no longer answer.json ");
  expect([approved.code, after.code]).toEqual([0, 0]);
});

test("rules that were accepted as gone hold again once they are back", async () => {
  using made = await projectWith('echo b > "$PLANNER_SPEC_ID.txt"');
  const loose = made.settings("");
  const write = async (text: string): Promise<void> => {
    made.write(".planner/config.md", text);
    await made.mustGit("commit", "--quiet", "--all", "-m", "settings");
  };
  let number = 2;
  const begins = async (): Promise<boolean> => {
    const id = `2026-11-01-00${++number}-ccc`;
    made.spec(id, `---\nid: ${id}\nstatus: pending\n---\n\n# T\n`);
    const { stderr } = await made.planner(["work", id]);
    return !stderr.includes("which changed");
  };

  await made.planner(["work", FIRST]);
  await write(loose);
  const first = await begins();
  await made.planner(["approve", "--commands", "--yes"]);
  const accepted = await begins();
  await write(made.settings(RULES));
  const tighter = await begins();
  await write(loose);

  expect([first, accepted, tighter, await begins()]).toEqual([false, true, true, false]);
});

test("what judged runs and is gone keeps a spec from being completed by hand, by a tool and by a merge", async () => {
  using made = await projectWith('echo b > "$PLANNER_SPEC_ID.txt"');
  const third = "2026-11-01-003-ccc";
  const text = (body: string): string => `---\nid: ${third}\nstatus: in_progress\n---\n\n# T\n\n${body}`;
  made.spec(third, text("Do it.\n"));
  await made.planner(["work", FIRST]);
  made.write(".planner/config.md", made.settings(RULES.replace("test -f a.txt", "test -f gone.txt")));
  await made.planner(["approve", "--commands", "--yes"]);
  const failed = await made.planner(["work", SECOND]);
  made.write(".planner/config.md", made.settings(""));
  const status = (): string => /^status: (.*)$/m.exec(made.read(`.planner/specs/${third}.md`))?.[1] ?? "";

  const call = (name: string, args: object): object => ({
    jsonrpc: "2.0",
    id: name,
    method: "tools/call",
    params: { name, arguments: { id: third, ...args } },
  });
  const calls = [call("planner_finalize", {}), call("planner_spec_update", { status: "completed" })];
  const asked = await runPlanner(["mcp"], {
    cwd: made.root,
    input: calls.map((one) => `${JSON.stringify(one)}\n`).join(""),
  });
  const byHand = [
    await made.planner(["finalize", third]),
    await made.planner(["update", third, "--status", "completed"]),
    await made.planner(["merge", SECOND]),
  ];

  expect(failed.code).toBe(1);
  const why = "verify.commands: test -f gone.txt";
  expect(asked.stdout.split("\n").filter((line) => line.includes(why)).length).toBe(2);
  for (const { code, stderr } of byHand) {
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`"${why}", which changed: "planner approve --commands"`),
    ]);
  }
  expect(status()).toBe("in_progress");

  const excused = await made.planner(["finalize", third, "--unproven", "seen"]);
  expect([excused.code, status()]).toEqual([0, "completed"]);
  made.spec(third, text("Do it.\n"));
  await made.planner(["approve", "--commands", "--yes"]);
  const after = await made.planner(["finalize", third]);
  const merged = await made.planner(["merge", SECOND]);
  expect([after.code, status(), merged.code, merged.stderr]).toEqual([0, "completed", 0, ""]);
});

const OTHER_SCHEMA = ".planner/schemas/other.json";

test.each([
  ["an edited schema", { [SCHEMA]: "{}\n" }, [FIRST]],
  ["a deleted schema", { [SCHEMA]: null }, [FIRST]],
  ["another edited schema", { [OTHER_SCHEMA]: "{}\n" }, [SECOND]],
  ["two edited schemas", { [SCHEMA]: "{}\n", [OTHER_SCHEMA]: "{}\n" }, [FIRST, SECOND]],
  ["a new schema", { ".planner/schemas/new.json": "{}\n" }, []],
] as const)("%s stops the specs that name it and no others", async (_name, edits, stopped) => {
  using made = await projectWith("echo b > $PLANNER_SPEC_ID.txt");
  const plain = "2026-11-01-003-ccc";
  made.write(OTHER_SCHEMA, `{"type": "object", "required": ["answer"]}\n`);
  made.spec(SECOND, made.read(`.planner/specs/${SECOND}.md`).replace("answer.json", "other.json"));
  made.spec(plain, `---\nid: ${plain}\nstatus: pending\n---\n\n# T\n\nDo it.\n`);
  made.write(".planner/config.md", made.settings(""));
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "more");
  await made.planner(["approve", "--all", "--yes"]);
  // A first run holds the schemas as they are.
  const first = await made.planner(["work", plain]);
  made.spec(plain, `---\nid: ${plain}\nstatus: pending\n---\n\n# T\n\nDo it.\n`);
  for (const [path, text] of Object.entries(edits)) {
    if (text === null) rmSync(join(made.root, path));
    else made.write(path, text);
  }
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "edit");

  const refused: string[] = [];
  for (const id of [FIRST, SECOND, plain]) if ((await made.planner(["work", id])).code !== 0) refused.push(id);

  expect(first.code).toBe(0);
  expect(refused).toEqual([...stopped]);
});
