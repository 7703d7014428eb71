import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "#words/figures.ts";
import { useCloseOnBack } from "../shared/browser.ts";
import { Icon, StateMark } from "../shared/marks.tsx";
import { applyTheme, chooseTheme, useTheme } from "../shared/use_theme.ts";
import {
  type Session,
  shownWindow,
  tokenStore,
  useCall,
  useInventory,
  useSession,
  useShownWindow,
} from "./api/client.ts";
import { EditHost } from "./edit/dialogs.tsx";
import { getKeyLabel, isShortcutKey, SHORTCUTS, type ShortcutName } from "./keys.ts";
import { formatTimeOfDay } from "./labels.ts";
import { startFollowingChanges, useLiveState } from "./live/live.ts";
import { findNavigationItem, NAVIGATION, NAVIGATION_ITEMS, type NavigationItem } from "./navigation.ts";
import { getPageKey, Page } from "./pages.tsx";
import { copyPageUrl, Palette } from "./palette/palette.tsx";
import { formatPageUrl, type PageAddress, usePageAddress } from "./router.ts";
import { focusHeading, preloadModules, SignInDialog, useShownBreadcrumbs } from "./ui/page.tsx";

function App() {
  const place = usePageAddress();
  const [help, setHelp] = useState(false);
  const [searchText, setSearchText] = useState<string>();
  const [menu, setMenu] = useState(false);
  const main = useRef<HTMLElement>(null);
  const showHelp = () => setHelp(true);
  useGlobalShortcuts({ search: setSearchText, showHelp });
  useFocusOnNewPage(place, main);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the page closes the menu
  useEffect(() => setMenu(false), [place.page, place.subject]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <SideNavigation place={place} open={menu} />
      <div class="frame">
        <TopBar
          menuOpen={menu}
          toggleMenu={() => setMenu(!menu)}
          search={() => setSearchText("")}
          showHelp={showHelp}
        />
        <DuringWindowBanner />
        <main ref={main} tabIndex={-1} key={getPageKey(place)}>
          <Page place={place} />
        </main>
      </div>
      <Palette opened={searchText} close={() => setSearchText(undefined)} showHelp={showHelp} />
      <ShortcutDialog open={help} close={() => setHelp(false)} />
      <EditHost />
      <SignInDialog />
    </div>
  );
}

/** Moves the focus to the heading of a new page, for screen readers and sighted users. */
function useFocusOnNewPage({ page, subject }: PageAddress, main: { readonly current: HTMLElement | null }): void {
  const first = useRef(true);
  // A layout effect runs before the person can move the focus elsewhere.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the page or its subject opens a new page
  useLayoutEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    // If a filter field changed the page, the field keeps the focus.
    if (document.activeElement?.matches(".filters *") === true) return;
    focusHeading(main.current);
    scrollTo(0, 0);
  }, [page, subject]);
}

/** Delay in milliseconds before the console preloads modules, so that the first page's requests are sent first. */
const PRELOAD_DELAY_MS = 1000;

applyTheme();
startFollowingChanges();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
addEventListener("load", () => setTimeout(preloadModules, PRELOAD_DELAY_MS));

/** Matches pages that cannot show the state during a maintenance window. */
const CURRENT_STATE_PAGES = /^(?:trace|fabric|window|windows|history|readings|notices|import)$/;

/** Banner on every page while the inventory is shown as in a window, until the person returns or the window ends. */
function DuringWindowBanner() {
  const code = useShownWindow();
  const { page } = usePageAddress();
  const request = code === "" ? undefined : { code, max_items: 1 };
  const { reply, error } = useCall("datacenter.v1.PlanningService/GetWindow", request);
  const isOver = error?.code === "not_found" || (reply?.window.code === code && reply.judgement === undefined);
  useEffect(() => {
    if (isOver) shownWindow.set("");
  }, [isOver]);
  if (code === "") return null;
  return (
    <p class="notice during" role="status">
      <span>
        {CURRENT_STATE_PAGES.test(page) ? "This page shows the inventory as it is now. Others are shown" : "Shown"} as
        during window <a href={formatPageUrl("window", code)}>{code}</a>: floors, racks, devices, lists, capacity,
        cooling, failures and placement.
      </span>
      <button type="button" onClick={() => shownWindow.set("")}>
        Back to now
      </button>
    </p>
  );
}

