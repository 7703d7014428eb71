import { expect, test } from "bun:test";
import { countWords, removeOutput } from "#planner/lint/finding.ts";

test("countWords counts what holds a letter or a digit", () => {
  expect(countWords("")).toBe(0);
  expect(countWords("# Title\n\n- [ ] one two\n- [x] three —\n")).toBe(5);
  expect(countWords("naïve 日本 a-b 3.5 «so»\tx")).toBe(6);
});

test("describingText leaves out every Output section and nothing else", () => {
  expect(removeOutput("# T\n\nOutput of it\n")).toBe("# T\n\nOutput of it\n");
  expect(removeOutput("a\n## Output\nb\n### Deep\nc\n## Next\nd\n## Output\ne\n")).toBe("a\n## Next\nd\n");
  expect(removeOutput("a\n## Output\nb\n## Output\nc\n# Top\nd\n")).toBe("a\n# Top\nd\n");
  expect(removeOutput("a\n```\n## Output\n```\nb\n")).toBe("a\n```\n## Output\n```\nb\n");
});
