import { buildSpec, parseReadable } from "#planner/spec/document.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

export function builtSpec(id: string, frontmatter: string, body = "# Title\n"): Spec {
  const document = parseReadable(`---\n${frontmatter}\n---\n${body}`);
  return buildSpec({ id: id as SpecId, file: `.planner/specs/${id}.md`, archived: false }, document);
}
