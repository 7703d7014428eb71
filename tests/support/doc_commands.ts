import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** A fenced block of shell commands in a document. */
export interface CommandBlock {
  /** The heading above it. */
  readonly heading: string;
  /** Its lines as they are, blank ones left out. */
  readonly lines: readonly string[];
}

/** Reads the blocks that are marked `sh` in a document of the project, in order. @param file path from the root */
export function commandBlocks(file: string): readonly CommandBlock[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  return [...text.matchAll(/^```sh\b.*\n((?:.*\n)*?)^```$/gm)].map(({ index, 1: block = "" }) => ({
    heading: [...text.slice(0, index).matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? "",
    lines: block.split("\n").filter((line) => line.trim() !== ""),
  }));
}
