let pressed = false;

addEventListener("pointerdown", () => (pressed = true), { capture: true });
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (pressed = false), { capture: true });

/**
 * Runs `act` now, or when the pointer's button that is down comes up. A field is left as the button goes down: what
 * that changes would be drawn before the button comes up, and what stood below the pointer would miss its click.
 */
export function afterPress(act: () => void): void {
  if (!pressed) {
    act();
    return;
  }
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    act();
  };
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end, { signal: ended.signal });
}
