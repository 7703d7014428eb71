import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRoot, isInitialisedProject, isLink, isLinkOutside } from "#planner/store/project/places.ts";
import { openPromptStore } from "#planner/store/project/prompt_store.ts";
import type { ProjectFileText, PromptStore } from "#planner/work/prompts/prompt_template.ts";
import { type TempProject, tempProject } from "../../../../support/temp_project.ts";

test("findRoot takes a worktree's own .planner before the one around it", () => {
  using project = tempProject();
  const worktree = join(project.root, ".planner", "worktrees", "x");
  mkdirSync(join(worktree, ".planner", "specs"), { recursive: true });
  mkdirSync(join(worktree, "src"));

  expect(findRoot(join(worktree, "src"))).toBe(worktree);
});

test("findRoot passes over a file named .planner", () => {
  using project = tempProject();
  const inner = join(project.root, "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, ".planner"), "");

  expect(findRoot(inner)).toBe(project.root);
});

test("findRoot finds nothing outside of every project", () => {
  expect(findRoot("/")).toBeUndefined();
  expect(findRoot("/no/such/folder")).toBeUndefined();
});

test("isInitialisedProject demands the specs folder", () => {
  using project = tempProject();

  expect(isInitialisedProject(project.root)).toBe(true);
  expect(isInitialisedProject(join(project.root, ".planner"))).toBe(false);
});

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

function opened(): TempProject & { readonly prompts: PromptStore } {
  const project = tempProject();
  return { ...project, prompts: openPromptStore(project.root) };
}

test("PromptStore.text reads a template, and nothing for names that are none", async () => {
  using project = opened();
  project.write(".planner/prompts/careful.md", "Slowly.\n");
  project.write(".planner/config.md", "secret");

  expect(await project.prompts.text("careful")).toBe("Slowly.\n");
  for (const name of ["other", "", ".", "../config", "..\\config", "a\0", ".hidden", "careful.md"]) {
    expect(await project.prompts.text(name)).toBeNull();
  }
});

test("PromptStore.text refuses a template that is no text", async () => {
  using project = opened();
  project.write(".planner/prompts/bad.md", Uint8Array.from([0x61, 0x0a, 0xff]));
  project.write(".planner/prompts/folder.md/x", "");

  await expect(project.prompts.text("bad")).rejects.toThrow(
    'Cannot read ".planner/prompts/bad.md": line 2, column 1: Byte 0xff',
  );
  await expect(project.prompts.text("folder")).rejects.toThrow(/is a folder/);
});

test("PromptStore.buildProjectFile reads files of the project, whole or their beginning", async () => {
  using project = opened();
  project.write("a/b.txt", "héllo\n");
  project.write("empty", "");
  const read = (path: string, max = 100): Promise<ProjectFileText> => project.prompts.readProjectFile(path, max);

  expect(await read("a/b.txt")).toEqual({ kind: "text", text: "héllo\n", whole: true });
  expect(await read("./a/../a/b.txt", 7)).toEqual({ kind: "text", text: "héllo\n", whole: true });
  expect(await read("a/b.txt", 2)).toEqual({ kind: "text", text: "h", whole: false });
  expect(await read("a/b.txt", 3)).toEqual({ kind: "text", text: "hé", whole: false });
  expect(await read("empty")).toEqual({ kind: "text", text: "", whole: true });
  expect(await read(join(project.root, "a/b.txt"))).toMatchObject({ kind: "text" });
});

test("PromptStore.buildProjectFile says what a path leads to instead of a text", async () => {
  using project = opened();
  project.write("binary", Uint8Array.from([0, 1, 2]));
  project.write("latin", Uint8Array.from([0x68, 0xe9]));
  const read = (path: string): Promise<ProjectFileText> => project.prompts.readProjectFile(path, 100);

  expect(await read("gone")).toEqual({ kind: "none", why: "there is no such file" });
  expect(await read(".planner")).toEqual({ kind: "none", why: "it is a folder" });
  expect(await read("binary")).toEqual({ kind: "none", why: "it is no text" });
  expect(await read("latin")).toEqual({ kind: "none", why: "it is no text" });
  expect(await read("")).toEqual({ kind: "none", why: "it names no file" });
});

test("PromptStore.buildProjectFile reads nothing outside the project, whatever a path or a link says", async () => {
  using project = opened();
  using other = tempProject();
  other.write("secret", "x");
  symlinkSync(join(other.root, "secret"), join(project.root, "link"));
  symlinkSync(other.root, join(project.root, "folder"));
  project.write("..fine", "x");

  for (const path of [
    "../secret",
    "/etc/passwd",
    "..",
    "a/../../x",
    join(other.root, "secret"),
    "link",
    "folder/secret",
  ]) {
    expect(await project.prompts.readProjectFile(path, 100)).toEqual({ kind: "outside" });
  }
  expect(await project.prompts.readProjectFile("..fine", 100)).toMatchObject({ kind: "text" });
});
