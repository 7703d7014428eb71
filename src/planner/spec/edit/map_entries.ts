import { CST } from "yaml";
import {
  findItemEnd,
  findItemStart,
  findRootMap,
  hasItemContent,
  type ItemToken,
  type MapToken,
  parseTokens,
  type Token,
} from "../full_frontmatter.ts";

/** A key of a mapping and its value. Offsets are in the YAML. */
export interface MapEntry {
  readonly name: string;
  /** Offset of the entry's first character: its `?`, anchor, tag or key. */
  readonly start: number;
  /** Offset after its last character that is not a blank, comment or line break. */
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

/** Returns the mapping at `path`, keys from the top (empty for the whole frontmatter), or undefined. */
export function findMapping(yaml: string, path: readonly string[]): MapSite | undefined {
  let map = findRootMap(parseTokens(yaml));
  for (const name of path) {
    const value = map === undefined ? undefined : listEntries(map).find((entry) => entry.name === name)?.value;
    map = isMapToken(value) ? value : undefined;
  }
  return map && { map, entries: listEntries(map) };
}

/** Returns whether a token is a mapping, in block or flow form. */
export function isMapToken(token: Token | undefined): token is MapToken {
  if (token?.type === "flow-collection") return token.start.source === "{";
  return token?.type === "block-map";
}

/** Returns whether a token is a list, in block or flow form. */
export function isListToken(token: Token | undefined): token is CST.BlockSequence | CST.FlowCollection {
  if (token?.type === "flow-collection") return token.start.source === "[";
  return token?.type === "block-seq";
}

export function listEntries(map: MapToken): readonly MapEntry[] {
  return (map.items as readonly ItemToken[]).filter(hasItemContent).map((item) => {
    const marks = (item.sep ?? []).filter(
      ({ type }) => type === "map-value-ind" || type === "anchor" || type === "tag",
    );
    const last = marks.some(({ type }) => type === "map-value-ind") ? marks.at(-1) : undefined;
    return {
      name: parseKeyName(item.key),
      start: findItemStart(item),
      end: findItemEnd(item),
      keyEnd: item.key == null ? findItemStart(item) : item.key.offset + measureSource(item.key),
      colonEnd: last && last.offset + last.source.length,
      value: item.value,
    };
  });
}

function parseKeyName(key: Token | null | undefined): string {
  if (key == null) return "";
  // Errors in the key were reported when the frontmatter was parsed.
  return CST.resolveAsScalar(key, false, () => {})?.value ?? "";
}

function measureSource(token: Token): number {
  return "source" in token ? token.source.length : 0;
}
