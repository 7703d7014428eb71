import { expect, test } from "bun:test";
import { findLastSection, findTitle } from "#planner/spec/sections.ts";

test("titleOf gives the first heading that has a text, whatever its level", () => {
  expect(findTitle("\n#\n### Before ###\n# Another\n")).toBe("Before");
  expect(findTitle("## Acceptance Criteria:\n\n- [ ] a\n\n## Output\n\n#### The title\n")).toBe("The title");
});

test("titleOf gives null for a body without such a heading", () => {
  expect(findTitle("## Output\n#no heading\n    # indented code\n\\# escaped\n")).toBeNull();
});

test("titleOf looks past fenced code, however it is fenced and indented", () => {
  const fences = [
    "```\n# no\n```\n",
    "~~~~ sh\n# no\n~~~\n# no\n~~~~~\n",
    "- item\n  ```\n  # no\n  ```\n",
    "1. ```js\n   # no\n   ```\n",
  ];

  for (const fence of fences) expect(findTitle(`${fence}# Yes\n`)).toBe("Yes");
});

test("titleOf takes no inline code for a fence", () => {
  expect(findTitle("```not a fence```\n# Yes\n")).toBe("Yes");
});

test("titleOf leaves a closing run of # out and keeps one that is part of a word", () => {
  expect(findTitle("# Title ##  \n")).toBe("Title");
  expect(findTitle("# Learn C#\n")).toBe("Learn C#");
  expect(findTitle("# C # #\n")).toBe("C #");
});

test("sectionOf gives the last section of that name, up to the next heading of its level or above", () => {
  const body = "## Notes\nfirst\n# Top\n### notes:\nsecond\n#### deeper\nthird\n### End\n";

  const section = findLastSection(body, "Notes");

  expect(body.slice(section?.heading.next, section?.end)).toBe("second\n#### deeper\nthird\n");
  expect(findLastSection(body, "Missing")).toBeUndefined();
});
