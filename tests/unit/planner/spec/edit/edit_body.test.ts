import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { appendOutput, appendSectionEntry, replaceBody } from "#planner/spec/edit/edit_body.ts";

const HEAD = "---\nstatus: pending\n---\n";

test("appendOutput puts the text under a heading at the end", () => {
  expect(appendOutput(`${HEAD}# T\n\ntext`, "done")).toBe(`${HEAD}# T\n\ntext\n\n## Output\n\ndone\n`);
  expect(appendOutput(`${HEAD}# T\n\n`, "a\n\nb\n")).toBe(`${HEAD}# T\n\n## Output\n\na\n\nb\n`);
});

test("appendOutput goes on below the output that is last", () => {
  const text = `${HEAD}# T\n\n## Output\n\n### Run\nfirst\n`;

  expect(appendOutput(text, "second")).toBe(`${text}\nsecond\n`);
});

test("appendOutput begins a new section when another one follows the last output", () => {
  const text = `${HEAD}## Output\n\nfirst\n\n## Notes\n`;

  expect(appendOutput(text, "second")).toBe(`${text}\n## Output\n\nsecond\n`);
});

test("appendOutput closes a fence that the body leaves open", () => {
  expect(appendOutput(`${HEAD}# T\n~~~~js\nopen`, "x")).toBe(`${HEAD}# T\n~~~~js\nopen\n~~~~\n\n## Output\n\nx\n`);
  expect(appendOutput(`${HEAD}## Output\n\n\`\`\`\nopen\n`, "x")).toBe(
    `${HEAD}## Output\n\n\`\`\`\nopen\n\`\`\`\n\nx\n`,
  );
});

test("appendOutput writes the file's line endings", () => {
  expect(appendOutput("---\r\n---\r\n# T\r\n", "a\nb\r\n")).toBe(
    "---\r\n---\r\n# T\r\n\r\n## Output\r\n\r\na\r\nb\r\n",
  );
});

test("replaceBody keeps the title's line when the new body has no title", () => {
  expect(replaceBody(`${HEAD}\ntext\n# The title #\nold\n`, "new\n## Part")).toBe(
    `${HEAD}\n# The title #\n\nnew\n## Part\n`,
  );
  expect(replaceBody(`${HEAD}\n# Old\n`, "```\n# no title\n```")).toBe(
    `${HEAD}\n# Old\n\n\`\`\`\n# no title\n\`\`\`\n`,
  );
});

test("replaceBody keeps a body from being read as frontmatter", () => {
  expect(replaceBody("old", "---\nstatus: completed\n---\n")).toBe("\n---\nstatus: completed\n---\n");
  expect(replaceBody("old\r\n", "\ufefftext")).toBe("\r\n\ufefftext\r\n");
});

test("both refuse what a file cannot hold, and a file that does not parse", () => {
  for (const edit of [appendOutput, replaceBody]) {
    expect(() => edit(HEAD, "a\0b")).toThrow("Invalid output: expected text without NUL characters");
    expect(() => edit(HEAD, "\ud800")).toThrow(OperationError);
    expect(() => edit("---\na: [\n---\n", "x")).toThrow("Cannot edit the spec: line 3, column 1:");
  }
});

test("appendOutput, replaceBody and appendToSection write no control character but line breaks and tabs", () => {
  const raw = "\u001b[2J\u009b1mred\u0007\u007f\tten\rtwenty\r\nend";
  const plain = "␛[2J\ufffd1mred␇␡\tten\ntwenty\nend\n";

  expect(appendOutput("# T\n", raw)).toBe(`# T\n\n## Output\n\n${plain}`);
  expect(replaceBody("old\n", raw)).toBe(plain);
  expect(appendSectionEntry("# T\n", "Notes", raw)).toBe(`# T\n\n## Notes\n\n${plain}`);
});
