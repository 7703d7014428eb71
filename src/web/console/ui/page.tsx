import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { findNavigationItem } from "../navigation.ts";
import { formatPageUrl, parseAddress } from "../router.ts";
import { type Crumb, useTrail } from "./trail.ts";

interface PageHeadProps {
  readonly title: string;
  /** Kind of the object that the title names, or topic of the page. */
  readonly kind?: string | undefined;
  /** The places that contain the subject; the list that the page belongs to if absent. */
  readonly trail?: readonly Crumb[];
  /** The name of the page where the way here is shown; the title if absent. */
  readonly crumb?: string;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}

let isHeadingWanted = false;

/** Moves the focus to the heading of the page, now or when the page has one. */
export function focusHeading(page: HTMLElement | null): void {
  const heading = page?.querySelector<HTMLElement>("h1");
  isHeadingWanted = heading === undefined || heading === null;
  heading?.focus({ preventScroll: true });
}

/** A page's heading, which also names the browser's tab and the way here, and what can be done. */
export function PageHead({ title, kind, trail, crumb = title, action, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · planner`;
  }, [title]);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (isHeadingWanted) heading.current?.focus({ preventScroll: true });
    isHeadingWanted = false;
  }, []);
  useTrail([...(trail ?? usualTrail(title)), { name: crumb }]);
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

/** The entry of the navigation that the page belongs to, unless it is the page itself. */
function usualTrail(title: string): readonly Crumb[] {
  const item = findNavigationItem(parseAddress(location.hash).page);
  return item === undefined || item.name === title ? [] : [{ name: item.name, href: formatPageUrl(item.page) }];
}
