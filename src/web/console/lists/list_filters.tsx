import { useState } from "preact/hooks";
import { formatCount } from "#words/figures.ts";
import { Icon } from "../../shared/marks.tsx";
import { useCall } from "../api/client.ts";
import { changeSettings, formatPageUrl, type PageAddress } from "../router.ts";
import { ChoiceField, RefField, renderOptions } from "../ui/fields.tsx";
import { Popover } from "../ui/picture.tsx";
import { createListRequest, LIST_INVENTORY_RPC, LIST_PAGE_SIZE, listConditions } from "./inventory_rows.ts";
import { readSavedFilters, saveFilter } from "./list_columns.tsx";
import {
  type ConditionRelation,
  formatColumnText,
  getColumnLabel,
  isFigureColumn,
  type ListKind,
  parseFigureRange,
} from "./list_kinds.ts";

/** Maximum number of values that are offered for a column. */
const MAX_OFFERED_VALUES = 30;

interface FilterProps {
  readonly list: ListKind;
  readonly place: PageAddress;
  readonly columns: readonly string[];
}

/** The conditions of a list, one chip each, and a button that adds one. */
export function ListFilters({ list, place, columns }: FilterProps) {
  const conditions = listConditions(place);
  return (
    <div class="chip-bar">
      {conditions.map(({ column, text }) => (
        <button
          key={column}
          type="button"
          class="chip on"
          aria-label={`Remove filter ${getColumnLabel(column)} ${formatCondition(column, text)}`}
          onClick={() => changeSettings({ [column]: "", page: "" })}
        >
          {getColumnLabel(column)} <strong>{formatCondition(column, text)}</strong>
          <Icon name="close" />
        </button>
      ))}
      <Popover label="Add filter" class="chip add" name="filter">
        <AddFilterPanel list={list} place={place} columns={columns} />
      </Popover>
      {(list.quickFilters ?? []).map(({ name, settings }) => {
        const on = Object.entries(settings).every(([column, text]) => place.settings.get(column) === text);
        const off = Object.fromEntries(Object.keys(settings).map((column) => [column, ""]));
        return (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={on}
            onClick={() => changeSettings({ ...(on ? off : settings), page: "" })}
          >
            {name}
          </button>
        );
      })}
    </div>
  );
}

/** Formats a condition for people: `80..100` becomes "80 to 100", `A01|A02` becomes "A01 or A02". */
function formatCondition(column: string, text: string): string {
  const range = parseFigureRange(text);
  if (range === undefined) {
    return text
      .split("|")
      .map((value) => (value === "" ? "not recorded" : formatColumnText(column, value)))
      .join(" or ");
  }
  const { min, max } = range;
  if (min === max) return `is ${min}`;
  if (max === undefined) return `from ${min}`;
  return min === undefined ? `up to ${max}` : `${min} to ${max}`;
}

function AddFilterPanel({ list, place, columns }: FilterProps) {
  const [column, setColumn] = useState(columns.find((one) => one === "kind" || one === "health") ?? columns[0] ?? "");
  const { relations = {} } = list;
  const relation = relations[column];
  return (
    <div class="popover-form">
      <label class="field">
        <span>Column</span>
        <select value={column} onChange={({ currentTarget }) => setColumn(currentTarget.value)}>
          {renderOptions([...columns, ...Object.keys(relations)].map((name) => [name, getColumnLabel(name)] as const))}
        </select>
      </label>
      {relation !== undefined ? (
        <RelationChoice key={column} place={place} column={column} relation={relation} />
      ) : isFigureColumn(column) ? (
        <RangeChoice key={column} place={place} column={column} />
      ) : (
        <ValueChoice key={column} list={list} place={place} column={column} />
      )}
    </div>
  );
}

