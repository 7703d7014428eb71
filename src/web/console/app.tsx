import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { EditHost } from "./edit/edit_host.tsx";
import { getPageKey, Page } from "./pages.tsx";
import { Palette } from "./palette/palette.tsx";
import { type PageAddress, usePageAddress } from "./router.ts";
import { DuringWindowBanner } from "./shell/during_window.tsx";
import { ShortcutDialog } from "./shell/key_sheet.tsx";
import { useGlobalShortcuts } from "./shell/shortcuts.ts";
import { SideNavigation } from "./shell/side.tsx";
import { TopBar } from "./shell/top_bar.tsx";
import { focusHeading } from "./ui/page.tsx";
import { SignInDialog } from "./ui/sign_in.tsx";

export function App() {
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
