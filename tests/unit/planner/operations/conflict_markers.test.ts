import { expect, test } from "bun:test";
import { plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";
const HEAD = "---\nstatus: pending\ntype: code\nlabels: [x]\n---\n# A title\n\n";
const SIDES = "<<<<<<< HEAD\n- [x] one\n=======\n- [ ] two\n>>>>>>> planner/other\n";
const MESSAGE = "a conflict of git is not resolved: expected one of its two sides, and no line that git marked";

const IN_BODY: Readonly<Record<string, string>> = {
  "both sides": HEAD + SIDES,
  "with the base between them": HEAD + SIDES.replace("=======", "||||||| 1234567\n- [ ] none\n======="),
  "what is left of one": `${HEAD}- [ ] one\n>>>>>>> planner/other\n`,
  "windows line ends": (HEAD + SIDES).replaceAll("\n", "\r\n"),
  "behind a fence": `${HEAD}\`\`\`\ncode\n\`\`\`\n${SIDES}`,
};

for (const [name, text] of Object.entries(IN_BODY)) {
  test(`a conflict in the body is an error of rule parse, and the spec is not valid: ${name}`, async () => {
    using project = await plannerProject();
    project.spec(ID, text);

    const { specs } = await project.json("spec_list");
    const { refused } = await project.call("finalize", { id: ID });
    const { checks } = await project.json("diagnose", { id: ID });

    expect(await findings(project)).toContainEqual(["error", "parse", MESSAGE]);
    expect(specs[0].invalid).toEqual([{ field: "body", message: MESSAGE, allowed: [] }]);
    expect(refused).toBe(true);
    expect(checks[0]).toMatchObject({ passed: false, details: MESSAGE });
  });
}

const IN_FRONTMATTER: Readonly<Record<string, readonly [text: string, line: number]>> = {
  "one field": ["---\n<<<<<<< HEAD\nstatus: pending\n=======\nstatus: failed\n>>>>>>> b\n---\n# A title\n", 2],
  "the second field": ["---\nlabels: [x]\n<<<<<<< HEAD\nstatus: pending\n=======\n>>>>>>> b\n---\n# A title\n", 3],
  "the whole file": [`<<<<<<< HEAD\n${HEAD}=======\n${HEAD}>>>>>>> b\n`, 1],
};

for (const [name, [text, line]] of Object.entries(IN_FRONTMATTER)) {
  test(`a spec with a conflict in the frontmatter is unreadable with the line: ${name}`, async () => {
    using project = await plannerProject();
    project.spec(ID, text);

    const { unreadable } = await project.json("spec_list");

    expect(unreadable).toMatchObject([{ line, column: 1, message: MESSAGE }]);
    expect(await findings(project)).toEqual([["error", "parse", `cannot be parsed: ${MESSAGE}`]]);
  });
}

test("what only looks like a conflict is none", async () => {
  const bodies = [
    `\`\`\`\n${SIDES}\`\`\`\n`,
    `- [ ] a\n\n  ~~~text\n${SIDES}  ~~~\n`,
    "Heading\n=======\n\ntext\n",
    "a <<<<<<< b\n    <<<<<<< HEAD\n",
    "<<<<<<<< eight\n",
    `- [ ] one\n\n## Output\n\nIt was:\n\n${SIDES}`,
  ];
  for (const body of bodies) {
    using project = await plannerProject();
    project.spec(ID, HEAD + body);

    expect((await findings(project)).filter(([, rule]) => rule === "parse")).toEqual([]);
    expect((await project.json("spec_list")).specs[0].invalid).toBeUndefined();
  }
});

type Project = Awaited<ReturnType<typeof plannerProject>>;

async function findings(project: Project): Promise<unknown[][]> {
  const { diagnostics } = await project.json("lint", { id: ID });
  return diagnostics.map(({ severity, rule, message }: Record<string, unknown>) => [severity, rule, message]);
}
