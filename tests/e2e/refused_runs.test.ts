/** What a run was refused for completes its spec in no way afterwards: docs/work.md, Runs. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { McpLines } from "../support/mcp_lines.ts";
import { ID, ScriptedProject } from "../support/misbehaving_agent.ts";

const SCHEMA = '{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}';
const output = (json: string): string => `printf '\\n## Output\\n\\n${json}\\n' >> "$spec"`;
const ticked = (...rest: readonly string[]): string =>
  ["tick", ...rest, "save a", "git commit -qam 'planner: all'"].join("; ");

interface Row {
  readonly name: string;
  /** Lines of the spec's frontmatter. */
  readonly fields?: string;
  /** Settings besides the agent. */
  readonly config?: string;
  /** What the agents of the runs do, one after another. */
  readonly runs: readonly string[];
  /** What a person does then. */
  readonly after?: readonly (readonly string[])[];
  readonly shell?: string;
  /** Whether finalize, a status and the tool complete the spec. */
  readonly ends: boolean;
}

const STRICT = "validation: {strict_output_validation: true}";
const WITH_SCHEMA = "output_schema: .planner/schemas/n.json";
const FAILS = "verify: {commands: [test -e $PLANNER_PROJECT/.planner/logs/ok]}";

const ROWS: readonly Row[] = [
  {
    name: "an output that does not fit",
    fields: WITH_SCHEMA,
    config: STRICT,
    runs: [ticked(output('{"n": "x"}'))],
    ends: false,
  },
  { name: "no output at all", fields: WITH_SCHEMA, config: STRICT, runs: [ticked()], ends: false },
  {
    name: "the fitting output of the run before",
    fields: WITH_SCHEMA,
    config: STRICT,
    runs: [`${output('{"n": 1}')}; save a; git commit -qam 'planner: open'`, ticked()],
    ends: false,
  },
  { name: "an output that its evidence asks for", fields: "evidence: output", runs: [ticked()], ends: false },
  { name: "a command of the settings that failed", config: FAILS, runs: [ticked()], ends: false },
  {
    name: "another output that does not fit",
    fields: WITH_SCHEMA,
    config: STRICT,
    runs: [ticked()],
    after: [["update", ID, "--output", '{"n": "y"}']],
    ends: false,
  },
  {
    name: "a new output that fits",
    fields: WITH_SCHEMA,
    config: STRICT,
    runs: [ticked(output('{"n": "x"}'))],
    after: [["update", ID, "--output", '{"n": 2}']],
    ends: true,
  },
  {
    name: "an output later than the run",
    fields: "evidence: output",
    runs: [ticked()],
    after: [["update", ID, "--output", "found"]],
    ends: true,
  },
  { name: "a command that passes since", config: FAILS, runs: [ticked()], shell: "touch .planner/logs/ok", ends: true },
  { name: "a box that a person ticks", runs: ["save a"], after: [["check", ID, "1"]], ends: true },
  { name: "an output that lax settings accept", fields: WITH_SCHEMA, runs: [ticked(output('{"n": "x"}'))], ends: true },
  {
    name: "no run",
    runs: [],
    after: [
      ["update", ID, "--status", "in_progress"],
      ["check", ID, "1"],
    ],
    ends: true,
  },
];

/** Ways of completing a spec without --unproven. */
const WAYS: Readonly<Record<string, (project: ScriptedProject) => Promise<unknown>>> = {
  finalize: (project) => project.planner("finalize", ID),
  status: (project) => project.planner("update", ID, "--status", "completed"),
  async tool(project) {
    await using client = new McpLines(project.root);
    await client.tool("planner_finalize", { id: ID });
  },
};

for (const { name, fields = "labels: [work]", config = "", runs, after = [], shell = "true", ends } of ROWS) {
  test(`${name} ${ends ? "lets" : "does not let"} a spec end after a run`, async () => {
    using project = await ScriptedProject.make();
    mkdirSync(join(project.root, ".planner/schemas"));
    writeFileSync(join(project.root, ".planner/schemas/n.json"), SCHEMA);
    const file = join(project.root, ".planner/config.md");
    writeFileSync(file, readFileSync(file, "utf8").replace(/\n---\n$/, `\n${config}\n---\n`));
    await project.sh(`sed -i 's|^labels: .*|${fields}|' .planner/specs/${ID}.md; git add -A; git commit -qm rules`);
    for (const script of runs) await project.work(script);
    for (const args of after) await project.planner(...args);
    await project.sh(shell);

    const [way = "finalize", open] = Object.entries(WAYS)[ROWS.findIndex((row) => row.name === name) % 3] ?? [];
    if (!ends) {
      for (const complete of Object.values(WAYS)) await complete(project);
      const verified = JSON.parse((await project.planner("verify", ID, "--json")).stdout);
      expect([project.status(), verified.verified]).toEqual([
        runs.length === 0 ? "in_progress" : "needs_attention",
        false,
      ]);
      const { code, stderr } = await project.planner("finalize", ID, "--unproven", "seen by me");
      expect({ code, stderr, status: project.status() }).toMatchObject({ code: 0, status: "completed" });
      return;
    }
    await open?.(project);
    expect([way, project.status()]).toEqual([way, "completed"]);
  }, 240_000);
}

test("work names a file that cannot be parsed, with its place, alone and beside other specs", async () => {
  using project = await ScriptedProject.make();
  writeFileSync(join(project.root, `.planner/specs/${ID}.md`), "Status: cancelled\n---\ntitle: a\n---\n");
  await project.sh("git add -A; git commit -qm specs");

  const alone = await project.planner("work", ID);
  const beside = await project.planner("work", ID, `${ID}.9`);
  project.script("exit 3");
  writeFileSync(join(project.root, ".planner/specs/2026-11-01-002-bbb.md"), "---\ntitle: b\nstatus: pending\n---\n");
  const other = await project.planner("work", "2026-11-01-002-bbb", ID);

  const place = expect.stringContaining(`.planner/specs/${ID}.md:1:1: `);
  expect([alone.code, alone.stderr]).toEqual([1, place]);
  expect(beside.code).toBe(1);
  expect([other.code, other.stderr]).toEqual([1, place]);
  expect(other.stdout).toContain("2026-11-01-002-bbb: ");
});
