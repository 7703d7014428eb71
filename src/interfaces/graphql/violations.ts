import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  validateInputValue,
  visit,
} from "graphql";
import { MAX_VARIABLE_ERRORS, type WrongPart } from "./large_values.ts";

type ViolationReason = "FIELD_OUT_OF_RANGE" | "UNKNOWN_FIELD" | "REQUIRED_FIELD";

/** An error about an argument: the path to the wrong value, and the reason. */
interface ArgumentError {
  readonly field: string;
  readonly reason: ViolationReason;
}

/** Form of the library's message about a field that the type does not have; its path ends at the object. */
const UNKNOWN_FIELD_PATTERN =
  /^Expected value of type "[^"]*" not to include unknown field "(.*?)"(?:, found|\. Did you mean)/s;

/** Form of the library's message about a required argument that is missing: it has the node of the field. */
const MISSING_ARGUMENT_PATTERN = /^Argument "\w+\.\w+\((\w+):\)" of type ".*" is required/;

/** An executed operation. */
export interface ExecutedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Adds the argument to each of the library's errors about a value in the document, in `extensions.violations`, as in
 * the service's own refusals. Other errors are not changed.
 */
export function addLiteralPaths(errors: readonly GraphQLError[], document: DocumentNode): void {
  const fields = new Map<ASTNode, string>();
  visitArgumentParts(document, (node, place) => void fields.set(node, place));
  for (const error of errors) {
    const missing = MISSING_ARGUMENT_PATTERN.exec(error.message)?.[1];
    if (missing !== undefined) addViolation(error, { field: missing, reason: "REQUIRED_FIELD" });
    const node = error.nodes?.find((one) => fields.has(one));
    if (node === undefined || missing !== undefined) continue;
    // The library reports a wrong value with its own node, and an unknown name with the node that contains it.
    const isName = node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD;
    addViolation(error, { field: fields.get(node) ?? "", reason: isName ? "UNKNOWN_FIELD" : "FIELD_OUT_OF_RANGE" });
  }
}

/** Adds the argument to errors of execution: values of variables, and literals that contain variables. */
export function addValuePaths(errors: readonly GraphQLError[], execution: ExecutedOperation): void {
  const open = errors.filter(({ extensions }) => extensions["code"] === undefined);
  if (open.length === 0) return;
  const ofVariables = open.filter(({ nodes }) => nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION);
  // The library lists the errors in the order of the definitions, up to its limit.
  const places: ArgumentError[] = [];
  try {
    if (ofVariables.length > 0) visitWrongArguments(execution, createLimitedCollector(places, ofVariables.length));
  } catch (error) {
    if (!(error instanceof ErrorLimitReached)) throw error;
  }
  for (const [index, error] of ofVariables.entries()) {
    const place = places[index];
    if (place !== undefined) addViolation(error, place);
  }
  addLiteralPaths(open, execution.document);
}

/** Thrown to end the traversal of a value: each item of a list of millions may be wrong. */
class ErrorLimitReached extends Error {}

function createLimitedCollector(places: ArgumentError[], most: number): (place: ArgumentError) => void {
  return (place) => {
    places.push(place);
    if (places.length === most) throw new ErrorLimitReached();
  };
}

/** Calls `found` for each argument that gets a wrong value of a variable, where the variable is first used. */
function visitWrongArguments(
  { schema, document, operation, variables }: ExecutedOperation,
  onError: (place: ArgumentError) => void,
): void {
  const uses = findFirstUses(document, operation);
  for (const { variable, type: written, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, written);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (!isInputType(type)) continue;
    if (value === undefined && (defaultValue !== undefined || !isNonNullType(type))) continue;
    const start = uses.get(name) ?? name;
    validateInputValue(value, type, ({ message }, path) =>
      onError(parseArgumentError(message, start + path.map(formatPathStep).join(""))),
    );
  }
}

function parseArgumentError(message: string, field: string): ArgumentError {
  const unknown = UNKNOWN_FIELD_PATTERN.exec(message)?.[1];
  if (unknown === undefined) return { field, reason: "FIELD_OUT_OF_RANGE" };
  return { field: field + formatPathStep(unknown), reason: "UNKNOWN_FIELD" };
}

/** Returns the library's errors about parts of a variable's value, with the paths of the arguments. */
export function listWrongPartErrors(
  { document, operation }: Pick<ExecutedOperation, "document" | "operation">,
  definition: VariableDefinitionNode,
  parts: readonly WrongPart[],
): readonly GraphQLError[] {
  const name = definition.variable.name.value;
  const start = findFirstUses(document, operation).get(name) ?? name;
  const errors: GraphQLError[] = [];
  for (const { value, type, path } of parts) {
    validateInputValue(value, type, (originalError, inner) => {
      if (errors.length >= MAX_VARIABLE_ERRORS) return;
      const at = [...path, ...inner].map(formatPathStep).join("");
      const message = `Variable "$${name}" has invalid value at ${at}: ${originalError.message}`;
      const error = new GraphQLError(message, { nodes: definition, originalError });
      addViolation(error, parseArgumentError(originalError.message, start + at));
      errors.push(error);
    });
  }
  return errors;
}

function formatPathStep(key: string | number): string {
  return typeof key === "number" ? `[${key}]` : `.${key}`;
}

function findFirstUses(document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, string> {
  const uses = new Map<string, string>();
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  for (const root of [operation, ...fragments]) {
    visitArgumentParts(root, (node, place) => {
      if (node.kind === Kind.VARIABLE && !uses.has(node.name.value)) uses.set(node.name.value, place);
    });
  }
  return uses;
}

function addViolation({ extensions, message }: GraphQLError, { field, reason }: ArgumentError): void {
  extensions["reason"] = reason;
  extensions["violations"] = [{ reason, field, message, ref: "" }];
}

/** Receives the path of a node within the arguments of its field: `rack.location.siteId`, `items[3].kind`. */
type VisitArgumentPart = (node: ASTNode, place: string) => void;

/** Visits every part of every argument in document order. Cost: one traversal. */
function visitArgumentParts(root: ASTNode, visitPart: VisitArgumentPart): void {
  visit(root, {
    Argument(node) {
      visitParts(node, node.name.value, visitPart);
      return false;
    },
  });
}

function visitParts(node: ASTNode, place: string, tell: VisitArgumentPart): void {
  tell(node, place);
  switch (node.kind) {
    case Kind.ARGUMENT:
    case Kind.OBJECT_FIELD:
      visitParts(node.value, place, tell);
      break;
    case Kind.OBJECT:
      for (const field of node.fields) visitParts(field, `${place}.${field.name.value}`, tell);
      break;
    case Kind.LIST:
      for (const [index, value] of node.values.entries()) visitParts(value, `${place}[${index}]`, tell);
  }
}
