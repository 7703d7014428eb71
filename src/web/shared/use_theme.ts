import { useEffect, useState } from "preact/hooks";
import { keptValues } from "./kept_values.ts";

export type Theme = "light" | "dark";

const KEY = "planner-theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function current(): Theme {
  const chosen = keptValues.get(KEY);
  if (chosen === "light" || chosen === "dark") return chosen;
  return systemDark.matches ? "dark" : "light";
}

/** Marks the page with the theme; called once before the first paint. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = current();
}

export function chooseTheme(theme: Theme): void {
  keptValues.set(KEY, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

/** The theme now, followed as the person or the system changes it. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(current);
  useEffect(() => {
    const follow = () => {
      applyTheme();
      setTheme(current());
    };
    listeners.add(follow);
    // It may have changed between the first drawing and now.
    follow();
    systemDark.addEventListener("change", follow);
    return () => {
      listeners.delete(follow);
      systemDark.removeEventListener("change", follow);
    };
  }, []);
  return theme;
}

/** How the server shall draw, so that its pictures suit the page. */
export function useRender(): { readonly format: string; readonly theme: string } {
  const theme = useTheme();
  return { format: "RENDER_FORMAT_SVG", theme: theme === "dark" ? "THEME_DARK" : "THEME_LIGHT" };
}
