import { formatCount } from "#words/figures.ts";
import { Icon } from "../../shared/icon.tsx";
import { type Session, useSession } from "../api/session.ts";
import { tokenStore } from "../api/token.ts";
import { useInventory } from "../api/use_inventory.ts";
import { findNavigationItem, NAVIGATION, type NavigationItem } from "../navigation.ts";
import { formatPageUrl, type PageAddress } from "../router.ts";

/** Side navigation and the signed-in person. In a narrow window, it covers the page while it is open. */
export function SideNavigation({ place, open }: { readonly place: PageAddress; readonly open: boolean }) {
  const { reply: inventory } = useInventory();
  const here = findNavigationItem(place.page);
  const tallies: Readonly<Partial<Record<NonNullable<NavigationItem["countName"]>, number | undefined>>> = {
    sites: inventory?.sites.length,
    floors: inventory?.sites.reduce((sum, { floors }) => sum + floors.length, 0),
    fabrics: inventory?.fabrics.length,
    ...inventory?.totals,
  };
  return (
    <aside class={open ? "side open" : "side"} id="side" aria-label="Navigation">
      <a class="brand" href={formatPageUrl("overview")}>
        <ProductMark />
        planner
      </a>
      <nav aria-label="Pages">
        {NAVIGATION.map(({ name, items }) => (
          <section key={name} aria-label={name === "" ? "Whole inventory" : name}>
            {name === "" ? null : <h2>{name}</h2>}
            <ul>
              {items.map((item) => (
                <li key={item.page}>
                  <a href={formatPageUrl(item.page)} aria-current={here === item ? "page" : undefined}>
                    <Icon name={item.icon} />
                    {item.name}
                    {item.countName === undefined || tallies[item.countName] === undefined ? null : (
                      <span class="tally" aria-hidden="true">
                        {formatCount(tallies[item.countName])}
                      </span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <SignedInPerson />
    </aside>
  );
}

function ProductMark() {
  return (
    <svg viewBox="0 0 18 18" aria-hidden="true">
      <rect x="1" y="1" width="16" height="16" rx="4" fill="var(--accent)" />
      <path d="M5 5.5h8M5 9h8M5 12.5h5" stroke="var(--on-solid)" stroke-width="1.6" />
    </svg>
  );
}

/** Name and role of the signed-in person, or a note that everyone may write if the server requires no token. */
function SignedInPerson() {
  const { reply: session } = useSession();
  if (session === undefined) return null;
  return (
    <div class="who">
      <div>
        <strong>{session.principal === "" ? "Not signed in" : session.principal}</strong>
        <span>{formatRoles(session)}</span>
      </div>
      {tokenStore.value() === "" ? null : (
        <button
          type="button"
          class="quiet square"
          aria-label="Sign out"
          title="Sign out"
          onClick={() => tokenStore.set("")}
        >
          <Icon name="signOut" />
        </button>
      )}
    </div>
  );
}

function formatRoles({ auth_required, roles }: Session): string {
  if (!auth_required) return "No token needed: everyone may write";
  return ["admin", "writer", "reader"].find((role) => roles.includes(role)) ?? "no role";
}
