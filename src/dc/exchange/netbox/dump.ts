import { isJsonObject } from "#kernel/json_object.ts";
import type { Dataset } from "./dataset.ts";
import { readRow } from "./read_row.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

const BY_MODEL: ReadonlyMap<string, TableName> = new Map(TABLE_NAMES.map((name) => [name, name]));
/** Models of Django and of NetBox's own workings, which say nothing of a datacenter. */
const INTERNAL = /^(?:admin|auth|contenttypes|sessions|users|core|django|taggit|social_django)\./;
/** What the rows of other tables hold already, or what is a template for new ones. */
const DERIVED = /^dcim\.(?:cablepath|\w+template)$|^extras\.(?:taggeditem|tag|customfield|objectchange)$|^core\./;

/** Puts one object of a `dumpdata` fixture into the dataset. @returns false for something that is no such object */
export function addDumped(data: Dataset, value: unknown): boolean {
  if (!isJsonObject(value) || typeof value["model"] !== "string" || !isJsonObject(value["fields"])) return false;
  const model = value["model"].toLowerCase();
  const [app = "", name = ""] = model.split(".");
  const table = ["dcim", "circuits", "tenancy"].includes(app) ? BY_MODEL.get(name) : undefined;
  if (table === undefined) {
    if (!INTERNAL.test(model) && !DERIVED.test(model)) data.addUnread(model);
    return true;
  }
  const row = readRow(table, value["pk"], value["fields"]);
  if (row === undefined) return false;
  data.add(table, row);
  return true;
}
