import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InventoryHits } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { getKindNoun } from "#words/names.ts";
import { useCloseOnBack } from "../../shared/browser.ts";
import { Icon, type IconName } from "../../shared/marks.tsx";
import { chooseTheme, useTheme } from "../../shared/use_theme.ts";
import { tokenStore, useCall } from "../api/client.ts";
import { useCanWrite } from "../edit/changes_panel.tsx";
import { EDITABLE_KINDS, editStore } from "../edit/form_model.ts";
import { getKeyLabel } from "../keys.ts";
import { findListKindByName } from "../lists/list_kinds.ts";
import { NAVIGATION_ITEMS } from "../navigation.ts";
import { findRefUrl, formatPageUrl } from "../router.ts";
import { useDelayedValue } from "../ui/use_hits.ts";

interface PaletteProps {
  /** Initial text of the field; undefined while the palette is closed. */
  readonly opened: string | undefined;
  readonly close: () => void;
  readonly showHelp: () => void;
}

/** Search dialog for all elements by name, and for all actions. */
export function Palette({ opened, close, showHelp }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useCloseOnBack(opened !== undefined, close);
  useEffect(() => {
    if (opened !== undefined) dialog.current?.showModal();
    else dialog.current?.close();
  }, [opened]);
  // A click outside the dialog closes it, as Esc does.
  useEffect(() => {
    const shown = dialog.current;
    const closeOnBackdropClick = ({ target }: Event) => target === shown && shown?.close();
    shown?.addEventListener("click", closeOnBackdropClick);
    return () => shown?.removeEventListener("click", closeOnBackdropClick);
  }, []);
  return (
    <dialog ref={dialog} class="palette" aria-label="Search" onClose={close}>
      {opened === undefined ? null : <PaletteSearch initialText={opened} close={close} showHelp={showHelp} />}
    </dialog>
  );
}

function PaletteSearch(props: { initialText: string; close: () => void; showHelp: () => void }) {
  const { initialText, close, showHelp } = props;
  const [text, setText] = useState(initialText);
  const [chosen, setChosen] = useState(0);
  const [isOpening, setOpening] = useState(false);
  const [only, setOnly] = useState("");
  const { groups, kinds, hint, loading } = usePaletteGroups(text, only, showHelp);
  const options = groups.flatMap((group) => group.options);
  const marked = options[Math.min(chosen, options.length - 1)];
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  useLayoutEffect(() => {
    document.getElementById(getOptionId(marked))?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  const runOption = (option: PaletteOption | undefined) => {
    if (option === undefined) return;
    close();
    option.run();
  };
  // Enter opens a result only after the reply to the whole text has arrived.
  useEffect(() => {
    if (!isOpening || loading) return;
    setOpening(false);
    runOption(marked);
  });
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(Math.max(0, Math.min(options.length - 1, chosen + step)));
    else if (event.key === "Enter" && event.ctrlKey && marked?.href !== undefined) open(marked.href);
    else if (event.key === "Enter") setOpening(true);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div class="palette-field">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={getOptionId(marked)}
          placeholder="Code, name, serial, place; > for actions"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setOnly("");
            setOpening(false);
            setChosen(0);
          }}
          onKeyDown={handleKey}
        />
        <kbd>Esc</kbd>
      </div>
      <KindFilters kinds={kinds} only={only} choose={setOnly} />
      {hint === "" ? null : (
        <p class="palette-hint" role="status">
          {hint}
        </p>
      )}
      <div class="palette-list" id="palette-list" role="listbox" aria-label="Found">
        {groups.map((group) => (
          <OptionGroup key={group.name} group={group} marked={marked} run={runOption} />
        ))}
      </div>
      <p class="palette-foot">
        <kbd>↑</kbd> <kbd>↓</kbd> move <kbd>Enter</kbd> open <kbd>Ctrl Enter</kbd> new tab <kbd>&gt;</kbd> actions only
      </p>
    </>
  );
}

