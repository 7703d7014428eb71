import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** A JSON value with its line number, from 1. */
export interface LocatedValue {
  readonly value: unknown;
  readonly line: number;
}

/** A parsed JSON text, with a function that returns the line of a value. */
export interface LocatedJson {
  readonly root: Node;
  readonly findLine: (node: Node) => number;
}

export interface JsonProblem {
  readonly line: number;
  readonly message: string;
}

/** Parses strict JSON; never throws. */
export function parseJsonWithLines(text: string): LocatedJson | JsonProblem {
  const findLineAt = createLineFinder(text);
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { line: 1, message: "nested too deeply" };
  }
  const [error] = errors;
  if (error !== undefined)
    return { line: findLineAt(error.offset), message: `${printParseErrorCode(error.error)}: expected JSON` };
  if (root === undefined) return { line: 1, message: "expected JSON, got nothing" };
  return { root, findLine: ({ offset }) => findLineAt(offset) };
}

/** Returns the elements of a list with their lines, or an empty list for another value. */
export function listElements(node: Node | undefined, { findLine }: LocatedJson): readonly LocatedValue[] {
  if (node?.type !== "array") return [];
  return (node.children ?? []).map((child) => ({ value: getNodeValue(child), line: findLine(child) }));
}

/** Parses JSON Lines, one value a line; skips blank lines. */
export function* parseJsonLines(text: string): Generator<LocatedValue | JsonProblem> {
  let line = 0;
  for (const part of text.split("\n")) {
    line++;
    if (part.trim() === "") continue;
    try {
      yield { value: JSON.parse(part) as unknown, line };
    } catch (error) {
      yield { line, message: error instanceof RangeError ? "nested too deeply" : "expected a line of JSON" };
    }
  }
}

function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
