import { type DescExtension, type DescField, getOption } from "@bufbuild/protobuf";
import type { Schema } from "@bufbuild/protoplugin";

/** The rules of a field as `rules.proto` declares them. */
export interface FieldRule {
  readonly present: boolean;
  readonly required: boolean;
  readonly output: boolean;
  readonly min?: number;
  readonly above: boolean;
  readonly max?: number;
  readonly step?: number;
  readonly length: number;
  readonly numbers: readonly number[];
  readonly items: number;
  /** Further bounds, which only the server checks. */
  readonly unlisted?: FieldRule;
}

/** The option that holds them. The plugins run while its generated code is written, and read it from the files. */
export function ruleExtension(files: Schema["files"]): DescExtension {
  const found = files.flatMap(({ extensions }) => extensions).find(({ typeName }) => typeName === "datacenter.v1.rule");
  if (found === undefined) throw new Error("no file declares datacenter.v1.rule");
  return found;
}

/** The rules of a field; one without the option has none. */
export function ruleOf(field: DescField, rule: DescExtension): FieldRule {
  return getOption(field, rule) as unknown as FieldRule;
}
