import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFile, replaceFile, writeFile } from "#cli/output/write_file.ts";
import { OperationError } from "#kernel/errors.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "planner-write-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

test("createFile makes the folders on the way and leaves nothing beside the file", () => {
  const path = join(folder, "a", "b", "file.txt");

  expect(createFile(path, "text")).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("text");
  expect(readdirSync(join(folder, "a", "b"))).toEqual(["file.txt"]);
});

test("createFile never touches what is there, be it a link to nowhere or a folder", () => {
  symlinkSync("nowhere", join(folder, "link"));
  mkdirSync(join(folder, "folder"));

  expect(createFile(join(folder, "link"), "text")).toBe(false);
  expect(createFile(join(folder, "folder"), "text")).toBe(false);
  expect(readdirSync(folder).sort()).toEqual(["folder", "link"]);
});

test("replaceFile writes through a link", () => {
  writeFileSync(join(folder, "target"), "old");
  symlinkSync("target", join(folder, "link"));

  replaceFile(join(folder, "link"), "new");

  expect(readFileSync(join(folder, "target"), "utf8")).toBe("new");
  expect(readdirSync(folder).sort()).toEqual(["link", "target"]);
});

test("writeFile takes what is there and what is not", () => {
  writeFile(join(folder, "file"), "one");
  writeFile(join(folder, "file"), "two");

  expect(readFileSync(join(folder, "file"), "utf8")).toBe("two");
});

test("createFile refuses a place below a file", () => {
  writeFileSync(join(folder, "file"), "");

  expect(() => createFile(join(folder, "file", "below"), "text")).toThrow(OperationError);
});
