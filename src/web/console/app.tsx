import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Header } from "./header.tsx";
import { HelpDialog } from "./help.tsx";
import { Device } from "./pages/device.tsx";
import { Fabric } from "./pages/fabric.tsx";
import { Floor } from "./pages/floor.tsx";
import { History } from "./pages/history.tsx";
import { Import } from "./pages/import.tsx";
import { Overview } from "./pages/overview.tsx";
import { Power } from "./pages/power.tsx";
import { Rack } from "./pages/rack.tsx";
import { Search } from "./pages/search.tsx";
import { Thermal } from "./pages/thermal.tsx";
import { Trace } from "./pages/trace.tsx";
import { linkTo, type Place, usePlace } from "./router.ts";
import { PageHead } from "./ui/page.tsx";
import { Empty } from "./ui/parts.tsx";

/** Pages whose fields say what they are about: these fields stay while it changes. */
const ASKING: ReadonlySet<string> = new Set(["power", "thermal", "trace", "search"]);

export function App() {
  const place = usePlace();
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useShortcuts(() => setHelp(true));
  useFocusOnNewPage(place, main);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <Header place={place} showHelp={() => setHelp(true)} />
      <main ref={main} tabIndex={-1} key={ASKING.has(place.page) ? place.page : `${place.page} ${place.subject}`}>
        <Page place={place} />
      </main>
      <HelpDialog open={help} close={() => setHelp(false)} />
    </>
  );
}

function Page({ place }: { readonly place: Place }) {
  switch (place.page) {
    case "overview":
      return <Overview />;
    case "floor":
      return <Floor place={place} />;
    case "rack":
      return <Rack place={place} />;
    case "device":
      return <Device place={place} />;
    case "power":
      return <Power place={place} />;
    case "trace":
      return <Trace place={place} />;
    case "thermal":
      return <Thermal place={place} />;
    case "fabric":
      return <Fabric place={place} />;
    case "search":
      return <Search place={place} />;
    case "history":
      return <History place={place} />;
    case "import":
      return <Import />;
    default:
      return (
        <>
          <PageHead title="There is no such page" />
          <Empty>
            Go to the <a href={linkTo("overview")}>overview</a>.
          </Empty>
        </>
      );
  }
}

/** Keys that work everywhere but in a field. */
function useShortcuts(showHelp: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const inField = (event.target as Element).matches?.("input, textarea, select");
      if (event.key === "Escape" && inField) (event.target as HTMLElement).blur();
      if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") showHelp();
      else if (event.key === "/") document.querySelector<HTMLElement>("#find")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [showHelp]);
}

/** A new page begins at its heading, for readers of the screen as for the eye. */
function useFocusOnNewPage({ page, subject }: Place, main: { readonly current: HTMLElement | null }): void {
  const first = useRef(true);
  // With the drawing itself: a moment later the person may have moved on, and would be brought back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page and its subject are what makes a page new
  useLayoutEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    // Whoever asks by a field stays in it.
    if (document.activeElement?.matches("#find, .filters *") === true) return;
    main.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [page, subject]);
}
