import type { ComponentChildren } from "preact";
import { StateMark } from "../../shared/state.tsx";

/** Notice above a page about a part of its URL that was ignored. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice" role="status">
      <StateMark state="watch" label="Note:" /> <span>{children}</span>
    </p>
  );
}
