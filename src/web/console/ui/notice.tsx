import type { ComponentChildren } from "preact";
import { StateMark } from "../../shared/state.tsx";

/** Says above a page what of its address was not followed. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice" role="status">
      <StateMark state="watch" label="Note:" /> <span>{children}</span>
    </p>
  );
}
