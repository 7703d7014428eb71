import { type CST, Parser } from "yaml";

/** A node of the concrete syntax tree, comments and blanks included. Offsets are in the YAML text. */
export type Token = CST.Token;
export type MapToken = CST.BlockMap | CST.FlowCollection;
export type SequenceToken = CST.BlockSequence | CST.FlowCollection;
export type ItemToken = CST.BlockMap["items"][number] | CST.FlowCollection["items"][number];

/**
 * Options of the parser for plain YAML 1.2 data: no tags, engines and merges. Callers compare keys themselves, because the
 * parser compares each with all others, which takes seconds at 50,000.
 */
export const PLAIN_DATA = {
  version: "1.2",
  resolveKnownTags: false,
  merge: false,
  strict: true,
  stringKeys: true,
  uniqueKeys: false,
  logLevel: "silent",
} as const;

/** Reads YAML into tokens; without recursion, so that no nesting is too deep for it. Positions are as in `yaml`. */
export function tokensOf(yaml: string): readonly Token[] {
  return [...new Parser().parse(yaml)];
}

/** The mapping that the document consists of, or undefined for an empty document. */
export function rootMap(tokens: readonly Token[]): MapToken | undefined {
  const document = tokens.find((token) => token.type === "document");
  const root = document?.type === "document" ? document.value : undefined;
  return root?.type === "block-map" || root?.type === "flow-collection" ? root : undefined;
}

/** Returns the offset of a collection nested deeper than `limit` levels, or undefined if no collection is. */
export function tooDeepAt(tokens: readonly Token[], limit: number): number | undefined {
  return search(tokens, (_token, depth) => depth > limit)?.offset;
}

/** The offset of a quoted scalar without its closing quote, or undefined when each has one. */
export function openQuoteAt(tokens: readonly Token[]): number | undefined {
  return search(tokens, (token) => isOpenQuote(token))?.offset;
}

function isOpenQuote(token: Token): boolean {
  if (token.type === "single-quoted-scalar") return !/^'(?:[^']|'')*'$/.test(token.source);
  return token.type === "double-quoted-scalar" && !/^"(?:[^"\\]|\\[\s\S])*"$/.test(token.source);
}

function search(tokens: readonly Token[], isWanted: (token: Token, depth: number) => boolean): Token | undefined {
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (isWanted(token, depth)) return token;
    for (const child of childrenOf(token)) waiting.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

/** Whether an item holds something: behind the last comma of `[a, ]` there is an item of nothing but that comma. */
export function isFilled(item: ItemToken): boolean {
  return item.key != null || item.value !== undefined || item.sep !== undefined || item.start.some(isProperty);
}

/** Offset of an item's first character: its `-` or `?`, anchor or tag, key or value; not the comma in front of it. */
export function itemStart(item: ItemToken): number {
  const first =
    item.start.find((token) => !isFiller(token)) ??
    item.key ??
    item.sep?.find((token) => !isFiller(token)) ??
    item.value;
  return first?.offset ?? 0;
}

/** Offset behind an item's last character that is no blank, comment or line break. */
export function itemEnd(item: ItemToken): number {
  if (item.value !== undefined) return tokenEnd(item.value);
  const last = [...item.start, ...(item.sep ?? [])].findLast((token) => !isFiller(token));
  const keyEnd = item.key == null ? 0 : tokenEnd(item.key);
  return Math.max(keyEnd, last === undefined ? 0 : last.offset + last.source.length);
}

/** Offset behind a token's content, without what is only blank, comment or line break behind it. */
export function tokenEnd(token: Token): number {
  switch (token.type) {
    case "block-map":
    case "block-seq": {
      const last = token.items.findLast(isFilled);
      return last === undefined ? token.offset : itemEnd(last);
    }
    case "flow-collection":
      return (token.end[0]?.offset ?? token.offset) + 1;
    case "block-scalar":
      return blockScalarEnd(token);
    case "document":
      return token.value === undefined ? token.offset : tokenEnd(token.value);
    default:
      return token.offset + ("source" in token ? token.source.length : 0);
  }
}

/** The header of a block scalar (`|`, `>-`), which comes behind an anchor or tag and before a comment. */
export function blockHeader(token: CST.BlockScalar): CST.SourceToken | undefined {
  return token.props.find((prop): prop is CST.SourceToken => prop.type === "block-scalar-header");
}

function blockScalarEnd(token: CST.BlockScalar): number {
  const header = blockHeader(token);
  const content = token.source.trimEnd();
  if (content === "") return header === undefined ? token.offset : header.offset + header.source.length;
  const last = token.props.at(-1);
  const start = last === undefined || !("source" in last) ? token.offset : last.offset + last.source.length;
  return start + content.length;
}

function childrenOf(token: Token): readonly Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value].filter((child) => child != null));
}

function isProperty({ type }: CST.SourceToken): boolean {
  return type !== "comma" && type !== "space" && type !== "newline" && type !== "comment";
}

function isFiller(token: CST.SourceToken): boolean {
  return !isProperty(token);
}
