import { useEffect, useState } from "preact/hooks";
import { Icon } from "../../shared/icon.tsx";
import { StateMark } from "../../shared/state.tsx";
import { chooseTheme, useTheme } from "../../shared/use_theme.ts";
import { formatTimeOfDay } from "../labels.ts";
import { liveState, onLiveState } from "../live/live.ts";
import { useShownTrail } from "../ui/trail.ts";
import { keyShown } from "./keys.ts";
import { shareAddress } from "./share.ts";

interface TopBarProps {
  readonly menuOpen: boolean;
  readonly toggleMenu: () => void;
  readonly search: () => void;
  readonly showHelp: () => void;
}

/** Where one is, the search, and what concerns every page. */
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
      <Crumbs />
      <LiveMark />
      <button type="button" class="find" onClick={search} aria-label="Search" aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span>Search or jump to</span>
        <kbd>Ctrl K</kbd>
      </button>
      <button
        type="button"
        class="quiet share"
        title={`Copy the address of this page (${keyShown("share")})`}
        onClick={() => void shareAddress()}
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

function Crumbs() {
  const trail = useShownTrail();
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

/** Says whether the figures on the screen follow the inventory, and from when they are otherwise. */
function LiveMark() {
  const [state, setState] = useState(liveState());
  useEffect(() => {
    const follow = () => setState(liveState());
    // It may have changed between the first drawing and now.
    follow();
    return onLiveState(follow);
  }, []);
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