/** Side navigation and the signed-in person. In a narrow window, it covers the page while it is open. */
function SideNavigation({ place, open }: { readonly place: PageAddress; readonly open: boolean }) {
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

interface ShortcutActions {
  readonly search: (text: string) => void;
  readonly showHelp: () => void;
}

/** Handles the shortcuts of every page. In a field or a dialog, only Ctrl+K works. */
function useGlobalShortcuts(actions: ShortcutActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  // A layout effect, so that shortcuts work as soon as the page is visible.
  useLayoutEffect(() => {
    // The key after `G` completes a pair, however late it is pressed.
    let isPaired = false;
    const handleShortcut = (event: KeyboardEvent): boolean => {
      const isSecond = isPaired;
      isPaired = !isSecond && isShortcutKey(event, "go");
      return isSecond ? openPageByLetter(event.key) : runShortcut(event, latest.current);
    };
    const handleKeyDown = (event: KeyboardEvent) => {
      if (isSearchKey(event)) latest.current.search("");
      else if (isKeyHandledElsewhere(event) || !handleShortcut(event)) return;
      event.preventDefault();
    };
    addEventListener("keydown", handleKeyDown);
    return () => removeEventListener("keydown", handleKeyDown);
  }, []);
}

function isSearchKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey;
}

/** Whether a field, a dialog or the browser handles the key. Also leaves a field on Esc. */
function isKeyHandledElsewhere({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  const isField = element.matches?.("input:not([type=checkbox]), textarea, select") === true;
  if (key === "Escape" && isField) element.blur();
  return isField || ctrlKey || metaKey || altKey || (element.closest?.("dialog") ?? null) !== null;
}

function openPageByLetter(letter: string): boolean {
  const item = NAVIGATION_ITEMS.find(({ key }) => key === letter.toUpperCase());
  if (item === undefined) return false;
  location.hash = formatPageUrl(item.page);
  return true;
}

/** Handlers of the shortcuts of every page. A handler returns false if it did nothing. */
const SHORTCUT_HANDLERS: Readonly<Partial<Record<ShortcutName, (actions: ShortcutActions) => unknown>>> = {
  help: ({ showHelp }) => showHelp(),
  search: ({ search }) => search(""),
  actions: ({ search }) => search(">"),
  share: () => void copyPageUrl(),
  next: () => moveRowFocus(1),
  previous: () => moveRowFocus(-1),
  filter: () => focusElement("[data-key=filter]"),
  select: () => toggleRowSelection(),
};

function runShortcut(event: KeyboardEvent, actions: ShortcutActions): boolean {
  const found = Object.entries(SHORTCUT_HANDLERS).find(([name]) => isShortcutKey(event, name as ShortcutName));
  return found !== undefined && found[1](actions) !== false;
}

/** Selector of table rows, and of items in the lists of causes and changes. */
const ROW_SELECTOR = "main tbody tr, main .causes > li, main .last-changes > li";
/** Selector of the elements in a row that can be activated. */
const ROW_LINK_SELECTOR = "a, button, summary";

/** Moves the focus by `step` rows, or to the page's first row if no row has it. Returns false without a target row. */
function moveRowFocus(step: number): boolean {
  const row = document.activeElement?.closest(ROW_SELECTOR);
  const rows = [...document.querySelectorAll<HTMLElement>(ROW_SELECTOR)].filter(
    (one) => one.querySelector(ROW_LINK_SELECTOR) !== null,
  );
  const next = row === null || row === undefined ? rows[0] : rows[rows.indexOf(row as HTMLElement) + step];
  const link = next?.querySelector<HTMLElement>(ROW_LINK_SELECTOR);
  link?.focus();
  return link !== null && link !== undefined;
}

/** Toggles the selection of the focused row. Returns false if the row has no checkbox. */
function toggleRowSelection(): boolean {
  const box = document.activeElement?.closest("main tbody tr")?.querySelector<HTMLElement>("input[type=checkbox]");
  box?.click();
  return box !== null && box !== undefined;
}

function focusElement(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(`main ${selector}`);
  found?.focus();
  return found !== null;
}

interface TopBarProps {
  readonly menuOpen: boolean;
  readonly toggleMenu: () => void;
  readonly search: () => void;
  readonly showHelp: () => void;
}

/** Top bar with the path to the page, the search, and actions for every page. */
function TopBar({ menuOpen, toggleMenu, search, showHelp }: TopBarProps) {
  const theme = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <header class="top">
      <button
        type="button"
        class="menu quiet square"
        aria-label="Menu"
        aria-expanded={menuOpen}
        aria-controls="side"
        onClick={toggleMenu}
      >
        <Icon name={menuOpen ? "close" : "menu"} />
      </button>
      <Breadcrumbs />
      <LiveIndicator />
      <button type="button" class="find" onClick={search} aria-label="Search" aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span>Search or jump to</span>
        <kbd>Ctrl K</kbd>
      </button>
      <button
        type="button"
        class="quiet share"
        title={`Copy the address of this page (${getKeyLabel("share")})`}
        onClick={() => void copyPageUrl()}
      >
        <Icon name="link" />
        Share
      </button>
      <button
        type="button"
        class="quiet square"
        onClick={() => chooseTheme(other)}
        aria-label={`Change to ${other} colours`}
      >
        <Icon name={other} />
      </button>
      <button type="button" class="quiet square" onClick={showHelp} aria-label="Keys">
        <Icon name="help" />
      </button>
    </header>
  );
}

