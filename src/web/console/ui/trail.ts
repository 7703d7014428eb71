import { useLayoutEffect, useState } from "preact/hooks";

/** A step of the way from the whole inventory to the page: a place that contains it, or a list that it is in. */
export interface Crumb {
  readonly name: string;
  /** Absent for a place without a page. */
  readonly href?: string | undefined;
}

let current: readonly Crumb[] = [];
const listeners = new Set<() => void>();

function setTrail(trail: readonly Crumb[]): void {
  current = trail;
  for (const listener of listeners) listener();
}

/** Shows the way to this page in the top bar until another page shows its own. */
export function useTrail(trail: readonly Crumb[]): void {
  const key = JSON.stringify(trail);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the trail
  useLayoutEffect(() => setTrail(trail), [key]);
}

/** The way that is shown now. */
export function useShownTrail(): readonly Crumb[] {
  const [shown, setShown] = useState(current);
  useLayoutEffect(() => {
    const follow = () => setShown(current);
    listeners.add(follow);
    follow();
    return () => {
      listeners.delete(follow);
    };
  }, []);
  return shown;
}
