import { expect, test } from "bun:test";
import { parseConfig } from "#planner/config/check_config.ts";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import { findingsOf, ID, lintTexts, OTHER, said, specText, THIRD } from "../../../../support/lint_world.ts";

test("parse names line and column of broken frontmatter and says nothing else about the file", async () => {
  const { files } = await lintTexts({ [ID]: "---\nstatus: pending\nlabels: [a\n---\n\n# T\n" });

  expect(files).toHaveLength(1);
  const [finding, ...more] = files[0]?.findings ?? [];
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ rule: "parse", severity: "error", field: "frontmatter", line: 4, column: 1 });
  expect(finding?.message).toStartWith("cannot be parsed: ");
});

test("parse lets the other files be judged", async () => {
  const report = await lintTexts({
    [ID]: "---\nstatus: [\n---\n",
    [OTHER]: specText("status: nearly\nlabels: [a]\ntype: code"),
  });

  expect(report.specsChecked).toBe(2);
  expect(report.files.map(({ specId, findings }) => [specId, findings.map(({ rule }) => rule)])).toEqual([
    [ID, ["parse"]],
    [OTHER, ["required"]],
  ]);
});

test("parse reports every kind of text that is no spec", async () => {
  const broken = {
    "a twice-named key": "---\nstatus: a\nstatus: b\n---\n",
    "another language": "---js\n{}\n---\n",
    "an open frontmatter": "---\nstatus: pending\n",
    "a list": "---\n- a\n---\n",
    "a NUL character": "---\nstatus: pending\n---\n\0",
  };
  for (const text of Object.values(broken)) {
    const findings = await findingsOf("parse", { [ID]: text });
    expect(findings.map(({ severity, line, column }) => [severity, typeof line, typeof column])).toEqual([
      ["error", "number", "number"],
    ]);
  }
});

async function criteriaSaid(body: string): Promise<readonly string[]> {
  const { files } = await lintTexts({ [ID]: `---\nstatus: pending\nlabels: [a]\n---\n# T\n${body}` });
  const findings = files.flatMap((file) => file.findings).filter(({ rule }) => rule === "criteria");
  return findings.map(({ line, message }) => `${line} ${message}`);
}

test("criteria says nothing about one section before the output, or none", async () => {
  expect(await criteriaSaid("## Acceptance Criteria\n- [ ] a\n## Output\nDone\n")).toEqual([]);
  expect(await criteriaSaid("- [ ] a\n")).toEqual([]);
});

test("criteria names an item that is not read as a criterion, with the form that is meant", async () => {
  const texts = { [ID]: "---\nstatus: pending\nlabels: [a]\n---\n# T\n## Acceptance Criteria\n- [ ] a\n- [✓] b\n" };

  expect(await findingsOf("criteria", texts)).toMatchObject([
    { severity: "warning", line: 8, message: "'- [✓] b' is not read as a criterion", suggestion: "Write '- [x] b'" },
  ]);
});

test("criteria reports each further section with its line", async () => {
  expect(
    await criteriaSaid(
      "## Acceptance Criteria\n- [ ] a\n## Output\n### Acceptance Criteria\n- [x] a\n## acceptance criteria:\n",
    ),
  ).toEqual([
    "9 a further section 'Acceptance Criteria', which does not count: the first is in line 2 of the body",
    "11 a further section 'acceptance criteria:', which does not count: the first is in line 2 of the body",
  ]);
});

test("criteria reports a section that stands behind the output", async () => {
  expect(await criteriaSaid("## Output\nDone\n## Acceptance Criteria\n- [x] a\n")).toEqual([
    "8 section 'Acceptance Criteria' is behind '## Output', where an agent may have written it",
  ]);
});

test("criteria reports a section that a nested fence has swallowed, not an example beside a real one", async () => {
  const nested = "```md\n```sh\nsaw\n```\ntext\n```\n";

  expect(await criteriaSaid(`${nested}## Acceptance Criteria\n- [ ] a\n`)).toEqual([
    "12 section 'Acceptance Criteria' is inside the code fence of line 7 of the body, so its criteria do not count",
  ]);
  expect(await criteriaSaid("```md\n## Acceptance Criteria\n- [ ] a\n```\n## Acceptance Criteria\n- [ ] b\n")).toEqual(
    [],
  );
});

test("criteria reports checks that cannot fail, with their line, and no others", async () => {
  const checks = ["true", ":", "exit 0", "echo done", "npm test || true", "npm test; exit 0"];
  for (const check of checks) {
    expect(await criteriaSaid(`- [ ] a\n  verify: ${check}\n`)).toEqual([`7 check '${check}' cannot fail`]);
  }
  for (const check of ["npm test", "test -f a", "echo a | grep b", "true && npm test", "exit 1", "truecheck"]) {
    expect([check, await criteriaSaid(`- [ ] a\n  verify: ${check}\n`)]).toEqual([check, []]);
  }
});

