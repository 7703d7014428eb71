import { CST } from "yaml";
import type { SequenceToken, Token } from "../yaml_tokens.ts";
import { isPlainText, type ScalarStyle } from "./scalar_text.ts";

/** Items of a changed collection: a number keeps the item of that index, a text is a new item. */
export type ItemPlan = readonly (number | string)[];

/** Returns the plan that changes `before` to `after`. Keeps items that one pass finds in order. */
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

/** Returns the style for a new item: that of the last item. */
export function selectItemStyle(list: SequenceToken): ScalarStyle {
  return detectScalarStyle(list.items.findLast((item) => item.value !== undefined)?.value);
}

/** Returns the quoting style of a scalar, unless the scalar needs quotes; `plain` for any other token. */
export function detectScalarStyle(token: Token | undefined): ScalarStyle {
  if (token?.type !== "single-quoted-scalar" && token?.type !== "double-quoted-scalar") return "plain";
  const text = CST.resolveAsScalar(token, false, () => {}).value;
  if (!isPlainText(text, true)) return "plain";
  return token.type === "single-quoted-scalar" ? "single" : "double";
}
