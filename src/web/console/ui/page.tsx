import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

/** A page's heading, which also names the browser's tab, and what can be done here. */
export function PageHead({
  title,
  kind,
  action,
  children,
}: {
  readonly title: string;
  readonly kind?: string;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · planner`;
  }, [title]);
  return (
    <header class="page-head">
      <div>
        {kind === undefined ? null : <p class="kind">{kind}</p>}
        <h1 tabIndex={-1}>{title}</h1>
        {children}
      </div>
      {action === undefined ? null : <div class="actions">{action}</div>}
    </header>
  );
}

export function FailThis({ target }: { readonly target: string }) {
  return (
    <a class="button danger" href={`#/power/${encodeURIComponent(target)}`}>
      Fail this
    </a>
  );
}

export function HistoryLink({ target }: { readonly target: string }) {
  return (
    <a class="button" href={`#/history/${encodeURIComponent(target)}`}>
      History
    </a>
  );
}
