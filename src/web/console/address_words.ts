import { listConditions } from "./lists/inventory_rows.ts";
import {
  findListKindByPage,
  isFigureColumn,
  type ListKind,
  listAllColumns,
  listColumnValues,
  parseFigureRange,
} from "./lists/list_kinds.ts";
import {
  EXTRA_PLACEMENT_FIELDS,
  groupWordsBySetting,
  PLACEMENT_FIELDS,
  POWER_FIELDS,
  REHEARSAL_FIELDS,
} from "./pages/request_fields.ts";
import { OBJECT_PAGE_KINDS } from "./router.ts";

const FLAG_VALUES = ["0", "1"];

/** Allowed values of URL settings, by page and setting, in their spelling in URLs. */
const SETTING_VALUES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  power: groupWordsBySetting(POWER_FIELDS),
  rehearsal: groupWordsBySetting(REHEARSAL_FIELDS),
  placement: groupWordsBySetting([...PLACEMENT_FIELDS, ...EXTRA_PLACEMENT_FIELDS]),
  rack: { view: ["front", "rear"], coloring: ["status", "power"], tab: ["devices", "picture", "history"] },
  device: { tab: ["ports", "history"] },
  ...Object.fromEntries(OBJECT_PAGE_KINDS.map((page) => [page, { tab: ["cooling", "picture", "history"] }])),
  floor: { coloring: ["health", "power", "thermal", "utilization", "measured-power", "measured-temperature"] },
  capacity: { by: ["room", "floor", "rack"] },
  fabric: { view: ["bundles", "table"], physical: FLAG_VALUES },
  trace: { branches: FLAG_VALUES },
  window: { view: ["sheet"] },
  windows: {
    state: ["done", "cancelled", "all"],
    verdict: ["go", "go-with-risk", "unknown", "no-go"],
    within: ["7", "30"],
  },
  history: {
    action: ["create", "update", "delete"],
    through: ["rest", "grpc", "graphql", "mcp", "system", "webhook"],
  },
};

interface Address {
  readonly page: string;
  readonly settings: URLSearchParams;
}

/** A setting of a URL with a value that its page does not accept. */
export interface InvalidSetting {
  readonly name: string;
  readonly value: string;
  readonly expected: readonly string[];
}

/** Returns the address with settings in their usual spelling. Moves values that the page does not accept to `wrong`. */
export function normalizeSettings<Read extends Address>(
  place: Read,
): { readonly place: Read; readonly wrong: readonly InvalidSetting[] } {
  const list = findListKindByPage(place.page);
  if (list !== undefined) return normalizeListSettings(place, list);
  const settings = new URLSearchParams(place.settings);
  const wrong: InvalidSetting[] = [];
  for (const [name, expected] of Object.entries(SETTING_VALUES[place.page] ?? {})) {
    const value = settings.get(name) ?? "";
    const found =
      expected.find((word) => word === convertToAddressWord(value)) ??
      expected.find((word) => isFormerConstant(value, word));
    if (value === "" || found !== undefined) {
      if (found !== undefined) settings.set(name, found);
      continue;
    }
    settings.delete(name);
    wrong.push({ name, value, expected });
  }
  return { place: { ...place, settings }, wrong };
}

function normalizeListSettings<Read extends Address>(place: Read, list: ListKind) {
  const settings = new URLSearchParams(place.settings);
  const columns = listAllColumns(list.page);
  const wrong: InvalidSetting[] = [];
  const rejectValue = (name: string, value: string, expected: readonly string[]) => {
    settings.delete(name);
    wrong.push({
      name: convertToAddressWord(name),
      value: convertToAddressWord(value),
      expected: expected.map(convertToAddressWord),
    });
  };
  const isColumn = (name: string) => columns.includes(name) || list.columns.includes(name);
  const conditions = new Set([...columns, ...Object.keys(list.relations ?? {})]);
  for (const { column, text } of listConditions(place)) {
    const expected = listExpectedValues(list, column);
    if (!conditions.has(column)) rejectValue(column, text, columns);
    else if (expected !== undefined && parseFigureRange(text) === undefined) {
      const unknown = text.split("|").find((word) => word !== "" && !expected.includes(word));
      if (unknown !== undefined) rejectValue(column, unknown, expected);
    }
  }
  const order = settings.get("order") ?? "";
  if (order !== "" && !columns.includes(order.replace(/ (?:asc|desc)$/, ""))) rejectValue("order", order, columns);
  const unknownColumn = (settings.get("columns") ?? "").split("|").find((name) => name !== "" && !isColumn(name));
  if (unknownColumn !== undefined) rejectValue("columns", unknownColumn, columns);
  return { place: { ...place, settings }, wrong };
}

/** Returns the accepted values of a condition on a column; undefined if it accepts any text. */
function listExpectedValues(list: ListKind, column: string): readonly string[] | undefined {
  return listColumnValues(list.page, column) ?? (isFigureColumn(column) ? ["80..", "80..100", "..100"] : undefined);
}

/** Converts a column name or enum value to its spelling in URLs. */
function convertToAddressWord(word: string): string {
  return word.replaceAll("_", "-").toLowerCase();
}

/** Whether a value is the enum constant of a word, as in links of earlier versions: LOAD_BASIS_MAX for `max`. */
function isFormerConstant(value: string, word: string): boolean {
  return value.startsWith("LOAD_BASIS_") || value.startsWith("RENDER_VIEW_") || value.startsWith("COLORING_")
    ? convertToAddressWord(value).endsWith(`-${word}`)
    : false;
}
