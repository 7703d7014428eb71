import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { ProjectFileText, PromptStore, TemplateStore } from "#planner/work/prompts/prompt_template.ts";
import { CONFIG_FILE, DEFAULT_CONFIG, type PlannerConfig } from "../../config/config.ts";
import { scanFrontmatter } from "../../spec/quick_frontmatter.ts";
import { splitText } from "../../spec/split_text.ts";
import { describeSystemError, isMissingError } from "../files/disk_error.ts";
import { NON_BLOCKING_READ_FLAGS, readProjectText, readTextFile } from "../files/read_text.ts";
import { isInsideFolder } from "./places.ts";

/** Opens `.planner/prompts/` and the files of the project at `root`. Source: docs/decisions.md#s-01. */
export function openPromptStore(root: string): PromptStore {
  return {
    ...openTemplateFolder(root, ".planner/prompts"),
    readProjectFile: (path, maxBytes) => readProjectFile(root, path, maxBytes),
  };
}

/** Opens a folder of templates of the project at `root`, such as `.planner/templates`. */
export function openTemplateFolder(root: string, folder: string): TemplateStore {
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
      throw createPreconditionError(`Cannot read "${file}": ${place}${read.message}`);
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

/**
 * Returns a function that reads the project's settings, or the defaults without such a file. Each call reads the file
 * but parses it only when its text has changed.
 *
 * @throws OperationError `failed_precondition` with line and column if the file is malformed
 */
export function createConfigReader(root: string): () => Promise<PlannerConfig> {
  let known: { readonly text: string; readonly config: PlannerConfig } | undefined;
  return async () => {
    const text = readConfigText(root);
    if (text === known?.text) return known.config;
    // Loaded only when needed: most commands need no settings and so no YAML parser.
    const { parseConfig } = await import("../../config/check_config.ts");
    const { config } = parseConfig(text);
    known = { text, config };
    return config;
  };
}

/**
 * Returns a function that reads parts of the settings. If the file leaves these parts at their defaults, the function
 * returns the defaults without parsing or checking the file: every list reads settings and must be fast.
 */
export function createSettingsReader(root: string, config: () => Promise<PlannerConfig>) {
  return async <Name extends keyof PlannerConfig>(...names: readonly Name[]): Promise<Pick<PlannerConfig, Name>> => {
    const text = readConfigText(root);
    const split = splitText(text);
    const range = split.ok ? split.range : null;
    const written = range === null ? {} : scanFrontmatter(text, range);
    const isStandard =
      split.ok &&
      written !== undefined &&
      names.every((name) => equalsDefault(written[name] ?? null, DEFAULT_CONFIG[name]));
    return isStandard ? DEFAULT_CONFIG : await config();
  };
}

/** Returns whether each written setting equals that of `standard`; a key without a value counts as not written. */
function equalsDefault(written: unknown, standard: unknown): boolean {
  if (written === null) return true;
  if (!isJsonObject(written)) return JSON.stringify(written) === JSON.stringify(standard);
  if (!isJsonObject(standard)) return false;
  return Object.entries(written).every(([key, value]) =>
    equalsDefault(value, Object.hasOwn(standard, key) ? standard[key] : undefined),
  );
}

function readConfigText(root: string): string {
  const read = readTextFile(join(root, CONFIG_FILE));
  if (read.kind === "text") return read.text;
  if (read.kind === "missing") return "";
  const place = read.line === null ? "" : `:${read.line}:${read.column}`;
  throw createPreconditionError(`Cannot read "${CONFIG_FILE}${place}": ${read.message}`);
}
