import { kindNoun } from "#words/names.ts";
import { token } from "../api/token.ts";
import { useMayWrite } from "../edit/edit_buttons.tsx";
import { editing } from "../edit/editing.ts";
import { KINDS } from "../edit/form_model.ts";
import { NAVIGATION_ITEMS } from "../navigation.ts";
import { linkTo } from "../router.ts";
import { chooseTheme, useTheme } from "../ui/use_theme.ts";
import type { PaletteOption } from "./options.ts";

/** What can be done from everywhere: go to a page, create something, change the colours, see the keys, sign out. */
export function useActions(showHelp: () => void): readonly PaletteOption[] {
  const other = useTheme() === "dark" ? "light" : "dark";
  const pages: readonly PaletteOption[] = NAVIGATION_ITEMS.map(({ page, name, icon, key }) => ({
    id: `go-${page}`,
    icon,
    name: `Go to ${name}`,
    detail: key === undefined ? "" : `G ${key}`,
    run: () => {
      location.hash = linkTo(page);
    },
  }));
  const created: readonly PaletteOption[] = (useMayWrite() ? KINDS : []).map((kind) => ({
    id: `new-${kind}`,
    icon: "edit",
    name: `New ${kindNoun(kind)}`,
    detail: "",
    run: () => editing.open({ mode: "create", kind, values: {} }),
  }));
  const others: readonly PaletteOption[] = [
    ...created,
    { id: "theme", icon: other, name: `Change to ${other} colours`, detail: "", run: () => chooseTheme(other) },
    { id: "help", icon: "help", name: "Show the keys", detail: "?", run: showHelp },
  ];
  if (token.value() === "") return [...pages, ...others];
  return [
    ...pages,
    ...others,
    { id: "sign-out", icon: "signOut", name: "Sign out", detail: "", run: () => token.set("") },
  ];
}

/** The actions whose names contain every word. */
export function actionsFor(actions: readonly PaletteOption[], text: string): readonly PaletteOption[] {
  const words = text.toLowerCase().split(/\s+/);
  return actions.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
