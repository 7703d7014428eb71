import { Icon } from "../../shared/icon.tsx";
import { StateMark } from "../../shared/state.tsx";
import { chooseTheme, useTheme } from "../../shared/use_theme.ts";
import { formatTimeOfDay } from "../labels.ts";
import { useLiveState } from "../live/live.ts";
import { useShownBreadcrumbs } from "../ui/trail.ts";
import { getKeyLabel } from "./keys.ts";
import { copyPageUrl } from "./share.ts";

interface TopBarProps {
  readonly menuOpen: boolean;
  readonly toggleMenu: () => void;
  readonly search: () => void;
  readonly showHelp: () => void;
}

/** Top bar with the path to the page, the search, and actions for every page. */
export function TopBar({ menuOpen, toggleMenu, search, showHelp }: TopBarProps) {
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
