import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface PopoverProps {
  readonly label: ComponentChildren;
  readonly class?: string;
  /** Names the button for the keys that open it. */
  readonly name?: string;
  readonly children: ComponentChildren;
}

/** A choice at a place: a button that opens what is below it. Esc and a click elsewhere close it. */
export function Popover({ label, class: style = "", name, children }: PopoverProps) {
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
    addEventListener("pointerdown", outside, { signal: ended.signal });
    addEventListener("keydown", pressed, { signal: ended.signal });
    return () => ended.abort();
  }, [open]);
  return (
    <div class="popover" ref={whole}>
      <button
        ref={button}
        type="button"
        class={style}
        data-key={name}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open ? <div class="popover-body">{children}</div> : null}
    </div>
  );
}
