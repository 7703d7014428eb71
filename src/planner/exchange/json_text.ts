import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** A value of a JSON text with its line, from 1. */
export interface PlacedValue {
  readonly value: unknown;
  readonly line: number;
}

/** A parsed JSON text with the line of each value. */
export interface PlacedJson {
  readonly root: Node;
  readonly lineOf: (node: Node) => number;
}

export interface JsonProblem {
  readonly line: number;
  readonly message: string;
}

/** Parses strict JSON; never throws. */
export function placedJson(text: string): PlacedJson | JsonProblem {
  const lineAt = lineFinder(text);
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
    return { line: lineAt(error.offset), message: `${printParseErrorCode(error.error)}: expected JSON` };
  if (root === undefined) return { line: 1, message: "expected JSON, got nothing" };
  return { root, lineOf: ({ offset }) => lineAt(offset) };
}

/** The elements of a list with their lines; none for another value. */
export function elementsOf(node: Node | undefined, { lineOf }: PlacedJson): readonly PlacedValue[] {
  if (node?.type !== "array") return [];
  return (node.children ?? []).map((child) => ({ value: getNodeValue(child), line: lineOf(child) }));
}

/** One value a line, as in JSON Lines; blank lines are skipped. */
export function* jsonLines(text: string): Generator<PlacedValue | JsonProblem> {
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

function lineFinder(text: string): (offset: number) => number {
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
