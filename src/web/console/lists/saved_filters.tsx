import { useState } from "preact/hooks";
import { Icon } from "../../shared/icon.tsx";
import { formatPageUrl, type PageAddress } from "../router.ts";
import { Popover } from "../ui/popover.tsx";
import { readSavedFilters, saveFilter } from "./kept.ts";
import type { ListKind } from "./list_kinds.ts";

/** Popover with the named filters that this browser stores. Each one is a link, so that it can be shared. */
export function SavedFilters(props: { readonly list: ListKind; readonly place: PageAddress }) {
  return (
    <Popover
      label={
        <>
          <Icon name="saved" />
          Saved
        </>
      }
    >
      <SavedFiltersPanel {...props} />
    </Popover>
  );
}

function SavedFiltersPanel({ list, place }: { readonly list: ListKind; readonly place: PageAddress }) {
  const [saved, setSaved] = useState(readSavedFilters(list));
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const { page: _, ...settings } = Object.fromEntries(place.settings);
  const here = formatPageUrl(list.page, "", settings);
  const isPlain = here === formatPageUrl(list.page);
  const writeFilter = (title: string, href: string | undefined) => {
    try {
      saveFilter(list, title, href);
      setProblem("");
      setName("");
    } catch {
      setProblem("This browser keeps nothing more: delete a saved filter, or allow it to store data.");
    }
    setSaved(readSavedFilters(list));
  };
  return (
    <form
      class="popover-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "" && !isPlain) writeFilter(name.trim(), here);
      }}
    >
      {saved.length === 0 ? <p class="muted">No filter of this list is saved.</p> : null}
      <ul class="plain-list saved">
        {saved.map((one) => (
          <li key={one.name}>
            <a href={one.href} aria-current={one.href === here ? "true" : undefined}>
              {one.name}
            </a>
            <button
              type="button"
              class="quiet square"
              aria-label={`Delete saved filter ${one.name}`}
              onClick={() => writeFilter(one.name, undefined)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <label class="field">
        <span>Save what is shown as</span>
        <input
          type="text"
          autocomplete="off"
          maxLength={60}
          disabled={isPlain}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={isPlain || name.trim() === ""}>
        {saved.some((one) => one.name === name.trim()) ? "Replace" : "Save"}
      </button>
      {problem === "" ? null : <p role="alert">{problem}</p>}
      <p class="muted">
        {isPlain ? "Add a filter, an order or columns first." : "Kept in this browser. Share copies its address."}
      </p>
    </form>
  );
}
