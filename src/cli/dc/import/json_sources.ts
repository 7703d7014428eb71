import { readFileSync } from "node:fs";
import type { ResourceKind } from "#dc/model/resources.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { findKind, KIND_NAMES, KINDS, parseResourceLine } from "../kinds.ts";
import type { BadLine, ImportSource, ResourceLine } from "./source.ts";
import { type FileSpan, readLines, type TextFile } from "./text_file.ts";

const FIRST_KEY = /^\s*\{\s*"([a-z_]+)"\s*:/;

/** Opens a JSON Lines file: reads it once to find the lines of each kind, then reads one kind at a time. */
export function openJsonLinesSource(file: TextFile): ImportSource {
  const found = new Map<ResourceKind, { count: number; span: FileSpan }>();
  let bad = 0;
  for (const { number, at, text } of readLines(file)) {
    const kind = detectKind(text);
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
    *readBadLines() {
      if (bad === 0) return;
      for (const { number, text } of readLines(file)) {
        if (detectKind(text) === undefined) yield describeBadLine({ file: file.displayName, number, text });
      }
    },
    *readLines(kind): Generator<ResourceLine> {
      const part = found.get(kind);
      if (part === undefined) return;
      for (const { number, text } of readLines(file, part.span)) {
        if (detectKind(text) === kind) yield { file: file.displayName, number, text };
      }
    },
    close: () => file.close(),
  };
}

/** Detects the kind from the beginning of the line. The whole line is parsed later. */
function detectKind(text: string): ResourceKind | undefined {
  const key = FIRST_KEY.exec(text)?.[1];
  return KIND_NAMES.find((kind) => kind === key) ?? (key === undefined ? parseKind(text) : undefined);
}

/** Parses the line to find the kind of a key with escapes; undefined for a line without a key. */
function parseKind(text: string): ResourceKind | undefined {
  try {
    return findKind(parseResourceLine(text).kind);
  } catch {
    return undefined;
  }
}

function describeBadLine(line: ResourceLine): BadLine {
  try {
    parseResourceLine(line.text);
    return { ...line, reason: "expected a resource" };
  } catch (error) {
    return { ...line, reason: (error as Error).message };
  }
}

const IMPORT_LIST_NAMES = KINDS.map(({ list }) => list);

/**
 * Opens one JSON object with lists of items, in the form of upsert requests: `{"racks": […], "devices": […]}`. Items
 * are numbered by their position in the list, from 1. Memory: the whole file.
 * @throws OperationError for any other content
 */
export function openJsonItemsSource(file: TextFile): ImportSource {
  const lists = new Map<ResourceKind, readonly unknown[]>();
  for (const [name, list] of Object.entries(readJsonObject(file))) {
    const kind = IMPORT_LIST_NAMES.some((one) => one === name) ? findKind(name) : undefined;
    if (kind === undefined)
      throw createFormatError(file, `unknown field "${name}", expected ${IMPORT_LIST_NAMES.join(", ")}`);
    if (!Array.isArray(list)) throw createFormatError(file, `field "${name}" is no list`);
    lists.set(kind, list);
  }
  return {
    counts: new Map([...lists].map(([kind, { length }]) => [kind, length])),
    readBadLines: () => [],
    *readLines(kind): Generator<ResourceLine> {
      for (const [index, item] of (lists.get(kind) ?? []).entries()) {
        yield { file: file.displayName, number: index + 1, text: JSON.stringify({ [kind]: item }, replaceInfinity) };
      }
    },
    close: () => file.close(),
  };
}

/** Converts an infinite number to its name, which validation rejects with the field. JSON would write null. */
function replaceInfinity(_key: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? String(value) : value;
}

function readJsonObject(file: TextFile): object {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file.path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw createFormatError(file, (error as Error).message);
  }
  if (isJsonObject(value)) return value;
  throw createFormatError(file, `expected an object with ${IMPORT_LIST_NAMES.join(", ")}`);
}

function createFormatError({ displayName }: TextFile, what: string): OperationError {
  return new OperationError("invalid_argument", `Cannot read "${displayName}" as JSON: ${what}`);
}
