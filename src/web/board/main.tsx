import { render } from "preact";
import { applyTheme } from "../shared/use_theme.ts";
import { storeKey } from "./api.ts";
import { App } from "./app.tsx";
import { boardStore, startBoard } from "./store.ts";

applyTheme();
storeKey();
const root = document.querySelector("#app");
if (root !== null) {
  const draw = () => render(<App />, root);
  draw();
  // Before the browser lays out a page for printing, every card must be drawn.
  const print = (isPrinting: boolean) => {
    boardStore.set({ isPrinting });
    draw();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  matchMedia("print").addEventListener("change", ({ matches }) => print(matches));
}
startBoard();
