import { type DescExtension, type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import type { Schema } from "@bufbuild/protoplugin";

/** The rules of a field as `rules.proto` declares them. */
export interface FieldRule {
  readonly present: boolean;
}

const NO_RULE: FieldRule = { present: false };

/** The option that holds them. The plugins run while its generated code is written, and read it from the files. */
export function ruleExtension(files: Schema["files"]): DescExtension {
  const found = files.flatMap(({ extensions }) => extensions).find(({ typeName }) => typeName === "datacenter.v1.rule");
  if (found === undefined) throw new Error("no file declares datacenter.v1.rule");
  return found;
}

export function ruleOf(field: DescField, rule: DescExtension): FieldRule {
  return hasOption(field, rule) ? (getOption(field, rule) as unknown as FieldRule) : NO_RULE;
}
