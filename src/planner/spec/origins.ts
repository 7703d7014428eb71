import type { Spec } from "./spec.ts";

/** The texts of the field `origin`: where a spec was imported from, `<source>:<id>`, or what research is about. */
export function originsOf({ frontmatter }: Spec): readonly string[] {
  const value = frontmatter["origin"];
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
}
