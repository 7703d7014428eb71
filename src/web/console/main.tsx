import { render } from "preact";
import { applyTheme } from "../shared/use_theme.ts";
import { App } from "./app.tsx";
import { startLive } from "./live/live.ts";
import { loadAhead } from "./on_demand.tsx";

/** The first page is answered before the others are loaded. */
const AHEAD_MS = 1000;

applyTheme();
startLive();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
addEventListener("load", () => setTimeout(loadAhead, AHEAD_MS));
