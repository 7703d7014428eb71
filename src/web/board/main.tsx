import { render } from "preact";
import { applyTheme } from "../shared/use_theme.ts";
import { storeKeyFromUrl } from "./api.ts";
import { App } from "./app.tsx";
import { boardStore, followBoard } from "./store.ts";

applyTheme();
storeKeyFromUrl();
const root = document.querySelector("#app");
if (root !== null) {
  const draw = () => render(<App />, root);
  draw();
  // Before the browser lays out a page for printing, every card must be drawn.
  const setPrinting = (isPrinting: boolean) => {
    boardStore.set({ isPrinting });
    draw();
  };
  addEventListener("beforeprint", () => setPrinting(true));
  addEventListener("afterprint", () => setPrinting(false));
  matchMedia("print").addEventListener("change", ({ matches }) => setPrinting(matches));
}
followBoard();
