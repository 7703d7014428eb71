import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { PromptStore, TemplateStore } from "../../ports.ts";
import { isMissing, reason } from "../files/disk_error.ts";
import { readProjectText } from "../files/read_text.ts";
import { readProjectFile } from "./project_file.ts";

const PROMPTS = ".planner/prompts";
const TEMPLATES = ".planner/templates";

/** Opens `.planner/prompts/` and the files of the project at `root`. Source: docs/decisions.md#s-01. */
export function openPromptStore(root: string): PromptStore {
  return {
    ...openFolder(root, PROMPTS),
    projectFile: (path, maxBytes) => readProjectFile(root, path, maxBytes),
  };
}

/** Opens `.planner/templates/`. */
export function openTemplateStore(root: string): TemplateStore {
  return openFolder(root, TEMPLATES);
}

function openFolder(root: string, folder: string): TemplateStore {
  return {
    async names() {
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw new OperationError("unavailable", `Cannot read "${folder}": ${reason(error)}`, { cause: error });
      });
      return entries
        .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".md") && !entry.name.startsWith("."))
        .map((entry) => entry.name.slice(0, -".md".length))
        .sort();
    },

    async text(name) {
      // A name that leads to another folder is no name.
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
