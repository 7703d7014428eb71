import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface PopoverProps {
  readonly label: ComponentChildren;
  readonly class?: string;
  /** Value of the button's `data-key`, by which shortcuts find it. */
  readonly name?: string;
  /** Accessible description of the button, if its label is only an icon. */
  readonly title?: string;
  /** Whether the popover contains actions, which close it. */
  readonly menu?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a panel below it. Esc and a click outside close the panel. */
export function Popover({ label, class: style = "", name, title, menu = false, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const ended = new AbortController();
    const closeOnOutsideClick = ({ target }: Event) =>
      container.current?.contains(target as Node) === false && setOpen(false);
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    const closeAfterAction = ({ target }: Event) =>
      menu && (target as Element).closest(".actions-menu") !== null && setOpen(false);
    addEventListener("click", closeAfterAction, { signal: ended.signal });
    addEventListener("pointerdown", closeOnOutsideClick, { signal: ended.signal });
    addEventListener("keydown", closeOnEscape, { signal: ended.signal });
    return () => ended.abort();
  }, [open, menu]);
  return (
    <div class="popover" ref={container}>
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
