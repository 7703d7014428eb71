import { slugFrom } from "../codes.ts";
import { type FieldKind, isPortTable, type Table } from "./component_tables.ts";
import type { Dataset } from "./dataset.ts";
import type { Cell, Row } from "./read_row.ts";
import { TABLES, type TableName } from "./tables.ts";
import { targetOf } from "./targets.ts";

export type CsvRecord = Readonly<Record<string, string>>;

/** Tables of which a name is all that matters: one that only references mention is made. */
const NAMED_ONLY: readonly TableName[] = [
  "manufacturer",
  "tenant",
  "devicerole",
  "rackrole",
  "platform",
  "region",
  "sitegroup",
  "site",
  "location",
  "rackgroup",
  "virtualchassis",
  "provider",
  "devicetype",
  "racktype",
];
/** Tables whose names a manufacturer distinguishes. */
const BUILT: readonly TableName[] = ["devicetype", "moduletype", "racktype"];
/** Scope under which slugs are stored. */
const SLUGS = "\nslugs";
/** Where the end of a cable is looked for, in this order. */
const ENDS: readonly TableName[] = [
  "interface",
  "frontport",
  "rearport",
  "powerport",
  "poweroutlet",
  "consoleport",
  "consoleserverport",
  "powerfeed",
];

/** Turns records of NetBox's CSV exports, which name things by their names, into rows that name them by ids. */
export class CsvRows {
  readonly #data: Dataset;
  readonly #records: (readonly [table: TableName, id: string, record: CsvRecord])[] = [];
  /** Ids by table and name; several when a name is not unique. */
  readonly #byName = new Map<string, string[]>();
  readonly #unclear: (table: TableName, id: string, reason: string) => void;

  constructor(data: Dataset, unclear: (table: TableName, id: string, reason: string) => void) {
    this.#data = data;
    this.#unclear = unclear;
  }

  /** Takes one record; references are resolved by `finish`. */
  add(table: TableName, headers: readonly string[], cells: readonly string[], number: number): void {
    const record: Record<string, string> = {};
    for (const [index, header] of headers.entries()) {
      const cell = cells[index] ?? "";
      if (cell !== "" && cell !== "—") record[fieldOfHeader(header)] = cell;
    }
    const id = record["id"] ?? `line-${number}`;
    this.#records.push([table, id, record]);
    const name = record["name"] ?? record["model"] ?? record["cid"] ?? "";
    for (const scope of ["", scopeOf(table, record)]) this.#index(table, scope, name, id);
    if (record["slug"] !== undefined) this.#index(table, SLUGS, record["slug"], id);
  }

  /** Puts all rows into the dataset. */
  finish(): void {
    for (const [table, id, record] of this.#records) {
      const cells: Record<string, Cell> = {};
      const { fields }: Table = TABLES[table];
      for (const [spelled, kind] of Object.entries(fields)) {
        const names = spelled.split("|");
        const given = names.map((name) => record[name]).find((one) => one !== undefined);
        if (given === undefined) continue;
        const cell = this.#cell({ table, id, field: names[0] ?? "", kind, record }, given);
        if (cell !== undefined) cells[names[0] ?? ""] = cell;
      }
      if (table === "cable") Object.assign(cells, this.#ends(id, record));
      this.#data.add(table, { id, cells });
    }
  }

  #index(table: TableName, scope: string, name: string, id: string): void {
    const key = keyOf(table, scope, name);
    const ids = this.#byName.get(key) ?? [];
    this.#byName.set(key, ids);
    if (!ids.includes(id)) ids.push(id);
  }

