import { useEffect, useState } from "preact/hooks";
import { browserValues } from "./kept_values.ts";

export type Theme = "light" | "dark";

const THEME_KEY = "planner-theme";
const darkSchemeQuery = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

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
  applyTheme();
  for (const listener of listeners) listener();
}

/** Returns the current theme and follows changes by the person or the system. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(getCurrentTheme);
  useEffect(() => {
    const updateTheme = () => {
      applyTheme();
      setTheme(getCurrentTheme());
    };
    listeners.add(updateTheme);
    // The theme may have changed between the first drawing and this effect.
    updateTheme();
    darkSchemeQuery.addEventListener("change", updateTheme);
    return () => {
      listeners.delete(updateTheme);
      darkSchemeQuery.removeEventListener("change", updateTheme);
    };
  }, []);
  return theme;
}

/** Returns the format and theme in which the server draws pictures for the page. */
export function useRenderOptions(): { readonly format: string; readonly theme: string } {
  const theme = useTheme();
  return { format: "RENDER_FORMAT_SVG", theme: theme === "dark" ? "THEME_DARK" : "THEME_LIGHT" };
}