test("criteria reports a criterion without a check where the settings require checks, and only there", async () => {
  const texts = { [ID]: "---\nstatus: pending\nlabels: [a]\n---\n# T\n- [ ] a\n  verify: npm test\n- [x] b\n" };
  const verify = { ...DEFAULT_CONFIG.verify, require_checks: true };

  expect(await findingsOf("criteria", texts)).toEqual([]);
  expect(await findingsOf("criteria", texts, { config: { ...DEFAULT_CONFIG, verify } })).toMatchObject([
    { severity: "warning", line: 8, message: "criterion 'b' names no check" },
  ]);
});

const words = (count: number): string => `# T\n\n${"word ".repeat(count - 1).trimEnd()}\n`;
const criteria = (count: number): string => `# T\n\n## Acceptance Criteria\n\n${"- [ ] a\n".repeat(count)}`;
const files = (count: number): string =>
  specText(`target_files: [${Array.from({ length: count }, (_, n) => `f${n}`).join(", ")}]`);

test("complexity speaks above each threshold and not at it", async () => {
  expect(await said("complexity", specText("x: y", words(150)))).toEqual([]);
  expect(await said("complexity", specText("x: y", words(151)))).toEqual(["warning: 151 words, more than 150"]);
  expect(await said("complexity", specText("x: y", criteria(10)))).toEqual([]);
  expect(await said("complexity", specText("x: y", criteria(11)))).toEqual([
    "warning: 11 acceptance criteria, more than 10",
  ]);
  expect(await said("complexity", files(5))).toEqual([]);
  expect(await said("complexity", files(6))).toEqual(["warning: 6 target files, more than 5"]);
});

test("complexity points at the first criterion that is too many and suggests a split", async () => {
  expect(await findingsOf("complexity", { [ID]: specText("x: y", criteria(11)) })).toMatchObject([
    { field: "body", line: 19, suggestion: "Split it with `planner split`" },
  ]);
  expect(await findingsOf("complexity", { [ID]: files(6) })).toMatchObject([{ field: "target_files", line: 2 }]);
});

test("complexity follows the configured thresholds", async () => {
  const { config } = parseConfig(
    "---\nlint:\n  thresholds: {complexity_criteria: 0, complexity_files: 0, complexity_words: 0}\n---\n",
  );
  const small = specText("target_files: [a]", "# T\n\n- [ ] a\n");

  expect(await said("complexity", small, { config })).toEqual([
    "warning: 1 acceptance criteria, more than 0",
    "warning: 1 target files, more than 0",
    "warning: 2 words, more than 0",
  ]);
});

test("complexity counts no words of the output that a run appended", async () => {
  const body = `${words(100)}\n## Output\n\n${"word ".repeat(500)}\n\n## Notes\n\n${"word ".repeat(49)}\n`;

  expect(await said("complexity", specText("x: y", body))).toEqual([]);
  expect(await said("complexity", specText("x: y", `${body}two more\n`))).toEqual([
    "warning: 152 words, more than 150",
  ]);
});

test("coupling names each spec that the body refers to, once, at its first line", async () => {
  const body = `# T\n\nSee ${OTHER} and\n[that](../${THIRD}.md), then ${OTHER}.\n`;

  expect(await findingsOf("coupling", { [ID]: specText("status: pending", body) })).toMatchObject([
    { severity: "warning", field: "body", message: `body references spec '${OTHER}'`, line: 7 },
    { message: `body references spec '${THIRD}'`, line: 8 },
  ]);
});

test("coupling overlooks fenced code, the spec itself, and what depends_on lists", async () => {
  const body = `# ${ID}\n\n\`\`\`\n${OTHER}\n\`\`\`\n\nAfter ${THIRD}.\n`;

  expect(await said("coupling", specText(`depends_on: [${THIRD}]`, body))).toEqual([]);
});

test("coupling takes no other dated name for a spec", async () => {
  const body =
    "# T\n\n2026-11-21-the-plan 2026-11-21-001-abc-notes x2026-11-21-001-xyz 2026-11-21-001-longer 2026-11-21\n";

  expect(await said("coupling", specText("status: pending", body))).toEqual([]);
});

test("coupling knows an existing spec of any suffix", async () => {
  const id = "2026-11-21-001-longer";

  expect(await said("coupling", specText("status: pending", `# T\n\n${id}\n`), { others: { [id]: "# T\n" } })).toEqual([
    `warning: body references spec '${id}'`,
  ]);
});

