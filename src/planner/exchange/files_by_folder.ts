import type { SourceFile, SourceTask } from "./source.ts";

/** Files of a source, grouped by the folder that becomes a task. */
export class FilesByFolder {
  readonly #folders = new Map<string, Map<string, string>>();

  /** @param pattern its first group matches the folder, its second the file's path within the folder */
  constructor(files: readonly SourceFile[], pattern: RegExp) {
    for (const { path, text } of files) {
      const [, folder, name] = pattern.exec(path) ?? [];
      if (folder === undefined || name === undefined) continue;
      const inside = this.#folders.get(folder) ?? new Map<string, string>();
      inside.set(name, text);
      this.#folders.set(folder, inside);
    }
  }

  listFolders(): readonly string[] {
    return [...this.#folders.keys()];
  }

  listFileNames(folder: string): readonly string[] {
    return [...(this.#folders.get(folder)?.keys() ?? [])];
  }

  hasFile(folder: string, name: string): boolean {
    return this.#folders.get(folder)?.has(name) === true;
  }

  findText(folder: string, name: string): string | undefined {
    return this.#folders.get(folder)?.get(name);
  }

  /** Returns the path of the folder's first file. */
  findFirstPath(folder: string): string | undefined {
    const [name] = this.listFileNames(folder);
    return name === undefined ? undefined : `${folder}/${name}`;
  }
}

/** Computes the status of a feature from its tasks; drafts, which wait for approval, do not count as open. */
export function computeFeatureStatus(tasks: readonly SourceTask[]): SourceTask["status"] {
  const needed = tasks.filter(({ isDraft }) => isDraft !== true);
  if (tasks.every(({ status }) => status === "pending")) return "pending";
  return needed.every(({ status }) => status === "completed") ? "completed" : "in_progress";
}
