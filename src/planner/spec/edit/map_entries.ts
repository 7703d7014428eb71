import { CST } from "yaml";
import {
  type ItemToken,
  isFilled,
  itemEnd,
  itemStart,
  type MapToken,
  rootMap,
  type Token,
  tokensOf,
} from "../yaml_tokens.ts";

/** One key of a mapping with its value. Offsets are in the YAML. */
export interface MapEntry {
  readonly name: string;
  /** First character of the entry: its `?`, anchor, tag or key. */
  readonly start: number;
  /** Behind its last character that is no blank, comment or line break. */
  readonly end: number;
  readonly keyEnd: number;
  /** Offset after the colon and an anchor or tag that follows it; undefined if the key has no colon. */
  readonly colonEnd: number | undefined;
  readonly value: Token | undefined;
}

/** A mapping in the YAML and its entries in order. */
export interface MapSite {
  readonly map: MapToken;
  readonly entries: readonly MapEntry[];
}

/** The mapping at `path`, keys from the top (none for the whole frontmatter), or undefined. */
export function mapAt(yaml: string, path: readonly string[]): MapSite | undefined {
  let map = rootMap(tokensOf(yaml));
  for (const name of path) {
    const value = map === undefined ? undefined : entriesOf(map).find((entry) => entry.name === name)?.value;
    map = isMapToken(value) ? value : undefined;
  }
  return map && { map, entries: entriesOf(map) };
}

/** Whether a token is a mapping, in block or flow form. */
export function isMapToken(token: Token | undefined): token is MapToken {
  if (token?.type === "flow-collection") return token.start.source === "{";
  return token?.type === "block-map";
}

/** Whether a token is a list, in block or flow form. */
export function isListToken(token: Token | undefined): token is CST.BlockSequence | CST.FlowCollection {
  if (token?.type === "flow-collection") return token.start.source === "[";
  return token?.type === "block-seq";
}

export function entriesOf(map: MapToken): readonly MapEntry[] {
  return (map.items as readonly ItemToken[]).filter(isFilled).map((item) => {
    const marks = (item.sep ?? []).filter(
      ({ type }) => type === "map-value-ind" || type === "anchor" || type === "tag",
    );
    const last = marks.some(({ type }) => type === "map-value-ind") ? marks.at(-1) : undefined;
    return {
      name: nameOf(item.key),
      start: itemStart(item),
      end: itemEnd(item),
      keyEnd: item.key == null ? itemStart(item) : item.key.offset + sourceLength(item.key),
      colonEnd: last && last.offset + last.source.length,
      value: item.value,
    };
  });
}

function nameOf(key: Token | null | undefined): string {
  if (key == null) return "";
  // Whatever is wrong with the key was found when the frontmatter was parsed.
  return CST.resolveAsScalar(key, false, () => {})?.value ?? "";
}

function sourceLength(token: Token): number {
  return "source" in token ? token.source.length : 0;
}