function OptionGroup(props: {
  readonly group: PaletteGroup;
  readonly marked: PaletteOption | undefined;
  readonly run: (option: PaletteOption) => void;
}) {
  const { group, marked, run } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML has no element for groups of a list box
    <div role="group" aria-label={group.name}>
      <p aria-hidden="true">{group.name}</p>
      {group.options.map((option) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of the list
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the marked option
        <div
          key={option.id}
          id={getOptionId(option)}
          role="option"
          aria-selected={option === marked}
          onClick={() => run(option)}
        >
          <Icon name={option.icon} />
          <span class="palette-name">{option.name}</span>
          <span class="palette-detail">{option.detail}</span>
        </div>
      ))}
      {group.more === undefined || group.more === 0 ? null : <p>{group.more} more; add a word to narrow</p>}
    </div>
  );
}

function getOptionId(option: PaletteOption | undefined): string {
  return option === undefined ? "" : `option-${option.id.replaceAll(/[^\w-]/g, "_")}`;
}

/** Filters for the kinds of elements that were found. */
function KindFilters(props: {
  readonly kinds: readonly FoundKind[];
  readonly only: string;
  readonly choose: (kind: string) => void;
}) {
  const { kinds, only, choose } = props;
  if (kinds.length < 2) return null;
  return (
    <fieldset class="chip-row">
      <legend class="sr-only">Kinds</legend>
      {kinds.map(({ kind, name, total }) => (
        <button
          key={kind}
          type="button"
          class="chip"
          aria-pressed={only === kind}
          onClick={() => choose(only === kind ? "" : kind)}
        >
          {name} <strong>{formatCount(total)}</strong>
        </button>
      ))}
    </fieldset>
  );
}

interface PaletteContent {
  readonly groups: readonly PaletteGroup[];
  readonly kinds: readonly FoundKind[];
  readonly hint: string;
  readonly loading: boolean;
}

/** Returns the actions and found elements for a text, in groups. */
function usePaletteGroups(text: string, only: string, showHelp: () => void): PaletteContent {
  const actions = usePaletteActions(showHelp);
  const isCommand = text.startsWith(">");
  const words = (isCommand ? text.slice(1) : text).trim();
  const { groups: found, kinds, hint, loading } = useInventorySearch(isCommand ? "" : words, only);
  const actionGroup = { name: "Actions", options: filterActions(actions, words) };
  const groups = (only === "" ? [...found, actionGroup] : found).filter(({ options }) => options.length > 0);
  const isNothing = groups.length === 0 && !loading && hint === "";
  return { groups, kinds, hint: isNothing ? `Nothing is named “${words}”.` : hint, loading };
}

/** Returns the actions of every page: open a page, create a resource, change the theme, show shortcuts, sign out. */
function usePaletteActions(showHelp: () => void): readonly PaletteOption[] {
  const other = useTheme() === "dark" ? "light" : "dark";
  const pages: readonly PaletteOption[] = NAVIGATION_ITEMS.map(({ page, name, icon, key }) => ({
    id: `go-${page}`,
    icon,
    name: `Go to ${name}`,
    detail: key === undefined ? "" : `G ${key}`,
    run: () => location.assign(formatPageUrl(page)),
  }));
  const created: readonly PaletteOption[] = (useCanWrite() ? EDITABLE_KINDS : []).map((kind) => ({
    id: `new-${kind}`,
    icon: "edit",
    name: `New ${getKindNoun(kind)}`,
    detail: "",
    run: () => editStore.open({ mode: "create", kind, values: {} }),
  }));
  const others: readonly PaletteOption[] = [
    ...created,
    { id: "theme", icon: other, name: `Change to ${other} colours`, detail: "", run: () => chooseTheme(other) },
    {
      id: "share",
      icon: "link",
      name: "Copy the address of this page",
      detail: getKeyLabel("share"),
      run: () => void copyPageUrl(),
    },
    { id: "help", icon: "help", name: "Show the keys", detail: getKeyLabel("help"), run: showHelp },
  ];
  if (tokenStore.value() === "") return [...pages, ...others];
  return [
    ...pages,
    ...others,
    { id: "sign-out", icon: "signOut", name: "Sign out", detail: "", run: () => tokenStore.set("") },
  ];
}

