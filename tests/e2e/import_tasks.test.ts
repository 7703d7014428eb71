import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { runPlanner } from "../support/planner_command.ts";
import { type Expected, TASK_SOURCES } from "../support/task_sources.ts";
import { type TempProject, tempProject } from "../support/temp_project.ts";

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly tasks: readonly { readonly key: string; readonly id: string; readonly [field: string]: unknown }[];
}

async function importJson(
  project: TempProject,
  ...words: string[]
): Promise<Report & { readonly code: number | null }> {
  const { code, stdout } = await runPlanner(["import", ...words, "--json"], { cwd: project.root });
  return { code, ...(JSON.parse(stdout) as Report) };
}

function backlogTask(id: string, fields: string, body = "## Description\n\nWords.\n"): string {
  return `---\nid: ${id}\n${fields}\n---\n\n${body}`;
}

test("a repeated import follows the source and keeps what was changed here", async () => {
  using source = tempProject();
  using project = tempProject();
  const write = (title: string, status: string, body?: string): void => {
    source.write("backlog/tasks/t-1 - Rope.md", backlogTask("t-1", `title: ${title}\nstatus: ${status}`, body));
  };
  write("Rope", "To Do");
  source.write("backlog/tasks/t-2 - Knot.md", backlogTask("t-2", "title: Knot\nstatus: To Do\ndependencies: [T-1]"));

  const first = await importJson(project, source.root);
  const again = await importJson(project, source.root);
  const id = first.tasks.find(({ key }) => key === "t-1")?.id ?? "";
  const file = `.planner/specs/${id}.md`;
  project.write(file, project.read(file).replace("status: pending", "status: in_progress # mine"));
  write("Longer rope", "Done", "## Description\n\nOther words.\n");
  const changed = await importJson(project, source.root);
  const forced = await importJson(project, source.root, "--overwrite");

  expect([first.code, first.counts]).toEqual([0, expect.objectContaining({ tasks: 2, created: 2 })]);
  expect(project.read(file)).toContain("origin: backlog:t-1\n");
  expect([again.code, again.counts]).toEqual([0, expect.objectContaining({ unchanged: 2, created: 0, updated: 0 })]);
  expect(changed.code).toBe(1);
  expect(changed.tasks.find(({ key }) => key === "t-1")).toMatchObject({
    action: "kept",
    changed: ["title", 'section "description"'],
    conflicts: ["status"],
  });
  expect(forced.code).toBe(0);
  expect(project.read(file)).toContain("status: completed # mine");
  expect(project.read(file)).toContain("# Longer rope\n\n## Description\n\nOther words.\n");
});

test("a dry run writes nothing, and a spec that was deleted here is not created again", async () => {
  using source = tempProject();
  using project = tempProject();
  source.write("backlog/tasks/t-1 - Rope.md", backlogTask("t-1", "title: Rope"));

  const tried = await importJson(project, source.root, "--dry-run");
  const before = [project.list(".planner/specs"), project.list(".planner/imports")];
  const first = await importJson(project, source.root);
  rmSync(join(project.root, `.planner/specs/${first.tasks[0]?.id}.md`));
  const again = await importJson(project, source.root);

  expect(tried.counts).toMatchObject({ created: 1 });
  expect(before).toEqual([[], []]);
  expect(again.tasks).toEqual([expect.objectContaining({ action: "kept", reason: "its spec was deleted here" })]);
  expect(project.list(".planner/specs")).toEqual([]);
});

interface ListedSpec {
  readonly id: string;
  readonly status: string;
  readonly depends_on?: readonly string[];
  readonly labels?: readonly string[];
  readonly priority?: string;
  readonly assignee?: string;
}

async function listed(project: TempProject, ...words: string[]): Promise<readonly ListedSpec[]> {
  const { stdout } = await runPlanner([...words, "--json"], { cwd: project.root });
  return (JSON.parse(stdout) as { specs: readonly ListedSpec[] }).specs;
}

/** Checked criteria and all of them, as `planner verify` counts. */
async function criteriaOf(project: TempProject, id: string): Promise<readonly [number, number]> {
  const { stdout } = await runPlanner(["verify", id, "--json"], { cwd: project.root });
  const { criteria } = JSON.parse(stdout) as { criteria: { total: number; checked: number } };
  return [criteria.checked, criteria.total];
}

/** What the program says of a spec, in the words of `Expected`. */
function factsOf(spec: ListedSpec, keys: ReadonlyMap<string, string>): Expected {
  const { id, status, labels, priority, assignee } = spec;
  const parent = id.includes(".") ? keys.get(id.slice(0, id.lastIndexOf("."))) : undefined;
  const dependsOn = (spec.depends_on ?? []).map((other) => keys.get(other) ?? "?");
  return {
    status,
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...(labels === undefined ? {} : { labels }),
    ...(priority === undefined ? {} : { priority }),
    ...(assignee === undefined ? {} : { assignee }),
    ...(parent === undefined ? {} : { parent }),
  };
}

for (const { kind, files, path, expected } of TASK_SOURCES) {
  test(`tasks of ${kind} are detected and become the specs that they say`, async () => {
    using source = tempProject();
    using project = tempProject();
    for (const [name, text] of Object.entries(files)) source.write(name, text);

    const report = await importJson(project, join(source.root, path));
    const again = await importJson(project, join(source.root, path), "--from", kind);
    const [active, archived, ready, lint] = await Promise.all([
      listed(project, "list"),
      listed(project, "list", "--archived"),
      listed(project, "ready"),
      runPlanner(["lint"], { cwd: project.root }),
    ]);
    const keys = new Map(report.tasks.map(({ id, key }) => [id, key]));
    const facts: Record<string, Expected> = {};
    for (const spec of [...active, ...archived]) {
      const key = keys.get(spec.id) ?? spec.id;
      facts[key] = {
        ...factsOf(spec, keys),
        ...(expected[key]?.criteria === undefined ? {} : { criteria: await criteriaOf(project, spec.id) }),
        ...(ready.some(({ id }) => id === spec.id) ? { isReady: true } : {}),
        ...(archived.includes(spec) ? { isArchived: true } : {}),
      };
    }

    expect([report.code, report.counts["refused"]]).toEqual([0, 0]);
    expect(facts).toEqual(expected);
    expect(again.counts).toMatchObject({ unchanged: keys.size, created: 0, updated: 0, kept: 0 });
    expect(lint.stdout).toContain("\n0 errors");
  });
}
