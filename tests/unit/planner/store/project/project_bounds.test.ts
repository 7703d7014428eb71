import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { isLink, isLinkOutside } from "#planner/store/project/find_root.ts";
import { tempProject } from "../../../../support/temp_project.ts";

test("isLink is false where the system refuses to tell", () => {
  expect(isLink(`/${"x".repeat(1000)}`)).toBe(false);
});

test("isLinkOutside follows every link on the way", () => {
  using project = tempProject();
  using other = tempProject();
  project.write("inside.md", "in");
  other.write("outside.md", "out");
  const at = (name: string): string => join(project.root, name);
  symlinkSync(join(other.root, "outside.md"), at("direct"));
  symlinkSync("direct", at("again"));
  symlinkSync("inside.md", at("within"));
  symlinkSync("nowhere", at("dangling"));

  const outside = ["direct", "again", "within", "dangling", "inside.md", "absent"].filter((name) =>
    isLinkOutside(project.root, at(name)),
  );

  expect(outside).toEqual(["direct", "again"]);
});
