import { expect, test } from "bun:test";
import { DEFAULT_CONFIG } from "#planner/config/default_config.ts";
import { findingsOf, ID, lintTexts } from "../../../../support/lint_world.ts";

async function said(body: string): Promise<readonly string[]> {
  const { files } = await lintTexts({ [ID]: `---\nstatus: pending\nlabels: [a]\n---\n# T\n${body}` });
  const findings = files.flatMap((file) => file.findings).filter(({ rule }) => rule === "criteria");
  return findings.map(({ line, message }) => `${line} ${message}`);
}

test("criteria says nothing about one section before the output, or none", async () => {
  expect(await said("## Acceptance Criteria\n- [ ] a\n## Output\nDone\n")).toEqual([]);
  expect(await said("- [ ] a\n")).toEqual([]);
});

test("criteria names an item that is not read as a criterion, with the form that is meant", async () => {
  const texts = { [ID]: "---\nstatus: pending\nlabels: [a]\n---\n# T\n## Acceptance Criteria\n- [ ] a\n- [✓] b\n" };

  expect(await findingsOf("criteria", texts)).toMatchObject([
    { severity: "warning", line: 8, message: "'- [✓] b' is not read as a criterion", suggestion: "Write '- [x] b'" },
  ]);
});

test("criteria reports each further section with its line", async () => {
  expect(
    await said(
      "## Acceptance Criteria\n- [ ] a\n## Output\n### Acceptance Criteria\n- [x] a\n## acceptance criteria:\n",
    ),
  ).toEqual([
    "9 a further section 'Acceptance Criteria', which does not count: the first is in line 2 of the body",
    "11 a further section 'acceptance criteria:', which does not count: the first is in line 2 of the body",
  ]);
});

test("criteria reports a section that stands behind the output", async () => {
  expect(await said("## Output\nDone\n## Acceptance Criteria\n- [x] a\n")).toEqual([
    "8 section 'Acceptance Criteria' is behind '## Output', where an agent may have written it",
  ]);
});

test("criteria reports a section that a nested fence has swallowed, not an example beside a real one", async () => {
  const nested = "```md\n```sh\nsaw\n```\ntext\n```\n";

  expect(await said(`${nested}## Acceptance Criteria\n- [ ] a\n`)).toEqual([
    "12 section 'Acceptance Criteria' is inside the code fence of line 7 of the body, so its criteria do not count",
  ]);
  expect(await said("```md\n## Acceptance Criteria\n- [ ] a\n```\n## Acceptance Criteria\n- [ ] b\n")).toEqual([]);
});

test("criteria reports checks that cannot fail, with their line, and no others", async () => {
  const checks = ["true", ":", "exit 0", "echo done", "npm test || true", "npm test; exit 0"];
  for (const check of checks) {
    expect(await said(`- [ ] a\n  verify: ${check}\n`)).toEqual([`7 check '${check}' cannot fail`]);
  }
  for (const check of ["npm test", "test -f a", "echo a | grep b", "true && npm test", "exit 1", "truecheck"]) {
    expect([check, await said(`- [ ] a\n  verify: ${check}\n`)]).toEqual([check, []]);
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
