import { render } from "preact";
import { applyTheme } from "../shared/use_theme.ts";
import { App } from "./app.tsx";
import { startLive } from "./live/live.ts";

applyTheme();
startLive();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
