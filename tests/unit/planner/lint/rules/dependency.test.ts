import { expect, test } from "bun:test";
import { findingsOf, ID, lintTexts, OTHER, said, specText, THIRD } from "../../../../support/lint_world.ts";

const dependsOn = (...ids: readonly string[]): string => specText(`status: pending\ndepends_on: [${ids.join(", ")}]`);

test("dependency names an unknown id in the contract's words, with its place and the nearest known one", async () => {
  const findings = await findingsOf("dependency", {
    [ID]: dependsOn(OTHER, "2026-11-21-003-gho"),
    [OTHER]: "# T\n",
    [THIRD]: "# T\n",
  });

  expect(findings).toEqual([
    {
      rule: "dependency",
      severity: "error",
      field: "depends_on",
      message: "depends_on '2026-11-21-003-gho' does not exist",
      allowed: [],
      suggestion: `Did you mean '${THIRD}'?`,
      line: 3,
      column: 34,
    },
  ]);
});

test("dependency suggests the full id of a partial one", async () => {
  const [finding] = await findingsOf("dependency", { [ID]: dependsOn("def"), [OTHER]: "# T\n" });

  expect(finding?.suggestion).toBe(`Did you mean '${OTHER}'?`);
});

test("dependency knows archived specs and files that do not parse", async () => {
  const others = { [OTHER]: "---\nstatus: [\n---\n" };

  expect(await said("dependency", dependsOn(OTHER, THIRD), { others, archived: [THIRD] })).toEqual([]);
});

test("dependency warns of an id that is listed twice", async () => {
  expect(await said("dependency", dependsOn(OTHER, OTHER), { others: { [OTHER]: "# T\n" } })).toEqual([
    `warning: depends_on '${OTHER}' is listed twice`,
  ]);
});

test("dependency refuses a spec that waits for itself, without calling it a cycle", async () => {
  expect(await said("dependency", dependsOn(ID))).toEqual([`error: depends_on '${ID}' is the spec itself`]);
});

//  ID ──> OTHER ──> THIRD ──> ID
test("dependency shows a cycle on each of its specs, whole and once", async () => {
  const { files } = await lintTexts({ [ID]: dependsOn(OTHER), [OTHER]: dependsOn(THIRD), [THIRD]: dependsOn(ID) });

  const cycles = files.map(({ findings }) => findings.filter(({ rule }) => rule === "dependency"));
  expect(cycles.map((each) => each.map(({ message }) => message))).toEqual([
    [`depends_on cycle: ${ID} -> ${OTHER} -> ${THIRD} -> ${ID}`],
    [`depends_on cycle: ${OTHER} -> ${THIRD} -> ${ID} -> ${OTHER}`],
    [`depends_on cycle: ${THIRD} -> ${ID} -> ${OTHER} -> ${THIRD}`],
  ]);
  expect(cycles.flat().map(({ line, column }) => [line, column])).toEqual([
    [3, 14],
    [3, 14],
    [3, 14],
  ]);
});

test("dependency takes a shared dependency for no cycle", async () => {
  const { errors } = await lintTexts({
    [ID]: dependsOn(OTHER, THIRD),
    [OTHER]: dependsOn(THIRD),
    [THIRD]: specText("status: pending"),
  });

  expect(errors).toBe(0);
});

test("dependency checks members in the same way", async () => {
  const driver = specText(`status: pending\ntype: driver\nmembers:\n  - ${OTHER}\n  - ${OTHER}\n  - nobody\n  - ${ID}`);

  expect(await findingsOf("dependency", { [ID]: driver, [OTHER]: "# T\n" })).toMatchObject([
    { severity: "warning", message: `members '${OTHER}' is listed twice`, line: 6 },
    { severity: "error", message: "members 'nobody' does not exist", line: 7, column: 5 },
    { severity: "error", message: `members '${ID}' is the spec itself`, line: 8 },
  ]);
});

test("dependency reads a list that is written as one text", async () => {
  expect(await findingsOf("dependency", { [ID]: specText("depends_on: nobody") })).toMatchObject([
    { message: "depends_on 'nobody' does not exist", line: 2, column: 13 },
  ]);
});