/** Lists the values of a column among the rows that meet the other conditions, with the number of rows for each. */
function ValueChoice({ list, place, column }: { list: ListKind; place: PageAddress; column: string }) {
  const others = new URLSearchParams(place.settings);
  others.delete(column);
  const request = { ...createListRequest(list, { ...place, settings: others }), facets: [column], page_size: 1 };
  const { reply, error } = useCall(LIST_INVENTORY_RPC, request);
  const chosen = new Set(place.settings.get(column)?.split("|"));
  const counts = Object.entries(reply?.facets[0]?.counts ?? {}).sort(([, a], [, b]) => b - a);
  const chooseValue = (value: string, on: boolean) => {
    const next = on ? [...chosen, value] : [...chosen].filter((one) => one !== value);
    changeSettings({ [column]: next.join("|"), page: "" });
  };
  if (error !== undefined) return <p>{error.message}</p>;
  return (
    <fieldset class="choices">
      <legend class="sr-only">{getColumnLabel(column)}</legend>
      {counts
        .filter(([value]) => value !== "")
        .slice(0, MAX_OFFERED_VALUES)
        .map(([value, number]) => (
          <label key={value} class="switch">
            <input
              type="checkbox"
              checked={chosen.has(value)}
              onChange={({ currentTarget }) => chooseValue(value, currentTarget.checked)}
            />
            <span>{formatColumnText(column, value)}</span>
            <span class="tally">{formatCount(number)}</span>
          </label>
        ))}
      {counts.length > MAX_OFFERED_VALUES ? <p class="muted">More values: type them into the text filter.</p> : null}
      {reply !== undefined && counts.every(([value]) => value === "") ? (
        <p class="muted">Nothing is recorded.</p>
      ) : null}
    </fieldset>
  );
}

/** Field for a condition without a column: an element by its name, or one of a few values. */
function RelationChoice(props: { place: PageAddress; column: string; relation: ConditionRelation }) {
  const { place, column, relation } = props;
  const value = place.settings.get(column) ?? "";
  const changeCondition = (text: string) => changeSettings({ [column]: text, page: "" });
  if ("kinds" in relation) {
    const placeholder = "UPS-A2, AMS1-A08-A, B03";
    return <RefField label="Source" {...{ placeholder, value, change: changeCondition }} kinds={relation.kinds} />;
  }
  const choices = [
    ["", "Either"],
    ...relation.words.map((word) => [word, formatColumnText(column, word)] as const),
  ] as const;
  return <ChoiceField label={getColumnLabel(column)} {...{ value, choices, change: changeCondition }} />;
}

function RangeChoice({ place, column }: { place: PageAddress; column: string }) {
  const { min, max } = parseFigureRange(place.settings.get(column) ?? "") ?? {};
  const changeRange = (least: string, most: string) =>
    changeSettings({ [column]: least === "" && most === "" ? "" : `${least}..${most}`, page: "" });
  return (
    <div class="range">
      <NumberField label="From" value={min} change={(least) => changeRange(least, String(max ?? ""))} />
      <NumberField label="To" value={max} change={(most) => changeRange(String(min ?? ""), most)} />
    </div>
  );
}

function NumberField(props: {
  readonly label: string;
  readonly value: number | undefined;
  readonly change: (text: string) => void;
}) {
  const { label, value, change } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        step="any"
        value={value ?? ""}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  );
}

/** Links to the pages of a list, with the current page and the number of pages. */
export function ListPager({ page, total }: { readonly page: number; readonly total: number }) {
  const pages = Math.max(1, Math.ceil(total / LIST_PAGE_SIZE));
  if (pages === 1 && page === 1) return null;
  const createPageHandler = (to: number) => () => changeSettings({ page: to === 1 ? "" : String(to) });
  const first = (page - 1) * LIST_PAGE_SIZE + 1;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span class="muted">
        {formatCount(first)} to {formatCount(Math.min(total, first + LIST_PAGE_SIZE - 1))} of {formatCount(total)}
      </span>
      <button type="button" disabled={page === 1} onClick={createPageHandler(1)}>
        First
      </button>
      <button type="button" disabled={page === 1} onClick={createPageHandler(page - 1)}>
        Previous
      </button>
      <span>
        page <strong>{formatCount(page)}</strong> of {formatCount(pages)}
      </span>
      <button type="button" disabled={page >= pages} onClick={createPageHandler(page + 1)}>
        Next
      </button>
      <button type="button" disabled={page >= pages} onClick={createPageHandler(pages)}>
        Last
      </button>
    </nav>
  );
}

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
