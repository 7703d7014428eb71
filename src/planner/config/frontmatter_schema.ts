import { OTHER_STATUSES } from "../spec/spec.ts";
import type { FieldRule, PlannerConfig } from "./config.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

const TEXT_SCHEMA: JsonSchema = { type: "string" };
const TEXT_LIST_SCHEMA: JsonSchema = { type: "array", items: TEXT_SCHEMA };

/** Schemas of fields that docs/contract/spec-tool.md#spec does not list. Source: docs/decisions.md#s-05. */
const ADDITIONAL_FIELDS: Readonly<Record<string, JsonSchema>> = {
  context: { ...TEXT_LIST_SCHEMA, description: "Files whose contents belong to the work" },
  prompt: { ...TEXT_SCHEMA, description: "Name of a prompt template in .planner/prompts" },
  branch: { ...TEXT_SCHEMA, description: "Branch that the work is on" },
  commits: { ...TEXT_LIST_SCHEMA, description: "Commits that belong to the work" },
  completed_at: { ...TEXT_SCHEMA, description: "When the spec was completed, ISO 8601" },
  unproven: { ...TEXT_SCHEMA, description: "Why a person completed the spec without its checks having succeeded" },
  members: { ...TEXT_LIST_SCHEMA, description: "Ids of the specs that a driver or group leads" },
  tracks: { ...TEXT_LIST_SCHEMA, description: "Files that a text describes" },
  informed_by: { ...TEXT_LIST_SCHEMA, description: "What a research draws on" },
  origin: { ...TEXT_LIST_SCHEMA, description: "Sources of a research" },
  approval: {
    type: "object",
    description: "Whether somebody must agree first, and who did",
    properties: {
      required: { type: "boolean" },
      status: { enum: ["pending", "approved", "rejected"] },
      by: TEXT_SCHEMA,
      at: TEXT_SCHEMA,
    },
  },
};

const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: "The file name without .md",
  status: "Status of the work",
  title: "The body's first heading, when it has none",
  type: "Kind of work",
  depends_on: "Ids of specs that must be done first",
  labels: "Words to find the spec by",
  target_files: "Files that the work changes",
  model: "Model to work it with",
  output_schema: "JSON Schema file that the output must fit",
  priority: "How urgent the work is",
  assignee: "Who does the work",
  due: "Day when it must be done, YYYY-MM-DD",
};

/** JSON Schema drafts in which the schema can be written. Its rules are the same in each. */
export const SCHEMA_DRAFTS = ["2020-12", "07"] as const;

export type SchemaDraft = (typeof SCHEMA_DRAFTS)[number];

const DIALECT_URLS: { readonly [Draft in SchemaDraft]: string } = {
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
  "07": "http://json-schema.org/draft-07/schema#",
};

/** Types that lint recognizes: suggested as examples, not required. */
const TYPE_EXAMPLES = ["code", "task", "docs", "fix", "research", "driver", "group"];

/**
 * Builds the JSON Schema of a spec's frontmatter for editors, with the requirements of rule `required` under this
 * configuration. Unknown keys are allowed. `title` is never required, because the first heading of the body is a title
 * too.
 *
 * Source: docs/decisions.md#s-15.
 */
export function buildFrontmatterSchema({ schema }: PlannerConfig, draft: SchemaDraft = "2020-12"): JsonSchema {
  const { required, fields } = schema.spec;
  const own = Object.entries(fields).map(([name, rule]) => [name, buildFieldSchema(name, rule)]);
  return {
    $schema: DIALECT_URLS[draft],
    title: "Frontmatter of a planner spec",
    type: "object",
    required: required.filter((name) => name !== "title"),
    properties: { ...Object.fromEntries(own), ...omitKeys(ADDITIONAL_FIELDS, fields) },
  };
}

function buildFieldSchema(name: string, rule: FieldRule): JsonSchema {
  const type = rule.type ?? (rule.items === undefined ? undefined : "array");
  const values = buildEnumKeyword(name, rule);
  const items = { ...(rule.items === undefined ? {} : { type: rule.items }), ...(type === "array" ? values : {}) };
  return {
    ...(FIELD_DESCRIPTIONS[name] === undefined ? {} : { description: FIELD_DESCRIPTIONS[name] }),
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(items).length === 0 ? {} : { items }),
    ...(type === "array" ? {} : values),
    ...(name === "type" && rule.enum === undefined ? { examples: TYPE_EXAMPLES } : {}),
  };
}

/** Builds `enum` with values of the field's type, or nothing. A status always includes those that planner writes. */
function buildEnumKeyword(
  name: string,
  { type, items, enum: listed }: FieldRule,
): { readonly enum?: readonly unknown[] } {
  if (listed === undefined) return {};
  if (name === "status") return { enum: [...new Set([...listed, ...OTHER_STATUSES])] };
  return { enum: [...new Set(listed.flatMap((word) => parseEnumValue(word, items ?? type)))] };
}

function parseEnumValue(word: string, type: FieldRule["type"]): readonly unknown[] {
  if (type === "integer" || type === "number") return Number.isNaN(Number(word)) ? [] : [Number(word)];
  if (type === "boolean") return word === "true" || word === "false" ? [word === "true"] : [];
  return [word];
}

function omitKeys<Value>(from: Readonly<Record<string, Value>>, keys: object): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !Object.hasOwn(keys, name)));
}
