import { render } from "preact";
import { App } from "./app.tsx";
import { startLive } from "./live/live.ts";
import { applyTheme } from "./ui/use_theme.ts";

applyTheme();
startLive();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
