import { render } from "preact";
import { applyTheme } from "../shared/use_theme.ts";
import { App } from "./app.tsx";
import { startFollowingChanges } from "./live/live.ts";
import { preloadModules } from "./on_demand.tsx";

/** Delay in milliseconds before the console preloads modules, so that the first page's requests are sent first. */
const PRELOAD_DELAY_MS = 1000;

applyTheme();
startFollowingChanges();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
addEventListener("load", () => setTimeout(preloadModules, PRELOAD_DELAY_MS));
