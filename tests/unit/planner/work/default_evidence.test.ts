import { expect, test } from "bun:test";
import { explainMissingWork, type WorkFacts } from "#planner/work/default_evidence.ts";

const NO_CHANGE = "nothing was changed outside .planner/";
const NOTHING = "nothing was changed and no output was written";

function missing(signs: Partial<WorkFacts>, type = "code", body = "# T\n", evidence?: string): string | null {
  const brought = { frontmatter: { evidence }, type, body };
  const own = { file: ".planner/specs/own.md", hasTrace: false, hasCommands: false };
  return explainMissingWork({ specBefore: brought, body: `${body}\n`, ...own, changed: [], ...signs });
}

const FILE = [{ path: "src/a.ts", isNew: false }];
const WRITTEN = { body: "# T\n## Output\nFound it\n" };

test("explainMissingWork asks for a change outside .planner or a new spec", () => {
  expect(missing({})).toBe(NO_CHANGE);
  expect(missing({ changed: FILE })).toBeNull();
  expect(missing({ changed: [{ path: ".planner/specs/a.md", isNew: true }] })).toBeNull();
  expect(missing({ changed: [{ path: ".planner/specs/a.md", isNew: false }] })).toBe(NO_CHANGE);
  expect(missing({ changed: [{ path: ".planner/config.md", isNew: true }] })).toBe(NO_CHANGE);
  expect(missing(WRITTEN)).toBe(NO_CHANGE);
});

test("explainMissingWork takes an output for research, tasks, docs and drivers, and without git", () => {
  for (const type of ["research", "task", "docs", "documentation", "driver"]) {
    expect(missing({}, type)).toBe(NOTHING);
    expect(missing(WRITTEN, type)).toBeNull();
    expect(missing({ changed: FILE }, type)).toBeNull();
  }
  expect(missing({ changed: null })).toBe(NOTHING);
  expect(missing({ ...WRITTEN, changed: null })).toBeNull();
  expect(missing({ body: WRITTEN.body, changed: null }, "code", WRITTEN.body)).toBe(NOTHING);
});

test("explainMissingWork leaves a spec with criteria, or a project with commands, to those once anything happened", () => {
  const criteria = "# T\n- [ ] a\n";
  const own = [{ path: ".planner/specs/own.md", isNew: false }];
  for (const signs of [{}, { changed: own }]) {
    expect(missing(signs, "code", criteria)).toBe("nothing was changed");
    expect(missing({ ...signs, hasCommands: true })).toBe("nothing was changed");
    expect(missing({ ...signs, hasCommands: true, hasTrace: true })).toBeNull();
    expect(missing({ ...signs, body: `${criteria}## Output\nyes\n` }, "code", criteria)).toBeNull();
  }
  for (const path of ["src/a.ts", ".planner/prompts/a.md", ".planner/specs/other.md"]) {
    expect(missing({ changed: [{ path, isNew: false }] }, "code", criteria)).toBeNull();
  }
  // Without git no change can be seen.
  expect(missing({ changed: null }, "code", criteria)).toBeNull();
});

test("explainMissingWork does what the spec's evidence says, before anything else", () => {
  const criteria = "# T\n- [ ] a\n";

  expect(missing({}, "code", "# T\n", "none")).toBeNull();
  expect(missing({ hasCommands: true }, "research", criteria, "commit")).toMatch(/^no change was committed/);
  expect(missing({ changed: FILE }, "research", criteria, "commit")).toBeNull();
  expect(missing({ changed: FILE }, "code", criteria, "output")).toMatch(/^no output was written/);
  expect(missing({ body: `${criteria}## Output\nyes\n` }, "code", criteria, "output")).toBeNull();
});
