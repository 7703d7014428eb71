import { afterEach, expect, test } from "bun:test";
import { BoardClient, endBoards, serveBoard } from "../support/board_server.ts";
import { type ForgeProject, forgeProject } from "../support/forge_project.ts";
import { until } from "../support/until.ts";

const ID = "2026-11-01-001-one";

let project: ForgeProject;

afterEach(() => {
  endBoards();
  project[Symbol.dispose]();
});

const FAILING = `sh -c 'seq 40; printf "\\033[31mexpected <b> & 3\\033[0m\\n"; test -f repaired'`;
const BODY = `# T

## Acceptance Criteria

- [ ] It is there
  verify: test -f ${ID}.txt
- [ ] It reads well
- [ ] It adds up
  verify: ${FAILING}
`;

const TAIL = ["32", "33", "34", "35", "36", "37", "38", "39", "40", "expected <b> & 3"];

/** The last lines as commands print them, without what stands before each. */
function printedTail(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => /^ *\| (.*)$/.exec(line)?.[1] ?? []);
}

test("a criterion has the same mark on every way, and a failed check its last lines", async () => {
  project = await forgeProject({ program: "gh", plan: { "*": ["tick", "commit"] } });
  await project.add(ID, "", BODY);
  expect((await project.planner(["work", ID])).stdout).toContain("needs_attention");
  const head = (await project.mustGit("rev-parse", `planner/${ID}`)).trim().slice(0, 10);
  const marks = ["proven", "claimed", "disproven"];
  const words = [
    new RegExp(`1 It is there: proven: passed in [\\d.]+ s on ${head}`),
    /2 It reads well: claimed: it names no check/,
    new RegExp(`3 It adds up: disproven: ended with status 1 in [\\d.]+ s on ${head}`),
  ];

  for (const command of ["show", "review"]) {
    const { stdout } = await project.planner([command, ID]);
    for (const word of words) expect(stdout).toMatch(word);
    expect(printedTail(stdout)).toEqual(TAIL);
    const facts = JSON.parse((await project.planner([command, ID, "--json"])).stdout);
    expect(facts.criteria.map(({ mark }: { mark: string }) => mark)).toEqual(marks);
    expect(facts.criteria[2].result.last_lines).toEqual(TAIL);
  }

  const diagnosis = await project.planner(["diagnose", ID]);
  expect(diagnosis.stdout.split("\n")[1]).toMatch(/^ {2}FAIL {2}Criterion 3: "It adds up" is disproven/);
  expect(printedTail(diagnosis.stdout)).toEqual(TAIL);
  expect(diagnosis.stdout).not.toContain("appears complete");

  expect(printedTail((await project.planner(["log", ID, "--run", "last"])).stdout)).toEqual(TAIL);

  const refused = await project.planner(["merge", ID]);
  expect([refused.code, printedTail(refused.stderr)]).toEqual([1, TAIL]);
  const { results } = JSON.parse((await project.planner(["merge", ID, "--json"])).stdout);
  expect(results).toMatchObject([{ outcome: "refused", checks: [{ command: FAILING, last_lines: TAIL }] }]);

  const { stdout: request } = await project.pr(ID, "--draft", "--print");
  expect(request.match(/^\| (?:✅|☑️|❌) \|/gmu)).toEqual(["| ✅ |", "| ☑️ |", "| ❌ |"]);
  expect(request).toContain("<br><code>40</code><br><code>expected &#60;b&#62; &#38; 3</code>\n");

  const client = await BoardClient.open((await serveBoard(project.root)).address);
  const page = await client.get(`/spec?id=${ID}`);
  expect(page.criteria.map(({ mark }: { mark: string }) => mark)).toEqual(marks);
  expect(page.criteria[2].result.last_lines).toEqual(TAIL);
  const criteria = async () => (await client.get("/board")).cards[0].criteria;
  await until(async () => (await criteria()).proven === 1);
  expect(await criteria()).toEqual({ checked: 3, total: 3, with_check: 2, proven: 1, disproven: 1 });
});

test("diagnose says of a spec that was completed, proved and merged that it was, and by which record", async () => {
  project = await forgeProject({ program: "gh", plan: { "*": ["tick", "commit"] } });
  await project.add(ID, "", BODY);
  await project.planner(["work", ID]);
  project.write(`${project.tree(ID)}/repaired`, "");
  const there = ["-C", project.tree(ID)];
  await project.mustGit(...there, "add", "repaired");
  await project.mustGit(...there, "commit", "--quiet", "-m", "repair what adds up");
  expect(await project.planner(["merge", ID])).toMatchObject({ code: 0, stderr: "" });

  const { code, stdout } = await project.planner(["diagnose", ID]);

  const merged = (await project.mustGit("log", "-1", "--format=%H", "main")).slice(0, 10);
  expect(stdout).not.toContain("FAIL");
  expect(stdout).toMatch(
    /All checks passed\. Spec was completed by hand \(record 2\), 2 proven on \w{10}, 1 claimed and merged as/,
  );
  expect(stdout).toContain(`merged as ${merged}.`);
  expect(code).toBe(0);
});
