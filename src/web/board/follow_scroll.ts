/** Calls `look` now, and whenever the element is scrolled or resized. Returns a function that stops these calls. */
export function addScrollListener(element: HTMLElement, listener: () => void): () => void {
  listener();
  const resized = new ResizeObserver(listener);
  resized.observe(element);
  element.addEventListener("scroll", listener, { passive: true });
  return () => {
    resized.disconnect();
    element.removeEventListener("scroll", listener);
  };
}
