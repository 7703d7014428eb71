import { type Static, Type } from "@sinclair/typebox";
import type { Spec, UnreadableFile } from "#planner/spec/spec.ts";

/** One spec of an export. `frontmatter_text` followed by `body` is the file's text, byte for byte. */
export const EXPORTED_SPEC = Type.Object({
  id: Type.String({ minLength: 1 }),
  archived: Type.Boolean(),
  title: Type.Union([Type.String(), Type.Null()]),
  status: Type.String(),
  type: Type.String(),
  labels: Type.Array(Type.String()),
  depends_on: Type.Array(Type.String()),
  target_files: Type.Array(Type.String()),
  model: Type.Union([Type.String(), Type.Null()]),
  frontmatter_text: Type.String(),
  body: Type.String(),
});

/** Header of an export, by which `import` recognizes it. */
export const EXPORT_HEADER = Type.Object({
  format: Type.Literal("planner-export"),
  version: Type.Literal(1),
  specs: Type.Array(Type.Unknown()),
});

export type ExportedSpec = Static<typeof EXPORTED_SPEC>;

export interface ExportFile {
  readonly format: "planner-export";
  readonly version: 1;
  readonly specs: readonly ExportedSpec[];
  /** Files that are not in `specs` because they cannot be read; absent if empty. */
  readonly unreadable?: readonly UnreadableFile[];
}

export function createExportedSpec(spec: Spec, text: string): ExportedSpec {
  return {
    id: spec.id,
    archived: spec.archived,
    title: spec.title,
    status: spec.status,
    type: spec.type,
    labels: [...spec.labels],
    depends_on: [...spec.dependsOn],
    target_files: [...spec.targetFiles],
    model: spec.model,
    frontmatter_text: text.slice(0, text.length - spec.body.length),
    body: spec.body,
  };
}
