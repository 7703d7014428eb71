import { render } from "preact";
import { applyTheme } from "../shared/use_theme.ts";
import { takeKey } from "./api.ts";
import { App } from "./app.tsx";
import { startBoard, store } from "./store.ts";

applyTheme();
takeKey();
const root = document.querySelector("#app");
if (root !== null) {
  const draw = () => render(<App />, root);
  draw();
  // On paper every card is drawn, before the browser lays out the page.
  const print = (isPrinting: boolean) => {
    store.set({ isPrinting });
    draw();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  matchMedia("print").addEventListener("change", ({ matches }) => print(matches));
}
startBoard();