/** Returns the actions whose names contain every word. */
function filterActions(actions: readonly PaletteOption[], text: string): readonly PaletteOption[] {
  const words = text.toLowerCase().split(/\s+/);
  return actions.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

const SEARCH_DELAY_MS = 80;
/** Maximum number of hits per kind: first for a search in all kinds, then for a search in one kind. */
const [MAX_HITS, MAX_HITS_OF_KIND] = [5, 20] as const;

/** A kind of found elements, which can be chosen as a filter. */
interface FoundKind {
  readonly kind: string;
  readonly name: string;
  readonly total: number;
}

interface SearchResults {
  readonly groups: readonly PaletteGroup[];
  /** All kinds with hits, whether or not one kind is chosen. */
  readonly kinds: readonly FoundKind[];
  /** Hint about the results; empty for none. */
  readonly hint: string;
  readonly loading: boolean;
}

/** Searches the inventory for words; `only` is one of `kinds`, or empty for all kinds. */
function useInventorySearch(words: string, only: string): SearchResults {
  const settled = useDelayedValue(words, SEARCH_DELAY_MS);
  const request = settled === "" ? undefined : { query: settled, page_size: only === "" ? MAX_HITS : MAX_HITS_OF_KIND };
  const asked = useCall("datacenter.v1.PlanningService/SearchInventory", request);
  const { reply, error } = asked;
  const loading = asked.loading || settled !== words;
  if (words === "" || reply === undefined) return { groups: [], kinds: [], hint: error?.message ?? "", loading };
  const shown = reply.kinds.filter(({ kind }) => only === "" || kind === only);
  const hint = reply.corrected_query === "" ? "" : `Nothing is named “${settled}”. Showing ${reply.corrected_query}.`;
  return {
    groups: shown.map(createPaletteGroup),
    kinds: reply.kinds.map(({ kind, total_count }) => ({ kind, name: getKindName(kind), total: total_count })),
    hint: error?.message ?? hint,
    loading,
  };
}

function createPaletteGroup({ kind, hits, total_count }: InventoryHits): PaletteGroup {
  const icon = findListKindByName(stripKindPrefix(kind))?.icon ?? "search";
  const options = hits.map(({ ref, name, detail }): PaletteOption => {
    const href = findRefUrl(ref) ?? formatPageUrl("history", ref);
    return { id: ref, icon, name, detail, href, run: () => location.assign(href) };
  });
  return { name: `${getKindName(kind)} ${formatCount(total_count)}`, options, more: total_count - hits.length };
}

function getKindName(kind: string): string {
  return findListKindByName(stripKindPrefix(kind))?.title ?? "Others";
}

function stripKindPrefix(kind: string): string {
  return kind.replace("INVENTORY_KIND_", "");
}

/** One line of the palette: a page to open, or an action. */
interface PaletteOption {
  readonly id: string;
  readonly icon: IconName;
  readonly name: string;
  readonly detail: string;
  /** URL, so that the page can be opened in a new tab; absent for an action. */
  readonly href?: string;
  readonly run: () => void;
}

interface PaletteGroup {
  readonly name: string;
  readonly options: readonly PaletteOption[];
  /** Number of further options that are not listed. */
  readonly more?: number;
}

/** Copies the page's URL, which contains every choice, and shows a notice. */
export async function copyPageUrl(): Promise<void> {
  const { href } = location;
  const text = (await copyText(href)) ? "The address of this page is copied" : `Copy this address: ${href}`;
  editStore.close({ text, requestId: "", etags: new Map() });
}

/**
 * Copies a text to the clipboard. Returns whether that succeeded. Browsers offer the clipboard only to pages over HTTPS
 * or from this machine; otherwise the text is selected and copied.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const had = document.activeElement as HTMLElement | null;
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "sr-only";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    had?.focus();
    return done;
  }
}
