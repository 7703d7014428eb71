import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { getFieldWords, type RequestField } from "../pages/request_fields.ts";
import { changeSettings } from "../router.ts";
import { createFieldOptions, type FieldOption, formatShownRef, parseTypedRef, useSearchHits } from "./use_hits.ts";

let isPointerPressed = false;

addEventListener("pointerdown", () => (isPointerPressed = true), { capture: true });
for (const end of ["pointerup", "pointercancel"])
  addEventListener(end, () => (isPointerPressed = false), { capture: true });

/**
 * Runs `act` now or, while a pointer button is pressed, when the button is released. A press outside a field leaves the
 * field. If the field's change were drawn before the release, the element below the pointer could move and would miss
 * its click.
 */
function runAfterPress(act: () => void): void {
  if (!isPointerPressed) {
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

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** A text field that applies its value on Enter or when it is left; `placeholder` shows the expected format. */
export function TextField({
  label,
  value,
  change,
  placeholder = "",
  offered,
}: FieldProps & {
  readonly placeholder?: string;
  /** Options that can be chosen instead of typing; a choice applies at once. */
  readonly offered?: {
    readonly options: readonly FieldOption[];
    readonly typed: (text: string) => void;
    readonly choose: (value: string) => void;
  };
}) {
  const id = useId();
  const [text, setText] = useState(value);
  // A layout effect: a later effect could restore the old text after the field was left.
  useLayoutEffect(() => setText(value), [value]);
  // A browser blurs a field that is removed with its page; its text must not change the URL then.
  const isRemoved = useRef(false);
  useLayoutEffect(
    () => () => {
      isRemoved.current = true;
    },
    [],
  );
  const applyText = () => {
    if (!isRemoved.current && text.trim() !== value) change(text.trim());
  };
  const common = {
    id,
    value: text,
    placeholder,
    onBlur: () => runAfterPress(applyText),
    onKeyDown: ({ key }: KeyboardEvent) => key === "Enter" && applyText(),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {offered === undefined ? (
        <input
          {...common}
          type="text"
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      ) : (
        <Combobox
          {...common}
          options={offered.options}
          onType={(next) => {
            setText(next);
            offered.typed(next);
          }}
          choose={(option) => {
            setText(option.name);
            offered.choose(option.value);
          }}
        />
      )}
    </div>
  );
}

/** A field for a day in the form `YYYY-MM-DD`. */
export function DateField({ label, value, change }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="date" value={value} onChange={({ currentTarget }) => change(currentTarget.value)} />
    </label>
  );
}

/** Renders the options of a select element. */
export function renderOptions(choices: readonly (readonly [value: string, word: string])[]) {
  return choices.map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));
}

export function ChoiceField({
  label,
  value,
  change,
  choices,
}: FieldProps & {
  readonly choices: readonly (readonly [value: string, word: string])[];
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {renderOptions(choices)}
      </select>
    </label>
  );
}

export function SwitchField(props: {
  readonly label: string;
  readonly on: boolean;
  readonly change: (on: boolean) => void;
}) {
  const { label, on, change } = props;
  return (
    <label class="switch">
      <input type="checkbox" checked={on} onChange={({ currentTarget }) => change(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

export function FilterRow({ children }: { readonly children: ComponentChildren }) {
  return <div class="filters">{children}</div>;
}

/** A choice between a few options, of which one is always chosen; arrow keys change it. */
export function SegmentedChoice(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly change: (value: string) => void;
}) {
  const { label, value, choices, change } = props;
  return (
    <fieldset class="segments">
      <legend class="sr-only">{label}</legend>
      {choices.map(([one, name]) => (
        <label key={one}>
          <input type="radio" name={label} class="sr-only" checked={one === value} onChange={() => change(one)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface RefFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
  /** Kinds of elements that the field accepts, such as RACK. */
  readonly kinds: readonly string[];
}

/**
 * A field for references, separated by spaces, that offers matches while the person types. It shows codes, with their
 * kind if a code names several elements; `change` receives references, and codes that were typed but not chosen.
 */
export function RefField({ kinds, value, change, ...field }: RefFieldProps) {
  const [text, setText] = useState<string>();
  const refs = value.split(" ");
  const words = (text ?? refs.map(getRefName).join(" ")).split(/ +/);
  const hits = useSearchHits(words.at(-1) ?? "", kinds);
  const shown = refs.map((ref) => formatShownRef(ref, hits));
  const findRef = (word: string) => refs[shown.indexOf(word)] ?? parseTypedRef(word);
  const before = words.slice(0, -1);
  return (
    <TextField
      {...field}
      value={shown.join(" ")}
      change={(typed) => change(typed.split(/ +/).map(findRef).join(" "))}
      offered={{
        options: createFieldOptions(hits).map((option) => ({ ...option, name: [...before, option.name].join(" ") })),
        typed: setText,
        choose: (ref) => {
          setText(undefined);
          change([...before.map(findRef), ref].join(" "));
        },
      }}
    />
  );
}

/**
 * Renders inputs of fields by their types. Default values are not stored in the URL.
 * @param also further settings that each change sets
 */
export function renderFieldInputs(
  rows: readonly RequestField[],
  settings: URLSearchParams,
  also: Readonly<Record<string, string>> = {},
) {
  return rows.map((row) =>
    renderFieldInput(row, settings.get(row.setting) ?? "", (text) => changeSettings({ [row.setting]: text, ...also })),
  );
}

function renderFieldInput(row: RequestField, value: string, change: (text: string) => void) {
  const { setting, label, placeholder, kinds, asked, isOnByDefault = false } = row;
  const props = { key: setting, label, value, change };
  if (kinds !== undefined) return <RefField kinds={kinds} placeholder={placeholder} {...props} />;
  const words = getFieldWords(row);
  if (words === undefined) return <TextField placeholder={placeholder} {...props} />;
  if (asked.type === "choice")
    return <ChoiceField choices={[["", placeholder], ...Object.entries(words)]} {...props} />;
  const set = (on: boolean) => change(on === isOnByDefault ? "" : on ? "1" : "0");
  return <SwitchField key={setting} label={label} on={value === "" ? isOnByDefault : value === "1"} change={set} />;
}

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
