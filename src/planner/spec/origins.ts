import type { Spec } from "./spec.ts";

/** Returns the strings of `origin`: the source of an import, `<source>:<id>`, or the subject of research. */
export function originsOf({ frontmatter }: Spec): readonly string[] {
  const value = frontmatter["origin"];
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
}
