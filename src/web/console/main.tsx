import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme } from "./ui/use_theme.ts";

applyTheme();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
