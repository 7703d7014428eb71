import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { RULE_NAMES } from "#planner/config/config.ts";
import { findCycles, findNextInCycle, formatCycle } from "#planner/lint/cycles.ts";
import { lintProject } from "#planner/lint/lint_project.ts";
import { LINT_RULES } from "#planner/lint/lint_specs.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { ID, lintTexts, memorySource, OTHER, specText, THIRD } from "../../../support/lint_world.ts";

const dependsOn = (id: string): string => specText(`status: pending\nlabels: [a]\ndepends_on: [${id}]\ntype: code`);

//  ID ──> OTHER ──> THIRD ──> ID
test("lintProject sees a cycle from one of its specs alone", async () => {
  const source = memorySource({ [ID]: dependsOn(OTHER), [OTHER]: dependsOn(THIRD), [THIRD]: dependsOn(ID) });

  const report = await lintProject(source, { ids: [OTHER as SpecId] });

  expect(report.specsChecked).toBe(1);
  expect(report.files.map(({ specId, findings }) => [specId, findings.map(({ message }) => message)])).toEqual([
    [OTHER, [`depends_on cycle: ${OTHER} -> ${THIRD} -> ${ID} -> ${OTHER}`]],
  ]);
});

test("lintProject says the same of a spec alone as of the whole project", async () => {
  const texts = {
    [ID]: specText(`status: nearly\ndepends_on: [${OTHER}, nobody]\nlabels:\n  - 1: 2`, `# T\n\n${THIRD}\n`),
    [OTHER]: "---\nstatus: [\n---\n",
    [THIRD]: dependsOn(ID),
  };
  const whole = await lintTexts(texts);

  for (const id of Object.keys(texts)) {
    const alone = await lintProject(memorySource(texts), { ids: [id as SpecId] });
    expect(alone.files).toEqual(whole.files.filter(({ specId }) => specId === id));
  }
});

test("lintProject reads only what the wanted specs reach", async () => {
  const source = memorySource({ [ID]: dependsOn(OTHER), [OTHER]: "# T\n", [THIRD]: "# T\n" });
  const read: string[] = [];

  const noting = {
    ...source,
    loadSpec: (id: SpecId) => {
      read.push(id);
      return source.loadSpec(id);
    },
  };
  await lintProject(noting, { ids: [ID as SpecId] });

  expect(read).toEqual([ID, OTHER]);
});

test("lintProject places findings by lines of the whole file, whatever the line endings and the mark", async () => {
  const text = "\ufeff---\nlabels: [a]\n# why\nstatus:  'nearly'\ntype: 'odd'\n---\n\n# T\n\n2026-11-21-009-zzz\n";
  for (const eol of ["\n", "\r\n", "\r"]) {
    const { files } = await lintTexts({ [ID]: text.replaceAll("\n", eol) });

    expect(files[0]?.findings.map(({ rule, line, column }) => [rule, line, column])).toEqual([
      ["required", 4, 10],
      ["type", 5, 7],
      ["coupling", 10, undefined],
    ]);
  }
});

test("lintProject places values however they are written", async () => {
  const forms = {
    "{status: nearly, labels: [a], type: code}": [2, 10],
    '"status": nearly\nlabels: [a]\ntype: code': [2, 11],
    "labels: [a]\n? status\n: nearly\ntype: code": [4, 3],
    "labels: [a]\nnote: |\n  status: x\nstatus: nearly\ntype: code": [5, 9],
    "labels: [a]\nstatus:\n  nearly\ntype: code": [4, 3],
    "labels: [a]\nstatus: >-\n  nearly\ntype: code": [3, 9],
    "labels: [a]\nstatus: &x nearly\ntype: code": [3, 12],
  };
  for (const [yaml, place] of Object.entries(forms)) {
    const { files } = await lintTexts({ [ID]: specText(yaml) });

    expect(files[0]?.findings.map(({ line, column }) => [line, column])).toEqual([place]);
  }
});

test("lintProject keeps the findings of a file that went away meanwhile, without their lines", async () => {
  const source = memorySource({ [ID]: specText("status: nearly\nlabels: [a]\ntype: code") });
  const gone = {
    ...source,
    text: () => Promise.reject(new OperationError("not_found", "Spec not found")),
  };

  const { files } = await lintProject(gone);

  expect(files[0]?.findings.map(({ field, line }) => [field, line])).toEqual([["status", undefined]]);
});

test("lintProject asks for the output of completed specs with a schema alone", async () => {
  const asked: string[] = [];
  const source = memorySource({
    [ID]: specText("status: completed\noutput_schema: a.json\nlabels: [a]"),
    [OTHER]: specText("status: pending\noutput_schema: a.json\nlabels: [a]"),
    [THIRD]: specText("status: completed\nlabels: [a]"),
  });

  const noting = {
    ...source,
    checkOutput: async ({ id }: Spec) => {
      asked.push(id);
      return null;
    },
  };
  await lintProject(noting);

  expect(asked).toEqual([ID]);
});

const everythingWrong = specText(
  [
    "status: nearly",
    "type: nothing",
    "depends_on: [nobody]",
    "approval: {status: approved, by: ann}",
    "model: opus",
    "target_files: [a, b]",
  ].join("\n"),
  `${OTHER}\n`,
);

test("rules has every rule of the contract, in report order", () => {
  expect(LINT_RULES.map(({ name }) => name)).toEqual([...RULE_NAMES]);
});

test("lintSpecs reports in rule order and counts by severity", async () => {
  const report = await lintTexts({ [ID]: everythingWrong });

  expect(report.files[0]?.findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
    "required error",
    "required warning",
    "title error",
    "type warning",
    "dependency error",
    "approval error",
    "coupling warning",
  ]);
  expect(report).toMatchObject({ specsChecked: 1, errors: 4, warnings: 3 });
});

test("lintSpecs lists only files with findings, sorted by id", async () => {
  const report = await lintTexts({
    [THIRD]: specText("status: x\nlabels: [a]\ntype: code"),
    [OTHER]: specText("status: pending\nlabels: [a]\ntype: code"),
    [ID]: "---\n- a\n---\n",
  });

  expect(report.specsChecked).toBe(3);
  expect(report.files.map(({ file }) => file)).toEqual([`.planner/specs/${ID}.md`, `.planner/specs/${THIRD}.md`]);
});

test("cyclesOf survives a chain that is longer than the call stack", () => {
  const edges = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`s${n}`, [`s${n + 1}`]]));

  const found = findCycles(new Map(Object.entries({ ...edges, s50000: ["s0"] })));

  expect(found.size).toBe(50_001);
  const cycle = found.get("s0")?.[0];
  expect(cycle?.ids).toHaveLength(50_001);
  expect(cycle && findNextInCycle(cycle)).toBe("s1");
});

test("cyclePath shortens a cycle that nobody would read", () => {
  const ids = Array.from({ length: 60 }, (_, n) => `s${n}`);

  expect(formatCycle({ ids, at: 58 })).toBe(["s58", "s59", ...ids.slice(0, 48), "(10 more)", "s58"].join(" -> "));
});
