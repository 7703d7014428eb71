import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface PopoverProps {
  readonly label: ComponentChildren;
  readonly class?: string;
  /** Names the button for the keys that open it. */
  readonly name?: string;
  /** What the button does, if its label is a sign alone. */
  readonly title?: string;
  /** Whether it holds actions, which close it. */
  readonly menu?: boolean;
  readonly children: ComponentChildren;
}

/** A choice at a place: a button that opens what is below it. Esc and a click elsewhere close it. */
export function Popover({ label, class: style = "", name, title, menu = false, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const ended = new AbortController();
    const outside = ({ target }: Event) => whole.current?.contains(target as Node) === false && setOpen(false);
    const pressed = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    const taken = ({ target }: Event) =>
      menu && (target as Element).closest(".actions-menu") !== null && setOpen(false);
    addEventListener("click", taken, { signal: ended.signal });
    addEventListener("pointerdown", outside, { signal: ended.signal });
    addEventListener("keydown", pressed, { signal: ended.signal });
    return () => ended.abort();
  }, [open, menu]);
  return (
    <div class="popover" ref={whole}>
      <button
        ref={button}
        type="button"
        class={style}
        data-key={name}
        aria-label={title}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open ? <div class={menu ? "popover-body actions-menu" : "popover-body"}>{children}</div> : null}
    </div>
  );
}
