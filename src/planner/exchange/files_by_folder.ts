import type { SourceFile, SourceTask } from "./source.ts";

/** The files of a source by the folder that makes a task. */
export class FilesByFolder {
  readonly #folders = new Map<string, Map<string, string>>();

  /** @param pattern its first group is the folder, its second the file's path in it */
  constructor(files: readonly SourceFile[], pattern: RegExp) {
    for (const { path, text } of files) {
      const [, folder, name] = pattern.exec(path) ?? [];
      if (folder === undefined || name === undefined) continue;
      const inside = this.#folders.get(folder) ?? new Map<string, string>();
      inside.set(name, text);
      this.#folders.set(folder, inside);
    }
  }

  folders(): readonly string[] {
    return [...this.#folders.keys()];
  }

  names(folder: string): readonly string[] {
    return [...(this.#folders.get(folder)?.keys() ?? [])];
  }

  has(folder: string, name: string): boolean {
    return this.#folders.get(folder)?.has(name) === true;
  }

  text(folder: string, name: string): string | undefined {
    return this.#folders.get(folder)?.get(name);
  }

  /** The path of the folder's first file. */
  first(folder: string): string | undefined {
    const [name] = this.names(folder);
    return name === undefined ? undefined : `${folder}/${name}`;
  }
}

/** The status of a feature by its tasks; those that wait for approval do not count. */
export function featureStatus(tasks: readonly SourceTask[]): SourceTask["status"] {
  const needed = tasks.filter(({ isDraft }) => isDraft !== true);
  if (tasks.every(({ status }) => status === "pending")) return "pending";
  return needed.every(({ status }) => status === "completed") ? "completed" : "in_progress";
}
