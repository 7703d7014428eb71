import { readFileSync } from "node:fs";
import type { ResourceKind } from "#dc/model/resources.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { KINDS, kindNamed } from "../kinds.ts";
import type { Line, Source } from "./source.ts";
import type { TextFile } from "./text_file.ts";

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
