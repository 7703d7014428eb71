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
import { INTROSPECTION_WEIGHT, type IntrospectionListSizes } from "./introspection_size.ts";
import { MAX_ALIAS_CHARS, MAX_ALIASES, MAX_COST, MAX_FIELD_DEPTH } from "./limits.ts";

type GraphqlVariables = Readonly<Record<string, unknown>>;

export interface MeasuredOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: GraphqlVariables;
  readonly introspection: IntrospectionListSizes;
}

/**
 * Refuses an operation that would cost too much to answer, before it runs. Introspection counts against the same
 * limits.
 *
 * Source: docs/decisions.md#d-03.
 * @throws GraphQLError QUERY_TOO_COMPLEX
 */
export function checkQueryLimits(measured: MeasuredOperation): void {
  new QueryCostMeter(measured).measureSelections(measured.operation.selectionSet.selections, {
    depth: 1,
    times: 1,
    isAboutSchema: false,
  });
}

/** Position of a selection: nesting level, number of times it is resolved, and whether it is introspection. */
interface SelectionPosition {
  readonly depth: number;
  readonly times: number;
  readonly isAboutSchema: boolean;
}

class QueryCostMeter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #operation: OperationDefinitionNode;
  readonly #variables: GraphqlVariables;
  readonly #introspection: IntrospectionListSizes;
  #aliases = 0;
  #cost = 0;

  constructor({ document, operation, variables, introspection }: MeasuredOperation) {
    const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((one) => [one.name.value, one]));
    this.#operation = operation;
    this.#variables = variables;
    this.#introspection = introspection;
  }

  // Fragments cannot contain themselves in a valid document. Each spread costs 1, because nested fragments without
  // fields could otherwise expand exponentially.
  measureSelections(selections: readonly SelectionNode[], place: SelectionPosition): void {
    for (const selection of selections) {
      this.#cost += selection.kind === Kind.FIELD ? computeFieldCost(selection, place) : 1;
      if (this.#cost > MAX_COST) throw createComplexityError(`asks for more than ${MAX_COST} values`);
      if (selection.kind === Kind.FIELD) this.#measureField(selection, place);
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        this.measureSelections(selection.selectionSet.selections, place);
      else this.measureSelections(this.#fragments.get(selection.name.value)?.selectionSet.selections ?? [], place);
    }
  }

  #measureField(field: FieldNode, { depth, times, isAboutSchema }: SelectionPosition): void {
    if (field.alias !== undefined) this.#aliases++;
    if (depth > MAX_FIELD_DEPTH) throw createComplexityError(`is nested deeper than ${MAX_FIELD_DEPTH} levels`);
    if (this.#aliases > MAX_ALIASES) throw createComplexityError(`has more than ${MAX_ALIASES} aliases`);
    const inner = field.selectionSet?.selections;
    if ((field.alias?.value.length ?? 0) > MAX_ALIAS_CHARS)
      throw createComplexityError(`has an alias of more than ${MAX_ALIAS_CHARS} characters`);
    if (inner === undefined) return;
    const { value: name } = field.name;
    const about = isAboutSchema || name.startsWith("__");
    const items = about ? (this.#introspection[name] ?? 1) : this.#findItemCount(field);
    // Type wrappers (list of, not null) are not levels: there are at most a few, and they contain no lists.
    this.measureSelections(inner, {
      depth: isTypeWrapper(field, about) ? depth : depth + 1,
      times: times * items,
      isAboutSchema: about,
    });
  }

  /** Returns a page's maximum number of items. A list without a requested size counts as one, except for devices. */
  #findItemCount({ name, arguments: given = [] }: FieldNode): number {
    const size = given.find((one) => one.name.value === "pageSize")?.value;
    if (size === undefined && name.value !== "searchDevices") return 1;
    const asked = size?.kind === Kind.VARIABLE ? this.#readVariable(size.name.value) : undefined;
    const count = size?.kind === Kind.INT ? Number(size.value) : asked;
    return typeof count === "number" && count > 0 ? Math.min(count, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  }

  /** Returns a variable's given value, else its default. */
  #readVariable(name: string): unknown {
    if (Object.hasOwn(this.#variables, name)) return this.#variables[name];
    const found = this.#operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
    return found?.defaultValue?.kind === Kind.INT ? Number(found.defaultValue.value) : undefined;
  }
}

function computeFieldCost(field: FieldNode, { times, isAboutSchema }: SelectionPosition): number {
  if (isTypeWrapper(field, isAboutSchema)) return 0;
  return isAboutSchema ? times * INTROSPECTION_WEIGHT : times;
}

function isTypeWrapper({ name }: FieldNode, isAboutSchema: boolean): boolean {
  return isAboutSchema && name.value === "ofType";
}

function createComplexityError(how: string): GraphQLError {
  return new GraphQLError(`The operation ${how}`, {
    extensions: { code: "RESOURCE_EXHAUSTED", reason: "QUERY_TOO_COMPLEX" },
  });
}
