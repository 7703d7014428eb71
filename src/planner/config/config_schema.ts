import { type TObject, Type } from "@sinclair/typebox";
import { RULE_NAMES } from "./rule_names.ts";

const COUNT = Type.Optional(Type.Integer({ minimum: 0 }));
const TEXT = Type.Optional(Type.String({ minLength: 1 }));
const SCALARS = ["string", "boolean", "integer", "number"] as const;

function oneOf(words: readonly string[]) {
  return Type.Union(words.map((word) => Type.Literal(word)));
}

const FIELD_RULE = Type.Object({
  type: Type.Optional(oneOf([...SCALARS, "array", "object"])),
  enum: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { minItems: 1 })),
  items: Type.Optional(oneOf(SCALARS)),
});

/**
 * The frontmatter of `.planner/config.md` as it may be written: every key may be left out. Keys that are not here are
 * kept out of it by the walk over unknown keys, which knows the nearest right one.
 *
 * Source: contract, Configuration; decision S-11 for the thresholds.
 */
export const CONFIG_SCHEMA: TObject = Type.Object({
  project: Type.Optional(Type.Object({ name: TEXT })),
  defaults: Type.Optional(Type.Object({ prompt: TEXT, model: TEXT })),
  schema: Type.Optional(
    Type.Object({
      spec: Type.Optional(
        Type.Object({
          required: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          fields: Type.Optional(Type.Record(Type.String(), FIELD_RULE)),
        }),
      ),
    }),
  ),
  validation: Type.Optional(Type.Object({ strict_output_validation: Type.Optional(Type.Boolean()) })),
  lint: Type.Optional(
    Type.Object({
      thresholds: Type.Optional(
        Type.Object({
          complexity_criteria: COUNT,
          complexity_files: COUNT,
          complexity_words: COUNT,
          simple_criteria: COUNT,
          simple_files: COUNT,
          simple_words: COUNT,
        }),
      ),
      disable: Type.Optional(Type.Array(oneOf(RULE_NAMES))),
    }),
  ),
});
