import { expect } from "bun:test";
import fc from "fast-check";
import { FILTER_STATUSES, getCountedStatus, STORED_STATUSES } from "#planner/spec/spec.ts";
import { law } from "../../support/law.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { type PlannerProject, plannerProject } from "../../support/planner_project.ts";

const NAMES = [
  "2026-11-01-001-aaa",
  "2026-11-01-001-aaa.1",
  "2026-11-01-001-aaa.2",
  "2026-11-01-002-bbb",
  "2026-11-01-003-ccc",
];

const spec = fc.record({
  status: fc.constantFrom(...STORED_STATUSES, "paused", "nearly", ""),
  type: fc.constantFrom("code", "driver", "group", ""),
  dependsOn: fc.option(fc.subarray([...NAMES, "2026-10-01-001-old", "unknown"], { maxLength: 2 })),
  approval: fc.option(fc.constantFrom("pending", "approved", "rejected")),
  broken: fc.boolean(),
  archived: fc.nat(7).map((number) => number === 0),
});

const project = fc.array(spec, { minLength: 1, maxLength: NAMES.length });

type Sketch = typeof spec extends fc.Arbitrary<infer T> ? T : never;

function write(made: PlannerProject, sketch: Sketch, index: number): void {
  const lines = [
    ...(sketch.status === "" ? [] : [`status: ${sketch.status}`]),
    ...(sketch.type === "" ? [] : [`type: ${sketch.type}`]),
    ...(sketch.dependsOn === null ? [] : [`depends_on: [${sketch.dependsOn.join(", ")}]`]),
    ...(sketch.approval === null ? [] : [`approval: {required: true, status: ${sketch.approval}}`]),
    ...(sketch.broken && index % 3 === 2 ? ["labels: [a"] : []),
  ];
  const text = `---\n${lines.join("\n")}\n---\n\n# Spec ${index} of many\n`;
  const name = NAMES[index] ?? "";
  if (sketch.archived) made.write(`.planner/archive/2026-11-01/${name}.md`, text);
  else made.spec(name, text);
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly invalid?: readonly object[];
}

law(
  "list, ready, status, search and get agree about every project",
  [project],
  async (sketches) => {
    using made = await plannerProject();
    made.write(".planner/archive/2026-10-01-001-old.md", "---\nstatus: completed\n---\n\n# Old\n");
    for (const [index, sketch] of sketches.entries()) write(made, sketch, index);
    const all = await made.json("spec_list");
    const counts = await made.json("status");

    expect(counts.total).toBe(all.total);
    expect(counts.unreadable).toEqual(all.unreadable);
    for (const status of FILTER_STATUSES) {
      const listed = await made.json("spec_list", { status });
      const found = await made.json("search", { query: "OF MANY", status });
      expect(found.specs.map(({ id }: Row) => id)).toEqual(listed.specs.map(({ id }: Row) => id));
      if (status === "ready") {
        expect(await made.json("ready")).toEqual(listed);
        continue;
      }
      expect(listed.total).toBe(counts[status]);
      expect(listed.specs).toEqual(all.specs.filter((row: Row) => getCountedStatus(row.status) === status));
    }
    expect(STORED_STATUSES.reduce((sum, status) => sum + counts[status], 0)).toBe(counts.total);
    for (const row of all.specs as Row[]) {
      const { text, refused } = await made.call("spec_get", { id: row.id });
      expect(refused).toBe(row.invalid !== undefined);
      if (!refused) expect(JSON.parse(text).status).toBe(row.status);
    }
  },
  { numRuns: Math.min(LAW_RUNS, 2000) },
);
