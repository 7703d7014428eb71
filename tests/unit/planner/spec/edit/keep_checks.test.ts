import { expect, test } from "bun:test";
import { parseCriteria } from "#planner/spec/criteria.ts";
import { keepChecks } from "#planner/spec/edit/keep_checks.ts";

const HEAD = "---\nstatus: pending\n---\n";
const OWN = `${HEAD}# T\n\n## Acceptance Criteria\n\n- [ ] a\n  verify: make a\n- [ ] b\n  - verify: make b\n- [ ] c\n`;

test("keepChecks keeps each check and puts the other text's version beside it as proposed", () => {
  const run = `${HEAD}# T\n\n## Acceptance Criteria\n\n- [x] a\n  verify: true\n- [x] b\n- [x] c\n  verify: make c\n`;

  expect(keepChecks(run, { own: OWN, restores: false })).toBe(
    `${HEAD}# T\n\n## Acceptance Criteria\n\n- [x] a\n  verify: make a\n  proposed verify: true\n- [x] b\n  verify: make b\n- [x] c\n  verify: make c\n`,
  );
});

test("keepChecks changes nothing twice, and keeps CRLF", () => {
  const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
  const run = crlf(OWN.replace("make a", "true"));

  const once = keepChecks(run, { own: OWN, restores: true });

  expect(once).toContain("  verify: make a\r\n  proposed verify: true\r\n- [ ] b");
  expect(keepChecks(once, { own: OWN, restores: true })).toBe(once);
  expect(keepChecks(OWN, { own: OWN, restores: true })).toBe(OWN);
});

test("keepChecks brings back criteria whose checks stay, and only those", () => {
  const text = keepChecks(`${HEAD}# T\nrewritten\n`, {
    own: OWN,
    restores: true,
    stays: (command) => command === "make b",
  });

  expect(parseCriteria(text).map(({ label, checked, verify }) => [label, checked, verify])).toEqual([
    ["b", false, "make b"],
  ]);
});
