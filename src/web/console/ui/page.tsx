import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { findNavigationItem } from "../navigation.ts";
import { formatPageUrl, parseAddress } from "../router.ts";
import { type BreadcrumbStep, useBreadcrumbs } from "./trail.ts";

interface PageHeadProps {
  readonly title: string;
  /** Kind of the element that the title names, or topic of the page. */
  readonly kind?: string | undefined;
  /** Locations that contain the subject; if absent, the list that the page belongs to. */
  readonly trail?: readonly BreadcrumbStep[];
  /** Name of the page in the breadcrumbs; the title if absent. */
  readonly crumb?: string;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}

let isHeadingFocusPending = false;

/** Moves the focus to the page's heading, or to its next heading if the page has none yet. */
export function focusHeading(page: HTMLElement | null): void {
  const heading = page?.querySelector<HTMLElement>("h1");
  isHeadingFocusPending = heading === undefined || heading === null;
  heading?.focus({ preventScroll: true });
}

/** A page's heading with its actions. It also sets the title of the browser's tab and the breadcrumbs. */
export function PageHead({ title, kind, trail, crumb = title, action, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · planner`;
  }, [title]);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (isHeadingFocusPending) heading.current?.focus({ preventScroll: true });
    isHeadingFocusPending = false;
  }, []);
  useBreadcrumbs([...(trail ?? getDefaultTrail(title)), { name: crumb }]);
  return (
    <header class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {kind === undefined ? null : <p class="kind">{kind}</p>}
        {children}
      </div>
      {action === undefined ? null : <div class="actions">{action}</div>}
    </header>
  );
}

/** Returns the navigation entry that the page belongs to; [] if the entry is the page itself. */
function getDefaultTrail(title: string): readonly BreadcrumbStep[] {
  const item = findNavigationItem(parseAddress(location.hash).page);
  return item === undefined || item.name === title ? [] : [{ name: item.name, href: formatPageUrl(item.page) }];
}
