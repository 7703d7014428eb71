import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { SourceFile, SourceFormat, SourceNote, SourceReading } from "#planner/exchange/source.ts";
import { MAX_SPEC_BYTES } from "#planner/limits.ts";
import { decodeText } from "#planner/store/files/decode_text.ts";
import { reason } from "#planner/store/files/disk_error.ts";

export interface FoundSource {
  readonly format: SourceFormat;
  /** The folder that the paths are relative to. */
  readonly folder: string;
  readonly paths: readonly string[];
  readonly notes: readonly SourceNote[];
}

/** Largest JSON file, in bytes. Ours: 10,000 issues with long texts take a tenth of it. */
const MAX_JSON_BYTES = 256 * 1024 * 1024;

/** Reads the files of a source and the tasks in them, as they are offered as work at this moment. */
export function readSource({ format, folder, paths, notes }: FoundSource, now: Date): SourceReading {
  const wanted = paths.filter((path) => format.reads(path));
  const files: SourceFile[] = [];
  const refused: SourceNote[] = notes.filter(({ file }) => isRelevant(file, format));
  for (const path of wanted) {
    const read = readFile(join(folder, path), path);
    if ("text" in read) files.push(read);
    else refused.push(read);
  }
  const reading = format.read(files, now);
  return { tasks: reading.tasks, notes: [...refused, ...reading.notes] };
}

/** A link beside the tasks carries no task. */
function isRelevant(path: string, format: SourceFormat): boolean {
  return path === "" || format.reads(path) || !basename(path).includes(".");
}

function readFile(path: string, shown: string): SourceFile | SourceNote {
  const refuse = (detail: string, line: number | null = null): SourceNote => {
    return { file: shown, line, reason: "not read", detail, refused: true };
  };
  try {
    const most = /\.jsonl?$/i.test(shown) ? MAX_JSON_BYTES : MAX_SPEC_BYTES;
    const { size } = statSync(path);
    if (size > most) return refuse(`${size} bytes, expected at most ${most}`);
    const decoded = decode(readFileSync(path));
    return "text" in decoded ? { path: shown, text: decoded.text } : refuse(decoded.message, decoded.line);
  } catch (error) {
    return refuse(reason(error));
  }
}

/** UTF-8, or UTF-16 with a byte-order mark, which PowerShell writes. */
function decode(bytes: Uint8Array): { readonly text: string } | { readonly message: string; readonly line: number } {
  const [first, second] = bytes;
  const label = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  if (label !== "") return { text: new TextDecoder(label).decode(bytes) };
  const decoded = decodeText(bytes);
  return decoded.ok ? { text: decoded.text.replace(/^\ufeff/, "") } : decoded;
}

/** Returns the beginning of a file, for format detection. */
export function headOf(path: string, shown: string): string {
  try {
    const decoded = decode(readFileSync(path));
    return "text" in decoded ? decoded.text.slice(0, HEAD_CHARS) : "";
  } catch (error) {
    throw new OperationError("not_found", `Cannot import "${shown}": ${reason(error)}`, { cause: error });
  }
}

const HEAD_CHARS = 64 * 1024;
