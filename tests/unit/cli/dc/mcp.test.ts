import { expect, test } from "bun:test";
import { parseSimpleDcMcpArguments } from "#cli/dc/mcp.ts";

const shown = (...words: string[]) => {
  const options = parseSimpleDcMcpArguments(words, "/srv");
  return options !== undefined && "database" in options ? options.database.displayName : undefined;
};

test("plainDcMcpWords takes none or one path, and leaves everything else to the usual way", () => {
  expect([shown(), shown("--db", "a.sqlite"), shown("--db=a.sqlite")]).toEqual([
    "/srv/planner-dc.sqlite",
    "/srv/a.sqlite",
    "/srv/a.sqlite",
  ]);
  for (const words of [
    ["--db"],
    ["--db="],
    ["--db", "--url"],
    ["--db", "mysql://x"],
    ["--db=postgres://x/y"],
    ["--db", "a", "b"],
    ["--db=a", "b"],
    ["--url", "http://x"],
    ["--help"],
    ["a.sqlite"],
  ]) {
    expect(shown(...words)).toBeUndefined();
  }
});