test("coupling lets a driver and a group name their members", async () => {
  for (const type of ["driver", "group"]) {
    expect(await said("coupling", specText(`type: ${type}`, `# T\n\n${OTHER}\n`))).toEqual([]);
  }
});

test("coupling holds against a member only its siblings", async () => {
  const member = `${ID}.1`;
  const { files } = await lintTexts({
    [member]: specText("status: pending\nlabels: [a]\ntype: code", `# T\n\n${ID}, ${OTHER}, ${ID}.2 and ${ID}.2.1\n`),
  });

  expect(files.flatMap(({ findings }) => findings.map(({ message }) => message))).toEqual([
    `body references spec '${ID}.2'`,
  ]);
});

const simple = (fields: string): string => specText(fields, "# Fix typo\n");

test("model_waste warns of an expensive model on a simple spec", async () => {
  expect(await findingsOf("model_waste", { [ID]: simple("model: claude-Opus-4") })).toMatchObject([
    { severity: "warning", field: "model", message: "model 'claude-Opus-4' for a simple spec", line: 2, column: 8 },
  ]);
  expect(await said("model_waste", simple("model: sonnet\ntarget_files: [a]"))).toHaveLength(1);
});

test("model_waste has nothing against a cheap model, or none", async () => {
  expect(await said("model_waste", simple("model: haiku"))).toEqual([]);
  expect(await said("model_waste", simple("status: pending"))).toEqual([]);
});

test("model_waste grants an expensive model to whatever is not simple", async () => {
  expect(await said("model_waste", specText("model: opus", "# Fix a longer typo\n"))).toEqual([]);
  expect(await said("model_waste", simple("model: opus\ntarget_files: [a, b]"))).toEqual([]);
  expect(await said("model_waste", specText("model: opus", "# A\n\n- [ ] b\n- [ ] c\n"))).toEqual([]);
});

test("model_waste exempts drivers, groups and research", async () => {
  for (const type of ["driver", "group", "research"]) {
    expect(await said("model_waste", simple(`model: opus\ntype: ${type}`))).toEqual([]);
  }
});

test("model_waste follows the configured thresholds", async () => {
  const { config } = parseConfig("---\nlint:\n  thresholds: {simple_words: 100}\n---\n");

  expect(await said("model_waste", specText("model: opus", "# Fix a longer typo\n"), { config })).toHaveLength(1);
});

test("model_waste takes the configured model where the spec names none", async () => {
  const { config } = parseConfig("---\ndefaults: {model: opus}\n---\n");

  expect(await said("model_waste", simple("status: pending"), { config })).toEqual([
    "warning: model 'opus' for a simple spec",
  ]);
  expect(await said("model_waste", simple("model: haiku"), { config })).toEqual([]);
});

const completed = specText("status: completed\noutput_schema: report.json");
const judged = (verdict: OutputVerdict) => ({ outputs: { [ID]: verdict } });

test("output reports each problem of a completed spec's output", async () => {
  const failed = {
    kind: "failed",
    problems: ["missing required field 'a'", "/b: expected string, got number"],
  } as const;

  expect(await findingsOf("output", { [ID]: completed }, judged(failed))).toEqual([
    {
      rule: "output",
      severity: "error",
      field: "output_schema",
      message: "output does not match schema 'report.json': missing required field 'a'",
      allowed: [],
      suggestion: `Look into .planner/logs/${ID}.log`,
      line: 3,
      column: 16,
    },
    {
      rule: "output",
      severity: "error",
      field: "output_schema",
      message: "output does not match schema 'report.json': /b: expected string, got number",
      allowed: [],
      suggestion: `Look into .planner/logs/${ID}.log`,
      line: 3,
      column: 16,
    },
  ]);
});

test("output reports an output without JSON and a schema that cannot be used", async () => {
  expect(await said("output", completed, judged({ kind: "no_json" }))).toEqual([
    "error: output does not match schema 'report.json': no JSON in the last run's output",
  ]);
  expect(await said("output", completed, judged({ kind: "invalid_schema", problems: ["no such file"] }))).toEqual([
    "error: schema 'report.json' is unusable: no such file",
  ]);
});

test("output is content with an output that fits and with a spec that has none", async () => {
  expect(await said("output", completed, judged({ kind: "passed" }))).toEqual([]);
  expect(await said("output", completed)).toEqual([]);
});

test("output asks nothing of a spec that is not completed", async () => {
  const open = specText("status: in_progress\noutput_schema: report.json");

  expect(await said("output", open, judged({ kind: "no_json" }))).toEqual([]);
});
