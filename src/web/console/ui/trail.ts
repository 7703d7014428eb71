import { useLayoutEffect } from "preact/hooks";
import { Listeners, useCurrentValue } from "../../shared/listeners.ts";

/** A step of the breadcrumbs: a location that contains the page's subject, or the list that the subject is in. */
export interface BreadcrumbStep {
  readonly name: string;
  /** URL of the step; absent for a location without a page. */
  readonly href?: string | undefined;
}

let currentTrail: readonly BreadcrumbStep[] = [];
const listeners = new Listeners();

function setBreadcrumbs(trail: readonly BreadcrumbStep[]): void {
  currentTrail = trail;
  listeners.notify();
}

/** Sets the breadcrumbs in the top bar until another page sets its own. */
export function useBreadcrumbs(trail: readonly BreadcrumbStep[]): void {
  const key = JSON.stringify(trail);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the trail
  useLayoutEffect(() => setBreadcrumbs(trail), [key]);
}

/** Returns the current breadcrumbs; the component is drawn again when they change. */
export function useShownBreadcrumbs(): readonly BreadcrumbStep[] {
  return useCurrentValue(() => currentTrail, listeners.subscribe);
}
