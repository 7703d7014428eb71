import type { PromptStore } from "../../src/planner/ports.ts";

/** Templates and project files by name; a path that begins with `..` lies outside. */
export function memoryPrompts(
  templates: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): PromptStore {
  return {
    names: async () => Object.keys(templates).sort(),
    text: async (name) => (Object.hasOwn(templates, name) ? (templates[name] ?? null) : null),
    async readProjectFile(path, maxBytes) {
      if (path.startsWith("..")) return { kind: "outside" };
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      if (text === undefined) return { kind: "none", why: "there is no such file" };
      return { kind: "text", text: text.slice(0, maxBytes), whole: text.length <= maxBytes };
    },
  };
}
