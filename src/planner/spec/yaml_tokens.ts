import { type CST, Parser } from "yaml";

/** A node of the concrete syntax tree, which includes comments and blanks. Offsets are in the YAML text. */
export type Token = CST.Token;
export type MapToken = CST.BlockMap | CST.FlowCollection;
export type SequenceToken = CST.BlockSequence | CST.FlowCollection;
export type ItemToken = CST.BlockMap["items"][number] | CST.FlowCollection["items"][number];

/**
 * Options of the parser for plain YAML 1.2 data, without tags, engines and merge keys. Callers check for repeated keys
 * themselves, because the parser compares each key with all others, which takes seconds for 50,000.
 */
export const PLAIN_YAML_OPTIONS = {
  version: "1.2",
  resolveKnownTags: false,
  merge: false,
  strict: true,
  stringKeys: true,
  uniqueKeys: false,
  logLevel: "silent",
} as const;

/** Parses YAML into tokens without recursion, so that it accepts any nesting. Offsets are those of `yaml`. */
export function parseTokens(yaml: string): readonly Token[] {
  return [...new Parser().parse(yaml)];
}

/** Returns the mapping at the top of the document, or undefined for an empty document. */
export function findRootMap(tokens: readonly Token[]): MapToken | undefined {
  const document = tokens.find((token) => token.type === "document");
  const root = document?.type === "document" ? document.value : undefined;
  return root?.type === "block-map" || root?.type === "flow-collection" ? root : undefined;
}

/** Returns the offset of a collection nested deeper than `limit` levels, or undefined if no collection is. */
export function findTooDeepOffset(tokens: readonly Token[], limit: number): number | undefined {
  return findToken(tokens, (_token, depth) => depth > limit)?.offset;
}

/** Returns the offset of the first quoted scalar without a closing quote; undefined if each has one. */
export function findOpenQuote(tokens: readonly Token[]): number | undefined {
  return findToken(tokens, (token) => isOpenQuote(token))?.offset;
}

function isOpenQuote(token: Token): boolean {
  if (token.type === "single-quoted-scalar") return !/^'(?:[^']|'')*'$/.test(token.source);
  return token.type === "double-quoted-scalar" && !/^"(?:[^"\\]|\\[\s\S])*"$/.test(token.source);
}

function findToken(tokens: readonly Token[], isWanted: (token: Token, depth: number) => boolean): Token | undefined {
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (isWanted(token, depth)) return token;
    for (const child of listChildren(token)) waiting.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

/** Returns whether an item has content: `[a, ]` has an item after the comma that contains only the comma. */
export function hasItemContent(item: ItemToken): boolean {
  return item.key != null || item.value !== undefined || item.sep !== undefined || item.start.some(isPropertyToken);
}

/** Returns the offset of an item's first character: `-` or `?`, anchor, tag, key or value, not the comma before. */
export function findItemStart(item: ItemToken): number {
  const first =
    item.start.find((token) => !isFillerToken(token)) ??
    item.key ??
    item.sep?.find((token) => !isFillerToken(token)) ??
    item.value;
  return first?.offset ?? 0;
}

/** Returns the offset after an item's last character that is not a blank, comment or line break. */
export function findItemEnd(item: ItemToken): number {
  if (item.value !== undefined) return findTokenEnd(item.value);
  const last = [...item.start, ...(item.sep ?? [])].findLast((token) => !isFillerToken(token));
  const keyEnd = item.key == null ? 0 : findTokenEnd(item.key);
  return Math.max(keyEnd, last === undefined ? 0 : last.offset + last.source.length);
}

/** Returns the offset after a token's content, without the blanks, comments and line breaks after it. */
export function findTokenEnd(token: Token): number {
  switch (token.type) {
    case "block-map":
    case "block-seq": {
      const last = token.items.findLast(hasItemContent);
      return last === undefined ? token.offset : findItemEnd(last);
    }
    case "flow-collection":
      return (token.end[0]?.offset ?? token.offset) + 1;
    case "block-scalar":
      return findBlockScalarEnd(token);
    case "document":
      return token.value === undefined ? token.offset : findTokenEnd(token.value);
    default:
      return token.offset + ("source" in token ? token.source.length : 0);
  }
}

/** Returns the header of a block scalar (`|`, `>-`), which follows an anchor or tag and precedes a comment. */
export function findBlockHeader(token: CST.BlockScalar): CST.SourceToken | undefined {
  return token.props.find((prop): prop is CST.SourceToken => prop.type === "block-scalar-header");
}

function findBlockScalarEnd(token: CST.BlockScalar): number {
  const header = findBlockHeader(token);
  const content = token.source.trimEnd();
  if (content === "") return header === undefined ? token.offset : header.offset + header.source.length;
  const last = token.props.at(-1);
  const start = last === undefined || !("source" in last) ? token.offset : last.offset + last.source.length;
  return start + content.length;
}

function listChildren(token: Token): readonly Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value].filter((child) => child != null));
}

function isPropertyToken({ type }: CST.SourceToken): boolean {
  return type !== "comma" && type !== "space" && type !== "newline" && type !== "comment";
}

function isFillerToken(token: CST.SourceToken): boolean {
  return !isPropertyToken(token);
}
