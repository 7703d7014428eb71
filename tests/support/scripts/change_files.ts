/**
 * Changes files as it is told, one JSON line each: `{op, path, text}`; answers a line when it is done. It stands for an
 * editor, git or any other program that shares the folder with a reader.
 */
import { mkdirSync, openSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

export interface FileChange {
  readonly op: "write" | "write through a kept descriptor" | "truncate" | "rename" | "delete" | "replace folder";
  readonly path: string;
  readonly text: string;
}

const kept = new Map<string, number>();

const DO: Readonly<Record<FileChange["op"], (path: string, text: string) => void>> = {
  write: (path, text) => writeFileSync(path, text),
  "write through a kept descriptor": (path, text) => {
    const descriptor = kept.get(path) ?? openSync(path, "w");
    kept.set(path, descriptor);
    writeSync(descriptor, text, 0);
  },
  truncate: (path) => truncateSync(path, 0),
  rename: (path, text) => {
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
  },
  delete: (path) => rmSync(path),
  "replace folder": (path, text) => {
    rmSync(path, { recursive: true });
    mkdirSync(path);
    writeFileSync(`${path}/replaced.md`, text);
  },
};

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { op, path, text } = JSON.parse(line) as FileChange;
    DO[op](path, text);
    process.stdout.write("{}\n");
  }
}
