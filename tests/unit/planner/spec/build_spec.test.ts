import { expect, test } from "bun:test";
import { builtSpec } from "../../../support/built_spec.ts";

test("buildSpec reads every known field", () => {
  const spec = builtSpec(
    "2026-03-02-001-k3x",
    `status: failed
type: driver
depends_on: [a, b]
labels: [web]
target_files: [src/a.ts]
members: [x.1]
model: 1.10
output_schema: schemas/a.json
approval: {required: true, status: approved, by: Ines, at: 2026-03-05}
team: core`,
    "\n# Round totals\n",
  );

  expect(spec).toMatchObject({
    id: "2026-03-02-001-k3x",
    file: ".planner/specs/2026-03-02-001-k3x.md",
    archived: false,
    title: "Round totals",
    status: "failed",
    type: "driver",
    dependsOn: ["a", "b"],
    labels: ["web"],
    targetFiles: ["src/a.ts"],
    members: ["x.1"],
    model: "1.10",
    outputSchema: "schemas/a.json",
    approval: { required: true, status: "approved", by: "Ines", at: "2026-03-05" },
    frontmatter: { team: "core" },
    body: "\n# Round totals\n",
  });
});

test("buildSpec gives defaults where the file says nothing", () => {
  expect(builtSpec("a", "", "text")).toMatchObject({
    ...{ title: null, status: "pending", type: "code", model: null, outputSchema: null, approval: null },
    ...{ dependsOn: [], labels: [], members: [] },
  });
});

test("buildSpec prefers the heading to the field for the title", () => {
  expect(builtSpec("a", "title: Field", "# Heading").title).toBe("Heading");
  expect(builtSpec("a", "title: Field", "## Section").title).toBe("Section");
  expect(builtSpec("a", "title: Field", "## Acceptance Criteria\n\n- [ ] a").title).toBe("Field");
});

test("buildSpec takes a single text for a list of one, and drops what is no text", () => {
  const spec = builtSpec("a", "labels: web\ndepends_on: [a, {b: c}, ~, '']\ntarget_files: {a: b}");

  expect([spec.labels, spec.dependsOn, spec.targetFiles]).toEqual([["web"], ["a"], []]);
});

test("buildSpec reads paused as in_progress and keeps a status that nobody knows", () => {
  expect(builtSpec("a", "status: paused").status).toBe("in_progress");
  expect(builtSpec("a", "status: Waiting ").status).toBe("Waiting");
  expect(builtSpec("a", "status: [a]").status).toBe('["a"]');
});

test("buildSpec takes yes for an approval that is required", () => {
  const required = ["true", "yes", '"true"', "On", "false", "no", "maybe", ""].map(
    (word) => builtSpec("a", `approval:\n  required: ${word}`).approval?.required,
  );

  expect(required).toEqual([true, true, true, true, false, false, false, false]);
});
