import { formatPageUrl, parseAddress } from "../router.ts";

/** Tabs of a page that shows one of them at a time; the URL stores the choice. */
export function PageTabs(props: {
  readonly tabs: readonly (readonly [key: string, name: string, count?: number | undefined])[];
  readonly chosen: string;
}) {
  const { tabs, chosen } = props;
  const { page, subject, settings } = parseAddress(location.hash);
  return (
    <nav class="tabs" aria-label="Parts of this page">
      {tabs.map(([tab, name, count]) => (
        <a
          key={tab}
          href={formatPageUrl(page, subject, { ...Object.fromEntries(settings), tab })}
          aria-current={tab === chosen ? "page" : undefined}
        >
          {name} <span class="muted">{count}</span>
        </a>
      ))}
    </nav>
  );
}
