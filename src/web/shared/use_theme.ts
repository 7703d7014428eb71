import { browserValues, Listeners, useCurrentValue } from "./browser.ts";

export type Theme = "light" | "dark";

const THEME_KEY = "planner-theme";
const darkSchemeQuery = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Listeners();

darkSchemeQuery.addEventListener("change", notifyThemeChange);

function getCurrentTheme(): Theme {
  const chosen = browserValues.get(THEME_KEY);
  if (chosen === "light" || chosen === "dark") return chosen;
  return darkSchemeQuery.matches ? "dark" : "light";
}

/** Sets the current theme on the page. Each page calls it before its first paint. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = getCurrentTheme();
}

export function chooseTheme(theme: Theme): void {
  browserValues.set(THEME_KEY, theme);
  notifyThemeChange();
}

function notifyThemeChange(): void {
  applyTheme();
  listeners.notify();
}

/** Returns the current theme and follows changes by the person or the system. */
export function useTheme(): Theme {
  return useCurrentValue(getCurrentTheme, listeners.subscribe);
}

/** Returns the format and theme in which the server draws pictures for the page. */
export function useRenderOptions(): { readonly format: string; readonly theme: string } {
  const theme = useTheme();
  return { format: "RENDER_FORMAT_SVG", theme: theme === "dark" ? "THEME_DARK" : "THEME_LIGHT" };
}
