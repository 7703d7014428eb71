import type { ResourceKind } from "#dc/model/resources.ts";
import { KIND_NAMES, kindNamed, readLine } from "../kinds.ts";
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
  return KIND_NAMES.find((kind) => kind === key) ?? (key === undefined ? otherwise(text) : undefined);
}

/** A key with escapes, or a line without a key. */
function otherwise(text: string): ResourceKind | undefined {
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
