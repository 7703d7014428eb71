import { expect, test } from "bun:test";
import { findingsOf, ID, lintTexts, OTHER, said, specText, THIRD } from "../../../../support/lint_world.ts";

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
