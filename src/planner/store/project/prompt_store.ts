import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { ProjectFileText, PromptStore, TemplateStore } from "../../ports.ts";
import { describeSystemError, isMissingError } from "../files/disk_error.ts";
import { NON_BLOCKING_READ_FLAGS, readProjectText } from "../files/read_text.ts";
import { isInsideFolder } from "./project_bounds.ts";

const PROMPTS_FOLDER = ".planner/prompts";
const TEMPLATES_FOLDER = ".planner/templates";

/** Opens `.planner/prompts/` and the files of the project at `root`. Source: docs/decisions.md#s-01. */
export function openPromptStore(root: string): PromptStore {
  return {
    ...openTemplateFolder(root, PROMPTS_FOLDER),
    readProjectFile: (path, maxBytes) => readProjectFile(root, path, maxBytes),
  };
}

/** Opens `.planner/templates/`. */
export function openTemplateStore(root: string): TemplateStore {
  return openTemplateFolder(root, TEMPLATES_FOLDER);
}

function openTemplateFolder(root: string, folder: string): TemplateStore {
  return {
    async names() {
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
        if (isMissingError(error)) return [];
        throw new OperationError("unavailable", `Cannot read "${folder}": ${describeSystemError(error)}`, {
          cause: error,
        });
      });
      return entries
        .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".md") && !entry.name.startsWith("."))
        .map((entry) => entry.name.slice(0, -".md".length))
        .sort();
    },

    async text(name) {
      // A name with a separator would lead to another folder.
      if (name === "" || name.startsWith(".") || /[\\/\0]/.test(name)) return null;
      const file = `${folder}/${name}.md`;
      const read = readProjectText(root, file);
      if (read.kind === "text") return read.text;
      if (read.kind === "missing") return null;
      const place = read.line === null ? "" : `line ${read.line}, column ${read.column}: `;
      throw new OperationError("failed_precondition", `Cannot read "${file}": ${place}${read.message}`);
    },
  };
}

/** Reads the beginning of a file of the project at `root`. Never throws. @param path from the root */
async function readProjectFile(root: string, path: string, maxBytes: number): Promise<ProjectFileText> {
  if (path === "" || path.includes("\0")) return { kind: "none", why: "it names no file" };
  const file = resolve(root, path);
  if (!isInsideFolder(root, file)) return { kind: "outside" };
  try {
    // The target of links decides whether the file is in the project.
    const [real, realRoot] = await Promise.all([realpath(file), realpath(root)]);
    if (!isInsideFolder(realRoot, real)) return { kind: "outside" };
    return await readFileBeginning(real, maxBytes);
  } catch (error) {
    return {
      kind: "none",
      why: isMissingError(error) ? "there is no such file" : `it cannot be read: ${describeSystemError(error)}`,
    };
  }
}

async function readFileBeginning(file: string, maxBytes: number): Promise<ProjectFileText> {
  const handle = await open(file, NON_BLOCKING_READ_FLAGS);
  try {
    return await readOpenedFile(handle, maxBytes);
  } finally {
    await handle.close();
  }
}

async function readOpenedFile(handle: FileHandle, maxBytes: number): Promise<ProjectFileText> {
  const stats = await handle.stat();
  if (stats.isDirectory()) return { kind: "none", why: "it is a folder" };
  if (!stats.isFile()) return { kind: "none", why: "it is no regular file" };
  // One byte more distinguishes a file of exactly that length from a longer one.
  const buffer = Buffer.alloc(Math.min(stats.size, maxBytes) + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const whole = bytesRead <= maxBytes && bytesRead >= Math.min(stats.size, maxBytes);
  const bytes = buffer.subarray(0, Math.min(bytesRead, maxBytes));
  if (bytes.includes(0)) return { kind: "none", why: "it is no text" };
  try {
    // The cut may split a character; a stream decoder omits an incomplete character at the end.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !whole });
    return { kind: "text", text, whole };
  } catch {
    return { kind: "none", why: "it is no text" };
  }
}
