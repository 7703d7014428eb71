import type { InputHTMLAttributes } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FieldOption } from "./use_hits.ts";

interface ComboboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "list"> {
  readonly value: string;
  readonly options: readonly FieldOption[];
  readonly choose: (option: FieldOption) => void;
  /** Called for each typed letter, and for a key that opens the list. */
  readonly onType: (text: string) => void;
}

/**
 * A text field that lists matching options below it. Options are never chosen automatically: other text stays as typed.
 * Source: WAI-ARIA Authoring Practices, editable combobox with list autocomplete.
 */
export function Combobox({ value, options, choose, onType, onKeyDown, onBlur, ...input }: ComboboxProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  /** Index of the marked option; -1 for no option, -2 for the last one. */
  const [at, setAt] = useState(-1);
  const isSettled = options.length === 1 && options[0]?.name.toLowerCase() === value.trim().toLowerCase();
  const isShown = open && options.length > 0 && !isSettled && input.readOnly !== true;
  const marked = at === -2 ? options.length - 1 : Math.min(at, options.length - 1);
  const close = () => {
    setOpen(false);
    setAt(-1);
  };
  const chooseOption = (option: FieldOption) => {
    choose(option);
    close();
  };
  const openList = (first: number) => {
    setOpen(true);
    setAt(first);
    onType(value);
  };
  const keys: Readonly<Record<string, (() => void) | undefined>> = isShown
    ? {
        ArrowDown: () => setAt((marked + 1) % options.length),
        ArrowUp: () => setAt(marked <= 0 ? options.length - 1 : marked - 1),
        "Alt ArrowUp": close,
        Escape: close,
        Enter: options[marked] && (() => chooseOption(options[marked] as FieldOption)),
      }
    : { ArrowDown: () => openList(0), ArrowUp: () => openList(-2), "Alt ArrowDown": () => openList(-1) };
  return (
    <>
      <input
        autocomplete="off"
        spellcheck={false}
        {...input}
        ref={field}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? id : undefined}
        aria-activedescendant={isShown && marked >= 0 ? `${id}-${marked}` : undefined}
        value={value}
        onInput={({ currentTarget }) => {
          setOpen(true);
          setAt(-1);
          onType(currentTarget.value);
        }}
        onBlur={(event) => {
          close();
          onBlur?.(event);
        }}
        onKeyDown={(event) => {
          const act = event.ctrlKey || event.metaKey ? undefined : keys[`${event.altKey ? "Alt " : ""}${event.key}`];
          if (act === undefined || input.readOnly === true) return onKeyDown?.(event);
          event.preventDefault();
          // The key must not reach a dialog or form around the field.
          event.stopPropagation();
          act();
        }}
      />
      {isShown ? <OptionList id={id} field={field} options={options} marked={marked} take={chooseOption} /> : null}
    </>
  );
}

/** List of options over all other elements, below the field or, if there is more space, above it. */
function OptionList(props: {
  readonly id: string;
  readonly field: { readonly current: HTMLElement | null };
  readonly options: readonly FieldOption[];
  readonly marked: number;
  readonly take: (option: FieldOption) => void;
}) {
  const { id, field, options, marked, take } = props;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const ended = new AbortController();
    const positionOptions = () =>
      list.current !== null && field.current !== null && positionList(list.current, field.current);
    list.current?.showPopover();
    addEventListener("scroll", positionOptions, { capture: true, passive: true, signal: ended.signal });
    addEventListener("resize", positionOptions, { signal: ended.signal });
    return () => ended.abort();
  }, [field]);
  useLayoutEffect(() => {
    if (list.current !== null && field.current !== null) positionList(list.current, field.current);
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  return (
    <>
      <div ref={list} id={id} class="offered" popover="manual" role="listbox" aria-label="Matches">
        {options.map((option, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of the list
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the marked option
          <div
            key={option.value}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === marked}
            onPointerDown={(event) => event.preventDefault()}
            onClick={(event) => {
              // Prevents the label's click, which would open the list again.
              event.preventDefault();
              take(option);
            }}
          >
            <span class="palette-name">{option.name}</span> <span class="palette-detail">{option.note}</span>
          </div>
        ))}
      </div>
      <span class="sr-only" role="status">
        {options.length} {options.length === 1 ? "match" : "matches"}
      </span>
    </>
  );
}

/** Distance in pixels between a field and its list, and between the list and the window's edge. */
const LIST_GAP = 4;
const MAX_LIST_HEIGHT = 320;

/** Returns the lower edge of a field, or of the error message below it, which the list must not cover. */
function findLowestEdge(field: HTMLElement): number {
  const message = field.closest(".form-field, .field, td")?.querySelector(".form-problem, [role=alert]");
  return Math.max(field.getBoundingClientRect().bottom, message?.getBoundingClientRect().bottom ?? 0);
}

function positionList(list: HTMLElement, field: HTMLElement): void {
  const { left, top, width } = field.getBoundingClientRect();
  const bottom = findLowestEdge(field);
  const below = innerHeight - bottom - 2 * LIST_GAP;
  const above = top - 2 * LIST_GAP;
  const isBelow = below >= Math.min(MAX_LIST_HEIGHT, list.scrollHeight) || below >= above;
  const { style } = list;
  style.minWidth = `${Math.min(width, innerWidth - 2 * LIST_GAP)}px`;
  style.maxHeight = `${Math.min(MAX_LIST_HEIGHT, isBelow ? below : above)}px`;
  style.left = `${Math.max(LIST_GAP, Math.min(left, innerWidth - list.offsetWidth - LIST_GAP))}px`;
  style.top = isBelow ? `${bottom + LIST_GAP}px` : `${top - LIST_GAP - list.offsetHeight}px`;
}