function Breadcrumbs() {
  const trail = useShownBreadcrumbs();
  return (
    <nav class="crumbs" aria-label="Where you are">
      <ol>
        {trail.map(({ name, href }, index) => (
          <li key={`${name} ${href}`}>
            {href === undefined || index === trail.length - 1 ? (
              <span aria-current={index === trail.length - 1 ? "page" : undefined}>{name}</span>
            ) : (
              <a href={href}>{name}</a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Shows whether the figures on the screen follow the inventory and, if not, the time of the figures. */
function LiveIndicator() {
  const state = useLiveState();
  return (
    <p class={`live ${state.kind}`} role="status">
      {state.kind === "live" ? (
        <span title="Changes by others appear by themselves">
          <span class="dot" aria-hidden="true" />
          Live
        </span>
      ) : null}
      {state.kind === "stale" ? (
        <span title={state.why}>
          <StateMark state="watch" />
          The figures are from {formatTimeOfDay(state.asOf)}
        </span>
      ) : null}
    </p>
  );
}

const PAGE_KEYS = NAVIGATION_ITEMS.flatMap(({ key, name }) => (key === undefined ? [] : `${key} ${name}`));

/** Dialog with every keyboard shortcut of the console, grouped by the place where it works. */
function ShortcutDialog({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useCloseOnBack(open, close);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="key-sheet" onClose={close} aria-labelledby="help-title">
      <header>
        <h2 id="help-title">Keys</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      <div>
        {/* A closed dialog has no content, because its groups have the same names as fields of the page. */}
        {(open ? Object.entries(SHORTCUTS) : []).map(([group, keys]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl class="keys">
              {Object.entries(keys).map(([name, { shown, does }]) => (
                <div key={name}>
                  <dt>
                    <kbd>{shown}</kbd>
                  </dt>
                  <dd>
                    {does}
                    {name === "go" ? `: ${PAGE_KEYS.join(", ")}` : ""}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
