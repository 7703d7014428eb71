import { readFileSync } from "node:fs";
import type { ResourceKind } from "#dc/model/resources.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { KIND_NAMES, KINDS, kindNamed, readLine } from "../kinds.ts";
import type { BadLine, Line, Source } from "./source.ts";
import { linesOf, type Span, type TextFile } from "./text_file.ts";

const KEY = /^\s*\{\s*"([a-z_]+)"\s*:/;

/** Opens a JSON Lines file: reads it once to find the lines of each kind, then reads one kind at a time. */
export function jsonLinesSource(file: TextFile): Source {
  const found = new Map<ResourceKind, { count: number; span: Span }>();
  let bad = 0;
  for (const { number, at, text } of linesOf(file)) {
    const kind = kindOf(text);
    if (kind === undefined) bad += 1;
    else {
      const to = at + Buffer.byteLength(text) + 1;
      const before = found.get(kind);
      if (before === undefined) found.set(kind, { count: 1, span: { from: at, to, line: number } });
      else found.set(kind, { count: before.count + 1, span: { ...before.span, to } });
    }
  }
  return {
    counts: new Map([...found].map(([kind, { count }]) => [kind, count])),
    *bad() {
      if (bad === 0) return;
      for (const { number, text } of linesOf(file)) {
        if (kindOf(text) === undefined) yield badLine({ file: file.shown, number, text });
      }
    },
    *lines(kind): Generator<Line> {
      const part = found.get(kind);
      if (part === undefined) return;
      for (const { number, text } of linesOf(file, part.span)) {
        if (kindOf(text) === kind) yield { file: file.shown, number, text };
      }
    },
    close: () => file.close(),
  };
}

/** Detects the kind from the beginning of the line. The whole line is parsed later. */
function kindOf(text: string): ResourceKind | undefined {
  const key = KEY.exec(text)?.[1];
  return KIND_NAMES.find((kind) => kind === key) ?? (key === undefined ? kindByParsing(text) : undefined);
}

/** A key with escapes, or a line without a key. */
function kindByParsing(text: string): ResourceKind | undefined {
  try {
    return kindNamed(readLine(text).kind);
  } catch {
    return undefined;
  }
}

function badLine(line: Line): BadLine {
  try {
    readLine(line.text);
    return { ...line, reason: "expected a resource" };
  } catch (error) {
    return { ...line, reason: (error as Error).message };
  }
}

const NAMES = KINDS.map(({ list }) => list);

/**
 * One JSON object with lists of items, as upsert requests take them: `{"racks": […], "devices": […]}`. Numbers are the
 * places in their lists, from 1. Memory: the whole file.
 * @throws OperationError when it is something else
 */
export function jsonItemsSource(file: TextFile): Source {
  const lists = new Map<ResourceKind, readonly unknown[]>();
  for (const [name, list] of Object.entries(read(file))) {
    const kind = NAMES.some((one) => one === name) ? kindNamed(name) : undefined;
    if (kind === undefined) throw wrong(file, `unknown field "${name}", expected ${NAMES.join(", ")}`);
    if (!Array.isArray(list)) throw wrong(file, `field "${name}" is no list`);
    lists.set(kind, list);
  }
  return {
    counts: new Map([...lists].map(([kind, { length }]) => [kind, length])),
    bad: () => [],
    *lines(kind): Generator<Line> {
      for (const [index, item] of (lists.get(kind) ?? []).entries()) {
        yield { file: file.shown, number: index + 1, text: JSON.stringify({ [kind]: item }, spelledOut) };
      }
    },
    close: () => file.close(),
  };
}

/** A number beyond all numbers, which JSON would write as null, as the word that the rules then refuse by its field. */
function spelledOut(_key: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? String(value) : value;
}

function read(file: TextFile): object {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file.path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw wrong(file, (error as Error).message);
  }
  if (isJsonObject(value)) return value;
  throw wrong(file, `expected an object with ${NAMES.join(", ")}`);
}

function wrong({ shown }: TextFile, what: string): OperationError {
  return new OperationError("invalid_argument", `Cannot read "${shown}" as JSON: ${what}`);
}
