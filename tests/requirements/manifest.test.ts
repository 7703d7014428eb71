import { expect, test } from "bun:test";
import { parseSync } from "oxc-parser";
import { parsed, sourceFiles } from "../support/source_code.ts";
import { PROMISES } from "./promises.ts";

interface Call {
  readonly id: string;
  /** False if the body that proves it has no `expect`. */
  readonly proves: boolean;
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

/** Calls `visit` for every node of a syntax tree, parents first. */
function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (isNode(value)) {
    if (typeof value["type"] === "string") visit(value);
    for (const child of Object.values(value)) if (isNode(child)) walk(child, visit);
  }
}

function calls(node: Node, name: string): boolean {
  const callee = node["callee"];
  return node["type"] === "CallExpression" && isNode(callee) && callee["name"] === name;
}

/** The calls of `verifies` in a program. Comments and strings are no calls. */
function proofs(program: ReturnType<typeof parseSync>["program"]): readonly Call[] {
  const found: Call[] = [];
  walk(program, (node) => {
    if (!calls(node, "verifies")) return;
    const [id, body] = node["arguments"] as readonly Node[];
    let proves = false;
    walk(body, (inner) => {
      proves ||= calls(inner, "expect") || /^expect[A-Z]/.test(calleeName(inner));
    });
    found.push({ id: String(id?.["value"]), proves });
  });
  return found;
}

function calleeName(node: Node): string {
  const callee = node["callee"];
  return node["type"] === "CallExpression" && isNode(callee) ? String(callee["name"]) : "";
}

const PROOFS = sourceFiles("tests")
  .filter(({ path }) => path.endsWith(".test.ts") && !path.endsWith("manifest.test.ts"))
  .flatMap((file) => proofs(parsed(file).program));

test("every promise is proven by a test", () => {
  const proven = new Set(PROOFS.map(({ id }) => id));

  expect(Object.keys(PROMISES).filter((id) => !proven.has(id))).toEqual([]);
});

test("every proof expects something", () => {
  expect(PROOFS.filter(({ proves }) => !proves).map(({ id }) => id)).toEqual([]);
});

test("a call that is commented out, or quoted, proves nothing", () => {
  const text = `// verifies("a", () => { expect(1).toBe(1); });
const quoted = 'verifies("b", () => {})';
verifies("c", () => { expect(1).toBe(1); });
verifies("d", () => {});`;

  expect(proofs(parseSync("example.ts", text).program)).toEqual([
    { id: "c", proves: true },
    { id: "d", proves: false },
  ]);
});
