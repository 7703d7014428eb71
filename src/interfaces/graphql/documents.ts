import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from "graphql";
import { type IntrospectionSize, introspectionSize } from "./introspection_size.ts";
import { KEPT_DOCUMENTS, MAX_KEPT_CHARS, MAX_TOKENS } from "./limits.ts";
import { placeLiterals } from "./violations.ts";

/** A document that can be executed, or why it cannot. */
export type Prepared =
  | { readonly document: DocumentNode; readonly errors?: never }
  | { readonly document?: never; readonly errors: readonly GraphQLError[] };

/** Most errors that are reported for one document. */
const MAX_ERRORS = 20;

/** Parses and validates documents, and caches the most recently used ones. */
export class Documents {
  readonly schema: GraphQLSchema;
  readonly introspection: IntrospectionSize;
  readonly #kept = new Map<string, Prepared>();

  constructor(schema: GraphQLSchema) {
    this.schema = schema;
    this.introspection = introspectionSize(schema);
  }

  get(text: string): Prepared {
    const known = this.#kept.get(text);
    // Put back at the end, so that the first one is the least recently used.
    this.#kept.delete(text);
    const prepared = known ?? this.#prepare(text);
    if (text.length <= MAX_KEPT_CHARS) this.#kept.set(text, prepared);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_DOCUMENTS && oldest !== undefined) this.#kept.delete(oldest);
    return prepared;
  }

  #prepare(text: string): Prepared {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: MAX_TOKENS });
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { errors: [error] };
    }
    const errors = validate(this.schema, document, undefined, { maxErrors: MAX_ERRORS });
    if (errors.length === 0) return { document };
    placeLiterals(errors, document);
    return { errors };
  }
}
