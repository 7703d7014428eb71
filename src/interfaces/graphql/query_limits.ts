import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from "graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "#dc/limits.ts";
import { MAX_ALIASES, MAX_COST, MAX_DEPTH } from "./limits.ts";

type Variables = Readonly<Record<string, unknown>>;

/**
 * Refuses an operation that would be too dear to answer, before it runs. Questions about the schema itself are bounded
 * by the validation's own rule and by the number of tokens.
 *
 * Source: docs/decisions.md#d-03. @throws GraphQLError QUERY_TOO_COMPLEX
 */
export function checkLimits(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): void {
  const meter = new Meter(document, variables);
  meter.walk(operation.selectionSet.selections, 1, 1);
}

class Meter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;
  #aliases = 0;
  #cost = 0;

  constructor({ definitions }: DocumentNode, variables: Variables) {
    const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((one) => [one.name.value, one]));
    this.#variables = variables;
  }

  // Fragments cannot contain themselves in a valid document. Every step costs, or some that only contain each other
  // would unfold without measure.
  walk(selections: readonly SelectionNode[], depth: number, times: number): void {
    for (const selection of selections) {
      this.#cost += selection.kind === Kind.FIELD ? times : 1;
      if (this.#cost > MAX_COST) throw tooComplex(`asks for more than ${MAX_COST} values`);
      if (selection.kind === Kind.FIELD) this.#field(selection, depth, times);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.walk(selection.selectionSet.selections, depth, times);
      else this.walk(this.#fragments.get(selection.name.value)?.selectionSet.selections ?? [], depth, times);
    }
  }

  #field(field: FieldNode, depth: number, times: number): void {
    if (field.name.value.startsWith("__")) return;
    if (field.alias !== undefined) this.#aliases++;
    if (depth > MAX_DEPTH) throw tooComplex(`is nested deeper than ${MAX_DEPTH} levels`);
    if (this.#aliases > MAX_ALIASES) throw tooComplex(`has more than ${MAX_ALIASES} aliases`);
    const inner = field.selectionSet?.selections;
    if (inner !== undefined) this.walk(inner, depth + 1, times * this.#items(field));
  }

  /** How many items a page may have; other lists count as one, since nobody can ask for more of them. */
  #items({ name, arguments: given = [] }: FieldNode): number {
    if (name.value !== "searchDevices") return 1;
    const size = given.find((one) => one.name.value === "pageSize")?.value;
    const asked = size?.kind === Kind.VARIABLE ? this.#variables[size.name.value] : undefined;
    const count = size?.kind === Kind.INT ? Number(size.value) : asked;
    return typeof count === "number" && count > 0 ? Math.min(count, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  }
}

function tooComplex(how: string): GraphQLError {
  return new GraphQLError(`The operation ${how}`, {
    extensions: { code: "RESOURCE_EXHAUSTED", reason: "QUERY_TOO_COMPLEX" },
  });
}
