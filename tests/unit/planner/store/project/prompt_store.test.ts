import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { ProjectFileText, PromptStore } from "#planner/ports.ts";
import { openPromptStore } from "#planner/store/project/prompt_store.ts";
import { type TempProject, tempProject } from "../../../../support/temp_project.ts";

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
