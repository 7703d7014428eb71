import { linkTo, type Place } from "./router.ts";
import { firstFound } from "./ui/first_found.ts";
import { chooseTheme, useTheme } from "./ui/use_theme.ts";

const NAVIGATION = [
  ["overview", "Overview"],
  ["search", "Devices"],
  ["power", "Power"],
  ["trace", "Cables"],
  ["thermal", "Cooling"],
  ["fabric", "Fabric"],
  ["history", "History"],
  ["import", "Import"],
] as const;

export function Header({ place, showHelp }: { readonly place: Place; readonly showHelp: () => void }) {
  const theme = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <header class="top">
      <a class="brand" href={linkTo("overview")}>
        planner
      </a>
      <nav aria-label="Pages">
        {NAVIGATION.map(([page, name]) => (
          <a key={page} href={linkTo(page)} aria-current={place.page === page ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <Find place={place} />
      <button type="button" onClick={() => chooseTheme(other)} aria-label={`Change to ${other} colours`}>
        {theme === "dark" ? "☀" : "☾"}
      </button>
      <button type="button" onClick={showHelp} aria-label="Keys">
        ?
      </button>
    </header>
  );
}

/** Finds devices while one types, on the page of devices. */
function Find({ place }: { readonly place: Place }) {
  const searching = place.page === "search";
  const look = (text: string) => {
    firstFound.forget();
    const settings = searching ? Object.fromEntries(place.settings) : {};
    const target = linkTo("search", "", { ...settings, q: text });
    if (!searching) {
      location.hash = target;
      return;
    }
    history.replaceState(null, "", target);
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  return (
    <search>
      <input
        id="find"
        type="search"
        placeholder="Find a device  ( / )"
        aria-label="Find a device"
        autocomplete="off"
        spellcheck={false}
        value={searching ? (place.settings.get("q") ?? "") : ""}
        onInput={({ currentTarget }) => look(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "ArrowDown") return;
          event.preventDefault();
          if (!searching) look(event.currentTarget.value);
          firstFound.want();
        }}
      />
    </search>
  );
}
