import { closeSync, openSync, writeSync } from "node:fs";
import { OperationError } from "#kernel/errors.ts";
import type { BadLine } from "./source.ts";
import { subjectOf } from "./subject.ts";

/** A file of refused items, one JSON object per line: file, line, kind, code, field, reason and the item. */
export interface ErrorsFile {
  add(line: BadLine): void;
  close(): void;
}

/** Begins the file anew. @throws OperationError when it cannot be written */
export function openErrorsFile(path: string): ErrorsFile {
  const descriptor = attempt(path, () => openSync(path, "w"));
  return {
    add(bad) {
      const { file, number, field, reason, text } = bad;
      const line = `${JSON.stringify({ file, line: number, ...subjectOf(bad), field, reason, item: itemOf(text) })}\n`;
      attempt(path, () => {
        const bytes = Buffer.from(line);
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      });
    },
    close: () => closeSync(descriptor),
  };
}

function itemOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new OperationError("unavailable", `Cannot write "${path}": ${(error as Error).message}`, { cause: error });
  }
}
