import { parseSync } from "oxc-parser";

/** A changed text of one file. */
export interface Mutant {
  readonly kind: string;
  readonly line: number;
  /** The source that was changed, on one line. */
  readonly was: string;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A way to change a source: which nodes it applies to, and what replaces their text. */
export interface Operator {
  readonly kind: string;
  readonly matches: (node: Node, text: string) => boolean;
  readonly replacement: (node: Node, text: string) => string;
}

const CALLS: readonly string[] = ["CallExpression", "AwaitExpression", "UnaryExpression"];

/** Deletes statements that consist of a call which `pattern` finds. */
export function withoutCall(kind: string, pattern: RegExp): Operator {
  return {
    kind,
    matches: (node, text) =>
      node.type === "ExpressionStatement" && isCall(node["expression"] as Node) && pattern.test(textOf(node, text)),
    replacement: () => ";",
  };
}

/** Makes a condition that `pattern` finds hold always. */
export function always(kind: string, pattern: RegExp): Operator {
  return {
    kind,
    matches: (node, text) => node.type === "BinaryExpression" && pattern.test(textOf(node, text)),
    replacement: () => "(1 as number) === 1",
  };
}

/** Deletes any statement that is an expression. */
export const STATEMENT: Operator = {
  kind: "statement deleted",
  matches: (node) => node.type === "ExpressionStatement",
  replacement: () => ";",
};

/** Negates the condition of any `if`, `while` or `? :`. */
export const CONDITION: Operator = {
  kind: "condition negated",
  matches: (node) => ["IfStatement", "WhileStatement", "ConditionalExpression"].includes(node.type),
  replacement: (node, text) => {
    const test = node["test"] as Node;
    return `${text.slice(node.start, test.start)}!(${textOf(test, text)})${text.slice(test.end, node.end)}`;
  },
};

/** Goes on without waiting for a promise. */
export const AWAIT: Operator = {
  kind: "await dropped",
  matches: (node) => node.type === "AwaitExpression",
  replacement: (node, text) => `(${textOf(node["argument"] as Node, text)})`,
};

const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
};

/** Moves a boundary, or takes the opposite of a comparison or of a connection of two conditions. */
export const OPERATOR: Operator = {
  kind: "operator changed",
  matches: ({ type, operator }) =>
    (type === "BinaryExpression" || type === "LogicalExpression") && Object.hasOwn(OTHER_OPERATORS, String(operator)),
  replacement: (node, text) => {
    const [left, right] = [node["left"] as Node, node["right"] as Node];
    const between = text.slice(left.end, right.start);
    const other = between.replace(String(node["operator"]), OTHER_OPERATORS[String(node["operator"])] ?? "");
    return textOf(left, text) + other + textOf(right, text);
  },
};

/** Another number, the other truth value. */
export const CONSTANT: Operator = {
  kind: "constant changed",
  matches: ({ type, value }) => type === "Literal" && ["number", "boolean"].includes(typeof value),
  replacement: ({ value }) => (typeof value === "number" ? `${value + 1}` : `${value !== true}`),
};

/** Returns nothing. */
export const RESULT: Operator = {
  kind: "result dropped",
  matches: ({ type, argument }) => type === "ReturnStatement" && argument !== null,
  replacement: (node, text) => `return void (${textOf(node["argument"] as Node, text)}) as never;`,
};

/** Every mutant that the operators make of a source, types apart; the first operator that matches a node takes it. */
export function mutantsOf(path: string, text: string, operators: readonly Operator[]): readonly Mutant[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];
  visit(program, (node) => {
    const operator = operators.find(({ matches }) => matches(node, text));
    if (operator === undefined) return;
    mutants.push({
      kind: operator.kind,
      line: text.slice(0, node.start).split("\n").length,
      was: textOf(node, text).replaceAll(/\s+/g, " ").slice(0, 100),
      text: text.slice(0, node.start) + operator.replacement(node, text) + text.slice(node.end),
    });
  });
  return mutants;
}

function isCall({ type, argument }: Node): boolean {
  if (type === "AwaitExpression" || type === "UnaryExpression") return isCall(argument as Node);
  return CALLS.includes(type);
}

function textOf({ start, end }: Node, text: string): string {
  return text.slice(start, end);
}

/** What the engine never sees. */
const TYPES = /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|^ImportDeclaration$/;

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, see);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && "start" in value) {
      if (TYPES.test(String(value.type))) return;
      see(value as Node);
    }
    for (const part of Object.values(value)) visit(part, see);
  }
}
