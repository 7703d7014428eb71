import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from "yaml";

/**
 * Adds a command to the pre-commit hook of a lefthook file, all other lines staying as they are.
 *
 * @param run the line `run: …`
 * @returns null if the file is broken, or written in a form that lines cannot be added to
 */
export function addCommand(text: string, name: string, run: string): string | null {
  const { contents, errors } = parseDocument(text);
  if (errors.length > 0) return null;
  if (contents === null)
    return checked(`${withLineEnd(text)}${block(["pre-commit:", "  commands:"], name, run)}`, name);
  if (!isMap(contents)) return null;
  const hook = pairOf(contents, "pre-commit");
  if (hook === undefined)
    return checked(`${withLineEnd(text)}${block(["pre-commit:", "  commands:"], name, run)}`, name);
  if (!isMap(hook.value)) return null;
  const commands = pairOf(hook.value, "commands");
  const before =
    commands === undefined ? hook.value.items[0] : isMap(commands.value) ? commands.value.items[0] : undefined;
  const at = before === undefined ? null : lineStart(text, before);
  if (at === null) return null;
  const lines = block(commands === undefined ? ["commands:"] : [], name, run);
  return checked(`${text.slice(0, at.start)}${indented(lines, at.indent)}${text.slice(at.start)}`, name);
}

/** Adds an entry in front of `repos` of a pre-commit configuration, see `addCommand`. */
export function addLocalHook(text: string, entry: readonly string[]): string | null {
  const { contents, errors } = parseDocument(text);
  if (errors.length > 0 || !isMap(contents)) return null;
  const repos = pairOf(contents, "repos")?.value;
  const [first] = isSeq(repos) && repos.flow !== true ? repos.items : [];
  if (!isMap(first) || first.range == null) return null;
  const start = text.lastIndexOf("\n", first.range[0]) + 1;
  const indent = /^( *)- +/.exec(text.slice(start))?.[1];
  if (indent === undefined) return null;
  const result = `${text.slice(0, start)}${indented(`${entry.join("\n")}\n`, indent)}${text.slice(start)}`;
  return parseDocument(result).errors.length === 0 ? result : null;
}

/** Removes lines that planner wrote, whatever their indentation, and parents that they leave empty. */
export function removeBlock(text: string, entry: readonly string[]): string | null {
  const lines = text.split("\n");
  const start = lines.findIndex((_, index) => {
    const indent = /^ */.exec(lines[index] ?? "")?.[0] ?? "";
    return entry.every((line, offset) => lines[index + offset] === indent + line);
  });
  if (start < 0) return null;
  lines.splice(start, entry.length);
  for (let parent = start - 1; /^\s*(?:pre-commit|commands):\s*$/.test(lines[parent] ?? ""); parent--) {
    const depth = (line: string): number => line.length - line.trimStart().length;
    const next = lines.slice(parent + 1).find((line) => line.trim() !== "");
    if (next !== undefined && depth(next) > depth(lines[parent] ?? "")) break;
    lines.splice(parent, 1);
  }
  return lines.join("\n");
}

function block(parents: readonly string[], name: string, run: string): string {
  const indent = parents.length === 0 ? "" : "  ".repeat(parents.length);
  return [...parents, `${indent}${name}:`, `${indent}  ${run}`, ""].join("\n");
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  if (map.flow === true) return undefined;
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

interface LineStart {
  readonly start: number;
  readonly indent: string;
}

/** Null for an entry that is not the first thing on its line. */
function lineStart(text: string, { key }: Pair): LineStart | null {
  if (!isScalar(key) || key.range == null) return null;
  const start = text.lastIndexOf("\n", key.range[0]) + 1;
  const indent = text.slice(start, key.range[0]);
  return indent.trim() === "" ? { start, indent } : null;
}

function indented(lines: string, indent: string): string {
  return lines.replace(/^(?=.)/gm, indent);
}

function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Null unless the command is where lefthook reads it. */
function checked(text: string, name: string): string | null {
  const document = parseDocument(text);
  if (document.errors.length > 0) return null;
  return document.getIn(["pre-commit", "commands", name, "run"]) === undefined ? null : text;
}