  #cell(
    at: { table: TableName; id: string; field: string; kind: FieldKind; record: CsvRecord },
    given: string,
  ): Cell | undefined {
    switch (at.kind) {
      case "text":
        return given;
      case "number": {
        const number = Number(given.replace(/\s*[A-Za-z%"]+$/, ""));
        return Number.isFinite(number) ? number : undefined;
      }
      case "flag":
        return flagOfText(given);
      case "choice":
        return choiceOfLabel(given) || undefined;
      case "tags":
        return given.split(/[,;]\s*/).flatMap((tag) => slugFrom(tag) ?? []);
      case "numbers":
        return unitsOf(given);
      case "ref":
        return this.#reference(at, given);
      default:
        return undefined;
    }
  }

  #reference(
    { table, id, field, record }: { table: TableName; id: string; field: string; record: CsvRecord },
    name: string,
  ): string | undefined {
    const target = targetOf(table, field);
    if (target === undefined) return undefined;
    const found = this.#named(target, name, record);
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      this.#unclear(table, id, `${field} "${name}" names ${found.length} objects`);
      return undefined;
    }
    if (NAMED_ONLY.includes(target)) return this.#make(target, name, record);
    this.#unclear(table, id, `${field} "${name}" names nothing in the exports`);
    return undefined;
  }

  /** Objects of a name: within the same device, manufacturer or site when that distinguishes them; else of a slug. */
  #named(target: TableName, name: string, record: CsvRecord): readonly string[] {
    const near = scopeOf(target === "powerfeed" ? "site" : target, record);
    const found = [near, "", SLUGS].map((scope) => this.#byName.get(keyOf(target, scope, name)));
    return found.find((ids) => ids !== undefined) ?? [];
  }

  #make(table: TableName, name: string, record: CsvRecord): string {
    const id = `named-${name}`;
    this.#index(table, "", name, id);
    const parent =
      table === "location" || table === "rackgroup" ? this.#named("site", record["site"] ?? "", {})[0] : undefined;
    const row: Row = {
      id,
      cells: { name, model: name, slug: slugFrom(name) ?? id, ...(parent !== undefined && { site: parent }) },
    };
    if (!this.#data.rows(table).has(id)) this.#data.add(table, row);
    return id;
  }

  /** The ends of a cable, as the columns of the import form or of the table name them. */
  #ends(id: string, record: CsvRecord): Readonly<Record<string, Cell>> {
    const ends: Record<string, Cell> = {};
    for (const side of ["a", "b"] as const) {
      const device =
        record[`side_${side}_device`] ?? record[`device_${side}`] ?? record[`side_${side}_power_panel`] ?? "";
      const type = record[`side_${side}_type`] ?? "";
      const names = record[`side_${side}_name`] ?? record[`termination_${side}`] ?? "";
      ends[side] = names.split(/,\s*(?=\S)/).flatMap((name) => this.#end(id, { device, type, name: name.trim() }));
    }
    return ends;
  }

  #end(
    id: string,
    { device, type, name }: { readonly device: string; readonly type: string; readonly name: string },
  ): readonly string[] {
    if (name === "") return [];
    const given = type.slice(type.indexOf(".") + 1).toLowerCase();
    const tables = given === "" ? ENDS : ([given] as readonly TableName[]);
    for (const table of tables) {
      const found =
        this.#byName.get(keyOf(table, device, name)) ??
        (table === "powerfeed" ? this.#byName.get(keyOf(table, "", name)) : undefined);
      if (found?.length === 1) return [`${table}/${found[0]}`];
    }
    this.#unclear("cable", id, `end "${device} ${name}" names nothing in the exports`);
    return [];
  }
}

/** What distinguishes objects of one name. */
function scopeOf(table: TableName, record: CsvRecord): string {
  if (isPortTable(table)) return record["device"] ?? "";
  if (BUILT.includes(table)) return record["manufacturer"] ?? "";
  return table === "powerfeed" ? (record["power_panel"] ?? "") : (record["site"] ?? "");
}

function keyOf(table: TableName, scope: string, name: string): string {
  return `${table}\n${scope.toLowerCase()}\n${name.toLowerCase()}`;
}

/** `1-3, 7` */
function unitsOf(text: string): readonly number[] {
  return text.split(",").flatMap((part) => {
    const [from = Number.NaN, to = from] = part.split("-").map(Number);
    if (!Number.isInteger(from) || !Number.isInteger(to) || to - from > 200) return [];
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  });
}

/** What the headers of NetBox's tables call fields that are named otherwise. */
const HEADERS: Readonly<Record<string, string>> = {
  device_role: "role",
  rack_role: "role",
  type_of_rack: "type",
  height: "u_height",
  u_height_u: "u_height",
  full_depth: "is_full_depth",
  tag: "tags",
  reports_to: "parent",
  circuit_id: "cid",
  mac: "mac_address",
  management_only: "mgmt_only",
  feed_leg_phase: "feed_leg",
  starting_unit_u: "starting_unit",
};

/** The field that a column's header names: `Device type` is `device_type`. */
function fieldOfHeader(header: string): string {
  const plain = header
    .trim()
    .toLowerCase()
    .replace(/\([^)]*\)/g, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return HEADERS[plain] ?? plain;
}

/** Labels of interface types and of a few other choices, whose slugs cannot be derived from the label. */
const LABELS: Readonly<Record<string, string>> = {
  "sfp (1ge)": "1000base-x-sfp",
  "gbic (1ge)": "1000base-x-gbic",
  "sfp+ (10ge)": "10gbase-x-sfpp",
  "xfp (10ge)": "10gbase-x-xfp",
  "sfp28 (25ge)": "25gbase-x-sfp28",
  "qsfp+ (40ge)": "40gbase-x-qsfpp",
  "qsfp28 (100ge)": "100gbase-x-qsfp28",
  "qsfp56 (200ge)": "200gbase-x-qsfp56",
  "qsfp-dd (400ge)": "400gbase-x-qsfpdd",
  "osfp (400ge)": "400gbase-x-osfp",
  "link aggregation group (lag)": "lag",
  "parent/child": "",
  c14: "iec-60320-c14",
  c20: "iec-60320-c20",
  c13: "iec-60320-c13",
  c19: "iec-60320-c19",
};

/** A choice as NetBox stores it: CSV exports show its label. */
function choiceOfLabel(label: string): string {
  const text = label.trim().toLowerCase();
  const known = Object.hasOwn(LABELS, text) ? LABELS[text] : undefined;
  if (known !== undefined) return known;
  return slugFrom(text.replace(/\s*\([^)]*\)\s*$/, "").replace(/\s+/g, "-")) ?? "";
}

/** Yes and no, as tables show them. */
function flagOfText(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (["true", "yes", "1", "✔", "on"].includes(word)) return true;
  return ["false", "no", "0", "✘", "off"].includes(word) ? false : undefined;
}
