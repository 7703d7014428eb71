import { CST } from "yaml";
import type { SequenceToken, Token } from "../yaml_tokens.ts";
import { isPlain, type ScalarStyle } from "./scalar_text.ts";

/** New items of a collection: a number keeps the item of that index, a text is a new item. */
export type ItemPlan = readonly (number | string)[];

/**
 * Plans how `before` becomes `after` with as many items kept in place as one pass finds.
 *
 * @param write gives the text of a new item
 */
export function planItems(
  before: readonly unknown[],
  after: readonly string[],
  write: (item: string) => string,
): ItemPlan {
  let from = 0;
  return after.map((item) => {
    const index = before.indexOf(item, from);
    if (index === -1) return write(item);
    from = index + 1;
    return index;
  });
}

/** The style that most speaks for a new item: that of the last one. */
export function itemStyle(list: SequenceToken): ScalarStyle {
  return styleOf(list.items.findLast((item) => item.value !== undefined)?.value);
}

/** How the writer likes to quote: the quotes of a scalar, unless it cannot be without them; plain for anything else. */
export function styleOf(token: Token | undefined): ScalarStyle {
  if (token?.type !== "single-quoted-scalar" && token?.type !== "double-quoted-scalar") return "plain";
  const text = CST.resolveAsScalar(token, false, () => {}).value;
  if (!isPlain(text, true)) return "plain";
  return token.type === "single-quoted-scalar" ? "single" : "double";
}
